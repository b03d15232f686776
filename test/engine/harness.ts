/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/**
 * Runs nodes of this package in n8n's own engine (n8n-core's WorkflowExecute with its real HTTP helpers) against the emulator.
 */
import type { Readable } from 'node:stream';

import { LoadOptionsContext, WorkflowExecute } from 'n8n-core';
import { ExecutionLifecycleHooks } from 'n8n-core/dist/execution-engine/execution-lifecycle-hooks';
import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeListSearchResult,
	INodeParameters,
	INodeType,
	INodeTypes,
	IRun,
	IRunExecutionData,
	IWorkflowExecuteAdditionalData,
	IWorkflowSettings,
} from 'n8n-workflow';
import { NodeHelpers, sleep, Workflow } from 'n8n-workflow';

import { SegmindApi } from '../../credentials/SegmindApi.credentials';
import { SegmindSessionApi } from '../../credentials/SegmindSessionApi.credentials';
import { CredentialStore } from '../../dev/demo/credentialStore';
import type { Emulator } from '../../dev/emulator';
import { SegmindAccount } from '../../nodes/SegmindAccount/SegmindAccount.node';
import { SegmindAsset } from '../../nodes/SegmindAsset/SegmindAsset.node';
import { SegmindCredits } from '../../nodes/SegmindCredits/SegmindCredits.node';
import { SegmindEndpoint } from '../../nodes/SegmindEndpoint/SegmindEndpoint.node';
import { SegmindFineTune } from '../../nodes/SegmindFineTune/SegmindFineTune.node';
import { SegmindInference } from '../../nodes/SegmindInference/SegmindInference.node';
import { SegmindWorkflow } from '../../nodes/SegmindWorkflow/SegmindWorkflow.node';
import { binaryData, engineLogger, moveStored, runDataFor, stored, type LogLevel } from './engineVersion';

const NODES: Record<string, () => INodeType> = {
	segmindInference: () => new SegmindInference(),
	segmindWorkflow: () => new SegmindWorkflow(),
	segmindAsset: () => new SegmindAsset(),
	segmindCredits: () => new SegmindCredits(),
	segmindEndpoint: () => new SegmindEndpoint(),
	segmindFineTune: () => new SegmindFineTune(),
	segmindAccount: () => new SegmindAccount(),
};
const CREDENTIAL_TYPES: ICredentialType[] = [new SegmindApi(), new SegmindSessionApi()];

export interface RunOptions {
	emulator: Emulator;
	/** Name of the node type, `segmindInference` by default. */
	node?: string;
	parameters: INodeParameters;
	items?: INodeExecutionData[];
	/** n8n's On Error setting. */
	onError?: INode['onError'];
	/** Tries under Retry On Fail; 1 = off. */
	tries?: number;
	/** Replaces members of the emulator's credential. */
	credential?: IDataObject;
	/** Replaces members of the emulator's session credential. */
	session?: IDataObject;
	credentialId?: string;
	/** `trigger` by default, `retry` with `resume`. */
	mode?: 'manual' | 'trigger' | 'retry';
	/** A new one for each run by default. */
	executionId?: string;
	/** `workflow1` by default. */
	workflowId?: string;
	/** `node1` by default. */
	nodeId?: string;
	/** The node as an AI agent calls it. */
	asTool?: boolean;
	settings?: IWorkflowSettings;
	/** Data stored for an earlier, failed execution: what the executions list retries. */
	resume?: IRunExecutionData;
	/** Called with a function that presses Stop, and with the log so far, once the execution has begun. */
	whileRunning?: (stop: () => void, log: string[]) => Promise<void>;
	/** Goes on collecting the log after the execution has ended, until this is true. */
	logUntil?: (log: string[]) => boolean;
}

export interface RunResult {
	run: IRun;
	executionId: string;
	/** Output items of the first output. */
	items: INodeExecutionData[];
	json: IDataObject[];
	/** Items of the error output. */
	errorItems: INodeExecutionData[];
	error?: Error & { description?: string; httpCode?: string; context?: IDataObject };
	hints: string[];
	/** The session credential as n8n has it stored afterwards. */
	session: ICredentialDataDecryptedObject;
	/** Messages of n8n's log at level info. */
	log: string[];
	/** What was told to the browser in a manual run. */
	told: string[];
	/** The execution as n8n would have stored it. */
	stored: IRunExecutionData;
	tookMs: number;
}

let executions = 0;

