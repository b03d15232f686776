/** Names of the files that a node makes. */
import type { ItemSpec } from './presentation';

/** Longest part of a generated file name that comes from the prompt. */
const MAX_STEM_CHARS = 40;

/**
 * Returns the name of a generated file without extension: the first words of the prompt and a part of the request ID, such as
 * `lighthouse-at-dusk-83ac1f`. It has only letters with their marks, digits, dots and hyphens, so it's safe anywhere.
 */
export function fileStem(text: string, requestId: string | undefined, index: number): string {
	const words =
		text
			.slice(0, 500)
			.toLowerCase()
			.normalize('NFC')
			.match(/[\p{L}\p{N}][\p{L}\p{M}\p{N}.]*/gu) ?? [];
	let stem = '';
	for (const word of words.map((one) => one.replace(/\.+$/, ''))) {
		if (stem !== '' && stem.length + word.length >= MAX_STEM_CHARS) break;
		// A long word isn't cut within a character.
		stem += `${stem === '' ? '' : '-'}${Array.from(word).slice(0, MAX_STEM_CHARS).join('')}`;
	}
	const id = (requestId ?? '').replace(/[^A-Za-z0-9]/g, '').slice(0, 6);
	return [stem || 'output', id, index === 0 ? '' : String(index)].filter(Boolean).join('-');
}

/** Returns the name of an item's file without extension, after the prompt or, without one, after what made it. */
export function itemFileStem({ madeBy, requestId, presentation }: ItemSpec, index: number): string {
	const slug = String(madeBy.model ?? madeBy.workflow ?? '');
	return fileStem(presentation.prompt || slug, requestId, index);
}

/** Returns the binary field of a file: `data`, `data_1`, `data_2`, … */
export function binaryName(field: string, index: number): string {
	return index === 0 ? field : `${field}_${index}`;
}
