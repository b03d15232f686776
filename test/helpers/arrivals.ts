/** Results that arrive in each of the ways that a result can take to an item, for whole test files. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { isObject } from '../../nodes/shared/service/schemas';
import { model, requestParams, runParams, workflowParams } from './inference';
import { usePolling } from './polling';
import { bytesOf, type RunResult } from './runNode';

/**
 * `model`, `workflow`: Run, of a language model or a workflow. `modelById`, `workflowById`: Get Result. `listed`: Segmind Trigger with an ID, which doesn't
 * show what made the result; `listedImage`, `listedWorkflow`: with the item of a run of an image model or a workflow.
 * `oneCall`: v1. `transcribe`: a task whose text is a transcript. `asJson`: a language model that was asked for JSON.
 */
export const WAYS = [
	...(['model', 'workflow', 'modelById', 'workflowById'] as const),
	...(['listed', 'listedImage', 'listedWorkflow'] as const),
	...(['oneCall', 'transcribe', 'asJson'] as const),
];
/** `image`: an image model, also in one call. `unknownInOneCall`: a model of an unknown kind. */
type OtherWay = 'image' | 'imageInOneCall' | 'unknownInOneCall';
export type Way = (typeof WAYS)[number] | OtherWay;

/** The ways of a language model: no URL in what it made is a file. */
export const isWordsWay = (way: Way) => ['model', 'oneCall', 'transcribe', 'asJson'].includes(way);

export const isOneCallWay = (way: Way) => way === 'oneCall' || way.endsWith('InOneCall');

/** A model of an unknown kind. */
export const UNKNOWN_MODEL = 'my-endpoint';

const MODELS: Partial<Record<Way, string>> = {
	model: 'gpt-5.4',
	oneCall: 'gpt-5.4',
	image: 'nano-banana-pro',
	imageInOneCall: 'nano-banana-pro',
	unknownInOneCall: UNKNOWN_MODEL,
};

/** The ways that know that a workflow made the result. */
export const isWorkflowWay = (way: Way) =>
	way === 'workflow' || way === 'workflowById' || way === 'listedWorkflow';

/** The ways of Segmind Trigger, which has no hints and downloads no files. */
export const isListedWay = (way: Way) => way.startsWith('listed');

/** How to present the result; everything is on by default. */
export interface Presented {
	simplify?: boolean;
	downloads?: boolean;
}

/** The item of a result. */
export interface Arrival {
	/** Without the members that describe the request: its ID, its status and what made it. */
	json: IDataObject;
	/** The names of all members, in order. */
	names: string[];
	/** The bytes of the item's files, in order of their binary fields, which are those that the contract says. */
	files: Buffer[];
	/** The URLs of the files that were fetched, in order. */
	fetched: string[];
	/** Empty for the ways of the trigger. */
	hints: string[];
}

const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/** Returns the bytes of a picture, which differ by number. */
export const pictureOf = (number: number) => Buffer.concat([PNG_START, Buffer.alloc(90, number)]);
export const base64Of = (number: number) => pictureOf(number).toString('base64');
/** How the base64 of every picture begins. */
export const PICTURE_START = 'iVBORw0KGgo';
/** What replaces a picture's base64 in an item. */
export const MARK = '[image/png, 98 bytes: in binary]';

