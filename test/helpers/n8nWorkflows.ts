/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { setTimeout as pause } from 'node:timers/promises';

import type { IDataObject, INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { WorkflowFile } from '../../dev/base/workflows';
import {
	MAX_WAIT_MS,
	type Execution,
	type N8nApi,
	type Ref,
	type SavedWorkflow,
} from '../../dev/n8n/n8nApi';

/** Returns a node of this package or of n8n (a base node, unless the type names a package). By default, the node is named after its type. */
export function node(
	type: string,
	parameters: INodeParameters = {},
	more: Partial<INode> = {},
): INode {
	const ours = type.startsWith('segmind');
	const credential = type.startsWith('segmindAccount') ? 'segmindSessionApi' : 'segmindApi';
	return {
		id: `${type}-${more.name ?? ''}`,
		name: type,
		type: type.includes('.') ? type : `n8n-nodes-${ours ? 'segmind' : 'base'}.${type}`,
		typeVersion: 1,
		position: [0, 0],
		parameters,
		...(ours && { credentials: { [credential]: { id: null, name: '' } } }),
		...more,
	};
}

/** Time between two polls of POLL_TIMES. */
export const POLL_INTERVAL_MS = 2_000;
/** Poll Times for a poll every 2 s. n8n offers no such interval, but it accepts cron expressions with seconds. */
export const POLL_TIMES = {
	item: Array.from({ length: 60_000 / POLL_INTERVAL_MS }, (_u, at) => ({
		mode: 'custom',
		cronExpression: `${(at * POLL_INTERVAL_MS) / 1000} * * * * *`,
	})),
};

/** Changed parameters, by the name of the node. */
export type Changes = Record<string, Partial<INodeParameters>>;

/** Returns the workflow with some parameters of its nodes changed. */
export function withChanges(workflow: WorkflowFile, changes: Changes): WorkflowFile {
	const nodes = workflow.nodes.map((one) => ({
		...one,
		parameters: { ...one.parameters, ...changes[one.name] } as INodeParameters,
	}));
	return { ...workflow, nodes };
}

/** Returns a workflow of nodes connected in a row. */
export function chain(name: string, nodes: INode[]): WorkflowFile {
	return {
		name,
		nodes,
		connections: Object.fromEntries(
			nodes
				.slice(1)
				.map((next, at) => [
					nodes[at].name,
					{ main: [[{ node: next.name, type: 'main' as const, index: 0 }]] },
				]),
		),
		settings: { executionOrder: 'v1' },
	};
}

/** Returns two nodes that output one item per text, with the text as `prompt`. */
export function nodesForTexts(texts: string[]): INode[] {
	const jsonOutput = JSON.stringify({ list: texts });
	return [
		node('set', { mode: 'raw', jsonOutput, options: {} }, { typeVersion: 3.4 }),
		node('splitOut', { fieldToSplitOut: 'list', options: { destinationFieldName: 'prompt' } }),
	];
}

/** Returns two nodes that output this many items, each with its own prompt. */
export const promptNodes = (count: number): INode[] =>
	nodesForTexts(Array.from({ length: count }, (_u, at) => `prompt ${at}`));

/** Returns a node that makes an image for each item's prompt. */
export const inferenceNode = (options: IDataObject = {}, more: Partial<INode> = {}): INode =>
	node(
		'segmind',
		{
			model: slug('nano-banana'),
			prompt: '={{ $json.prompt }}',
			options,
		} as INodeParameters,
		more,
	);

/** Where production workflows are started. */
export interface Production {
	api: N8nApi;
	credentials: Record<string, Ref>;
	/** URL of the process that receives webhooks, without a trailing slash, if it isn't the API's. */
	webhookUrl?: string;
}

export interface PublishedWorkflow {
	workflow: SavedWorkflow;
	/** Calls its production URL with JSON or a form with files. Returns the status of the response. */
	call: (body?: object | FormData) => Promise<number>;
}

let pathCount = 0;

/** Activates a workflow that a new webhook starts. `after` has the nodes that follow the webhook, or makes the whole workflow with it. */
export async function publish(
	{ api, credentials, webhookUrl = api.url }: Production,
	after: INode[] | ((webhook: INode) => WorkflowFile),
	settings: IDataObject = {},
): Promise<PublishedWorkflow> {
	const path = `path-${pathCount++}`;
	const webhook = node(
		'webhook',
		{ path, httpMethod: 'POST', options: {} },
		{ typeVersion: 2, webhookId: path },
	);
	const file = Array.isArray(after) ? chain(path, [webhook, ...after]) : after(webhook);
	const workflow = await api.createWorkflow(
		{ ...file, settings: { ...file.settings, ...settings } },
		credentials,
	);
	await api.activate(workflow);
	return {
		workflow,
		call: async (body = {}) => {
			const url = `${webhookUrl}/webhook/${path}`;
			if (!(body instanceof FormData)) return await postJson(url, body);
			return (await fetch(url, { method: 'POST', body })).status;
		},
	};
}

/** Publishes a webhook followed by these nodes and calls it. Returns the execution that this starts. */
export async function startExecution(
	production: Production,
	nodes: INode[],
	settings: IDataObject = {},
	body?: object | FormData,
): Promise<{ id: string; workflow: SavedWorkflow }> {
	const { workflow, call } = await publish(production, nodes, settings);
	await call(body);
	return { id: await firstExecution(production.api, workflow), workflow };
}

/** Waits for the first execution of a workflow. Returns its ID. */
export async function firstExecution(api: N8nApi, { id }: SavedWorkflow): Promise<string> {
	await until(async () => (await api.listExecutions(id)).length > 0);
	return (await api.listExecutions(id)).at(-1)!.id;
}

/** Activates one of our triggers in a new workflow. The workflow and its webhook get this name. */
export async function activateTrigger(
	{ api, credentials }: Production,
	name: string,
	type: string,
	parameters: INodeParameters,
): Promise<SavedWorkflow> {
	const trigger = node(type, parameters, { webhookId: name });
	const workflow = await api.createWorkflow(chain(name, [trigger, node('noOp')]), credentials);
	await api.activate(workflow);
	return workflow;
}

/** Returns the items with which a workflow's trigger started its executions, the oldest first. */
export async function triggerItems(
	api: N8nApi,
	{ id, nodes }: SavedWorkflow,
): Promise<IDataObject[]> {
	const executions = (await api.listExecutions(id)).reverse();
	const items = executions.map(async (one) => itemsOf(await api.waitForEnd(one.id), nodes[0].name));
	return (await Promise.all(items)).flat().map(({ json }) => json);
}

/** Posts JSON. Returns the status of the response. */
export async function postJson(url: string, body: object): Promise<number> {
	const headers = { 'content-type': 'application/json' };
	return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

/** Waits for a condition. @throws Error if that takes too long */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
	for (const from = Date.now(); !(await condition()); await pause(50))
		if (Date.now() - from > MAX_WAIT_MS)
			throw new Error('the condition did not become true in time');
}

/** Returns the items of a node's last run, from its first output unless another one is given. */
export function itemsOf({ data }: Execution, name: string, output = 0): INodeExecutionData[] {
	return data.resultData.runData[name]?.at(-1)?.data?.main[output] ?? [];
}

/** Waits for an execution to end, and expects that it succeeded. */
export async function expectSuccess(api: N8nApi, id: string): Promise<Execution> {
	const execution = await api.waitForEnd(id);
	expect([execution.status, errorOf(execution)]).toEqual(['success', '']);
	return execution;
}

/** Returns the text of an execution's error, or an empty string. */
export function errorOf({ data }: Execution): string {
	const { error } = data.resultData;
	return error ? `${error.message}\n${error.description ?? ''}` : '';
}

/** Returns the IDs of the accepted requests in a log, in order. */
export const acceptedIdsIn = (log: string): string[] =>
	[...log.matchAll(/Segmind accepted request (\S+)/g)].map(([, id]) => id);

export const slug = (value: string) => ({ __rl: true, mode: 'slug', value });
