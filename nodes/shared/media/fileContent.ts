/** What an item's file is, by its type, its name and its first bytes. */
import type { IBinaryData } from 'n8n-workflow';

import { capitalize } from '../base/text';
import { wrongState } from '../errors/failures';
import { quoted } from '../errors/say';
import type { Run } from '../run/run';
import { isGeneralType, isPage, typeByExtension, typeBySignature, typeOfFile } from './mediaTypes';

/** How much of a file is read: no URL is longer. */
const START_BYTES = 4_096;

/** The type of a file that n8n has deleted, and whose name and declared type say nothing. It may have been of any type. */
const LOST_TYPE = '*/*';

/** Returns a file's type according to what was declared and to its name. */
export function mimeOf({ mimeType, fileName = '' }: IBinaryData): string {
	return typeOfFile(mimeType, [fileName]);
}

/** Whether a file's media type begins with `prefix`. A file that was sent before and then deleted still is what it was. */
export function isOfKind(file: IBinaryData, prefix: string): boolean {
	return file.mimeType === LOST_TYPE || mimeOf(file).startsWith(prefix);
}

/** Returns a file with the type that it really has. Its first bytes are read only if neither its declared type nor its name says it. Never throws. */
export async function withFoundType(
	run: Pick<Run, 'context'>,
	file: IBinaryData,
): Promise<IBinaryData> {
	const plain = withTexts(file);
	if (!isGeneralType(mimeOf(plain))) return plain;
	const start = await startOf(run, plain);
	if (start === undefined) return { ...plain, mimeType: LOST_TYPE };
	const mimeType = typeBySignature(start);
	return mimeType === undefined ? plain : { ...plain, mimeType };
}

/** Returns a file without members that aren't text: some code stores null for a name, or no data. */
function withTexts(file: IBinaryData): IBinaryData {
	const fileName = textOr(undefined, file.fileName);
	return { ...file, fileName, mimeType: textOr('', file.mimeType), data: textOr('', file.data) };
}

function textOr<T>(other: T, value: unknown): string | T {
	return typeof value === 'string' ? value : other;
}

/** Whether a text is the base64 of a file. By its length, `undefined` isn't. */
export function isBase64(text: string): boolean {
	return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text !== 'null';
}

/** Returns the first bytes of a file; undefined if n8n no longer has it. */
async function startOf(
	{ context }: Pick<Run, 'context'>,
	file: IBinaryData,
): Promise<Buffer | undefined> {
	if (file.id === undefined) return Buffer.from(file.data.slice(0, START_BYTES * 2), 'base64');
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	try {
		const stream = await context.helpers.getBinaryStream(file.id, START_BYTES);
		for await (const chunk of stream as AsyncIterable<Uint8Array>) {
			chunks.push(chunk);
			bytes += chunk.length;
			if (bytes >= START_BYTES) break;
		}
	} catch {
		return undefined;
	}
	return Buffer.concat(chunks);
}

/**
 * Makes sure that files have content and aren't texts in the place of files, which a failed expression or download leaves. Called when a body is made:
 * a file that n8n has deleted must not block the delivery of an accepted request.
 * @throws SegmindFailure that names the first file that isn't one
 */
export async function assertAreFiles(
	run: Pick<Run, 'context'>,
	files: IBinaryData[],
): Promise<void> {
	for (const file of files) {
		const start = await startOf(run, file);
		const fault = start === undefined ? "no longer in n8n's storage" : contentFault(file, start);
		if (fault === undefined) continue;
		const label = capitalize(describeFile(file));
		throw wrongState(label, fault, "the file itself; look at the earlier node's output");
	}
}

function contentFault(file: IBinaryData, start: Buffer): string | undefined {
	const bytes = start.toString('latin1');
	// Inline data that isn't base64 decodes to something else.
	const inline = file.id === undefined ? file.data.slice(0, START_BYTES) : '';
	// The node that took a page for a file also gave it the page's type, so only the name counts.
	const isPageExpected = typeByExtension(file.fileName ?? '') === 'text/html';
	if (bytes === '') return 'empty (0 bytes)';
	for (const text of [bytes, inline]) {
		if (/^data:[\w+./-]{0,100}[;,]/i.test(text)) return 'the text of a data URL';
		if (/^\s*(undefined|null)\s*$/.test(text)) return `the text '${text.trim()}'`;
		if (/^\s*https?:\/\/\S+\s*$/i.test(text)) return 'the text of a URL';
		if (isPage(Buffer.from(text, 'latin1')) && !isPageExpected) return 'a web page';
	}
	if (file.id === undefined && !isBase64(file.data)) return 'inline data without base64';
	return undefined;
}

/** Names a file for an error. */
export function describeFile({ fileName }: IBinaryData): string {
	return fileName ? `file ${quoted(fileName)}` : 'a file';
}
