/** Names of the files that a node makes: stem, number and extension, and the name that the user chose. */
import type { IBinaryData } from 'n8n-workflow';

import { digest } from '../base/hash';
import { extensionOfType, typeByExtension } from './mediaTypes';

/** Longest part of a generated file name that comes from the prompt. */
const MAX_STEM_CHARS = 40;

/**
 * Returns the name of a generated file without extension: the first words of the prompt, a digest of the request ID and, from the second file on, its
 * index, such as `lighthouse-at-dusk-83ac1f0c-1`. Parts of IDs may be equal: some begin with the time or end with a region. It has only letters with their marks, digits, dots and hyphens, so it's safe anywhere.
 */
export function fileStem(text: string, requestId: string | undefined, index: number): string {
	let stem = '';
	for (const word of nameWords(text.slice(0, MAX_READ_CHARS).toLowerCase().replaceAll('_', ' '))) {
		if (stem !== '' && stem.length + word.length >= MAX_STEM_CHARS) break;
		// A long word isn't cut within a character.
		stem += `${stem === '' ? '' : '-'}${Array.from(word).slice(0, MAX_STEM_CHARS).join('')}`;
	}
	const id = requestId === undefined ? '' : digest(requestId).slice(0, 8);
	return [stem || 'output', id, index === 0 ? '' : String(index)].filter(Boolean).join('-');
}

/** Returns the name of a file of this type. `names`: its other names and URLs, whose extension it has if that fits the type. */
export function fileName(stem: string, mimeType: string, ...names: string[]): string {
	return `${stem}.${extensionOfType(mimeType, ...names)}`;
}

/** Longest name that a user can choose. File systems allow 255 bytes, and a Chinese character needs three. */
const MAX_CHOSEN_CHARS = 75;

/**
 * Returns a file with the name that a user chose and, from the second file on, its index; unchanged if nothing is left of the name. The name keeps capital
 * letters and underscores, which a product number may have, and is otherwise as safe as a generated one. Its extension stays if it fits the file.
 */
export function withChosenName(file: IBinaryData, text: string, index: number): IBinaryData {
	const name = nameWords(text).join('-');
	const isMediaName = typeByExtension(name) !== undefined;
	const wholeStem = isMediaName ? name.replace(/\.\w+$/, '') : name;
	const stem = Array.from(wholeStem).slice(0, MAX_CHOSEN_CHARS).join('');
	if (stem === '') return file;
	const fileExtension = extensionOfType(
		file.mimeType,
		isMediaName ? name : '',
		file.fileName ?? '',
	);
	const number = index === 0 ? '' : `-${index}`;
	return { ...file, fileName: `${stem}${number}.${fileExtension}`, fileExtension };
}

/** How much of a text is read for a name. */
const MAX_READ_CHARS = 500;

/** Returns the words of a text that a file's name can have: letters with their marks, digits, underscores, and dots that don't end a word. */
function nameWords(text: string): string[] {
	const found = text.slice(0, MAX_READ_CHARS).normalize('NFC').match(WORD) ?? [];
	return found.map((word) => word.replace(/\.+$/, ''));
}

const WORD = /[\p{L}\p{N}_][\p{L}\p{M}\p{N}._]*/gu;
