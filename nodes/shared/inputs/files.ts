import type { IBinaryData } from 'n8n-workflow';

import { badInput, fill, wrongInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { PARTS } from '../errors/parts';
import type { Session } from '../run/session';
import { isObject, parseJson } from '../service/schemas';
import type { Conversation, Family } from './conversation';

/** The files of one input: URLs and data URLs as they were written, and binaries of the item. */
export interface Files {
	parts: Array<string | IBinaryData>;
	asList: boolean;
}

/** A conversation whose last message has pictures. */
interface PicturedConversation {
	parts: Files['parts'];
	family: Family;
	conversation: Conversation;
}

/** What is sent under a name: a value, files, which are uploaded or encoded at the last moment, or a conversation, which contains its pictures. */
export type Input = { value: unknown } | Files | PicturedConversation;
export type NamedInput = [name: string, input: Input];

/** The inputs of an item by name. A map, because a name may be `__proto__`. */
export type InputsByName = ReadonlyMap<string, Input>;

/** The maximum number of files for one parameter; no model takes more. */
const MAX_FILES = 100;

/**
 * Reads a field for files: URLs, data URLs and names of binary fields, separated by commas or lines, or as a list or JSON. There are none if it's
 * empty.
 * @throws SegmindFailure that names the field, for anything else
 */
export function readFileField(
	session: Session,
	itemIndex: number,
	label: string,
	value: unknown,
	isList: boolean,
): Files {
	const parsed = isList && typeof value === 'string' ? parseJson(value) : value;
	const list: unknown[] | undefined = Array.isArray(parsed) ? parsed : undefined;
	const entries = (list ?? [value]).flatMap((entry) => {
		if (typeof entry !== 'string')
			throw wrongInput(label, entry, 'a URL, a data URL or the name of a binary field');
		const text = entry.trim();
		// In an entry of a list, a comma belongs to the URL; in the field for one file, unless another URL begins after it.
		const isWhole = isFileUrl(text) && (list !== undefined || !isList);
		const urls = list ? [text] : text.split(/,(?=https?:\/\/)/i);
		return isWhole ? urls : splitList(text);
	});
	if (entries.length > MAX_FILES)
		throw wrongInput(label, `${entries.length} files`, `${MAX_FILES} files at most`);
	const parts = entries.map((entry) =>
		isFileUrl(entry) ? entry : binaryOf(session, itemIndex, label, entry),
	);
	return { parts, asList: isList || list !== undefined || parts.length > 1 };
}

/** Splits a text at commas and lines, but not at the comma before the content of a data URL. */
function splitList(text: string): string[] {
	const entries = text.split(/(?<!;base64),|\n/).map((entry) => entry.trim());
	return entries.filter((entry) => entry !== '');
}

/** Whether a string is an http(s) URL or a data URL. */
function isFileUrl(text: string): boolean {
	return /^https?:\/\/[^\s/]\S*$/i.test(text) || /^data:[^,\s]*,/i.test(text);
}

/** Whether a part is a binary of the item, which is uploaded or encoded before it's sent. */
export function isBinary(part: string | IBinaryData): part is IBinaryData {
	return typeof part !== 'string';
}

/** Returns a binary field of an item. n8n's own look-up also finds binary data inside the JSON (docs/n8n.md N172). */
function binaryOf(
	{ context, items }: Session,
	itemIndex: number,
	label: string,
	field: string,
): IBinaryData {
	const own = items[itemIndex]?.binary ?? {};
	if (Object.hasOwn(own, field)) return own[field];
	try {
		const file: unknown = context.helpers.assertBinaryData(itemIndex, field);
		if (isObject(file) && file.mimeType) return file as unknown as IBinaryData;
	} catch {
		// The error below names the fields that exist.
	}
	const fields = Object.keys(own).join(', ');
	const existing = fields ? fill(PARTS.binaryFields, { fields }) : PARTS.noBinaryFields;
	throw badInput(INPUTS.notAFile, { label, value: field, existing });
}

/**
 * Returns the binaries of one or more binary fields, whose names are separated by commas in `fields`.
 * @throws SegmindFailure if `fields` names no field, or one that doesn't exist, or contains a URL
 */
export function binariesOf(
	session: Session,
	itemIndex: number,
	fields: string,
	label: string,
): IBinaryData[] {
	const { parts } = readFileField(session, itemIndex, label, fields, false);
	const url = parts.find((part) => !isBinary(part));
	if (url !== undefined || parts.length === 0)
		throw wrongInput(label, url ?? '', 'the name of a binary field, usually data');
	return parts.filter(isBinary);
}
