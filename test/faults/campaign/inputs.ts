/** The items and parameters of a program's node. */
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	IPairedItemData,
} from 'n8n-workflow';

import { rows } from '../../helpers/inference';
import { fileItem, type RunResult } from '../../helpers/runNode';
import { BODIES, type Program, type Thread } from './program';

export const MODEL = 'nano-banana-pro';
export const WORKFLOW = 'product-photo';

/** Returns the evaluated input of an item. */
export function inputOf(
	{ sendsFile }: Program,
	body: number,
	isChanged: boolean,
): Record<string, unknown> {
	const { prompt, ...rest } = BODIES[body];
	const fullPrompt = `${prompt}${sendsFile ? ` ${body}` : ''}${isChanged ? ' later' : ''}`;
	return sendsFile ? { prompt: fullPrompt } : { prompt: fullPrompt, ...rest };
}

/** Returns a key that is the same for inputs that count as equal. */
export function keyOf(input: Record<string, unknown>): string {
	return `${String(input.prompt)}|${String(input.seed ?? '')}`;
}

export function itemsOf(program: Program, { items }: Thread): INodeExecutionData[] {
	return items.map((body) => {
		const json = inputOf(program, body, false) as IDataObject;
		if (!program.sendsFile) return { json };
		return fileItem({ data: { bytes: Buffer.from(`file of ${String(json.prompt)}`) } }, json);
	});
}

/** Returns the index of the input item that an output item is paired with, or -1. */
export function inputIndexOf({ pairedItem }: RunResult['items'][number]): number {
	return (pairedItem as IPairedItemData | undefined)?.item ?? -1;
}

/** An expression that returns ' later' in an execution whose other nodes return something else. */
const LATER = "($execution.id.endsWith('later') ? ' later' : '')";
const PROMPT = `={{ $json.prompt + ${LATER} }}`;
const fileRow = (name: string) => rows({ name, type: 'file', binaryFields: 'data' });

export function parametersOf(program: Program): INodeParameters {
	const { work, waitForCompletion, sendsFile, options } = program;
	const bodyOptions =
		sendsFile && work === 'workflow'
			? {}
			: sendsFile
				? { additionalParameters: fileRow('image_urls') }
				: { requestBody: `={{ Object.assign({}, $json, { prompt: $json.prompt + ${LATER} }) }}` };
	const request =
		work === 'workflow'
			? { operation: 'run', slug: WORKFLOW, ...(sendsFile && { inputs: workflowInputs() }) }
			: {
					resource: 'model',
					operation: 'run',
					model: { __rl: true, mode: 'list', value: MODEL },
					...(sendsFile && { prompt: PROMPT }),
				};
	return {
		...request,
		...(work !== 'v1' && { waitForCompletion }),
		options: { ...options, ...bodyOptions, ...(work === 'v1' && { answerInOneCall: true }) },
	} as INodeParameters;
}

function workflowInputs(): INodeParameters {
	return rows(
		{ name: 'prompt', type: 'string', stringValue: PROMPT },
		{ name: 'reference', type: 'file', binaryFields: 'data' },
	);
}
