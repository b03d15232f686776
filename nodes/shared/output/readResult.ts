import type { MediaFile } from '../media/download';
import { resultMembers } from '../service/responses';
import { isCutAnswer } from './chatResponse';
import { extractInlineFiles, type InlineFile } from './inlineFiles';
import { distinctFiles, mediaInMembers, parseOutput, type UrlEvidence } from './media';
import type { Maker } from './presentation';
import { takeFrom, type ReadableResult, type Taken } from './readers';
import type { Result } from './result';

/** What a result contains. */
export interface Contents {
	/** Files that came as bytes. */
	files: InlineFile[];
	/** Files at URLs. */
	media: MediaFile[];
	/** Fields of the item. `output`: the whole result, unless its files and the other fields contain all of it. */
	fields: Taken['fields'] & { output?: unknown };
	/** Whether a language model's text was cut. */
	isCut: boolean;
	/** The result without the bytes of files. If it has none, it's as it arrived: JSON text stays text. */
	shown: Result;
}

/**
 * Reads a result. Nothing is lost: each value of the result is in a field or a file, unless it describes the request (`resultMembers`) or is only the
 * form around what a reader took. Pure.
 */
export function readResult(
	result: Result,
	{ maker, isTranscript }: { maker: Maker; isTranscript: boolean },
): Contents {
	const { body } = result;
	const parsed = 'output' in body ? { ...body, output: parseOutput(body.output) } : body;
	const { value, files, marks } = extractInlineFiles(parsed);
	const output = value.output ?? undefined;
	const members = resultMembers({ ...value, output: undefined });
	const declared = mediaInMembers(members);
	const readable: ReadableResult = {
		main: output ?? members,
		members,
		isSearched: output !== undefined || declared.length + marks.size === 0,
		evidence: evidenceOf(result),
		maker,
		isTranscript,
	};
	const taken = takeFrom(readable);
	const media = distinctFiles([...declared, ...taken.media]);
	const held: Held = {
		files: new Set([...media.map(({ url }) => url), ...marks]),
		texts: new Set(taken.texts),
	};
	return {
		files: [...result.files, ...files],
		media,
		fields: { ...taken.fields, output: restOf(readable, taken, held) },
		isCut: maker !== 'workflow' && isCutAnswer(readable.main),
		shown: files.length > 0 ? { ...result, body: value } : result,
	};
}

/** The request history lists only files. A model may have written every part of a text, also of JSON in a text. */
function evidenceOf({ from, body }: Result): UrlEvidence {
	if (from === 'history') return 'declared';
	return typeof body.output === 'string' ? 'extension' : 'members';
}

/** What the item has already. White space around the URL of a file doesn't matter. */
interface Held {
	/** The URLs and marks of files. */
	files: ReadonlySet<string>;
	texts: ReadonlySet<string>;
}

/** Returns the whole result if something of it is left; otherwise undefined. */
function restOf({ main, members }: ReadableResult, { isForm }: Taken, held: Held): unknown {
	const left = leftOf(main, held);
	const isMainTaken = left === undefined || isForm(left);
	const areMembersTaken = main === members || leftOf(members, held) === undefined;
	if (!areMembersTaken) return { output: main, ...members };
	return isMainTaken ? undefined : main;
}

/** Members of a file's object that only describe the file, so they aren't kept without its URL. */
const FILE_DETAILS = new Set(['content_type', 'file_name', 'file_size', 'mimeType', 'mime_type']);

/** Returns a value without what the item has already; undefined if nothing is left. */
function leftOf(value: unknown, held: Held): unknown {
	if (value === null || isHeld(value, held)) return undefined;
	if (typeof value !== 'object') return value;
	const describesFile = Object.values(value as object).some((member) => isFile(member, held));
	const left = Object.entries(value as object).flatMap(([name, member]) => {
		if (describesFile && FILE_DETAILS.has(name)) return [];
		const kept = leftOf(member, held);
		return kept === undefined ? [] : [[name, kept] as const];
	});
	if (left.length === 0) return undefined;
	return Array.isArray(value) ? left.map(([, entry]) => entry) : Object.fromEntries(left);
}

function isHeld(value: unknown, held: Held): boolean {
	return isFile(value, held) || (typeof value === 'string' && held.texts.has(value));
}

function isFile(value: unknown, { files }: Held): boolean {
	return typeof value === 'string' && files.has(value.trim());
}
