/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import own from './ownModels.json';
import { listed } from './publicList';

export type Modality = 'image' | 'edit' | 'video' | 'audio' | 'transcript' | 'text';
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
	/** Models whose v1 response is JSON although they make media. */
	v1?: 'base64' | 'sam3';
	/** The parameter that says how many images are made, each one charged. */
	countedBy?: string;
	/** Responds with 410; `is_depreciated` in the list. */
	retired?: boolean;
	/** Callable but not in the list: a dedicated endpoint or a fine-tuned model. */
	unlisted?: boolean;
}

/** What the emulator adds to the public lists. Where the lists don't say what a model needs, `needs` is guessed. */
interface Own {
	/** Required parameters, where they differ from the list or from what is usual for the modality. */
	needs: Record<string, string[] | undefined>;
	extras: Record<string, Partial<Model> | undefined>;
	/** Models without a published price. */
	unpriced: Model[];
}
const { needs, extras, unpriced } = own as unknown as Own;

/** Headings of the published list of prices. */
const headings: Record<string, Modality | undefined> = {
	'Image generation': 'image',
	'Image editing': 'edit',
	Video: 'video',
	Audio: 'audio',
	Text: 'text',
};

/** What a model needs when neither the list nor `needs` says it. */
const usualNeeds: Record<Modality, string[]> = {
	image: ['prompt'],
	edit: ['image'],
	video: ['prompt'],
	audio: ['prompt'],
	transcript: ['audio_url'],
	text: ['messages|prompt'],
};

/** Of models whose average time isn't published. */
const usualSeconds = 60;

/** The models this emulator runs: all of the published list of prices, and some that are not on it. */
export const models: readonly Model[] = [
	...published(readFileSync(join(__dirname, '../catalogue/llms.txt'), 'utf8')),
	...unpriced,
];

/** Lines are `- [Title](…/models/slug): $0.0364, 14.27s`, some without the time, below the heading of their modality. */
function published(prices: string): Model[] {
	return prices.split('\n## ').flatMap((section) => {
		const modality = headings[section.split('\n')[0]];
		if (!modality) return [];
		const lines = section.matchAll(
			/^- \[(.+)\]\(\S+\/models\/(\S+)\): \$([\d.]+)(?:, ([\d.]+)s)?$/gm,
		);
		return [...lines].map(([, title, slug, cost, seconds = usualSeconds]) => {
			const model = { slug, title, modality, ...extras[slug] };
			return {
				...model,
				cost: Number(cost),
				seconds: Number(seconds),
				required: needs[slug] ?? requiredByList(slug) ?? usualNeeds[model.modality],
			};
		});
	});
}

function requiredByList(slug: string): string[] | undefined {
	const names = Object.entries(listed.get(slug) ?? {}).flatMap(([name, { isRequired }]) =>
		isRequired ? [name] : [],
	);
	return names.length > 0 ? names : undefined;
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

/** The number of files by the input, from 1 to 8. */
export function outputCount(entry: Model, input: Record<string, unknown>): number {
	const asked = entry.countedBy === undefined ? 1 : Number(input[entry.countedBy] ?? 1);
	return Number.isFinite(asked) ? Math.min(8, Math.max(1, Math.trunc(asked))) : 1;
}
