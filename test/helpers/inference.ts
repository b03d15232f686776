/** Parameters and items that most tests of the node Segmind begin with. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

export function model(slug: string) {
	return { __rl: true, mode: 'slug', value: slug };
}

/** Parameters of Any Model: Run, checked often; members of `more` replace or add, `options` are those of the collection. */
export function runParams(more: INodeParameters = {}, options: IDataObject = {}): INodeParameters {
	return {
		resource: 'model',
		operation: 'run',
		model: model('nano-banana-pro'),
		prompt: 'a lighthouse',
		...more,
		options: { pollIntervalSeconds: 0.05, ...options },
	} as INodeParameters;
}

/** The same, for jobs of seconds or minutes of virtual time: each status check costs real time. */
export const longRunParams: typeof runParams = (more, options) =>
	runParams(more, { pollIntervalSeconds: 5, ...options });

/** The same without waiting: the output is the request. */
export function submitParams(more: INodeParameters = {}, options: IDataObject = {}): INodeParameters {
	return {
		resource: 'model',
		operation: 'run',
		model: model('nano-banana-pro'),
		prompt: 'x',
		waitForCompletion: false,
		...more,
		options,
	} as INodeParameters;
}

/** Parameters of Segmind Workflow that make a run. */
export function workflowParams(more: INodeParameters = {}, options: IDataObject = {}): INodeParameters {
	const inputs = rows(textRow('prompt', 'a shoe'));
	return { operation: 'run', slug: 'product-photo', inputs, ...more, options } as INodeParameters;
}

/** Parameters of an operation of the resource Request; the request is the incoming item unless `more` gives one. */
export function requestParams(
	operation: 'getMany' | 'getResult' | 'getStatus',
	more: INodeParameters = {},
): INodeParameters {
	return { resource: 'request', operation, ...more };
}

/** Items with a prompt each, to use with `prompt: EACH_PROMPT`. */
export function prompts(count: number): INodeExecutionData[] {
	return Array.from({ length: count }, (_unused, at) => ({ json: { prompt: `prompt ${at}` } }));
}

export const EACH_PROMPT = '={{ $json.prompt }}';

/** Makes rows of a type, their value under this name. */
const rowOf =
	(type: string, member: string, usual?: string) =>
	(name: string, value: string | number = usual ?? '') => ({ name, type, [member]: value });
export const textRow = rowOf('string', 'stringValue');
export const numberRow = rowOf('number', 'numberValue');
/** By default of the file in the field `data`. */
export const fileRow = rowOf('file', 'binaryFields', 'data');

/** Rows of Segmind Workflow's `inputs`, and of the option `additionalParameters`. */
export function rows(...values: INodeParameters[]): INodeParameters {
	return { values };
}
