/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { IBinaryData, IDataObject, INodeExecutionData, IRun } from 'n8n-workflow';

import type { RequestProgress } from './progress';

/** The outcome of one item. */
export interface Outcome {
	/** Number in the table, from 1. */
	item: number;
	requestId: string;
	/** The service's status, or FAILED if it never accepted the request. */
	state: string;
	/** The cost in USD. */
	cost?: number;
	/** The time from the acceptance of the request until the node saw its end. */
	seconds?: number;
	/** The names of the item's files. */
	files: string[];
	/** Why it failed, and what to do. */
	problem?: string;
}

/** A failed item as our nodes describe it: with On Error set to Continue, in the item's output; otherwise, in a list in the error. */
interface FailedItem {
	item?: number;
	message: string;
	description?: string;
	request_id?: string;
	status?: string;
}

/** Reads the outcome of each item of an execution, in item order, and writes the files to `folder`. */
export async function outcomesOf(
	run: IRun,
	nodeName: string,
	requests: ReadonlyMap<number, RequestProgress>,
	firstItem: number,
	folder: string,
): Promise<Outcome[]> {
	const [doneItems = [], failedItems = []] =
		run.data.resultData.runData[nodeName]?.at(-1)?.data?.main ?? [];
	const outcomes = new Map<number, Outcome>();
	const add = (index: number, outcome: Partial<Outcome>) => {
		const { requestId = '', state = '', acceptedAt = 0, endedAt } = requests.get(index) ?? {};
		outcomes.set(index, {
			item: firstItem + index,
			requestId,
			state,
			...(endedAt !== undefined && { seconds: (endedAt - acceptedAt) / 1000 }),
			files: [],
			...outcome,
		});
	};
	const addFailed = (index: number, { message, description, request_id, status }: FailedItem) =>
		add(index, {
			...(request_id && { requestId: request_id }),
			state: status ?? requests.get(index)?.state ?? 'FAILED',
			problem: [message.replace(/\.+$/, ''), description].filter(Boolean).join('. '),
		});

	for (const index of requests.keys()) add(index, {});
	for (const [at, item] of (doneItems ?? []).entries()) {
		const index = inputIndexOf(item, at);
		const requestId = String(item.json.request_id);
		add(index, {
			requestId,
			state: String(item.json.status),
			cost: item.json.cost as number | undefined,
			...(await writeFiles(item, `${firstItem + index}-${requestId.slice(0, 6)}`, folder)),
		});
	}
	for (const [at, item] of (failedItems ?? []).entries())
		addFailed(inputIndexOf(item, at), item.json.error as unknown as FailedItem);
	const { error } = run.data.resultData;
	if (error) {
		const listed = (error as { context?: IDataObject }).context?.failedItems as
			| Array<FailedItem & { requestId?: string }>
			| undefined;
		const { message, description } = error;
		const all = listed ?? [
			{ message, description: description ?? undefined, requestId: undefined },
		];
		for (const { item = 0, requestId, ...one } of all)
			addFailed(item, { ...one, request_id: requestId });
	}
	return [...outcomes.values()].sort((a, b) => a.item - b.item);
}

/** Returns the index of the input item that an output item belongs to. */
function inputIndexOf({ pairedItem }: INodeExecutionData, at: number): number {
	const [paired] = [pairedItem].flat();
	return (typeof paired === 'number' ? paired : paired?.item) ?? at;
}

/**
 * Writes an item's files. Names begin with the item's number and contain a part of the request ID, so that no later run overwrites them. Returns the
 * names, or why a file could not be written.
 */
async function writeFiles(
	{ json, binary = {} }: INodeExecutionData,
	name: string,
	folder: string,
): Promise<Pick<Outcome, 'files' | 'problem'>> {
	const contents: Array<[extension: string, Buffer | string]> = Object.values(binary).map(
		(file) => [extensionOf(file), Buffer.from(file.data, 'base64')],
	);
	if (typeof json.text === 'string') contents.push(['txt', `${json.text}\n`]);
	const files = contents.map(
		([extension], at) => `${name}${at === 0 ? '' : `-${at + 1}`}.${extension}`,
	);
	try {
		for (const [at, [, content]] of contents.entries())
			await writeFile(join(folder, files[at]), content);
		return { files };
	} catch (error) {
		const problem = `The item's file could not be written (${(error as Error).message}). The request has completed: to get the file again, use Get Result with the request ID.`;
		return { files: [], problem };
	}
}

function extensionOf({ fileExtension, mimeType }: IBinaryData): string {
	return fileExtension ?? mimeType.split('/')[1] ?? 'bin';
}
