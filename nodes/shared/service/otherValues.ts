/** Has a result more than what an item has of it already? Pure. */
import { isObject, MESSAGE_MEMBERS } from './schemas';

/** What an item has already. */
export interface KnownValues {
	/** The URLs of files, and the marks of those that came as bytes. White space around them doesn't matter. */
	files: ReadonlySet<string>;
	texts: ReadonlySet<string>;
}

const NOTHING: KnownValues = { files: new Set(), texts: new Set() };

/** Members of a file's object that only describe the file, so they aren't kept without its URL. */
const FILE_DETAILS = new Set(['content_type', 'file_name', 'file_size', 'mimeType', 'mime_type']);
/** Members of a message, and of its parts, that are only its form. */
const MESSAGE_FORM = new Set(['role', 'type', 'thoughtSignature']);

/** Whether a value has something that the item doesn't have. Null and blank texts are nothing. */
export function hasOtherValues(value: unknown, known = NOTHING): boolean {
	if (value === null || value === undefined) return false;
	if (typeof value === 'string') return !isKnown(value, known);
	if (typeof value !== 'object') return true;
	const members = value as Record<string, unknown>;
	const names = Object.keys(members);
	const describesFile = names.some((name) => isKnownFile(members[name], known));
	return names.some((name) => {
		const isDetail = describesFile && FILE_DETAILS.has(name);
		return !isDetail && hasOtherValues(members[name], known);
	});
}

function isKnown(text: string, known: KnownValues): boolean {
	return text.trim() === '' || known.texts.has(text) || isKnownFile(text, known);
}

function isKnownFile(value: unknown, { files }: KnownValues): boolean {
	return typeof value === 'string' && files.has(value.trim());
}

/**
 * Returns a value without what may only describe the call: IDs, codes, times, switches and, unless `areNumbersKept`, numbers. What a model says stays, but
 * for its form, and so do numbers and words in a list: boxes and labels, for example, describe what was made.
 */
export function withoutCallDetails(value: unknown, areNumbersKept = false): unknown {
	if (typeof value === 'string') return isWord(value.trim()) ? undefined : value;
	if (typeof value === 'number') return areNumbersKept ? value : undefined;
	if (Array.isArray(value))
		return value.map((entry) => withoutDetailsInList(entry, areNumbersKept));
	if (!isObject(value)) return undefined;
	const members = Object.entries(value).map(([name, member]) => [
		name,
		MESSAGE_MEMBERS.has(name) ? withoutForm(member) : withoutCallDetails(member, areNumbersKept),
	]);
	return Object.fromEntries(members);
}

function withoutDetailsInList(entry: unknown, areNumbersKept: boolean): unknown {
	const isListed = typeof entry === 'string' || typeof entry === 'number';
	return isListed ? entry : withoutCallDetails(entry, areNumbersKept);
}

function withoutForm(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutForm);
	if (!isObject(value)) return value;
	const members = Object.entries(value).filter(([name]) => !MESSAGE_FORM.has(name));
	return Object.fromEntries(members.map(([name, member]) => [name, withoutForm(member)]));
}

/** A date with a time, written with spaces. */
const SPACED_TIME =
	/^(?:[A-Z][a-z]{2}, )?\d{1,4}[- ](?:\d\d|[A-Z][a-z]{2})[- ]\d{1,4} [\d:.,]+ ?(?:[A-Z]{1,4}|[+-]\d\d:?\d\d)?$/;

/** Whether a text is a single word, such as an ID or a code, or a time. Base64 is longer, and only ASCII shows where a word ends. */
function isWord(text: string): boolean {
	return (/^[!-~]{0,100}$/.test(text) && !/^https?:/i.test(text)) || SPACED_TIME.test(text);
}
