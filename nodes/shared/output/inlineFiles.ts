import type { IBinaryKeyData } from 'n8n-workflow';

import { HINTS } from '../errors/hintTable';
import { fill } from '../errors/failures';
import { extensionOfType, fileStem, typeBySignature } from '../media/mediaTypes';
import { BYTES_PER_MB } from '../run/options';
import type { OutputSession } from '../run/session';
import { isObject } from '../service/schemas';
import {
	binaryName,
	stemTextOf,
	type FileOptions,
	type Finished,
	type Presentation,
} from './finishedRequest';
import { MEDIA_MEMBERS, parseOutput } from './media';

/** Finds files inside a JSON result, as base64 or data URLs. */

export interface InlineFile {
	bytes: Buffer;
	mimeType: string;
}

/** A JSON value without its inline files. */
interface Extraction {
	value: unknown;
	files: InlineFile[];
	/** The texts that replace the files in `value`. */
	marks: Set<string>;
	/** How many files were too large; they are in neither `value` nor `files`. */
	tooLarge: number;
}

interface Limits {
	/** Largest file, bytes. */
	maxBytes: number;
	/** Down to this level any member may hold a file; below it only members named after media. */
	anywhereDownTo: number;
}

/** Shorter texts never count as files. */
const MIN_BASE64_CHARS = 64;
/** Members of a language model's response that hold a file (docs/service.md S138). */
const INLINE_DATA = ['inlineData', 'inline_data'];

/** Removes the inline files from a JSON value, in order, in linear time. */
export function extractInlineFiles(value: unknown, limits: Limits): Extraction {
	const taken: Extraction = { value: undefined, files: [], marks: new Set(), tooLarge: 0 };
	taken.value = replaceFilesIn(value, 0, false, limits, taken);
	return taken;
}

function replaceFilesIn(
	value: unknown,
	depth: number,
	isInMedia: boolean,
	limits: Limits,
	taken: Extraction,
): unknown {
	if (typeof value === 'string')
		return isInMedia || depth <= limits.anywhereDownTo ? replaceFile(value, limits, taken) : value;
	if (Array.isArray(value))
		return value.map((entry) => replaceFilesIn(entry, depth + 1, isInMedia, limits, taken));
	if (!isObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, member]) => [
			name,
			replaceFilesIn(member, depth + 1, isInMedia || isMediaMember(name), limits, taken),
		]),
	);
}

function isMediaMember(name: string): boolean {
	return MEDIA_MEMBERS.includes(name) || INLINE_DATA.includes(name);
}

function replaceFile(text: string, { maxBytes }: Limits, taken: Extraction): string {
	const found = base64In(text);
	if (!found) return text;
	const { base64, mimeType } = found;
	const size = Math.floor((base64.length * 3) / 4);
	const isTooLarge = size > maxBytes;
	const mark = `[${mimeType}, ${size} bytes: ${isTooLarge ? 'larger than Max File Size' : 'in binary'}]`;
	taken.marks.add(mark);
	if (isTooLarge) taken.tooLarge += 1;
	else taken.files.push({ bytes: Buffer.from(base64, 'base64'), mimeType });
	return mark;
}

/** The base64 of a file; undefined for any other text. Only the first bytes decide, because labels are sometimes wrong (docs/service.md S63). */
function base64In(text: string): { base64: string; mimeType: string } | undefined {
	const head = /^data:([^;,]{0,100})(?:;[^,]{0,100})?;base64,/.exec(text.slice(0, 300));
	const base64 = head ? text.slice(head[0].length) : text;
	// Only the characters of base64, and padding only at the end.
	if (base64.length < MIN_BASE64_CHARS || /[^A-Za-z0-9+/=\s]|=\s*[^=\s]/.test(base64))
		return undefined;
	// Enough for two frames of an MP3.
	const mimeType = typeBySignature(Buffer.from(base64.slice(0, 4_000), 'base64'));
	return mimeType === undefined ? undefined : { base64, mimeType };
}

/**
 * Stores the inline files of a finished request as binary data. `given`: files that came instead of JSON (v1). Files of a v1 response are stored
 * whatever their size, because they can't be fetched again.
 */
export async function storeInlineFiles(
	session: OutputSession,
	finished: Finished,
	presentation: Pick<Presentation, 'prompt'> & { options: FileOptions },
	given: InlineFile[] = [],
): Promise<Finished> {
	const { itemIndex, requestId = '', isInOneCall, body } = finished;
	const { outputField, maxFileBytes } = presentation.options;
	const taken = extractInlineFiles(
		'output' in body ? { ...body, output: parseOutput(body.output) } : body,
		isInOneCall
			? { maxBytes: Infinity, anywhereDownTo: 2 }
			: { maxBytes: maxFileBytes, anywhereDownTo: 0 },
	);
	if (taken.tooLarge > 0) {
		const megabytes = maxFileBytes / BYTES_PER_MB;
		session.hints.add(
			fill(HINTS.inlineFileTooLarge, { item: itemIndex, request: requestId, megabytes }),
		);
	}
	const named = stemTextOf(finished, presentation);
	const binary: IBinaryKeyData = {};
	for (const [at, { bytes, mimeType }] of [...given, ...taken.files].entries()) {
		const fileName = `${fileStem(named, finished.requestId, at)}.${extensionOfType(mimeType)}`;
		binary[binaryName(outputField, at)] = await session.context.helpers.prepareBinaryData(
			bytes,
			fileName,
			mimeType,
		);
	}
	return {
		...finished,
		isTextOutput: typeof body.output === 'string',
		...(taken.marks.size > 0 && { body: taken.value as Finished['body'] }),
		files: binary,
		marks: taken.marks,
	};
}
