/** What a model can do besides its kind, as its parameters show: as search words, and as marks in the list of models. */

import type { CatalogueParameter } from './types';

type Parameters = readonly CatalogueParameter[];

/** An entry of the list has at most this many marks. */
const MAX_MARKS = 2;

/** What parameters show, and the words that people search for it. */
const ABILITIES: ReadonlyArray<[isShownBy: (parameters: Parameters) => boolean, words: string]> = [
	[makesSound, 'sound audio'],
	[takesLastFrame, 'first last start end frame'],
	[(parameters) => countImages(parameters) > 1, 'two several multiple images reference combine'],
	[(parameters) => isNamed(parameters, /reference/i), 'reference'],
	[(parameters) => isNamed(parameters, /^mask/i), 'inpaint'],
	[(parameters) => offers(parameters, /^transparent$/), 'transparent'],
	[makesUprightPictures, 'vertical portrait'],
];

/** Returns the search words for what the parameters show. */
export function abilityWords(parameters: Parameters): string {
	const shown = ABILITIES.filter(([isShownBy]) => isShownBy(parameters));
	return shown.map(([, words]) => words).join(' ');
}

/** Returns the marks of a model in the list, such as `sound` and `3 images`. */
export function marksOf(parameters: Parameters): string[] {
	const images = countImages(parameters);
	const marks = [
		makesSound(parameters) ? 'sound' : '',
		takesLastFrame(parameters) ? 'first + last frame' : '',
		Number.isFinite(images) && images > 1 ? `${images} images` : '',
		images === Infinity ? 'several images' : '',
	];
	return marks.filter((mark) => mark !== '').slice(0, MAX_MARKS);
}

function makesSound(parameters: Parameters): boolean {
	return isNamed(parameters, /^generate_audio$/);
}

function takesLastFrame(parameters: Parameters): boolean {
	return isNamed(parameters, /^(last|end)_(frame|image)/);
}

/** Returns how many images the model takes besides frames and a mask; infinity for a list without a known maximum. */
function countImages(parameters: Parameters): number {
	const images = parameters.filter(
		({ name, type }) =>
			type === 'file' && /image|img|photo|picture/i.test(name) && !/frame|mask/i.test(name),
	);
	return images.reduce((sum, image) => sum + largestCountOf(image), 0);
}

function largestCountOf({ list, note = '' }: CatalogueParameter): number {
	if (!list) return 1;
	const [, maximum] = /^(\d+) at most/.exec(note) ?? [];
	return maximum === undefined ? Infinity : Number(maximum);
}

/** Whether a ratio or a size higher than wide is a choice, or the size is free. */
function makesUprightPictures(parameters: Parameters): boolean {
	const hasFreeSize = isNamed(parameters, /^width$/) && isNamed(parameters, /^height$/);
	return hasFreeSize || offers(parameters, /^(9[:x]16|720[:x*]1280|1080[:x*]1920)$/);
}

function isNamed(parameters: Parameters, pattern: RegExp): boolean {
	return parameters.some(({ name }) => pattern.test(name));
}

/** Whether a parameter has a choice that matches. */
function offers(parameters: Parameters, pattern: RegExp): boolean {
	return parameters.some(({ choices = [] }) =>
		choices.some((choice) => pattern.test(String(choice))),
	);
}
