/**
 * The models this emulator runs: about ten of each modality, with the
 * published averages for cost (USD) and latency (s).
 */

export type Modality = 'image' | 'edit' | 'video' | 'audio' | 'text';
export type TextFamily = 'openai' | 'anthropic' | 'gemini';

export interface Model {
	slug: string;
	title: string;
	modality: Modality;
	cost: number;
	seconds: number;
	/** Checked when the job runs. `a|b` means either will do. */
	required: string[];
	/** Only for modality `text`. */
	family?: TextFamily;
	/** Models whose v1 answer is JSON although they make media. */
	v1?: 'base64' | 'sam3';
	/** The parameter that says how many images are made, each one charged. */
	countedBy?: string;
	/** Answers 410; in the list as depreciated. */
	retired?: boolean;
	/** Callable but not in the list: a dedicated endpoint or a fine-tuned model. */
	unlisted?: boolean;
}

type Extra = Partial<Pick<Model, 'family' | 'v1' | 'countedBy' | 'retired' | 'unlisted'>>;

function model(
	modality: Modality,
	slug: string,
	title: string,
	cost: number,
	seconds: number,
	required: string,
	extra: Extra = {},
): Model {
	return {
		slug,
		title,
		modality,
		cost,
		seconds,
		required: required.split(' ').filter(Boolean),
		...extra,
	};
}

const openai: Extra = { family: 'openai' };
const anthropic: Extra = { family: 'anthropic' };
const gemini: Extra = { family: 'gemini' };

