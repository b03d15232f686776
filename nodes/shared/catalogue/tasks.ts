import type { FileKind, Kind } from './types';

/** Which models of a kind do a task. */
export interface Topic {
	/** Matches the models' names in lower case: title, slug, and the service's word for what the model does. */
	names: RegExp;
	/** Words that find these models in a search. They aren't shown. */
	words: string;
}

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
	/** What narrows the models of the kind to those of this task; undefined if all of them belong to it. */
	topic?: Topic;
	/** The kind of file that is sent from the item itself if the user provides no file and the item has exactly one of this kind. */
	uses?: FileKind;
	/** Whether the task fails without such a file. */
	needsFile?: true;
	/** Whether the output has the input's files too, so that a file and what the model says about it go on together. */
	keepsFiles?: true;
	/** An example of a prompt; undefined if the task takes no prompt. */
	example?: string;
	/** What the field of the prompt is called, if not Prompt. */
	promptLabel?: string;
	/** The default of the question about images, which replaces the prompt. */
	question?: string;
	/** The slug of the default model. n8n doesn't store an unchanged default, so another one changes saved workflows, and needs a new version of the node (docs/n8n.md N271). */
	defaultModel: string;
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
		defaultModel: 'nano-banana',
	},
	{
		resource: 'image',
		operation: 'edit',
		name: 'Edit',
		description: 'Change an image by describing the change, or swap a face',
		action: 'Edit an image',
		uses: 'image/',
		needsFile: true,
		example: 'make it a winter evening',
		makes: 'imageEdit',
		defaultModel: 'qwen-image-edit-plus',
	},
	{
		resource: 'image',
		operation: 'upscale',
		name: 'Upscale',
		description: 'Enlarge an image and sharpen its details',
		action: 'Upscale an image',
		uses: 'image/',
		needsFile: true,
		makes: 'imageEdit',
		topic: {
			names: /upscal|esrgan|enhance|super.?res|increase.resolution|restoration/,
			words: 'upscale enlarge',
		},
		defaultModel: 'esrgan',
	},
	{
		resource: 'image',
		operation: 'removeBackground',
		name: 'Remove Background',
		description: 'Cut out what an image shows, on a transparent background',
		action: 'Remove background from an image',
		uses: 'image/',
		needsFile: true,
		makes: 'imageEdit',
		topic: {
			names: /remov\w*.background|background.(remov|eras)|transparent.background|cutout|rmbg/,
			words: 'remove background transparent',
		},
		defaultModel: 'bg-removal-v2',
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
		topic: {
			// GPT 4 and o3 Mini see no images.
			names:
				/^(?!gpt 4 gpt|.*\b(?:image|tts|audio|veo|o3 mini)\b).*\b(?:gpt|o3|o4|claude|gemini|llama4|vl|qvq)\b/,
			words: 'vision analyze describe image caption alt text ocr',
		},
		defaultModel: 'gemini-3.1-flash-lite',
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
		defaultModel: 'seedance-2.0-mini',
	},
	{
		resource: 'audio',
		operation: 'generate',
		name: 'Generate',
		description: 'Generate speech, music or sound effects',
		action: 'Generate audio',
		example: 'Good morning, and welcome to the show',
		makes: 'audio',
		defaultModel: 'gemini-3.1-flash-tts',
	},
	{
		resource: 'audio',
		operation: 'generateSpeech',
		name: 'Generate Speech',
		description: 'Turn text into speech',
		action: 'Generate speech',
		example: 'Good morning, and welcome to the show',
		promptLabel: 'Text',
		makes: 'audio',
		topic: {
			names: /tts|speech|voice|dialogue|dubbing|orpheus/,
			words: 'voice over voiceover speech text to speech tts narration',
		},
		defaultModel: 'gemini-3.1-flash-tts',
	},
	{
		resource: 'audio',
		operation: 'generateMusic',
		name: 'Generate Music',
		description: 'Make music from a description',
		action: 'Generate music',
		example: 'a calm piano piece with soft strings',
		makes: 'audio',
		topic: {
			names: /music|lyria|song/,
			words: 'music song',
		},
		defaultModel: 'lyria-2',
	},
	{
		resource: 'audio',
		operation: 'transcribe',
		name: 'Transcribe',
		description: 'Turn a recording of speech into text',
		action: 'Transcribe audio',
		uses: 'audio/',
		needsFile: true,
		keepsFiles: true,
		makes: 'transcript',
		defaultModel: 'eleven-labs-transcript',
	},
	{
		resource: 'text',
		operation: 'generate',
		name: 'Generate',
		description:
			"Get an answer from a language model. This node isn't a chat model for n8n's AI nodes: connect one of n8n's own to those, such as OpenAI Chat Model.",
		action: 'Generate text',
		example: 'Describe a red rain jacket in two sentences',
		makes: 'text',
		defaultModel: 'gpt-5.4-mini',
	},
	{
		resource: 'model',
		operation: 'run',
		name: 'Run',
		description: 'Run any model, including your own endpoints and fine-tuned models',
		action: 'Run any model',
		example: 'a lighthouse at dusk, watercolor',
		defaultModel: 'nano-banana',
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