/** Runs one node in the engine. Never throws for a failed execution: look at `error`. */
export async function runNode(options: RunOptions): Promise<RunResult> {
	const nodeType = nodeTypeOf(options);
	const node = nodeOf(options, nodeType);
	const workflow = new Workflow({ id: options.workflowId ?? 'workflow1', nodes: [node], connections: {}, nodeTypes: typesOf(nodeType), active: false, settings: options.settings ?? {} });
	const { mode = options.resume ? 'retry' : 'trigger', executionId = `execution${++executions}` } = options;
	const told: string[] = [];
	const log: string[] = [];
	const additionalData = additionalDataOf({ ...options, mode, executionId }, node, told);
	const runData = options.resume ?? runDataFor(node, options.items ?? [{ json: {} }]);
	// A retry finds the node of the workflow as saved now.
	for (const waiting of runData.executionData?.nodeExecutionStack ?? []) waiting.node = node;
	const restoreLog = captureLog(log);
	const startedAt = Date.now();
	const execution = new WorkflowExecute(additionalData, mode, runData).processRunExecutionData(workflow);
	const stopped = options.whileRunning?.(() => execution.cancel(), log);
	const run = await execution;
	const tookMs = Date.now() - startedAt;
	await stopped;
	while (options.logUntil && !options.logUntil(log)) await sleep(5);
	restoreLog();
	const results = run.data.resultData.runData[node.name] ?? [];
	const last = results[results.length - 1];
	const items = last?.data?.main[0] ?? [];
	return {
		run,
		executionId,
		items,
		json: items.map(({ json }) => json),
		errorItems: last?.data?.main[1] ?? [],
		error: run.data.resultData.error as RunResult['error'],
		hints: (last?.hints ?? []).map(({ message }) => message),
		session: (additionalData.credentialsHelper as CredentialStore).data.segmindSessionApi,
		log,
		told,
		stored: JSON.parse(JSON.stringify(run.data)) as IRunExecutionData,
		tookMs,
	};
}

/** What the executions list's Retry starts from: the failed run's data is dropped, the rest stays (n8n's ExecutionService). */
export function forRetry(stored: IRunExecutionData): IRunExecutionData {
	const data = JSON.parse(JSON.stringify(stored)) as IRunExecutionData;
	delete data.resultData.error;
	const { lastNodeExecuted } = data.resultData;
	if (lastNodeExecuted) data.resultData.runData[lastNodeExecuted]?.pop();
	return data;
}

/**
 * The stored data of an execution that a webhook started: when it ends, n8n moves the files that were stored before it had an id, and renames them
 * in the nodes' input and output; nowhere else, so not in a node's context.
 */
export async function renamedFiles({ stored, executionId }: Pick<RunResult, 'stored' | 'executionId'>): Promise<IRunExecutionData> {
	const data = JSON.parse(JSON.stringify(stored)) as IRunExecutionData;
	const inputs = (data.executionData?.nodeExecutionStack ?? []).map((waiting) => waiting.data);
	const outputs = Object.values(data.resultData.runData).flatMap((runs) => runs.map((task) => task.data));
	const items = [...inputs, ...outputs].flatMap((connections) => connections?.main ?? []).flatMap((branch) => branch ?? []);
	const moved = new Set<string>();
	for (const binary of items.flatMap((item) => Object.values(item.binary ?? {}))) {
		const id = binary.id ?? '';
		if (!id.includes('/temp/')) continue;
		binary.id = id.replace('/temp/', `/${executionId}/`);
		if (!moved.has(id)) await moveStored(id, binary.id);
		moved.add(id);
	}
	return data;
}

/** Calls a list method of a node as the editor's picker does. */
export async function search(options: { emulator?: Emulator; credential?: IDataObject; node?: string; method: string; filter?: string; parameters?: INodeParameters }): Promise<INodeListSearchResult> {
	const nodeType = NODES[options.node ?? 'segmindInference']();
	const emulatorOptions = { emulator: options.emulator as Emulator, credential: options.credential, parameters: options.parameters ?? {} };
	const node = nodeOf(emulatorOptions, nodeType);
	if (!options.emulator) delete node.credentials;
	const workflow = new Workflow({ id: 'workflow1', nodes: [node], connections: {}, nodeTypes: typesOf(nodeType), active: false, settings: {} });
	const additionalData = additionalDataOf(emulatorOptions, node, []);
	additionalData.currentNodeParameters = node.parameters;
	const context = new LoadOptionsContext(workflow, node, additionalData, '');
	return await nodeType.methods!.listSearch![options.method].call(context, options.filter);
}