export const models: readonly Model[] = [
	model('image', 'nano-banana-pro', 'Nano Banana Pro', 0.1649, 61.14607, 'prompt'),
	model('image', 'nano-banana-2', 'Nano Banana 2', 0.0923, 39.30415, 'prompt'),
	model('image', 'nano-banana', 'Nano Banana', 0.0364, 14.27113, 'prompt'),
	model('image', 'seedream-4.5', 'Seedream 4.5', 0.04, 31.74427, 'prompt'),
	model('image', 'gpt-image-1.5', 'GPT Image 1.5', 0.1689, 38.40591, 'prompt'),
	model('image', 'flux-2-pro', 'Flux 2 Pro', 0.0725, 26.09079, 'prompt'),
	model('image', 'flux-pro', 'Flux .1 Pro', 0.0672, 20.40943, 'prompt'),
	model('image', 'fast-flux-schnell', 'Fast Flux.1 Schnell', 0.0055, 2.45278, 'prompt'),
	model('image', 'flux-dev', 'Flux.1 Dev', 0.0196, 20.42006, 'prompt'),
	model('image', 'ideogram-3', 'Ideogram 3.0', 0.0654, 10.29323, 'prompt'),
	model('image', 'imagen-4', 'Imagen 4', 0.06, 11.36461, 'prompt'),
	model('image', 'z-image-turbo', 'Z Image Turbo', 0.0307, 6.58321, 'prompt'),
	model('image', 'p-image', 'Pruna P Image', 0.005, 6.36064, 'prompt', { v1: 'base64' }),
	model('image', 'sdxl1.0-txt2img', 'Stable Diffusion XL 1.0', 0.008, 6.26414, 'prompt', {
		countedBy: 'samples',
	}),
	model('image', 'Simple_Vector_Flux', 'Simple Vector Flux', 0.02, 12, 'prompt'),

	model('edit', 'grok-imagine-image', 'Grok Imagine Image', 0.0622, 18.40665, 'prompt', {
		countedBy: 'n',
	}),
	model('edit', 'flux-kontext-pro', 'Flux Kontext Pro', 0.05, 21.77541, 'prompt'),
	model('edit', 'seedream-4', 'Seedream 4.0 (4k)', 0.0351, 20.65216, 'prompt', {
		countedBy: 'max_images',
	}),
	model('edit', 'gpt-image-1.5-edit', 'GPT Image 1.5 Edit', 0.2079, 51.12257, 'prompt image_urls'),
	model('edit', 'qwen-image-edit-plus', 'Qwen Image Edit Plus', 0.0353, 13.64518, 'prompt image'),
	model('edit', 'p-image-edit', 'Pruna P Image Edit', 0.01, 7.5032, 'prompt image_urls'),
	model('edit', 'faceswap-v5', 'Segmind Faceswap v5', 0.05, 9.65348, 'source_image target_image'),
	model('edit', 'bg-removal-v2', 'Background Removal V2', 0.0009, 0.69606, 'image'),
	model('edit', 'esrgan', 'ESRGAN', 0.0047, 4.92678, 'image'),
	model('edit', 'sam3-image', 'Sam3 Image', 0.007, 4.80757, '', { v1: 'sam3' }),

	model('video', 'seedance-2.0', 'Seedance 2.0', 1.2125, 189.30402, 'prompt'),
	model('video', 'seedance-2.0-fast', 'Seedance 2.0 Fast', 0.7689, 116.85878, 'prompt'),
	model('video', 'seedance-2.0-mini', 'Seedance 2.0 Mini', 0.3995, 158.9451, 'prompt'),
	model('video', 'seedance-pro', 'Seedance 1.0 Pro', 0.352, 62.21196, 'prompt'),
	model('video', 'veo-3.1', 'Veo 3.1', 2.1611, 110.49847, 'prompt'),
	model('video', 'veo-3.1-fast', 'Veo 3.1 Fast', 0.8591, 99.31184, 'prompt'),
	model('video', 'sora-2', 'Sora 2', 1.0159, 178.74569, 'prompt'),
	model('video', 'sora-2-pro', 'Sora 2 Pro', 3.1351, 400.42705, 'prompt'),
	model('video', 'kling-2.6', 'Kling 2.6', 1.1078, 122.43048, 'prompt'),
	model('video', 'hailuo-2.3', 'Hailuo 2.3', 0.529, 140.66875, 'prompt'),
	model('video', 'wan-2.5-i2v', 'Wan 2.5 Image to Video', 0.8588, 177.58862, 'image prompt'),
	model(
		'video',
		'runway-gen4-turbo',
		'Runway Gen 4 Turbo',
		0.7741,
		38.03304,
		'promptText promptImage',
	),

	model('audio', 'gemini-3.1-flash-tts', 'Gemini 3.1 Flash TTS', 0.0067, 7.69709, 'text'),
	model('audio', 'gemini-2.5-flash-tts', 'Gemini TTS 2.5 Flash', 0.005, 17.60247, 'text'),
	model('audio', 'gemini-2.5-pro-tts', 'Gemini TTS 2.5 Pro', 0.0205, 32.569, 'text'),
	model('audio', 'tts-eleven-labs', 'Elevenlabs Text To Speech', 0.0954, 12.2895, 'prompt'),
	model('audio', 'chatterbox-tts', 'Chatterbox TTS', 0.0199, 18.03554, 'text'),
	model('audio', 'myshell-tts', 'MyShell Text To Speech', 0.0063, 7.0019, 'text'),
	model('audio', 'lyria-2', 'Lyria 2', 0.09, 27.23475, 'prompt'),
	model('audio', 'ace-step-music', 'Ace Step Music', 0.0351, 11.79223, 'genres'),
	model('audio', 'sound-generation', 'Elevenlabs Sound Generation', 0.0265, 7.82464, 'text'),

	model('text', 'gpt-5.5', 'GPT 5.5', 0.0445, 16.52777, 'messages|prompt', openai),
	model('text', 'gpt-5.4', 'GPT 5.4', 0.0094, 4.55805, 'messages|prompt', openai),
	model('text', 'gpt-5.4-mini', 'GPT 5.4 Mini', 0.0005, 5.14682, 'messages|prompt', openai),
	model('text', 'gpt-4o', 'GPT 4o', 0.0075, 6.0069, 'messages|prompt', openai),
	model('text', 'deepseek-chat', 'DeepSeek Chat', 0.0013, 34.10292, 'messages|prompt', openai),
	model(
		'text',
		'claude-opus-4.7',
		'Claude Opus 4.7',
		0.0691,
		17.55659,
		'messages|prompt',
		anthropic,
	),
	model(
		'text',
		'claude-4.5-sonnet',
		'Claude 4.5 Sonnet',
		0.0455,
		23.52418,
		'messages|prompt',
		anthropic,
	),
	model('text', 'gemini-3.1-pro', 'Gemini 3.1 Pro', 0.0742, 38.51674, 'messages|prompt', gemini),
	model(
		'text',
		'gemini-2.5-flash',
		'Gemini 2.5 Flash',
		0.0038,
		11.07565,
		'messages|prompt',
		gemini,
	),

	model('image', 'my-endpoint', 'A dedicated endpoint', 0.01, 3, 'prompt', { unlisted: true }),
	model('image', 'sd1.5-txt2img', 'Stable Diffusion 1.5', 0.004, 4, 'prompt', { retired: true }),
];

const bySlug = new Map(models.map((entry) => [entry.slug, entry]));

/** Slugs are case-sensitive. */
export function findModel(slug: string): Model | undefined {
	return bySlug.get(slug);
}

/** The first required parameter that is missing, or undefined. Null and empty text count as missing. */
export function missingParameter(
	required: string[],
	input: Record<string, unknown>,
): string | undefined {
	const given = (name: string): boolean => {
		const value = input[name];
		return value !== undefined && value !== null && value !== '';
	};
	const missing = required.find((names) => !names.split('|').some(given));
	return missing?.split('|')[0];
}

/** How many files the input asks for, at least 1 and at most 8. */
export function outputCount(entry: Model, input: Record<string, unknown>): number {
	const asked = entry.countedBy === undefined ? 1 : Number(input[entry.countedBy] ?? 1);
	return Number.isFinite(asked) ? Math.min(8, Math.max(1, Math.trunc(asked))) : 1;
}
