import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import type { Kind } from '../shared/catalogue/types';
import type { Operations } from '../shared/descriptions/operations';
import type { FileKind } from '../shared/inputs/ownFile';

/** What the user wants to make. Each task has a list of models, and a cheap and fast default. */
export interface Task {
	resource: 'image' | 'video' | 'audio' | 'text' | 'model';
	operation:
		| 'generate'
		| 'edit'
		| 'analyze'
		| 'upscale'
		| 'removeBackground'
		| 'generateSpeech'
		| 'generateMusic'
		| 'run'
		| 'transcribe';
	/** Display name of the operation. */
	name: string;
	description: string;
	/** The name of a new node, and of an agent's tool. */
	action: string;
	/** The kind of models in the list; undefined for all models. */
	makes?: Kind;
	/** Search words of the picker that narrow the list to models of this task. */
	topic?: string;
	/** The kind of file that is sent from the item itself if the user provides no file and the item has exactly one of this kind. */
	uses?: FileKind;
	/** Whether the output has the input's files too, so that a file and what the model says about it go on together. */
	keepsFiles?: true;
	/** An example of a prompt; undefined if the task takes no prompt. */
	example?: string;
	/** The default of the question about images, which replaces the prompt. */
	question?: string;
	/**
	 * The default model. n8n doesn't store an unchanged default, so another default or name would change saved workflows, and needs a new version of the
	 * node. That is why the name contains no price (docs/n8n.md N271).
	 */
	model: { slug: string; name: string };
}

export const TASKS: readonly Task[] = [
	{
		resource: 'image',
		operation: 'generate',
		name: 'Generate',
		description: 'Make an image from text',
		action: 'Generate an image',
		example: 'a lighthouse at dusk, watercolor',
		makes: 'image',
		model: { slug: 'nano-banana', name: 'Nano Banana' },
	},
	{
		resource: 'image',
		operation: 'edit',
		name: 'Edit',
		description: 'Change an image by describing the change, or swap a face',
		action: 'Edit an image',
		uses: 'image/',
		example: 'make it a winter evening',
		makes: 'imageEdit',
		model: { slug: 'qwen-image-edit-plus', name: 'Qwen Image Edit Plus' },
	},
	{
		resource: 'image',
		operation: 'upscale',
		name: 'Upscale',
		description: 'Enlarge an image and sharpen its details',
		action: 'Upscale an image',
		uses: 'image/',
		makes: 'imageEdit',
		topic: 'upscale',
		model: { slug: 'esrgan', name: 'ESRGAN' },
	},
	{
		resource: 'image',
		operation: 'removeBackground',
		name: 'Remove Background',
		description: 'Cut out what an image shows, on a transparent background',
		action: 'Remove background from an image',
		uses: 'image/',
		makes: 'imageEdit',
		topic: 'remove background',
		model: { slug: 'bg-removal-v2', name: 'Background Removal V2' },
	},
	{
		resource: 'image',
		operation: 'analyze',
		name: 'Analyze',
		description: 'Answer a question about images: describe them, write a caption, read their text',
		action: 'Analyze an image',
		question: "What's in this image?",
		keepsFiles: true,
		makes: 'text',
		topic: 'vision',
		model: { slug: 'gemini-3.1-flash-lite', name: 'Gemini 3.1 Flash Lite' },
	},
	{
		resource: 'video',
		operation: 'generate',
		name: 'Generate',
		description: 'Make a video from text or from images',
		action: 'Generate a video',
		uses: 'image/',
		example: 'waves roll in, the camera glides along the beach',
		makes: 'video',
		model: { slug: 'seedance-2.0-mini', name: 'Seedance 2.0 Mini' },
	},
	{
		resource: 'audio',
		operation: 'generate',
		name: 'Generate',
		description: 'Generate speech, music or sound effects',
		action: 'Generate audio',
		example: 'Good morning, and welcome to the show',
		makes: 'audio',
		model: { slug: 'gemini-3.1-flash-tts', name: 'Gemini 3.1 Flash TTS' },
	},
	{
		resource: 'audio',
		operation: 'generateSpeech',
		name: 'Generate Speech',
		description: 'Turn text into speech',
		action: 'Generate speech',
		example: 'Good morning, and welcome to the show',
		makes: 'audio',
		topic: 'speech',
		model: { slug: 'gemini-3.1-flash-tts', name: 'Gemini 3.1 Flash TTS' },
	},
	{
		resource: 'audio',
		operation: 'generateMusic',
		name: 'Generate Music',
		description: 'Make music from a description',
		action: 'Generate music',
		example: 'a calm piano piece with soft strings',
		makes: 'audio',
		topic: 'music',
		model: { slug: 'lyria-2', name: 'Lyria 2' },
	},
	{
		resource: 'audio',
		operation: 'transcribe',
		name: 'Transcribe',
		description: 'Turn a recording of speech into text',
		action: 'Transcribe audio',
		uses: 'audio/',
		keepsFiles: true,
		makes: 'transcript',
		model: { slug: 'eleven-labs-transcript', name: 'Elevenlabs Transcript' },
	},
	{
		resource: 'text',
		operation: 'generate',
		name: 'Generate',
		description: 'Get an answer from a language model',
		action: 'Generate text',
		example: 'Describe a red rain jacket in two sentences',
		makes: 'text',
		model: { slug: 'gpt-5.4-mini', name: 'GPT 5.4 Mini' },
	},
	{
		resource: 'model',
		operation: 'run',
		name: 'Run',
		description: 'Run any model, including your own endpoints and fine-tuned models',
		action: 'Run any model',
		example: 'a lighthouse at dusk, watercolor',
		model: { slug: 'nano-banana', name: 'Nano Banana' },
	},
];

