/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listed } from './publicList';

export type Modality = 'image' | 'edit' | 'video' | 'audio' | 'text';
export type TextFamily = 'openai' | 'anthropic' | 'gemini';

export interface Model {
	slug: string;
	title: string;
	modality: Modality;
	/** USD; published averages, as is `seconds`. */
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

/** Some models of each modality. */
const chosen: Record<Modality, string> = {
	image: `nano-banana-pro nano-banana-2 nano-banana seedream-4.5 gpt-image-1.5 flux-2-pro flux-pro fast-flux-schnell flux-dev
		ideogram-3 imagen-4 z-image-turbo p-image sdxl1.0-txt2img`,
	edit: `grok-imagine-image flux-kontext-pro seedream-4 gpt-image-1.5-edit qwen-image-edit-plus p-image-edit faceswap-v5
		bg-removal-v2 esrgan sam3-image`,
	video: `seedance-2.0 seedance-2.0-fast seedance-2.0-mini seedance-pro veo-3.1 veo-3.1-fast sora-2 sora-2-pro kling-2.6 hailuo-2.3 wan-2.5-i2v
		runway-gen4-turbo`,
	audio: `gemini-3.1-flash-tts gemini-2.5-flash-tts gemini-2.5-pro-tts tts-eleven-labs chatterbox-tts myshell-tts lyria-2
		ace-step-music sound-generation`,
	text: `gpt-5.5 gpt-5.4 gpt-5.4-mini gpt-4o deepseek-chat claude-opus-4.7 claude-4.5-sonnet gemini-3.1-pro gemini-2.5-flash`,
};

/** What they need, where it is not what the snapshot of the list says, or a prompt. */
const needs: Record<string, string> = {
	'flux-2-pro': 'prompt',
	'gpt-image-1.5-edit': 'prompt image_urls',
	'sam3-image': '',
};

const extras: Record<string, Partial<Model>> = {
	'p-image': { v1: 'base64' },
	'sam3-image': { v1: 'sam3' },
	'sdxl1.0-txt2img': { countedBy: 'samples' },
	'grok-imagine-image': { countedBy: 'n' },
	'seedream-4': { countedBy: 'max_images' },
	'claude-opus-4.7': { family: 'anthropic' },
	'claude-4.5-sonnet': { family: 'anthropic' },
	'gemini-3.1-pro': { family: 'gemini' },
	'gemini-2.5-flash': { family: 'gemini' },
};

const aPicture = { modality: 'image' as const, required: ['prompt'] };

/** The models this emulator runs: those chosen of the service's published list of prices, and some that are not on it. */
export const models: readonly Model[] = [
	...published(readFileSync(join(__dirname, '../catalogue/llms.txt'), 'utf8')),
	{ ...aPicture, slug: 'Simple_Vector_Flux', title: 'Simple Vector Flux', cost: 0.02, seconds: 12 },
	{
		...aPicture,
		slug: 'my-endpoint',
		title: 'A dedicated endpoint',
		cost: 0.01,
		seconds: 3,
		unlisted: true,
	},
	{
		...aPicture,
		slug: 'sd1.5-txt2img',
		title: 'Stable Diffusion 1.5',
		cost: 0.004,
		seconds: 4,
		retired: true,
	},
	// Its price is not published.
	{
		slug: 'multi-video-merge',
		title: 'Multi Video Merge',
		modality: 'video',
		cost: 0.01,
		seconds: 10,
		required: ['video_urls'],
		unlisted: true,
	},
];

/** Lines are `- [Title](…/models/slug): $0.0364, 14.27s`. */
function published(prices: string): Model[] {
	const modalities = new Map(
		Object.entries(chosen).flatMap(([modality, slugs]) =>
			slugs.split(/\s+/).map((slug) => [slug, modality as Modality] as const),
		),
	);
	return [
		...prices.matchAll(/^- \[(.+)\]\(\S+\/models\/(\S+)\): \$([\d.]+), ([\d.]+)s$/gm),
	].flatMap(([, title, slug, cost, seconds]) => {
		const modality = modalities.get(slug);
		if (!modality) return [];
		const usual = modality === 'text' ? 'messages|prompt' : 'prompt';
		const byList = Object.entries(listed.get(slug) ?? {}).filter(
			([, { isRequired }]) => isRequired,
		);
		const names = needs[slug] ?? (byList.map(([name]) => name).join(' ') || usual);
		const required = names.split(' ').filter(Boolean);
		return {
			slug,
			title,
			modality,
			cost: Number(cost),
			seconds: Number(seconds),
			required,
			...extras[slug],
		};
	});
}

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
	const given = (name: string): boolean => (input[name] ?? '') !== '';
	const missing = required.find((names) => !names.split('|').some(given));
	return missing?.split('|')[0];
}

/** How many files the input asks for, at least 1 and at most 8. */
export function outputCount(entry: Model, input: Record<string, unknown>): number {
	const asked = entry.countedBy === undefined ? 1 : Number(input[entry.countedBy] ?? 1);
	return Number.isFinite(asked) ? Math.min(8, Math.max(1, Math.trunc(asked))) : 1;
}
