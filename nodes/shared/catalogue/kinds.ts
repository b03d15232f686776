import type { Kind } from './types';

/** The kinds for phrases such as `Image editing`, `imageTOImage` or `textToSpeech`, after `splitWords`; the first match counts. */
const KIND_PATTERNS: ReadonlyArray<[RegExp, Kind]> = [
	[/^(audio|speech|sound|voice)s? to text$|transcri/, 'transcript'],
	[/to text$/, 'text'],
	[/(video|movie|animation)s?( generation)?$/, 'video'],
	[/(audio|speech|music|sound|song|voice)s?( generation)?$/, 'audio'],
	[/^(image|picture)s? (to )?(image|picture)s?$|edit|in-?paint|upscal|background/, 'imageEdit'],
	[/(image|picture)s?( generation)?$/, 'image'],
	[/(text|chat|llm)s?( generation)?$/, 'text'],
];

/** Writes `imageTOImage` and `image_to_image` as `image to image`, because the service uses several forms. */
export function splitWords(words: string): string {
	return words
		.slice(0, 100)
		.replace(/([a-z0-9])(To|TO)(?=[A-Z0-9])/g, '$1 to ')
		.replace(/[_-]+/g, ' ')
		.trim()
		.toLowerCase();
}

/** Finds the kind that the service's words describe; undefined if they're unknown. */
export function findKind(words: string): Kind | undefined {
	const phrase = splitWords(words);
	return KIND_PATTERNS.find(([pattern]) => pattern.test(phrase))?.[1];
}
