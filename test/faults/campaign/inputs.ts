/** The items and parameters of a program's node. */
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	IPairedItemData,
} from 'n8n-workflow';

import { rows } from '../../helpers/inference';
import { fileItem, type RunResult } from '../../helpers/runNode';
import { BODIES, type Press, type Program, type Thread } from './program';

export const MODEL = 'nano-banana-pro';
export const WORKFLOW = 'product-photo';

/** Returns the evaluated input of an item. */
export function inputOf(
	{ file }: Program,
	body: number,
	isChanged: boolean,
): Record<string, unknown> {
	const { prompt, ...rest } = BODIES[body];
	const fullPrompt = `${prompt}${file === 'sent' ? ` ${body}` : ''}${isChanged ? ' later' : ''}`;
	return file === 'sent' ? { prompt: fullPrompt } : { prompt: fullPrompt, ...rest };
}

/** Returns a key that is the same for inputs that count as equal. */
export function keyOf({ randomSeed, file }: Program, input: Record<string, unknown>): string {
	const seed = randomSeed && file !== 'sent' ? '' : String(input.seed ?? '');
	return `${String(input.prompt)}|${seed}`;
}

/** Returns the content of the file of an item with this prompt. */
export function contentOf(prompt: unknown): string {
	return `file of ${String(prompt).replace(' later', '')}`;
}

export function itemsOf(program: Program, { items }: Thread): INodeExecutionData[] {
	return items.map((body) => {
		const json = inputOf(program, body, false) as IDataObject;
		if (program.file === 'sent' || program.work === 'asset')
			return fileItem({ data: { bytes: Buffer.from(contentOf(json.prompt)) } }, json);
		if (program.file === 'none') return { json };
		const id = `filesystem-v2:workflows/workflow1/executions/temp/binary_data/file-${body}`;
		return {
			json,
			binary: { data: { id, data: 'filesystem-v2', mimeType: 'image/png', fileName: 'a.png' } },
		};
	});
}

/** An expression that returns ' later' in an execution whose other nodes return something else. */
const LATER = "($execution.id.endsWith('later') ? ' later' : '')";
const PROMPT = `={{ $json.prompt + ${LATER} }}`;

export function runParameters(program: Program, thread: Thread, press: Press): INodeParameters {
	const { work, waitForCompletion, simplify, options } = program;
	if (work === 'asset')
		return { operation: 'upload', source: 'binary', binaryFields: 'data', options };
	const requestOptions = requestOptionsOf(program, thread);
	const request =
		work === 'workflow' ? workflowParameters(program) : modelParameters(program, press);
	return {
		...request,
		...(work !== 'v1' && { waitForCompletion }),
		simplify,
		options: { ...options, ...requestOptions, ...(work === 'v1' && { answerInOneCall: true }) },
	} as INodeParameters;
}

/** Options that Get Result doesn't have. */
const SUBMISSION_OPTIONS = ['sendAgainIfUnsure', 'minimumBalance'];

export function fetchParameters({ simplify, options }: Program): INodeParameters {
	const fetchOptions = Object.fromEntries(
		Object.entries(options).filter(([name]) => !SUBMISSION_OPTIONS.includes(name)),
	);
	return {
		resource: 'request',
		operation: 'getResult',
		request: '={{ $json }}',
		simplify,
		options: fetchOptions,
	};
}

const fileRow = (name: string) => ({ name, type: 'file', binaryFields: 'data' });

function workflowParameters({ file }: Program): INodeParameters {
	const prompt = { name: 'prompt', type: 'string', stringValue: PROMPT };
	return {
		operation: 'run',
		slug: WORKFLOW,
		...(file === 'sent' && { inputs: rows(prompt, fileRow('reference')) }),
	};
}

function modelParameters({ file }: Program, { pickedAgain, task }: Press): INodeParameters {
	const [resource, operation] = task.split('.');
	return {
		resource,
		operation,
		model: {
			__rl: true,
			mode: 'list',
			value: MODEL,
			cachedResultName: pickedAgain ? 'Nano Banana Pro (new)' : 'Nano Banana Pro',
		},
		...(file === 'sent' && { prompt: PROMPT }),
	};
}

/** Returns the options that are part of the request. */
function requestOptionsOf({ work, file, randomSeed }: Program, { mode }: Thread): INodeParameters {
	if (file === 'sent')
		return work === 'workflow' ? {} : { additionalParameters: rows(fileRow('image_urls')) };
	// In the editor, a different seed makes a different request.
	const seed = randomSeed && mode !== 'manual' ? ', { seed: Math.random() }' : '';
	return {
		requestBody: `={{ Object.assign({}, $json, { prompt: $json.prompt + ${LATER} }${seed}) }}`,
	};
}

/** Returns the index of the input item that an output item is paired with, or -1. */
export function inputIndexOf({ pairedItem }: RunResult['items'][number]): number {
	return (pairedItem as IPairedItemData | undefined)?.item ?? -1;
}
