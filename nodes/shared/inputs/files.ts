import type { IBinaryData } from 'n8n-workflow';

import { badInput, fill, wrongInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { PARTS } from '../errors/parts';
import { withFoundType } from '../media/fileContent';
import type { Item } from '../run/item';
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
 * Finds the files that the value of a field names: URLs, data URLs and names of binary fields, separated by commas or lines, or as a list or JSON. There
 * are none if it's empty. `takesList`: the model takes a list.
 * @throws SegmindFailure that names the field, for anything else
 */
export async function filesIn(
	item: Item,
	label: string,
	value: unknown,
	takesList: boolean,
): Promise<Files> {
	const { entries, isList } = fileEntries(label, value, takesList);
	const parts = await Promise.all(
		entries.map(async (entry) =>
			isFileUrl(entry) ? entry : await withFoundType(item.session, binaryOf(item, label, entry)),
		),
	);
	return { parts, asList: takesList || isList || parts.length > 1 };
}

/** What a field for files names, and whether the value itself is a list. */
interface FileEntries {
	entries: string[];
	isList: boolean;
}

/** Splits the value of a field for files. Pure. @throws SegmindFailure if it's no text and no list of texts, or names too many files */
export function fileEntries(label: string, value: unknown, takesList: boolean): FileEntries {
	const parsed = takesList && typeof value === 'string' ? parseJson(value) : value;
	const list: unknown[] | undefined = Array.isArray(parsed) ? parsed : undefined;
	const entries = (list ?? [value]).flatMap((entry) => {
		if (typeof entry !== 'string')
			throw wrongInput(label, entry, 'a URL, a data URL or the name of a binary field');
		const text = entry.trim();
		// In an entry of a list, a comma belongs to the URL; in the field for one file, unless another URL begins after it.
		const isWhole = isFileUrl(text) && (list !== undefined || !takesList);
		const urls = list ? [text] : text.split(/,(?=https?:\/\/)/i);
		return isWhole ? urls : splitList(text);
	});
	if (entries.length > MAX_FILES)
		throw wrongInput(label, `${entries.length} files`, `${MAX_FILES} files at most`);
	return { entries, isList: list !== undefined };
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

/** Returns a binary field of an item. @throws SegmindFailure that names the fields that exist */
function binaryOf(item: Item, label: string, field: string): IBinaryData {
	const { binaries } = item;
	const found = Object.hasOwn(binaries, field) ? binaries[field] : binaryInJson(item, field);
	if (found) return found;
	const fields = Object.keys(binaries).join(', ');
	const existing = fields ? fill(PARTS.binaryFields, { fields }) : PARTS.noBinaryFields;
	throw badInput(INPUTS.notAFile, { label, value: field, existing });
}

/** n8n's own look-up also finds binary data inside the JSON (docs/n8n.md N172). */
function binaryInJson({ session, index }: Item, field: string): IBinaryData | undefined {
	try {
		const file: unknown = session.context.helpers.assertBinaryData(index, field);
		return isObject(file) && file.mimeType ? (file as unknown as IBinaryData) : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Reads a field with the names of one or more binary fields, separated by commas.
 * @throws SegmindFailure if it names no field, or one that doesn't exist, or contains a URL
 */
export async function readBinaries(item: Item, path: string): Promise<IBinaryData[]> {
	const label = item.parameters.label(path);
	const { parts } = await filesIn(item, label, item.parameters.text(path), false);
	const url = parts.find((part) => !isBinary(part));
	if (url !== undefined || parts.length === 0)
		throw wrongInput(label, url ?? '', 'the name of a binary field, usually data');
	return parts.filter(isBinary);
}
