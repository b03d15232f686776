import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { RequestRef } from '../../shared/journal/lifecycle';
import { dropUndefined, finishedItem, rawBody } from '../../shared/output/finished';
import { parsedOutput } from '../../shared/output/media';
import { BYTES_PER_MB, DEFAULT_MAX_FILE_MB } from '../../shared/run/options';
import { failureReason } from '../../shared/service/answers';
import { isObject, type RequestAnswer } from '../../shared/service/schemas';
import { isTransientFault } from '../pollFaults';
import { timeLeft, type PollSession } from '../pollSession';
import type { Checked } from './requestCheck';

/** How an ended request is shown. */
export interface Presentation {
	simplify: boolean;
	downloadOutput: boolean;
	/** Name of the binary field for the first file. */
	outputField: string;
}

const ITEMS_AT_ONCE = 4;

/**
 * Makes the items of ended requests, files included, in order.
 * @returns `postponed`: the ids for which there was no time; the next poll makes their items
 */
export async function requestItems(
	session: PollSession,
	ended: Checked[],
	presentation: Presentation,
): Promise<{ items: INodeExecutionData[]; postponed: Set<string> }> {
	const items: INodeExecutionData[] = [];
	const postponed = new Set<string>();
	let next = 0;
	const worker = async () => {
		while (next < ended.length) {
			const index = next++;
			const one = ended[index];
			const item = await itemOf(session, one, presentation);
			if (item) items[index] = item;
			// A file too large for one poll must not hold up everything for good: the output has its address.
			else if (index === 0)
				items[index] =
					(await itemOf(session, one, { ...presentation, downloadOutput: false })) ?? bareItem(one);
			else postponed.add(one.ref.request_id);
		}
	};
	await Promise.all(Array.from({ length: Math.min(ITEMS_AT_ONCE, ended.length) }, worker));
	for (const hint of session.hints) session.context.logger.warn(`Segmind Trigger: ${hint}`);
	return { items: items.filter(Boolean), postponed };
}

function bareItem({ ref }: Checked): INodeExecutionData {
	return { json: { request_id: ref.request_id } };
}

/** Undefined when the time was up before the files were there. */
async function itemOf(
	session: PollSession,
	{ ref, outcome }: Checked,
	presentation: Presentation,
): Promise<INodeExecutionData | undefined> {
	const label = labelOf(ref);
	switch (outcome.kind) {
		case 'expired':
			return { json: { request_id: ref.request_id, status: 'EXPIRED', ...label } };
		case 'failed':
			return failedItem(session, ref, outcome.body, presentation.simplify);
		case 'completed':
			if (presentation.downloadOutput && timeLeft(session) <= 0) return undefined;
			return await finishedItem(
				session,
				{
					itemIndex: 0,
					requestId: ref.request_id,
					label,
					body: outcome.body,
					isWorkflow: ref.workflow !== undefined || hasNamedOutputs(outcome.body),
					isGuess: ref.workflow === undefined,
					fromHistory: outcome.fromHistory,
				},
				{
					simplify: presentation.simplify,
					options: {
						timeoutMs: timeLeft(session),
						onTimeout: 'error',
						pollIntervalMs: 0,
						resubmitWhenUnknown: false,
						downloadOutput: presentation.downloadOutput,
						outputField: presentation.outputField,
						maxFileBytes: DEFAULT_MAX_FILE_MB * BYTES_PER_MB,
					},
				},
			).catch(noTimeLeft);
		default:
			return undefined;
	}
}

function failedItem(
	{ client }: PollSession,
	ref: RequestRef,
	body: RequestAnswer,
	simplify: boolean,
): INodeExecutionData {
	return {
		json: dropUndefined({
			...(simplify ? { metrics: body.metrics } : rawBody(body)),
			request_id: ref.request_id,
			status: 'FAILED',
			...labelOf(ref),
			error_message: client.redact(failureReason(body)) || 'the service gave no reason',
		}),
	};
}

function noTimeLeft(error: unknown): undefined {
	if (!isTransientFault(error)) throw error;
}

function labelOf({ model, workflow }: RequestRef): IDataObject {
	return dropUndefined({ model, workflow });
}

/** A bare id does not say whether it belongs to a workflow; its output does. */
function hasNamedOutputs(body: RequestAnswer): boolean {
	const output = parsedOutput(body.output);
	return (
		Array.isArray(output) &&
		output.length > 0 &&
		output.every((entry) => isObject(entry) && typeof entry.keyname === 'string')
	);
}
