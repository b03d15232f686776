/** Has a result more than what an item has of it already? Pure. */
import { MESSAGE_MEMBERS } from './schemas';

/** What an item has already. */
export interface KnownValues {
	/** The URLs of files, and the marks of those that came as bytes. White space around them doesn't matter. */
	files: ReadonlySet<string>;
	texts: ReadonlySet<string>;
}

export const NO_KNOWN_VALUES: KnownValues = { files: new Set(), texts: new Set() };

/**
 * What a value holds. `result`: what was made, so that everything counts. `call`: it may describe the call, so that an ID, a code, a time or a switch
 * doesn't count, and a number only in `callWithNumbers`. `message`: what a model says, inside such a value; everything counts but its form.
 */
export type ValueRole = 'result' | 'call' | 'callWithNumbers' | 'message';

/** Members of a file's object that only describe the file, so they aren't kept without its URL. */
const FILE_DETAILS = new Set(['content_type', 'file_name', 'file_size', 'mimeType', 'mime_type']);
/** Members of a message, and of its parts, that are only its form. */
const MESSAGE_FORM = new Set(['role', 'type', 'thoughtSignature']);

/** Whether a value has something that counts, and that the item doesn't have. Null and blank texts are nothing. */
export function hasOtherValues(value: unknown, known: KnownValues, role: ValueRole): boolean {
	if (value === null || value === undefined) return false;
	if (typeof value === 'string' && isKnown(value, known)) return false;
	if (typeof value !== 'object') return counts(value, role);
	if (Array.isArray(value))
		return value.some((entry) => hasOtherValues(entry, known, roleOfEntry(entry, role)));
	const members = value as Record<string, unknown>;
	const names = Object.keys(members);
	const describesFile = names.some((name) => isKnownFile(members[name], known));
	return names.some((name) => {
		if (describesFile && FILE_DETAILS.has(name)) return false;
		if (role === 'message' && MESSAGE_FORM.has(name)) return false;
		return hasOtherValues(members[name], known, roleOfMember(name, role));
	});
}

/** Whether a value has more than null and blank texts. */
export function hasContent(value: unknown): boolean {
	return hasOtherValues(value, NO_KNOWN_VALUES, 'result');
}

function isKnown(text: string, known: KnownValues): boolean {
	return text.trim() === '' || known.texts.has(text) || isKnownFile(text, known);
}

function isKnownFile(value: unknown, { files }: KnownValues): boolean {
	return typeof value === 'string' && files.has(value.trim());
}

function roleOfMember(name: string, role: ValueRole): ValueRole {
	return role !== 'result' && MESSAGE_MEMBERS.has(name) ? 'message' : role;
}

/** Numbers and words in a list, such as boxes and labels, describe what was made. */
function roleOfEntry(entry: unknown, role: ValueRole): ValueRole {
	return typeof entry === 'string' || typeof entry === 'number' ? 'result' : role;
}

function counts(value: unknown, role: ValueRole): boolean {
	if (role === 'result' || role === 'message') return true;
	if (typeof value === 'string') return !isWord(value.trim());
	return typeof value === 'number' && role === 'callWithNumbers';
}

/** A date with a time, written with spaces. */
const SPACED_TIME =
	/^(?:[A-Z][a-z]{2}, )?\d{1,4}[- ](?:\d\d|[A-Z][a-z]{2})[- ]\d{1,4} [\d:.,]+ ?(?:[A-Z]{1,4}|[+-]\d\d:?\d\d)?$/;

/** Whether a text is a single word, such as an ID or a code, or a time. Base64 is longer, and only ASCII shows where a word ends. */
function isWord(text: string): boolean {
	return (/^[!-~]{0,100}$/.test(text) && !/^https?:/i.test(text)) || SPACED_TIME.test(text);
}
