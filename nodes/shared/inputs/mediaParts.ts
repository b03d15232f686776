import type { IBinaryData } from 'n8n-workflow';

import { badInput } from '../base/failure';
import { shown } from '../base/redact';
import { isObject } from '../service/schemas';

/** A file to send: an address or data URL as it was written, or a binary of the item. */
export type MediaPart = string | IBinaryData;

/** Looks a binary field of the item up; undefined when there is none of that name. */
export type FindBinary = (field: string) => IBinaryData | undefined;

/**
 * What a media field says: a URL, a data URL, or names of binary fields, several separated by commas or as a list. Nothing when it is
 * empty.
 * @throws SegmindFailure naming the parameter, for anything else
 */
export function mediaParts(
	name: string,
	value: unknown,
	isList: boolean,
	find: FindBinary,
): MediaPart[] {
	if (Array.isArray(value)) return value.flatMap((entry) => mediaParts(name, entry, false, find));
	if (typeof value !== 'string') {
		throw badInput(
			`Parameter '${name}' is ${isObject(value) ? 'an object' : String(value)}, not a file`,
			'Give a URL, a data URL, or the name of a binary field, usually data.',
		);
	}
	const text = value.trim();
	if (text === '') return [];
	const listed = isList && text.startsWith('[') ? listIn(text) : undefined;
	if (listed) return mediaParts(name, listed, false, find);
	if (!isList && isAddress(text)) return [text];
	return entriesOf(text, find).map((entry) => {
		const part = isAddress(entry) ? entry : find(entry);
		if (part !== undefined) return part;
		throw badInput(
			`Parameter '${name}' is '${shown(entry)}', which is neither a URL nor a data URL nor a binary field of the item`,
			'Give an address that begins with https://, or the name of a binary field, usually data. Send anything else as a row of Additional Inputs.',
		);
	});
}

function isAddress(text: string): boolean {
	return /^https?:\/\/[^\s/]\S*$/i.test(text) || /^data:[^,\s]*,/i.test(text);
}

function listIn(text: string): unknown[] | undefined {
	try {
		const value = JSON.parse(text) as unknown;
		return Array.isArray(value) ? value : undefined;
	} catch {
		return undefined;
	}
}

/** Parts at commas, but not inside an address: what follows one without a space is the rest of it, unless it is a binary field. */
function entriesOf(text: string, find: FindBinary): string[] {
	const entries: string[] = [];
	for (const piece of text.split(',')) {
		const entry = piece.trim();
		const before = entries.at(-1);
		const isRest =
			before !== undefined &&
			(/^data:[^,]*$/i.test(before) ||
				(isAddress(before) &&
					piece === entry &&
					!/^(https?:\/\/|data:)/i.test(entry) &&
					find(entry) === undefined));
		if (isRest) entries[entries.length - 1] = `${before},${entry}`;
		else if (entry !== '') entries.push(entry);
	}
	return entries;
}
