/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { setTimeout as pause } from 'node:timers/promises';

import type { IDataObject, INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { WorkflowFile } from '../../dev/base/workflows';
import type { Emulator } from '../../dev/emulator';
import {
	MAX_WAIT_MS,
	type Execution,
	type N8nApi,
	type Ref,
	type SavedWorkflow,
} from '../../dev/n8n/n8nApi';

/** A node of ours or of n8n's (of its base nodes, unless the type names a package), under its type's name unless told otherwise. */
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

/** Between two polls of OFTEN, ms. */
export const OFTEN_MS = 2_000;
/** Poll Times of a trigger. n8n takes no such interval, but any number of times of a minute. */
export const OFTEN = {
	item: Array.from({ length: 60_000 / OFTEN_MS }, (_u, at) => ({
		mode: 'custom',
		cronExpression: `${(at * OFTEN_MS) / 1000} * * * * *`,
	})),
};

/** Parameters by the name of their node. */
export type Changes = Record<string, Partial<INodeParameters>>;

/** A workflow with some parameters of its nodes changed. */
export function changed(workflow: WorkflowFile, changes: Changes): WorkflowFile {
	const nodes = workflow.nodes.map((one) => ({
		...one,
		parameters: { ...one.parameters, ...changes[one.name] } as INodeParameters,
	}));
	return { ...workflow, nodes };
}

/** Nodes in a row. */
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

/** Two nodes that give an item for each text, as its `prompt`. */
export function eachOf(texts: string[]): INode[] {
	const jsonOutput = JSON.stringify({ list: texts });
	return [
		node('set', { mode: 'raw', jsonOutput, options: {} }, { typeVersion: 3.4 }),
		node('splitOut', { fieldToSplitOut: 'list', options: { destinationFieldName: 'prompt' } }),
	];
}

/** As many items as asked for, each with a prompt of its own. */
export const prompts = (count: number): INode[] =>
	eachOf(Array.from({ length: count }, (_u, at) => `prompt ${at}`));

/** Makes an image for each item's prompt. */
export const inference = (options: IDataObject = {}, more: Partial<INode> = {}): INode =>
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
	/** Address of the process that takes webhooks, without a trailing slash, where the API's does not. */
	hooks?: string;
}

export interface Published {
	workflow: SavedWorkflow;
	/** Calls its production URL with JSON or with a form that holds files. Gives the status of the answer. */
	call: (body?: object | FormData) => Promise<number>;
}

let paths = 0;

/** Activates what a webhook of its own starts: the nodes after it in a row, or a workflow made with it. */
export async function published(
	{ api, credentials, hooks = api.url }: Production,
	after: INode[] | ((webhook: INode) => WorkflowFile),
	settings: IDataObject = {},
): Promise<Published> {
	const path = `path-${paths++}`;
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
			const url = `${hooks}/webhook/${path}`;
			if (!(body instanceof FormData)) return await postJson(url, body);
			return (await fetch(url, { method: 'POST', body })).status;
		},
	};
}

/** Publishes webhook → the nodes, and calls it. Gives the execution that began. */
export async function started(
	production: Production,
	nodes: INode[],
	settings: IDataObject = {},
	body?: object | FormData,
): Promise<{ id: string; workflow: SavedWorkflow }> {
	const { workflow, call } = await published(production, nodes, settings);
	await call(body);
	return { id: await firstOf(production.api, workflow), workflow };
}

/** The first execution of a workflow, as soon as there is one. */
export async function firstOf(api: N8nApi, { id }: SavedWorkflow): Promise<string> {
	await until(async () => (await api.listExecutions(id)).length > 0);
	return (await api.listExecutions(id)).at(-1)!.id;
}

/** Activates one of our triggers in a workflow of its own, its webhook under the same name. */
export async function activeTrigger(
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

/** What the executions of such a workflow started with, the oldest first. */
export async function startedWith(
	api: N8nApi,
	{ id, nodes }: SavedWorkflow,
): Promise<IDataObject[]> {
	const executions = (await api.listExecutions(id)).reverse();
	const items = executions.map(async (one) => itemsOf(await api.waitForEnd(one.id), nodes[0].name));
	return (await Promise.all(items)).flat().map(({ json }) => json);
}

/** Gives the status of the answer. */
export async function postJson(url: string, body: object): Promise<number> {
	const headers = { 'content-type': 'application/json' };
	return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

/** Waits for a condition. @throws when that takes too long */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
	for (const from = Date.now(); !(await condition()); await pause(50))
		if (Date.now() - from > MAX_WAIT_MS) throw new Error('it did not come to that in time');
}

/** A node's output of its last run, the first one unless another is given. */
export function itemsOf({ data }: Execution, name: string, output = 0): INodeExecutionData[] {
	return data.resultData.runData[name]?.at(-1)?.data?.main[output] ?? [];
}

/** Waits for an execution, which must succeed. */
export async function succeeded(api: N8nApi, id: string): Promise<Execution> {
	const execution = await api.waitForEnd(id);
	expect([execution.status, errorOf(execution)]).toEqual(['success', '']);
	return execution;
}

/** Text of an execution's error. */
export function errorOf({ data }: Execution): string {
	const { error } = data.resultData;
	return error ? `${error.message}\n${error.description ?? ''}` : '';
}

/** Identifiers of the accepted requests that a log tells of, in order. */
export const acceptedIn = (log: string): string[] =>
	[...log.matchAll(/Segmind accepted request (\S+)/g)].map(([, id]) => id);

export const slug = (value: string) => ({ __rl: true, mode: 'slug', value });

/** Expects n8n to refuse a workflow that would start itself for ever, and nothing to be sent. */
export async function expectNoSelfStart({
	api,
	emulator,
	credentials,
}: Production & { emulator: Emulator }): Promise<void> {
	const nodes = [
		node('segmindTrigger', { event: 'requestFinished', pollTimes: OFTEN }),
		node('segmind', { resource: 'image', operation: 'generate', prompt: 'waves' }),
	];
	const workflow = await api.createWorkflow(chain('starts itself', nodes), credentials);
	await expect(api.activate(workflow)).rejects.toThrow(/Allow Self-Start/);
	expect(emulator.callsOf('submit', 'v1', 'history')).toEqual([]);
}
