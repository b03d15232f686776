import type { IBinaryData } from 'n8n-workflow';

import { badInput, wrongInput, wrongState } from '../errors/failures';
import { quoted, say, type Said } from '../errors/say';
import { withFoundType, isBase64 } from '../media/fileContent';
import { typeBySignature } from '../media/mediaTypes';
import type { Item } from '../run/item';
import { isObject, parseJson } from '../service/schemas';
import type { Conversation, Family } from './conversation';

/** The files of one input: URLs as they were written, and binaries, of the item or from data URLs. */
export interface Files {
	kind: 'files';
	parts: Array<string | IBinaryData>;
	asList: boolean;
}

/** A conversation whose last message has pictures. */
interface PicturedConversation {
	kind: 'conversation';
	parts: Files['parts'];
	family: Family;
	conversation: Conversation;
}

/** What is sent under a name: a value, files, which are uploaded or encoded at the last moment, or a conversation, which contains its pictures. */
export type Input = { kind: 'value'; value: unknown } | Files | PicturedConversation;
export type NamedInput = [name: string, input: Input];

/** The inputs of an item by name. A map, because a name may be `__proto__`. */
export type InputsByName = ReadonlyMap<string, Input>;

/** The maximum number of files for one parameter; no model takes more. */
const MAX_FILES = 100;

/**
 * Finds the files that the value of a field names: URLs, data URLs and names of binary fields, separated by commas or lines, or as a list or JSON, and
 * binaries that an expression returns. There are none if it's empty. `takesList`: the model takes a list.
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
		entries.map(async (entry) => {
			if (typeof entry === 'string' && isWebUrl(entry)) return entry;
			return await withFoundType(item.run, fileOf(item, label, entry));
		}),
	);
	return { kind: 'files', parts, asList: takesList || isList || parts.length > 1 };
}

/** What a field for files names, and whether the value itself is a list. */
interface FileEntries {
	/** An object is one that an expression returned, never one from JSON text. */
	entries: Array<string | object>;
	isList: boolean;
}

