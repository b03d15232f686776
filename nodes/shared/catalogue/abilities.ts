/** What a model can do besides its kind, as its parameters show: marks in the list of models, and the words that find them. */

import type { CatalogueParameter } from './types';

type Parameters = readonly CatalogueParameter[];

interface Ability {
	/** What the list shows, such as `takes 3 images`. */
	mark: string;
	/** The words that people search for it, in lower case. */
	words: string;
	/** Whether the list shows the mark only if a search found the model by it. */
	isMinor?: true;
}

/** An entry of the list has at most this many marks. */
const MAX_MARKS = 2;
/** Names of parameters that say how many files a request makes. */
const RESULT_COUNT = /^(n|samples|(num|number_of|max)_(images|outputs))$/;
/** Names of parameters that say how long a result is. */
const LENGTH = /duration|seconds/;
/** If any length up to a maximum is possible, a search finds these, in seconds. */
const SEARCHED_LENGTHS = Array.from({ length: 60 }, (_, at) => at + 1);

/** Returns what the parameters show. */
export function abilitiesOf(parameters: Parameters): Ability[] {
	const isNamed = (pattern: RegExp) => parameters.some(({ name }) => pattern.test(name));
	const images = countImages(parameters);
	const results = countResults(parameters);
	const takesImages = images === Infinity ? 'takes several images' : `takes ${images} images`;
	const makesResults = results === Infinity ? 'makes several' : `makes up to ${results}`;
	const rows: Array<[isShown: boolean, mark: string, words: string, isMinor?: true]> = [
		[isNamed(/^generate_audio$/), 'makes sound', 'sound audio'],
		[
			isNamed(/^(last|end)_(frame|image)/),
			'takes first + last frame',
			'first last start end frame',
		],
		[images > 1, takesImages, 'two several multiple images reference combine'],
		[results > 1, makesResults, 'several multiple images results variants variations'],
		[isNamed(/reference/i), 'takes a reference', 'reference', true],
		[isNamed(/^mask/i), 'takes a mask', 'inpaint', true],
	];
	const shown = rows.filter(([isShown]) => isShown);
	const byName = shown.map(([, mark, words, isMinor]) => ({ mark, words, isMinor }));
	return [...byName, ...parameters.flatMap(abilitiesByValue)];
}

/** Whether a word of a search finds an ability by the start of a word. A figure must be complete, because 1 is part of 9:16, 10s and 1080p. */
export function isFoundBy({ words }: Ability, word: string): boolean {
	const isFigure = /\d/.test(word);
	return words.split(' ').some((own) => (isFigure ? own === word : own.startsWith(word)));
}

/** Returns the marks of a model in the list: first the reasons why the words of a search found it. */
export function marksOf(abilities: readonly Ability[], words: readonly string[]): string[] {
	const reasons = words.flatMap((word) => abilities.find((own) => isFoundBy(own, word)) ?? []);
	const shown = [...reasons, ...abilities.filter(({ isMinor }) => !isMinor)];
	return [...new Set(shown.map(({ mark }) => mark))].slice(0, MAX_MARKS);
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

/** Returns how many files a request can make; infinity if the maximum isn't known. */
function countResults(parameters: Parameters): number {
	const count = parameters.find(({ name }) => RESULT_COUNT.test(name));
	if (count === undefined) return 1;
	return count.max ?? Math.max(...(count.choices ?? [Infinity]).map(Number));
}

/** Returns what people search among the values of a parameter: lengths, ratios such as 9:16, resolutions and transparency. */
function abilitiesByValue({ name, choices = [], min = 0, max = 0 }: CatalogueParameter): Ability[] {
	if (!LENGTH.test(name))
		return choices
			.map(String)
			.filter((choice) => /^(\d+:\d+|\d+[pk]|transparent)$/i.test(choice))
			.map((choice) => ({ mark: choice, words: choice.toLowerCase(), isMinor: true }));
	const lengths = choices.map((choice) => parseInt(String(choice), 10)).filter(Number.isInteger);
	const inRange = SEARCHED_LENGTHS.filter((seconds) => seconds >= min && seconds <= max);
	return (choices.length > 0 ? lengths : inRange).map((seconds) => ({
		mark: `${seconds} s long`,
		words: `${seconds}s`,
		isMinor: true,
	}));
}
