import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import type { Kind } from '../shared/catalogue/types';
import type { FileKind } from '../shared/inputs/formValues';

/** What a person wants made. Each task has a list of the models that make it, and a cheap and quick one to begin with. */
export interface Task {
	resource: 'image' | 'video' | 'audio' | 'text' | 'model';
	operation: 'generate' | 'edit' | 'run' | 'transcribe';
	/** Of the operation, in the editor. */
	name: string;
	description: string;
	/** Names the node that n8n adds, and the tool of an agent. */
	action: string;
	/** Which models stand in the list; all when left out. */
	makes?: Kind;
	/** An item's only file of this kind is what it begins with, unless a file is given. */
	uses?: FileKind;
	/** An example of a prompt; left out by a task that takes none. */
	example?: string;
	/**
	 * n8n does not store a default that nobody touched: another one would change saved workflows and needs a new version of the node. The name
	 * carries no price for that reason (docs/n8n.md N271).
	 */
	model: { slug: string; name: string };
}

export const TASKS: readonly Task[] = [
	{
		resource: 'image',
		operation: 'generate',
		name: 'Generate',
		description: 'Make an image from a text',
		action: 'Generate an image',
		example: 'a lighthouse at dusk, watercolor',
		makes: 'image',
		model: { slug: 'nano-banana', name: 'Nano Banana' },
	},
	{
		resource: 'image',
		operation: 'edit',
		name: 'Edit',
		description: 'Change an image: edit, upscale, remove the background, swap a face',
		action: 'Edit an image',
		uses: 'image/',
		example: 'make it a winter evening',
		makes: 'imageEdit',
		model: { slug: 'qwen-image-edit-plus', name: 'Qwen Image Edit Plus' },
	},
	{
		resource: 'video',
		operation: 'generate',
		name: 'Generate',
		description: 'Make a video from a text or from images',
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
		description: 'Make speech, music or sounds',
		action: 'Generate audio',
		example: 'Good morning, and welcome to the show',
		makes: 'audio',
		model: { slug: 'gemini-3.1-flash-tts', name: 'Gemini 3.1 Flash TTS' },
	},
	{
		resource: 'audio',
		operation: 'transcribe',
		name: 'Transcribe',
		description: 'Turn a recording of speech into text',
		action: 'Transcribe audio',
		uses: 'audio/',
		makes: 'transcript',
		model: { slug: 'eleven-labs-transcript', name: 'Elevenlabs Transcript' },
	},
	{
		resource: 'text',
		operation: 'generate',
		name: 'Generate',
		description: 'Let a language model answer a text',
		action: 'Generate text',
		example: 'Describe a red rain jacket in two sentences',
		makes: 'text',
		model: { slug: 'gpt-5.4-mini', name: 'GPT 5.4 Mini' },
	},
	{
		resource: 'model',
		operation: 'run',
		name: 'Run',
		description: 'Run any model, your own endpoints and fine-tuned models too',
		action: 'Run any model',
		example: 'a lighthouse at dusk, watercolor',
		model: { slug: 'nano-banana', name: 'Nano Banana' },
	},
];

/** The resources that make something. */
export const MAKING: ReadonlyArray<Task['resource']> = [
	...new Set(TASKS.map(({ resource }) => resource)),
];

/** The task a node is set to, by its parameters as they stand; undefined for requests. */
export function taskOf(resource: unknown, operation: unknown): Task | undefined {
	return TASKS.find((task) => task.resource === resource && task.operation === operation);
}

/** What the editor calls a task, such as `Image: Edit`. */
export function titleOf({ resource, name }: Task): string {
	return `${RESOURCE_NAMES[resource]}: ${name}`;
}

/** Shows fields for one task only. */
export function forTask({ resource, operation }: Task): IDisplayOptions {
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

/** The dropdown Operation of each resource that makes something. */
export const operationFields: INodeProperties[] = MAKING.map((resource) => {
	const tasks = TASKS.filter((task) => task.resource === resource);
	const [{ operation: first }] = tasks;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: tasks
			.map(({ name, operation, description, action }) => ({
				name,
				value: operation,
				description,
				action,
			}))
			.sort((one, other) => one.name.localeCompare(other.name)),
		default: first,
	};
});
