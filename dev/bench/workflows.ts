/** The workflows to compare: with our nodes, and with n8n's own nodes as users combine them today. */
import type {
	IConnections,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
} from 'n8n-workflow';

import type { RemoteEmulator } from '../emulator/remote';
import type { WorkflowRun } from './engineProcess/engine';

/** An image model whose published average is 2.5 s. */
export const FAST_MODEL = 'fast-flux-schnell';

export function slugValue(value: string): INodeParameters {
	return { __rl: true, mode: 'slug', value };
}

const HTTP_REQUEST = 'n8n-nodes-base.httpRequest';
const HTTP_VERSION = 4.5;

export function promptItems(count: number): INodeExecutionData[] {
	return Array.from({ length: count }, (_none, at) => ({ json: { prompt: `prompt ${at}` } }));
}

interface Settings {
	items: INodeExecutionData[];
	/** Members of the node itself, such as `retryOnFail`. */
	node?: Partial<INode>;
}

/** Returns a workflow of the Segmind node, which runs a model with each item's prompt. `parameters` are added to the node's parameters, or replace them. */
export function segmindWorkflow(
	emulator: RemoteEmulator,
	{ items, node }: Settings,
	parameters: INodeParameters = {},
	options: IDataObject = {},
): WorkflowRun {
	return singleNodeWorkflow(emulator, items, {
		...createNode('Segmind', 'n8n-nodes-segmind.segmind', 1, {
			resource: 'model',
			operation: 'run',
			model: slugValue(FAST_MODEL),
			prompt: '={{ $json.prompt }}',
			...parameters,
			options: options as INodeParameters,
		}),
		...node,
	});
}

/** Returns a workflow of one node. */
export function singleNodeWorkflow(
	emulator: RemoteEmulator,
	items: INodeExecutionData[],
	node: INode,
): WorkflowRun {
	return { nodes: [node], connections: {}, items, credential: emulator.credentials };
}

/**
 * Returns a workflow of n8n's own nodes: submit, wait, check the status, and wait again until the status is COMPLETED; then get the result and its
 * file. `waitSeconds` is the duration of Wait.
 */
export function httpLoopWorkflow(
	emulator: RemoteEmulator,
	{ items, node }: Settings,
	waitSeconds: number,
): WorkflowRun {
	const requests = `${emulator.urls.api}/v2/requests/{{ $json.request_id }}`;
	const nodes = [
		{
			...httpRequestNode(emulator, 'Submit', {
				method: 'POST',
				url: `=${emulator.urls.api}/v2/{{ $json.model ?? '${FAST_MODEL}' }}`,
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ JSON.stringify({ prompt: $json.prompt }) }}',
			}),
			...node,
		},
		createNode('Wait', 'n8n-nodes-base.wait', 1.1, {
			resume: 'timeInterval',
			amount: waitSeconds,
			unit: 'seconds',
		}),
		httpRequestNode(emulator, 'Status', { url: `=${requests}/status` }),
		createNode('Done?', 'n8n-nodes-base.if', 2.3, {
			conditions: {
				options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
				conditions: [
					{
						id: 'done',
						leftValue: '={{ $json.status }}',
						rightValue: 'COMPLETED',
						operator: { type: 'string', operation: 'equals' },
					},
				],
				combinator: 'and',
			},
			options: {},
		}),
		httpRequestNode(emulator, 'Result', { url: `=${requests}` }),
		downloadNode('Download', '={{ $json.output[0].url ?? $json.output }}'),
	];
	return {
		nodes,
		connections: {
			...chainNodes(nodes),
			'Done?': { main: [[linkTo('Result')], [linkTo('Wait')]] },
		},
		items,
		credential: emulator.credentials,
	};
}

/** Returns an HTTP Request node of n8n that sends no key and stores the response as a file. */
export function downloadNode(name: string, url: string): INode {
	const options = { response: { response: { responseFormat: 'file' } } };
	return createNode(name, HTTP_REQUEST, HTTP_VERSION, { url, options });
}

/** Returns an HTTP Request node of n8n that sends the key in a header. It makes a GET by default. */
export function httpRequestNode(
	{ key }: RemoteEmulator,
	name: string,
	parameters: INodeParameters,
): INode {
	const headers = [
		{ name: 'x-api-key', value: key },
		{ name: 'accept', value: 'application/json, text/plain, */*' },
	];
	return createNode(name, HTTP_REQUEST, HTTP_VERSION, {
		sendHeaders: true,
		headerParameters: { parameters: headers },
		options: {},
		...parameters,
	});
}

/** Returns a node. Our nodes get the credential Segmind API. */
export function createNode(
	name: string,
	type: string,
	typeVersion: number,
	parameters: INodeParameters,
): INode {
	const credentials = { segmindApi: { id: 'segmind', name: 'segmind' } };
	return {
		id: name,
		name,
		type,
		typeVersion,
		position: [0, 0],
		parameters,
		...(type.startsWith('n8n-nodes-segmind.') && { credentials }),
	};
}

/** Connects each node with the next one. */
export function chainNodes(nodes: INode[]): IConnections {
	return Object.fromEntries(
		nodes.slice(1).map((next, at) => [nodes[at].name, { main: [[linkTo(next.name)]] }]),
	);
}

function linkTo(node: string) {
	return { node, type: 'main' as const, index: 0 };
}