export function useArrivals() {
	const engine = usePolling();
	const { emulator, runNode, watchRequests } = engine;
	const host = () => emulator.urls.files;
	/** The request that was submitted last without a node. */
	let submittedId = '';
	/** Returns the URL of a file. Only `named` has the extension of a file. */
	const urlOf = (kind: string, number: number) =>
		`${host()}/generations/${kind}${number}${kind === 'named' ? '.png' : ''}`;
	/** The file at any of these URLs; its bytes differ by URL. */
	const fileAt = (url: string) => Buffer.concat([pictureOf(0), Buffer.from(url)]);

	/** Makes the emulator serve each file. */
	function serve(urls: string[]): void {
		for (const url of urls) {
			const path = new RegExp(`${new URL(url).pathname.replace('.', '\\.')}$`);
			const body = fileAt(url);
			emulator.fault({ on: { path }, times: 'always', do: { body, contentType: 'image/png' } });
		}
	}

	async function execute(parameters: INodeParameters, node?: string): Promise<RunResult> {
		const result = await runNode({ node, parameters });
		if (result.error) throw result.error;
		return result;
	}

	async function run(
		way: Way,
		{ simplify = true, downloads: downloadOutput = true }: Presented,
	): Promise<Pick<RunResult, 'items' | 'hints'>> {
		const options = { downloadOutput };
		const more = { simplify };
		switch (way) {
			default: {
				const answerInOneCall = isOneCallWay(way);
				const parameters = { model: model(MODELS[way] ?? ''), ...more };
				return await execute(runParams(parameters, { ...options, answerInOneCall }));
			}
			case 'transcribe': {
				const slug = model('eleven-labs-transcript');
				const task = { resource: 'audio', operation: 'transcribe', model: slug };
				const requestBody = '{"audio_url": "https://x.example/a.mp3"}';
				return await execute(runParams({ ...task, ...more }, { ...options, requestBody }));
			}
			case 'asJson': {
				const task = { resource: 'text', operation: 'generate', model: model('gpt-5.4-mini') };
				const form = { outputFormat: 'json', jsonSchemaExample: '{"a": 1}' };
				return await execute(runParams({ ...task, ...form, ...more }, options));
			}
			case 'workflow':
				return await execute(workflowParams(more, options), 'segmindWorkflow');
			case 'modelById':
				return await execute(requestParams('getResult', { request: submit(), ...more, options }));
			case 'workflowById': {
				const parameters = { operation: 'getResult', request: submit(), ...more, options };
				return await execute(parameters, 'segmindWorkflow');
			}
			case 'listed':
				return await poll(submit(), more);
			case 'listedImage': {
				const item = { request_id: submit(), model: 'nano-banana-pro' };
				return await poll([item], more);
			}
			case 'listedWorkflow': {
				const item = { request_id: submit(), workflow: 'product-photo' };
				return await poll([item], more);
			}
		}
	}

	async function poll(requests: unknown, parameters: INodeParameters) {
		const trigger = watchRequests(requests, parameters);
		await engine.waitForJobs();
		return { items: await trigger.activate(), hints: [] };
	}

	/** Submits a request without a node. Returns its ID. */
	function submit(): string {
		submittedId = emulator.submitElsewhere({ slug: 'nano-banana-pro', input: {} });
		return submittedId;
	}

	/** Lets a result arrive. A `body` that is an object is JSON, a text is plain text, bytes are a file. */
	async function arrivalOf(
		way: Way,
		body: IDataObject | string | Buffer,
		presented: Presented = {},
	): Promise<Arrival> {
		const isOneCall = isOneCallWay(way);
		const contentType = typeof body === 'string' ? 'text/plain' : undefined;
		const response = isObject(body) && !isOneCall ? { status: 'COMPLETED', ...body } : body;
		const action = { status: 200, body: response, contentType };
		emulator.fault({ on: isOneCall ? 'v1' : ['result', 'poll'], times: 'always', do: action });
		return await arrive(way, presented);
	}

	/** Lets the result of an expired request arrive from the request history. */
	async function arrivalFromHistory(
		way: 'modelById' | 'listed',
		generation_url: unknown,
	): Promise<Arrival> {
		emulator.set({ recordMs: 0 });
		const body = {
			get request_id() {
				return submittedId;
			},
			model_status: 'COMPLETED',
			generation_url,
		};
		emulator.fault({ on: 'history', times: 'always', do: { body } });
		return await arrive(way, {});
	}

	async function arrive(way: Way, presented: Presented): Promise<Arrival> {
		const calls = emulator.calls.length;
		const { items, hints } = await run(way, presented);
		emulator.clearFaults();
		expect(items).toHaveLength(1);
		const [item] = items;
		const fetched = emulator.calls.slice(calls).filter(({ kind }) => kind === 'file');
		return {
			json: without(item.json, ['request_id', 'status', 'model', 'workflow']),
			names: Object.keys(item.json),
			files: await filesOf(item),
			fetched: fetched.map(({ path }) => `${host()}${path}`),
			hints,
		};
	}

	return { ...engine, urlOf, fileAt, serve, arrivalOf, arrivalFromHistory };
}

async function filesOf(item: INodeExecutionData): Promise<Buffer[]> {
	const names = Object.keys(item.binary ?? {});
	expect(names).toEqual(names.map((_name, at) => (at === 0 ? 'data' : `data_${at}`)));
	return await Promise.all(names.map(async (name) => await bytesOf(item, name)));
}

/** Returns an object without these members. */
export function without(object: IDataObject, names: string[]): IDataObject {
	return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