/** Bytes of a binary of an item, wherever n8n keeps them. */
export async function bytesOf(item: INodeExecutionData, field = 'data'): Promise<Buffer> {
	const binary = item.binary?.[field];
	if (!binary) throw new Error(`the item has no binary field '${field}'`);
	return await binaryData().getAsBuffer(binary);
}

/** An item with inline binary data. */
export function fileItem(files: Record<string, { bytes: Buffer; mimeType?: string; fileName?: string }>, json: IDataObject = {}): INodeExecutionData {
	return {
		json,
		binary: Object.fromEntries(Object.entries(files).map(([name, { bytes, mimeType = 'image/png', fileName = `${name}.png` }]) => [name, { data: bytes.toString('base64'), mimeType, fileName }])),
	};
}

function nodeTypeOf(options: RunOptions): INodeType {
	const nodeType = NODES[options.node ?? 'segmindInference']();
	if (options.asTool) nodeType.description = { ...nodeType.description, name: `${nodeType.description.name}Tool` };
	return nodeType;
}

export function nodeOf(options: Pick<RunOptions, 'parameters' | 'onError' | 'tries' | 'credentialId' | 'nodeId'>, nodeType: INodeType): INode {
	return {
		id: options.nodeId ?? 'node1',
		name: 'Segmind',
		type: nodeType.description.name,
		typeVersion: 1,
		position: [0, 0],
		parameters: options.parameters,
		onError: options.onError,
		...((options.tries ?? 1) > 1 ? { retryOnFail: true, maxTries: options.tries, waitBetweenTries: 1 } : {}),
		credentials: Object.fromEntries((nodeType.description.credentials ?? []).map(({ name }) => [name, { id: options.credentialId ?? 'credential1', name }])),
	};
}

export function typesOf(nodeType: INodeType): INodeTypes {
	return { getByName: () => nodeType, getByNameAndVersion: () => NodeHelpers.getVersionedNodeType(nodeType), getKnownTypes: () => ({}) };
}

export function additionalDataOf(options: Pick<RunOptions, 'emulator' | 'credential' | 'session' | 'mode' | 'executionId' | 'workflowId'>, node: INode, told: string[]): IWorkflowExecuteAdditionalData {
	const { executionId = 'execution0', workflowId = 'workflow1' } = options;
	return {
		executionId,
		hooks: new ExecutionLifecycleHooks(options.mode ?? 'trigger', executionId, {
			id: workflowId, name: 'Test', nodes: [node], connections: {}, active: false, isArchived: false,
			createdAt: new Date(), updatedAt: new Date(), activeVersionId: null,
		} as never),
		credentialsHelper: new CredentialStore(CREDENTIAL_TYPES, {
			segmindApi: { ...options.emulator?.credentials, ...options.credential } as ICredentialDataDecryptedObject,
			segmindSessionApi: { ...options.emulator?.session, ...options.session } as ICredentialDataDecryptedObject,
		}),
		sendDataToUI: (_type: string, data: { messages?: unknown[] }) => told.push(...(data.messages ?? []).map(String)),
		webhookWaitingBaseUrl: 'http://localhost/webhook-waiting',
		formWaitingBaseUrl: 'http://localhost/form-waiting',
		webhookBaseUrl: 'http://localhost/webhook',
		webhookTestBaseUrl: 'http://localhost/webhook-test',
		restApiUrl: 'http://localhost/rest',
		instanceBaseUrl: 'http://localhost/',
		variables: {},
		currentNodeParameters: undefined,
	} as unknown as IWorkflowExecuteAdditionalData;
}

/** Collects what nodes log at one level through n8n's logger. */
export function captureLog(log: string[], level: LogLevel = 'info'): () => void {
	const spy = jest.spyOn(engineLogger(), level).mockImplementation((message: string) => void log.push(message));
	return () => spy.mockRestore();
}

/** An item whose file lies in n8n's store, where a webhook puts it: the execution has no id yet. */
export async function storedFile(bytes: Buffer | Readable, fileName: string, mimeType: string): Promise<INodeExecutionData> {
	const data = await stored(bytes, { data: '', fileName, mimeType });
	return { json: {}, binary: { data } };
}

/** Where n8n's store keeps the file of an item. */
export function pathOf(item: INodeExecutionData, field = 'data'): string {
	return binaryData().getPath(item.binary?.[field].id as string);
}