/** Splits the value of a field for files. Pure. @throws SegmindFailure if it's no text or object and no list of them, or names too many files */
export function fileEntries(label: string, value: unknown, takesList: boolean): FileEntries {
	const parsed = takesList && typeof value === 'string' ? parseJson(value) : value;
	const list: unknown[] | undefined = Array.isArray(parsed) ? parsed : undefined;
	const entries = (list ?? [value]).flatMap((entry): Array<string | object> => {
		if (isObject(entry) && parsed === value) return [entry];
		if (typeof entry !== 'string') throw wrongInput(label, entry, WANTED);
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

const WANTED = 'a URL, a data URL, the name of a binary field or a file of an earlier node';

/** Splits a text at commas and lines, but not at the comma before the content of a data URL. */
function splitList(text: string): string[] {
	const entries = text.split(/(?<!;base64),|\n/).map((entry) => entry.trim());
	return entries.filter((entry) => entry !== '');
}

/** Whether a string is an http(s) URL or a data URL. */
function isFileUrl(text: string): boolean {
	return isWebUrl(text) || DATA_URL_HEAD.test(text);
}

function isWebUrl(text: string): boolean {
	return /^https?:\/\/[^\s/]\S*$/i.test(text);
}

/** A data URL up to its content. */
const DATA_URL_HEAD = /^data:([^,;\s]*)(?:;[^,;\s]*)*,/i;

/** Returns the file that an entry of a field means, apart from the URL of one. */
function fileOf(item: Item, label: string, entry: string | object): IBinaryData {
	if (typeof entry !== 'string') return givenBinary(item, label, entry);
	return fileInDataUrl(label, entry) ?? binaryOf(item, label, entry);
}

/**
 * Returns the file in a data URL, which is uploaded like any other: some models fail at a data URL. Undefined for another text.
 * @throws SegmindFailure if it has no base64, for example because a failed expression left it out
 */
export function fileInDataUrl(label: string, url: string): IBinaryData | undefined {
	const [head, mimeType] = DATA_URL_HEAD.exec(url) ?? [];
	if (head === undefined) return undefined;
	const data = url.slice(head.length);
	if (!/;base64,$/i.test(head) || !isBase64(data))
		throw wrongInput(label, url, 'a data URL with base64 content');
	return { data, mimeType };
}

/** Whether a part is a binary of the item, which is uploaded or encoded before it's sent. */
export function isBinary(part: string | IBinaryData): part is IBinaryData {
	return typeof part !== 'string';
}

/** Returns a binary field of an item. @throws SegmindFailure that says where a file can come from */
function binaryOf(item: Item, label: string, field: string): IBinaryData {
	const { binaries, run } = item;
	const found = Object.hasOwn(binaries, field) ? binaries[field] : binaryInJson(item, field);
	if (found) return found;
	assertNotRawBase64(label, field);
	throw badInput(
		say`${label} is ${quoted(field)}, which is neither a URL nor a binary field of the item`,
		sourceOfFile(field, Object.keys(binaries), run.isTool),
	);
}

/** Says where a file can come from, if a text names none. */
function sourceOfFile(text: string, fields: string[], isTool: boolean): Said {
	if (!isTool && /^([a-z]:|~|\.{1,2})?[\\/]|^file:/i.test(text))
		return say`Read a file of the disk with n8n's node Read/Write Files from Disk.`;
	if (text.includes('/'))
		return say`Enter a URL that begins with https:// and has %20 for each space and %2C for each comma.`;
	if (fields.length > 0) return say`Enter the name of a binary field (the item has ${fields}).`;
	if (isTool)
		return say`An agent's tool gets no files: upload them with Segmind Asset before the agent runs, and give the agent their URLs.`;
	return say`Connect a node that outputs a file or, for one of an earlier node, enter {{ $('Node Name').item.binary.data }}.`;
}

/** @throws SegmindFailure that shows what to put before it, if a text is the base64 of a file */
export function assertNotRawBase64(label: string, text: string): void {
	if (!/^[A-Za-z0-9+/]{60}/.test(text) || !/^[A-Za-z0-9+/\s]+={0,2}$/.test(text)) return;
	const type = typeBySignature(Buffer.from(text.slice(0, 1_000), 'base64')) ?? 'image/png';
	throw badInput(
		say`${label} is base64 without the type of its file`,
		say`Put data:${type};base64, before it, with the type of the file, which makes it a data URL.`,
	);
}

const WITH_CONTENT =
	"the name of a binary field or a file such as {{ $('Node Name').item.binary.data }}";

/** Returns the file that an expression returned. An agent's object could name the file of another execution. */
function givenBinary({ run }: Item, label: string, value: object): IBinaryData {
	if (run.isTool) throw wrongInput(label, value, 'text if an agent calls the node');
	if (isBinaryObject(value)) return value;
	// n8n's $binary leaves out the content of a file in memory.
	if ('mimeType' in value && !('id' in value || 'data' in value))
		throw wrongState(label, 'a file without its content', WITH_CONTENT);
	throw wrongInput(label, value, WANTED);
}

/** Whether an object is a file of n8n with content. n8n's own check looks only at which members there are. */
function isBinaryObject(value: object): value is IBinaryData {
	const { mimeType, id, data, fileName = '' } = value as Partial<Record<string, unknown>>;
	const content = id === undefined ? data : id;
	const areTexts = [mimeType, content, fileName].every((member) => typeof member === 'string');
	return areTexts && content !== '';
}

/** n8n's own look-up also finds binary data inside the JSON, which for a tool is the agent's. */
function binaryInJson({ run, index }: Item, field: string): IBinaryData | undefined {
	if (run.isTool) return undefined;
	try {
		const file: unknown = run.context.helpers.assertBinaryData(index, field);
		return isObject(file) && file.mimeType ? (file as unknown as IBinaryData) : undefined;
	} catch {
		return undefined;
	}
}

/**
 * Reads a field with the names of one or more binary fields, separated by commas, or with the files themselves.
 * @throws SegmindFailure if it names no field, or one that doesn't exist, or contains a URL
 */
export async function readBinaries(item: Item, path: string): Promise<IBinaryData[]> {
	const label = item.parameters.label(path);
	const value = item.parameters.definedValue(path);
	const isGiven = typeof value === 'object' && value !== null;
	const named = isGiven ? value : item.parameters.text(path);
	const { parts } = await filesIn(item, label, named, false);
	const url = parts.find((part) => !isBinary(part));
	if (url !== undefined || parts.length === 0)
		throw wrongInput(label, url ?? '', 'the name of a binary field, usually data');
	return parts.filter(isBinary);
}
