import type { IBinaryData } from 'n8n-workflow';

import { safeTextOf } from '../base/redact';
import { badInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { isObject, parseJson } from '../service/schemas';

/** A file to send: a URL or data URL as it was written, or a binary of the item. */
export type MediaPart = string | IBinaryData;

/** The binary fields of an item. */
export interface BinaryFields {
	/** Looks up a field; undefined if there is no such field. */
	find(field: string): IBinaryData | undefined;
	/** Says which fields the item has, for the error about a missing field. */
	readonly existing: string;
}

/**
 * Reads a media field: URLs, data URLs and names of binary fields, separated by commas or as a list. Returns [] if it's empty. The caller has checked
 * that lists aren't nested too deep.
 * @throws SegmindFailure that names the parameter, for anything else
 */
export function mediaParts(
	name: string,
	value: unknown,
	isList: boolean,
	binaries: BinaryFields,
): MediaPart[] {
	if (Array.isArray(value)) {
		assertFileCount(value.length, `Parameter '${name}'`);
		return value.flatMap((entry) => mediaParts(name, entry, false, binaries));
	}
	if (typeof value !== 'string') {
		throw badInput(INPUTS.notAFile, {
			name,
			value: isObject(value) ? 'an object' : String(value),
		});
	}
	const text = value.trim();
	if (text === '') return [];
	const listed = isList && text.startsWith('[') ? parseJson(text) : undefined;
	if (Array.isArray(listed)) return mediaParts(name, listed, false, binaries);
	if (!isList && isUrl(text)) return [text];
	const entries = entriesOf(text, binaries);
	assertFileCount(entries.length, `Parameter '${name}'`);
	return entries.map((entry) => {
		const part = isUrl(entry) ? entry : binaries.find(entry);
		if (part !== undefined) return part;
		throw badInput(INPUTS.notAFileText, {
			name,
			value: safeTextOf(entry),
			existing: binaries.existing,
		});
	});
}

/** The maximum number of files for one parameter; no model takes more. */
const MAX_FILES = 100;

/** @throws SegmindFailure if there are more files than `MAX_FILES` */
export function assertFileCount(count: number, label: string): void {
	if (count > MAX_FILES) throw badInput(INPUTS.tooManyFiles, { label, count, most: MAX_FILES });
}

/** Whether a string is an http(s) URL or a data URL. */
export function isUrl(text: string): boolean {
	return /^https?:\/\/[^\s/]\S*$/i.test(text) || /^data:[^,\s]*,/i.test(text);
}

/** Splits a string at its commas, but not inside a URL. If no space follows the comma, the next piece belongs to the URL, unless it names a binary field. */
function entriesOf(text: string, binaries: BinaryFields): string[] {
	const entries: string[][] = [];
	/** What the last entry continues with after the comma. The content of a data URL follows its first comma. */
	let continuation: 'none' | 'restOfUrl' | 'dataUrlContent' = 'none';
	for (const piece of text.split(',')) {
		const entry = piece.trim();
		const continuesEntry =
			continuation === 'dataUrlContent' ||
			(continuation === 'restOfUrl' &&
				piece === entry &&
				!/^(https?:\/\/|data:)/i.test(entry) &&
				binaries.find(entry) === undefined);
		if (continuesEntry) {
			entries[entries.length - 1].push(entry);
			continuation = 'restOfUrl';
		} else if (entry !== '') {
			entries.push([entry]);
			continuation = /^data:/i.test(entry) ? 'dataUrlContent' : isUrl(entry) ? 'restOfUrl' : 'none';
		}
	}
	return entries.map((pieces) => pieces.join(','));
}
