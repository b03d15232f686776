/** Finds files inside a JSON result, as base64 or data URLs, and stores them as binary data. */
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
	type FinishedRequest,
	type Presentation,
} from './finishedRequest';
import { MEDIA_MEMBERS, parseOutput } from './media';

export interface InlineFile {
	bytes: Buffer;
	mimeType: string;
}

/** A JSON value with its inline files taken out, and the files themselves. */
interface Extraction {
	value: unknown;
	files: InlineFile[];
	/** The strings that replace the files in `value`. */
	marks: Set<string>;
	/** How many files were too large; they are in neither `value` nor `files`. */
	tooLarge: number;
}

interface Limits {
	/** Size of the largest file that is extracted. */
	maxBytes: number;
	/** Down to this level any member may hold a file; below it, only members named after media. */
	anywhereDownTo: number;
}

/** Shorter strings don't count as files. */
const MIN_BASE64_CHARS = 64;
/** Members of a language model's response that hold a file (docs/service.md S138). */
const INLINE_DATA = ['inlineData', 'inline_data'];

/** Removes the inline files from a JSON value, in order, in linear time. */
export function extractInlineFiles(value: unknown, limits: Limits): Extraction {
	const extraction: Extraction = { value: undefined, files: [], marks: new Set(), tooLarge: 0 };
	extraction.value = replaceFilesIn(value, 0, false, limits, extraction);
	return extraction;
}

function replaceFilesIn(
	value: unknown,
	depth: number,
	isInMedia: boolean,
	limits: Limits,
	extraction: Extraction,
): unknown {
	if (typeof value === 'string')
		return isInMedia || depth <= limits.anywhereDownTo
			? replaceFile(value, limits, extraction)
			: value;
	if (Array.isArray(value))
		return value.map((entry) => replaceFilesIn(entry, depth + 1, isInMedia, limits, extraction));
	if (!isObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, member]) => [
			name,
			replaceFilesIn(member, depth + 1, isInMedia || isMediaMember(name), limits, extraction),
		]),
	);
}

function isMediaMember(name: string): boolean {
	return MEDIA_MEMBERS.includes(name) || INLINE_DATA.includes(name);
}

function replaceFile(text: string, { maxBytes }: Limits, extraction: Extraction): string {
	const found = base64In(text);
	if (!found) return text;
	const { base64, mimeType } = found;
	const size = Math.floor((base64.length * 3) / 4);
	const isTooLarge = size > maxBytes;
	const mark = `[${mimeType}, ${size} bytes: ${isTooLarge ? 'larger than Max File Size' : 'in binary'}]`;
	extraction.marks.add(mark);
	if (isTooLarge) extraction.tooLarge += 1;
	else extraction.files.push({ bytes: Buffer.from(base64, 'base64'), mimeType });
	return mark;
}

/** Returns the base64 content of a file; undefined for any other string. Only the first bytes decide: a declared type may be wrong (docs/service.md S63). */
function base64In(text: string): { base64: string; mimeType: string } | undefined {
	const head = /^data:([^;,]{0,100})(?:;[^,]{0,100})?;base64,/.exec(text.slice(0, 300));
	const base64 = head ? text.slice(head[0].length) : text;
	// Base64 has only these characters, and padding only at its end.
	if (base64.length < MIN_BASE64_CHARS || /[^A-Za-z0-9+/=\s]|=\s*[^=\s]/.test(base64))
		return undefined;
	// 4,000 characters are enough for the two frames by which an MP3 is recognized.
	const mimeType = typeBySignature(Buffer.from(base64.slice(0, 4_000), 'base64'));
	return mimeType === undefined ? undefined : { base64, mimeType };
}

/**
 * Stores the inline files of a finished request as binary data. `responseFiles`: files that a v1 call returned instead of JSON. Files of a v1 response
 * are stored whatever their size, because they can't be fetched again.
 */
export async function storeInlineFiles(
	session: OutputSession,
	finished: FinishedRequest,
	presentation: Pick<Presentation, 'prompt'> & { options: FileOptions },
	responseFiles: InlineFile[] = [],
): Promise<FinishedRequest> {
	const { itemIndex, isV1Response, body } = finished;
	const { outputField, maxFileBytes } = presentation.options;
	const extraction = extractInlineFiles(
		'output' in body ? { ...body, output: parseOutput(body.output) } : body,
		isV1Response
			? { maxBytes: Infinity, anywhereDownTo: 2 }
			: { maxBytes: maxFileBytes, anywhereDownTo: 0 },
	);
	if (extraction.tooLarge > 0) {
		const megabytes = maxFileBytes / BYTES_PER_MB;
		session.hints.add(fill(HINTS.inlineFileTooLarge, { item: itemIndex, megabytes }));
	}
	const stemText = stemTextOf(finished, presentation);
	const binary: IBinaryKeyData = {};
	for (const [at, { bytes, mimeType }] of [...responseFiles, ...extraction.files].entries()) {
		const fileName = `${fileStem(stemText, finished.requestId, at)}.${extensionOfType(mimeType)}`;
		binary[binaryName(outputField, at)] = await session.context.helpers.prepareBinaryData(
			bytes,
			fileName,
			mimeType,
		);
	}
	return {
		...finished,
		isTextOutput: typeof body.output === 'string',
		...(extraction.marks.size > 0 && { body: extraction.value as FinishedRequest['body'] }),
		files: binary,
		marks: extraction.marks,
	};
}
