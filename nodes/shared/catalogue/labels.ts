import { capitalize } from '../base/text';
import { cleanText } from '../base/clean';
import type { CatalogueParameter } from './types';

/** The editor cuts longer names of fields in the form (docs/n8n.md N207). */
export const MAX_LABEL_CHARS = 28;

/**
 * Returns the label of a parameter's field in the form, such as `Length (1–30 seconds) $`: the service's label or the parameter's name in Title Case, the
 * range or an example with its unit, "(file)" for files, and "$" if the list says that the price depends on it. If that is too long, the range is
 * left out first, then the unit, then "(file)", then the end of the name.
 */
export function fieldLabel(parameter: CatalogueParameter): string {
	const { type, list, unit, affectsPrice } = parameter;
	const base = fieldTitle(parameter);
	const file = type === 'file' && !/\bfiles?\b/i.test(base) ? ` (file${list ? 's' : ''})` : '';
	const price = affectsPrice ? ' $' : '';
	const range = shortRangeOf(parameter) || noteOf(parameter);
	const unitText = unit === undefined || base.toLowerCase().includes(unit) ? '' : unit;
	const endings = [
		...[`${range} ${unitText}`.trim(), unitText, range]
			.filter((text) => text !== '')
			.map((text) => ` (${text})${file}${price}`),
		`${file}${price}`,
		price,
	];
	const ending = endings.find(({ length }) => base.length + length <= MAX_LABEL_CHARS) ?? price;
	const roomChars = MAX_LABEL_CHARS - ending.length;
	return `${base.length > roomChars ? `${cleanText(base, roomChars - 1)}…` : base}${ending}`;
}

/** Returns the name of a parameter's field: the service's label or the parameter's name in Title Case. */
export function fieldTitle({ name, label, type }: CatalogueParameter): string {
	const words = titleCase(label ?? name.replace(/([a-z0-9])([A-Z])/g, '$1 $2'));
	if (type !== 'file') return words || name;
	// A field for files accepts more than URLs.
	return words.replace(/s? UR[IL]s\b/, 's').replace(/ UR[IL]\b/, '') || name;
}

/** `first_frame_url` becomes First Frame URL, `Depth of field` Depth of Field. */
export function titleCase(text: string): string {
	return text
		.split(/[\s._-]+/)
		.filter((word) => word !== '')
		.map((word, at) => {
			const spelling = SPELLINGS.find((entry) => entry.toLowerCase() === word.toLowerCase());
			return spelling ?? (at > 0 && SMALL_WORDS.test(word) ? word : capitalize(word));
		})
		.join(' ');
}

/** Words with a spelling of their own. */
const SPELLINGS =
	'3D AI API CFG DC FPS HD ID IDs IoU IP JSON LoRA LoRAs MP NSFW RGB SSML TTS URI URL URLs VAE'.split(
		' ',
	);
/** Words that Title Case doesn't capitalize, except at the beginning. */
const SMALL_WORDS = /^(a|an|and|at|by|for|in|of|on|or|per|the|to|with)$/;

function shortRangeOf({ type, choices, min, max }: CatalogueParameter): string {
	if (type !== 'number' || choices) return '';
	if (min !== undefined && max !== undefined) return `${min}–${max}`;
	if (min !== undefined) return `≥ ${min}`;
	return max === undefined ? '' : `≤ ${max}`;
}

/** Returns what a second voice is for, or an example such as `e.g. 16:9`, for values that users type. */
function noteOf({ name, choices, note = '' }: CatalogueParameter): string {
	if (name === 'voice_2') return 'second speaker';
	return !choices && note.startsWith('e.g. ') ? note.replace(/"/g, '') : '';
}
