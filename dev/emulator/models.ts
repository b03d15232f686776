/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kinds } from '../catalogue/corrections.json';
import { conversationProblem, type TextFamily } from './conversation';
import ownModels from './ownModels.json';
import { listedMetadata, metadataOf } from './publicList';

type Modality = 'image' | 'edit' | 'video' | 'audio' | 'transcript' | 'text';

export interface Model {
	slug: string;
	title: string;
	modality: Modality;
	/** USD. Like `seconds`, a published average. */
	cost: number;
	seconds: number;
	/** Names of parameters, which v2 checks when the job runs. `a|b` means that either one is enough. */
	required: string[];
	/** Only for modality `text`. */
	family?: TextFamily;
	/** The form of the v1 response, for models that make media but respond with JSON instead of the bytes. */
	v1?: 'base64';
	/** The parameter with the number of images, each of which is charged. */
	countedBy?: string;
	/** Whether submissions get a 410. In the list, this is `is_depreciated`. */
	retired?: boolean;
	/** Callable but not in the list: a dedicated endpoint or a fine-tuned model. */
	unlisted?: boolean;
}

/** What the emulator adds to the public lists. */
interface OwnModels {
	/** Guesses of the required parameters, for models where neither the list nor the modality shows them. */
	needs: Record<string, string[] | undefined>;
	extras: Record<string, Partial<Model> | undefined>;
	/** Models that aren't in the published list of prices. */
	unpriced: Model[];
}
const { needs, extras, unpriced } = ownModels as unknown as OwnModels;

/** What this emulator makes for the modalities of the published list of prices. */
const modalityByWords: Record<string, Modality | undefined> = {
	'Text-to-Image Generation': 'image',
	'Text-to-Video Generation': 'video',
	'Image-to-Video Generation': 'video',
	videoToVideo: 'video',
	'Text-to-Audio Generation': 'audio',
	'Video-to-Audio Generation': 'audio',
	audioToAudio: 'audio',
	'Audio-to-Text (Transcription)': 'transcript',
	'Text Generation (LLM)': 'text',
};

/** Required parameters of models for which neither `needs` nor the list has any. */
const requiredByModality: Record<Modality, string[]> = {
	image: ['prompt'],
	edit: ['image'],
	video: ['prompt'],
	audio: ['prompt'],
	transcript: ['audio_url'],
	text: ['messages|prompt'],
};

/** The average time of models that publish none. */
const DEFAULT_SECONDS = 60;

/** The published list of prices, as the snapshot has it. Every row is a model that this emulator runs. */
export const publishedRows = readRows(
	readFileSync(join(__dirname, '../catalogue/llms.txt'), 'utf8'),
);

/** The models that this emulator runs: all models of the published list of prices, and some that aren't in it. */
export const models: readonly Model[] = [...publishedRows.map(modelOf), ...unpriced];

interface PublishedRow {
	title: string;
	slug: string;
	/** The service's words for what the model does. */
	words: string;
	cost: string;
	/** `-` if none is published. */
	latency: string;
}

/** Reads lines such as `| Title | slug | modality | $0.0364 | 14.27s |`. */
function readRows(prices: string): PublishedRow[] {
	const lines = prices.matchAll(/^\| (.+) \| (\S+) \| (.+) \| \$([\d.]+) \| (\S+) \|$/gm);
	return [...lines].map(([, title, slug, words, cost, latency]) => ({
		title,
		slug,
		words,
		cost,
		latency,
	}));
}

function modelOf({ title, slug, words, cost, latency }: PublishedRow): Model {
	const makesImages = (kinds as Record<string, string | undefined>)[slug] === 'image';
	// What other modalities respond with isn't known: they make images here.
	const modality = makesImages ? 'image' : (modalityByWords[words] ?? 'edit');
	const model = { slug, title, modality, ...extras[slug] };
	return {
		...model,
		cost: Number(cost),
		seconds: Number.parseFloat(latency) || DEFAULT_SECONDS,
		required: needs[slug] ?? requiredByList(slug) ?? requiredByModality[model.modality],
	};
}

function requiredByList(slug: string): string[] | undefined {
	const names = Object.entries(listedMetadata.get(slug) ?? {}).flatMap(([name, { isRequired }]) =>
		isRequired ? [name] : [],
	);
	return names.length > 0 ? names : undefined;
}

const bySlug = new Map(models.map((entry) => [entry.slug, entry]));

/** Slugs are case-sensitive. */
export function findModel(slug: string): Model | undefined {
	return bySlug.get(slug);
}

/**
 * Returns the service's message about an input that the model can't use: a required parameter is missing, the messages have the wrong form, or the model
 * doesn't have the aspect ratio. Null and an empty string count as missing.
 */
export function inputProblem(
	{ required, slug, modality, family = 'openai' }: Model,
	input: Record<string, unknown>,
): string | undefined {
	const isGiven = (name: string): boolean => (input[name] ?? '') !== '';
	const missing = required.find((names) => !names.split('|').some(isGiven));
	if (missing !== undefined) {
		const [name] = missing.split('|');
		return `${name.charAt(0).toUpperCase()}${name.slice(1)} is required for this model.`;
	}
	if (modality === 'text') return conversationProblem(family, input);
	if (slug.startsWith('seedance-2')) return seedanceProblem(input);
	const { aspect_ratio: ratio } = metadataOf(slug);
	const ratios = ratio?.options ?? ratio?.values;
	return ratios && isGiven('aspect_ratio') && !ratios.includes(input.aspect_ratio)
		? `Invalid aspect_ratio: choose one of ${ratios.join(', ')}.`
		: undefined;
}

/** Returns what Seedance 2 rejects: files that aren't URLs, and a first frame beside reference images (docs/service.md S173, S207). */
function seedanceProblem(input: Record<string, unknown>): string | undefined {
	const { first_frame_url: first, last_frame_url: last, reference_images: references } = input;
	const files = [first, last, references].flat().filter(Boolean);
	if (files.some((file) => !/^https?:/.test(String(file))))
		return 'Reference media rejected: URL must be a valid HTTP or HTTPS URL.';
	return first && references
		? 'first_frame_url and reference_images are mutually exclusive.'
		: undefined;
}

/** Returns the price of a request in USD: the average for each file. */
export function priceOf(model: Model, input: Record<string, unknown>): number {
	return Math.round(model.cost * outputCount(model, input) * 1e10) / 1e10;
}

/** Returns the number of files that the input requests, from 1 to 8. */
export function outputCount(model: Model, input: Record<string, unknown>): number {
	const count = model.countedBy === undefined ? 1 : Number(input[model.countedBy] ?? 1);
	return Number.isFinite(count) ? Math.min(8, Math.max(1, Math.trunc(count))) : 1;
}
