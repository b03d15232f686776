/** Parameters and items that most tests of Inference begin with. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

export function model(slug: string) {
	return { __rl: true, mode: 'id', value: slug };
}

/** Parameters of Inference's `run`, polled fast; members of `more` replace or add. */
export function running(more: INodeParameters = {}, options: IDataObject = {}): INodeParameters {
	return {
		operation: 'run',
		model: model('nano-banana-pro'),
		prompt: 'a lighthouse',
		...more,
		options: { pollIntervalSeconds: 0.05, ...options },
	} as INodeParameters;
}

/** Items with a prompt each, to use with `prompt: EACH_PROMPT`. */
export function prompts(count: number): INodeExecutionData[] {
	return Array.from({ length: count }, (_unused, at) => ({ json: { prompt: `prompt ${at}` } }));
}

export const EACH_PROMPT = '={{ $json.prompt }}';

/** Rows of the fixedCollection `inputs`. */
export function rows(...values: INodeParameters[]): INodeParameters {
	return { values };
}
