import { capital } from '../base/text';
import { cleanText } from '../base/clean';
import type { CatalogueParameter } from './types';

/** Longest name of a field in the form, characters: the editor cuts the rest (docs/n8n.md N207). */
export const LONGEST_LABEL = 28;
/**
 * Name of a parameter's field in the form, `Steps (1–50) $`: what the service calls it, else its name in Title Case; a file, the range of a
 * number, and "$" where the price depends on it. What does not fit is left out: the range, then the end of the name.
 */
export function fieldLabel(parameter: CatalogueParameter): string {
	const base = parameter.label ?? (titleCase(parameter.name) || parameter.name);
	const price = parameter.affectsPrice ? ' $' : '';
	const end = `${parameter.type === 'file' ? ' (file)' : ''}${price}`;
	const range = shortRange(parameter);
	const full = `${base}${range && ` (${range})`}${end}`;
	if (full.length <= LONGEST_LABEL) return full;
	const room = LONGEST_LABEL - end.length;
	return `${base.length > room ? `${cleanText(base, room - 1)}…` : base}${end}`;
}

/** `first_frame_url` is First Frame URL, `promptImage` Prompt Image. */
function titleCase(name: string): string {
	return name
		.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
		.split(/[\s._-]+/)
		.filter((word) => word !== '')
		.map(
			(word) =>
				(Object.hasOwn(SPELLED, word.toLowerCase()) && SPELLED[word.toLowerCase()]) ||
				capital(word),
		)
		.join(' ');
}

const SPELLED: Record<string, string> = {
	url: 'URL',
	urls: 'URLs',
	id: 'ID',
	cfg: 'CFG',
	fps: 'FPS',
	lora: 'LoRA',
};

function shortRange({ type, choices, min, max }: CatalogueParameter): string {
	if (type !== 'number' || choices) return '';
	if (min !== undefined && max !== undefined) return `${min}–${max}`;
	if (min !== undefined) return `≥ ${min}`;
	return max === undefined ? '' : `≤ ${max}`;
}

/** `1 to 50`, `at least 2 seconds`; undefined where no limit is known. */
export function rangeText({ min, max, unit }: CatalogueParameter): string | undefined {
	const counted = unit === undefined ? '' : ` ${unit}`;
	if (min !== undefined && max !== undefined) return `${min} to ${max}${counted}`;
	if (min !== undefined) return `at least ${min}${counted}`;
	return max === undefined ? undefined : `at most ${max}${counted}`;
}
