/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import own from './ownModels.json';
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

/**
 * Beside the public lists: the models chosen of each modality; what they need, where it is not what the list says, or a prompt; what else is special about
 * some; models without a published price.
 */
interface Own {
	chosen: Record<Modality, string[]>;
	needs: Record<string, string[] | undefined>;
	extras: Record<string, Partial<Model>>;
	unpriced: Model[];
}
const { chosen, needs, extras, unpriced } = own as unknown as Own;

/** The models this emulator runs: those chosen of the service's published list of prices, and some that are not on it. */
export const models: readonly Model[] = [
	...published(readFileSync(join(__dirname, '../catalogue/llms.txt'), 'utf8')),
	...unpriced,
];

/** Lines are `- [Title](…/models/slug): $0.0364, 14.27s`. */
function published(prices: string): Model[] {
	const modalities = Object.keys(chosen) as Modality[];
	return [
		...prices.matchAll(/^- \[(.+)\]\(\S+\/models\/(\S+)\): \$([\d.]+), ([\d.]+)s$/gm),
	].flatMap(([, title, slug, cost, seconds]) => {
		const modality = modalities.find((one) => chosen[one].includes(slug));
		if (!modality) return [];
		const usual = modality === 'text' ? 'messages|prompt' : 'prompt';
		const byList = Object.entries(listed.get(slug) ?? {}).flatMap(([name, { isRequired }]) =>
			isRequired ? [name] : [],
		);
		const required = needs[slug] ?? (byList.length > 0 ? byList : [usual]);
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
