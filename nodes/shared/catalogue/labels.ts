import { capitalize } from '../base/text';
import { cleanText } from '../base/clean';
import type { CatalogueParameter } from './types';

/** The editor cuts longer names of fields in the form. */
export const MAX_LABEL_CHARS = 28;

/**
 * Returns the label of a parameter's field in the form, such as `Length (1–30 seconds) $`: the service's label or the parameter's name in Title Case, the
 * range or an example with its unit, "(file)" for files, and "$" if more of it costs more. If that is too long, the range is left out first, then the unit,
 * then "(file)", then the end of the name.
 */
export function fieldLabel(parameter: CatalogueParameter): string {
	const { name, type, list } = parameter;
	const base = fieldTitle(parameter);
	const file = type === 'file' && !/\bfiles?\b/i.test(base) ? ` (file${list ? 's' : ''})` : '';
	const price = isPriced(parameter) ? ' $' : '';
	const range = shortRangeOf(parameter) || noteOf(parameter);
	const unit = parameter.unit ?? (PIXELS_NAME.test(name) ? 'px' : '');
	const unitText = base.toLowerCase().includes(unit) ? '' : unit;
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

/** Whether more of it costs more: a length, or a resolution such as 720p or 4K, whatever the list says. */
function isPriced({ name, affectsPrice, choices = [], note = '' }: CatalogueParameter): boolean {
	if (affectsPrice === true || /^duration/.test(name)) return true;
	return /resolution$/.test(name) && /\d[pk]\b/i.test([...choices, note].join());
}

const PIXELS_NAME = /^(img_|image_)?(width|height)$/;

/** Returns the name of a parameter's field: the service's label or the parameter's name in Title Case. */
export function fieldTitle({
	name,
	label,
	type,
}: Pick<CatalogueParameter, 'name' | 'label'> & { type?: string }): string {
	// Some of the service's labels only repeat the name.
	const hasLabel = label !== undefined && titleCase(label) !== titleCase(name);
	const words = titleCase(hasLabel ? label : wordsOfName(name));
	if (type !== 'file') return words || name;
	// A field for files accepts more than URLs.
	return words.replace(/s? UR[IL]s\b/, 's').replace(/ UR[IL]\b/, '') || name;
}

/** Writes `img_width` as `image width`, and `maxChars` as `max Chars`. */
function wordsOfName(name: string): string {
	const separated = name.replace(/^num_inference_/, '').replace(/([a-z0-9])([A-Z])/g, '$1 $2');
	const words = separated.split(/[\s._-]+/);
	return words.map((word) => ABBREVIATIONS.get(word) ?? word).join(' ');
}

/** Words that names of parameters abbreviate. */
const ABBREVIATIONS = new Map([
	['bg', 'background'],
	['img', 'image'],
	['lang', 'language'],
	['num', 'number of'],
]);

/** `first_frame_url` becomes First Frame URL, `Depth of field` Depth of Field. */
function titleCase(text: string): string {
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