/** The resources of all tasks. */
export const TASK_RESOURCES: ReadonlyArray<Task['resource']> = [
	...new Set(TASKS.map(({ resource }) => resource)),
];

/** Finds the task of a resource and an operation; undefined if they name none, as for requests. */
export function findTask(resource: unknown, operation: unknown): Task | undefined {
	return TASKS.find((task) => task.resource === resource && task.operation === operation);
}

/** Returns a table of all tasks, by resource and operation, that have the same work. */
export function tasksWith<Work>(work: Work): Record<string, Record<string, Work>> {
	const operationsOf = (resource: Task['resource']) =>
		TASKS.filter((task) => task.resource === resource).map(({ operation }) => [operation, work]);
	return Object.fromEntries(
		TASK_RESOURCES.map((resource) => [resource, Object.fromEntries(operationsOf(resource))]),
	) as Record<string, Record<string, Work>>;
}

/** Returns the name of a task in the editor, such as `Image: Edit`. */
export function titleOf({ resource, name }: Task): string {
	return `${RESOURCE_NAMES[resource]}: ${name}`;
}

/** Shows fields for one task only. */
export function showForTask({ resource, operation }: Task): IDisplayOptions {
	return { show: { resource: [resource], operation: [operation] } };
}

const RESOURCE_NAMES: Record<Task['resource'] | 'request', string> = {
	model: 'Any Model',
	audio: 'Audio',
	image: 'Image',
	request: 'Request',
	text: 'Text',
	video: 'Video',
};

export const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: Object.entries(RESOURCE_NAMES).map(([value, name]) => ({ name, value })),
	default: 'image',
};

/** Returns the Operation dropdown of each resource. `models`: the operations of Any Model that run none. */
export function operationFields(models: Operations): INodeProperties[] {
	return TASK_RESOURCES.map((resource) => {
		const tasks = TASKS.filter((task) => task.resource === resource);
		const [{ operation: first }] = tasks;
		const choices = [
			...tasks.map((task) => ({ ...task, value: task.operation })),
			...Object.entries(resource === 'model' ? models : {}).map(([value, row]) => ({
				...row,
				value,
			})),
		];
		return {
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource] } },
			options: choices
				.map(({ name, value, description, action }) => ({ name, value, description, action }))
				.sort((one, other) => one.name.localeCompare(other.name)),
			default: first,
		};
	});
}
