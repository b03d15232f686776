/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Runs one node of this package, or one of its list methods, in n8n's own engine against the emulator; helpers for items with files. */
import type { Readable } from 'node:stream';

import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	INodeExecutionData,
	INodeListSearchResult,
	IPairedItemData,
	INodeParameters,
	IRun,
	IRunExecutionData,
	IWorkflowSettings,
} from 'n8n-workflow';

import type { Call } from '../../dev/emulator/types';
import { storeBinariesOnDisk, storeBinary } from '../../dev/engine/binaries';
import { execute, retryDataOf, storedData } from '../../dev/engine/execution';
import { listContext } from '../../dev/engine/contexts';
import { captureLog } from '../../dev/engine/log';
import { nodeOf, type NodeSettings, nodeTypesOfOne } from '../../dev/engine/node';
import { binaryData } from '../../dev/engine/version';
import { CHARGE, type Charge, type FailureFacts } from '../../nodes/shared/base/failure';
import { actionNode, credentialsFor, type Account } from './packageNodes';
import { until } from './until';

export { retryDataOf, renameFiles } from '../../dev/engine/execution';

export interface RunOptions extends NodeSettings, Account {
	/** Name of the node type, `segmind` by default. */
	node?: string;
	items?: INodeExecutionData[];
	/** `trigger` by default, `retry` with `retryData` or `retryOf`. */
	mode?: 'manual' | 'trigger' | 'retry' | 'integrated';
	/** A new one for each run by default. */
	executionId?: string;
	/** `workflow1` by default. */
	workflowId?: string;
	/** Whether an AI agent calls the node as a tool. */
	asTool?: boolean;
	settings?: IWorkflowSettings;
	/** The stored data of a failed execution, which this run retries. */
	retryData?: IRunExecutionData;
	/** The result of a failed execution, which this run retries. */
	retryOf?: Pick<RunResult, 'stored'>;
	/** Presses Stop when it aborts. */
	signal?: AbortSignal;
	/** Called with a function that presses Stop, and with the log so far, once the execution has begun. */
	whileRunning?: (stop: () => void, log: string[]) => Promise<void>;
	/** Keeps collecting the log after the execution has ended, until this returns true. */
	logUntil?: (log: string[]) => boolean;
}

/** An item that failed. Under a Continue mode there is only what its output shows: no kind, and for a tool only the message. */
export interface FailedItem extends Partial<FailureFacts> {
	item: number;
	message: string;
}

export interface RunResult {
	run: IRun;
	executionId: string;
	/** Items of the first output. */
	items: INodeExecutionData[];
	json: IDataObject[];
	/** Items of the error output. */
	errorItems: INodeExecutionData[];
	error?: Error & { description?: string; httpCode?: string; context?: IDataObject };
	/** Failed items of the last attempt. */
	failed: FailedItem[];
	hints: string[];
	/** The calls that reached the emulator, if it's in this process. */
	calls: Call[];
	/** The session credential as n8n has stored it after the run. */
	session: ICredentialDataDecryptedObject;
	/** Messages of n8n's log at level info. */
	log: string[];
	/** Messages to the browser during a manual run. */
	browserMessages: string[];
	/** The execution as n8n would have stored it. */
	stored: IRunExecutionData;
	tookMs: number;
	/** ms since the epoch. */
	endedAt: number;
}

let executions = 0;

/** Runs one node in the engine. Doesn't throw if the execution fails: read `failed`, or pass the result to `succeed`. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	const nodeType = actionNode(options.node ?? 'segmind');
	if (options.asTool)
		nodeType.description = { ...nodeType.description, name: `${nodeType.description.name}Tool` };
	const node = nodeOf(options, nodeType);
	const credentials = credentialsFor(options);
	const { executionId = `execution${++executions}`, retryOf } = options;
	const retryData = retryOf ? retryDataOf(retryOf.stored) : options.retryData;
	const browserMessages: string[] = [];
	const log: string[] = [];
	const stopping = new AbortController();
	const stop = () => stopping.abort();
	options.signal?.addEventListener('abort', stop, { once: true });
	const restoreLog = captureLog(log);
	const startedAt = Date.now();
	const earlierCalls = options.emulator.calls?.length ?? 0;
	const execution = execute({
		workflowId: options.workflowId ?? 'workflow1',
		executionId,
		nodes: [node],
		settings: options.settings,
		nodeTypes: nodeTypesOfOne(nodeType),
		credentials,
		mode: options.mode ?? (retryData ? 'retry' : 'trigger'),
		input: retryData ?? options.items ?? [{ json: {} }],
		signal: stopping.signal,
		onMessage: (message) => browserMessages.push(message),
	});
	const { whileRunning, logUntil } = options;
	const stopped = whileRunning?.(stop, log);
	// `whileRunning` may wait for something that never happens.
	stopped?.catch(stop);
	const run = await execution;
	const endedAt = Date.now();
	await stopped;
	if (logUntil) await until(() => logUntil(log));
	restoreLog();
	const last = run.data.resultData.runData[node.name]?.at(-1);
	const items = last?.data?.main[0] ?? [];
	const errorItems = last?.data?.main[1] ?? [];
	const error = run.data.resultData.error as RunResult['error'];
	const failed: FailedItem[] = error
		? ((error.context?.failedItems ?? []) as unknown as FailedItem[])
		: [...items, ...errorItems].filter(({ json }) => json.error !== undefined).map(failedItemOf);
	return {
		run,
		executionId,
		items,
		json: items.map(({ json }) => json),
		errorItems,
		error,
		failed,
		hints: (last?.hints ?? []).map(({ message }) => message),
		calls: options.emulator.calls?.slice(earlierCalls) ?? [],
		session: credentials.data.segmindSessionApi,
		log,
		browserMessages,
		stored: storedData(run),
		tookMs: endedAt - startedAt,
		endedAt,
	};
}

/** Returns the result of a run in which every item has to succeed. @throws Error with the failed items and the calls that arrived */
export function succeed<R extends Pick<RunResult, 'error' | 'failed' | 'calls'>>(result: R): R {
	const { error, failed, calls } = result;
	if (error === undefined && failed.length === 0) return result;
	const failures = failed.length > 0 ? failed.map((item) => JSON.stringify(item)) : [String(error)];
	const arrived = calls.map(
		({ kind, method, path, status }) => `${kind}: ${method} ${path} -> ${status ?? 'no response'}`,
	);
	throw new Error(['The run failed:', ...failures, 'Calls:', ...arrived].join('\n'));
}

