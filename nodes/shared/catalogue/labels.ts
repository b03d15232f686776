import { capitalize } from '../base/text';
import { cleanText } from '../base/clean';
import type { CatalogueParameter } from './types';

/** Longest name of a field in the form, characters: the editor cuts the rest (docs/n8n.md N207). */
export const MAX_LABEL_CHARS = 28;

/**
 * Label of a parameter's field in the form, such as `Length (1–30 seconds) $`: the service's label or the parameter's name in Title Case, the
 * range or an example with its unit, "(file)" for files, and "$" if the list says that the price depends on it. If that is too long, the range is
 * left out first, then the unit, then "(file)", then the end of the name.
 */
export function fieldLabel(parameter: CatalogueParameter): string {
	const { name, label, type, list, unit, affectsPrice } = parameter;
	const words = titleCase(label ?? name.replace(/([a-z0-9])([A-Z])/g, '$1 $2'));
	const isFile = type === 'file';
	// A field for files accepts more than URLs.
	const base =
		(isFile ? words.replace(/s? UR[IL]s\b/, 's').replace(/ UR[IL]\b/, '') : words) || name;
	const file = isFile && !/\bfiles?\b/i.test(base) ? ` (file${list ? 's' : ''})` : '';
	const price = affectsPrice ? ' $' : '';
	const takes = shortRange(parameter) || example(parameter);
	const counted = unit === undefined || base.toLowerCase().includes(unit) ? '' : unit;
	const ends = [
		...[`${takes} ${counted}`.trim(), counted, takes]
			.filter((text) => text !== '')
			.map((text) => ` (${text})${file}${price}`),
		`${file}${price}`,
		price,
	];
	const end = ends.find(({ length }) => base.length + length <= MAX_LABEL_CHARS) ?? price;
	const room = MAX_LABEL_CHARS - end.length;
	return `${base.length > room ? `${cleanText(base, room - 1)}…` : base}${end}`;
}

/** `first_frame_url` becomes First Frame URL, `Depth of field` Depth of Field. */
export function titleCase(text: string): string {
	return text
		.split(/[\s._-]+/)
		.filter((word) => word !== '')
		.map((word, at) => {
			const known = SPELLED.find((spelled) => spelled.toLowerCase() === word.toLowerCase());
			return known ?? (at > 0 && SMALL.test(word) ? word : capitalize(word));
		})
		.join(' ');
}

const SPELLED =
	'3D AI API CFG DC FPS HD ID IDs IP JSON LoRA LoRAs MP NSFW RGB SSML TTS URI URL URLs VAE'.split(
		' ',
	);
const SMALL = /^(a|an|and|at|by|for|in|of|on|or|per|the|to|with)$/;

function shortRange({ type, choices, min, max }: CatalogueParameter): string {
	if (type !== 'number' || choices) return '';
	if (min !== undefined && max !== undefined) return `${min}–${max}`;
	if (min !== undefined) return `≥ ${min}`;
	return max === undefined ? '' : `≤ ${max}`;
}

/** `e.g. 16:9`, for values that users type. For a voice it's the default, often the only published name. */
function example({ name, type, choices, default: usual, note = '' }: CatalogueParameter): string {
	if (choices) return '';
	if (note.startsWith('e.g. ')) return note.replace(/"/g, '');
	return type === 'string' && /voice/i.test(name) && usual !== undefined ? `e.g. ${usual}` : '';
}

/** `1 to 50`, `at least 2 seconds`; undefined if no limit is known. */
export function rangeText({ min, max, unit }: CatalogueParameter): string | undefined {
	const counted = unit === undefined ? '' : ` ${unit}`;
	if (min !== undefined && max !== undefined) return `${min} to ${max}${counted}`;
	if (min !== undefined) return `at least ${min}${counted}`;
	return max === undefined ? undefined : `at most ${max}${counted}`;
}
