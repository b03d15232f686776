/** Parameters and items that most tests of the node Segmind start from. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

export function model(slug: string) {
	return { __rl: true, mode: 'slug', value: slug };
}

/**
 * Returns parameters of Any Model: Run, with a prompt and a status check every 5 s, because in virtual time only checks take real time. `more` replaces or
 * adds parameters; `options` go into the Options collection.
 */
export function runParams(more: INodeParameters = {}, options: IDataObject = {}): INodeParameters {
	return {
		resource: 'model',
		operation: 'run',
		model: model('nano-banana-pro'),
		prompt: 'a lighthouse',
		...more,
		options: { pollIntervalSeconds: 5, ...options },
	} as INodeParameters;
}

/** Returns parameters of Any Model: Run that don't wait for completion, so that the output is the request. */
export function submitParams(
	more: INodeParameters = {},
	options: IDataObject = {},
): INodeParameters {
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

/** Returns parameters of Segmind Workflow: Run. */
export function workflowParams(
	more: INodeParameters = {},
	options: IDataObject = {},
): INodeParameters {
	const inputs = rows(textRow('prompt', 'a shoe'));
	return { operation: 'run', slug: 'product-photo', inputs, ...more, options } as INodeParameters;
}

/** Returns parameters of an operation of the resource Request. The request is the incoming item unless `more` names one. */
export function requestParams(
	operation: 'getMany' | 'getResult' | 'getStatus',
	more: INodeParameters = {},
): INodeParameters {
	return { resource: 'request', operation, ...more };
}

/** Returns items with a prompt each, for `prompt: EACH_PROMPT`. */
export function prompts(count: number): INodeExecutionData[] {
	return Array.from({ length: count }, (_unused, at) => ({ json: { prompt: `prompt ${at}` } }));
}

export const EACH_PROMPT = '={{ $json.prompt }}';

/** Returns a function that makes rows of this type, with the row's value in `member`. */
const rowOf =
	(type: string, member: string, defaultValue?: string) =>
	(name: string, value: string | number = defaultValue ?? '') => ({ name, type, [member]: value });
export const textRow = rowOf('string', 'stringValue');
export const numberRow = rowOf('number', 'numberValue');
/** Makes a row with a file, by default the one in the binary field `data`. */
export const fileRow = rowOf('file', 'binaryFields', 'data');

/** Returns rows as a value of Segmind Workflow's `inputs` or of the option `additionalParameters`. */
export function rows(...values: INodeParameters[]): INodeParameters {
	return { values };
}

/** Returns the request ID of each item. */
export const idsOf = (items: INodeExecutionData[] = []) =>
	items.map(({ json }) => json.request_id as string);