function failedItemOf({ json, pairedItem }: INodeExecutionData): FailedItem {
	const { item } = pairedItem as IPairedItemData;
	if (typeof json.error === 'string') return { item, message: json.error };
	const { message, description, httpCode, status, request_id } = json.error as unknown as Pick<
		FailedItem,
		'message' | 'description' | 'httpCode' | 'status'
	> & { request_id?: string };
	const charges = Object.keys(CHARGE) as Charge[];
	return {
		item,
		message,
		description,
		httpCode,
		requestId: request_id,
		...(status === 'UNKNOWN' ? { outcomeUnknown: true } : { status }),
		charge: charges.find((charge) => description?.includes(CHARGE[charge])),
	};
}

/** Returns all texts of a result that are shown or logged, except for the output items. */
export const shownTexts = ({ error, log, hints, browserMessages: messages }: RunResult): string =>
	JSON.stringify([
		error?.message,
		error?.description,
		error?.context,
		error?.stack,
		log,
		hints,
		messages,
	]);

interface Search extends Partial<Account> {
	/** Name of the node type, `segmind` by default. */
	node?: string;
	method: string;
	filter?: string;
	parameters?: INodeParameters;
}

/** Calls a node's list method as the editor's picker does. Without an emulator, the node has no credential. */
export async function search(options: Search): Promise<INodeListSearchResult> {
	const { emulator, credential, method, filter, parameters = {} } = options;
	const nodeType = actionNode(options.node ?? 'segmind');
	const node = nodeOf({ parameters }, nodeType);
	if (!emulator) delete node.credentials;
	const account = { emulator: emulator ?? { credentials: {}, session: {} }, credential };
	const context = listContext(nodeType, node, credentialsFor(account as Account));
	return await nodeType.methods!.listSearch![method].call(context, filter);
}

/** Returns the bytes of an item's file, wherever n8n stores them. */
export async function bytesOf(item: INodeExecutionData, field = 'data'): Promise<Buffer> {
	const binary = item.binary?.[field];
	if (!binary) throw new Error(`the item has no binary field '${field}'`);
	return await binaryData().getAsBuffer(binary);
}

/** Returns an item with inline binary data. */
export function fileItem(
	files: Record<string, { bytes: Buffer; mimeType?: string; fileName?: string }>,
	json: IDataObject = {},
): INodeExecutionData {
	return {
		json,
		binary: Object.fromEntries(
			Object.entries(files).map(
				([name, { bytes, mimeType = 'image/png', fileName = `${name}.png` }]) => [
					name,
					{ data: bytes.toString('base64'), mimeType, fileName },
				],
			),
		),
	};
}

/** Makes n8n store files on disk while the tests of a file run. */
export function useBinariesOnDisk(): void {
	let end = () => {};
	beforeAll(async () => {
		end = await storeBinariesOnDisk();
	});
	afterAll(() => end());
}

/** Stores a file as n8n's webhooks do. Returns an item with the stored file. */
export async function storedFile(
	bytes: Buffer | Readable,
	fileName: string,
	mimeType: string,
): Promise<INodeExecutionData> {
	return { json: {}, binary: { data: await storeBinary(bytes, { data: '', fileName, mimeType }) } };
}

/** Returns the path of an item's file in n8n's store. */
export function pathOf(item: INodeExecutionData, field = 'data'): string {
	return binaryData().getPath(item.binary?.[field].id as string);
}
