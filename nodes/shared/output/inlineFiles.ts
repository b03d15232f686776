/** Finds files inside a JSON result, as base64 or data URLs, and stores them as binary data. */
import type { IBinaryKeyData } from 'n8n-workflow';

import { extensionOfType, typeBySignature } from '../media/mediaTypes';
import type { OutputSession } from '../run/session';
import { isObject } from '../service/schemas';
import {
	binaryName,
	fileStemOf,
	type FinishedRequest,
	type ItemPresentation,
} from './finishedRequest';
import { parseOutput } from './media';

export interface InlineFile {
	bytes: Buffer;
	mimeType: string;
}

/** Shorter strings don't count as files. */
const MIN_BASE64_CHARS = 64;
/** A string in these members is a text, which is never a file. */
const TEXT_MEMBERS = ['output', 'text', 'content', 'transcript'];

/** Replaces the inline files in a JSON value by `marks`, and returns them in order. Takes linear time. */
export function extractInlineFiles(value: unknown) {
	const files: InlineFile[] = [];
	const marks = new Set<string>();
	const replaceFiles = (entry: unknown): unknown => {
		if (Array.isArray(entry)) return entry.map(replaceFiles);
		if (isObject(entry))
			return Object.fromEntries(
				Object.entries(entry).map(([name, member]) => {
					const isText = typeof member === 'string' && TEXT_MEMBERS.includes(name);
					return [name, isText ? member : replaceFiles(member)];
				}),
			);
		const file = typeof entry === 'string' ? fileIn(entry) : undefined;
		if (!file) return entry;
		const mark = `[${file.mimeType}, ${file.bytes.length} bytes: in binary]`;
		files.push(file);
		marks.add(mark);
		return mark;
	};
	return { value: replaceFiles(value), files, marks };
}

/** Returns the file in a string of base64 or a data URL. Only the first bytes decide: a declared type may be wrong (docs/service.md S63). */
function fileIn(text: string): InlineFile | undefined {
	const head = /^data:[^;,]{0,100}(?:;[^,]{0,100})?;base64,/.exec(text.slice(0, 300))?.[0] ?? '';
	const base64 = text.slice(head.length);
	// Base64 has only these characters, and padding only at its end.
	if (base64.length < MIN_BASE64_CHARS || /[^A-Za-z0-9+/=\s]|=\s*[^=\s]/.test(base64))
		return undefined;
	const mimeType = typeBySignature(Buffer.from(base64.slice(0, 1_000), 'base64'));
	return mimeType === undefined ? undefined : { bytes: Buffer.from(base64, 'base64'), mimeType };
}

/** Stores the inline files of a finished request as binary data. `responseFiles`: files that a v1 call returned instead of JSON. */
export async function storeInlineFiles(
	session: OutputSession,
	finished: FinishedRequest,
	presentation: Pick<ItemPresentation, 'prompt' | 'options'>,
	responseFiles: InlineFile[] = [],
): Promise<FinishedRequest> {
	const { body } = finished;
	const { value, files, marks } = extractInlineFiles(
		'output' in body ? { ...body, output: parseOutput(body.output) } : body,
	);
	const binary: IBinaryKeyData = {};
	for (const [at, { bytes, mimeType }] of [...responseFiles, ...files].entries()) {
		binary[binaryName(presentation.options.outputField, at)] =
			await session.context.helpers.prepareBinaryData(
				bytes,
				`${fileStemOf(finished, presentation, at)}.${extensionOfType(mimeType)}`,
				mimeType,
			);
	}
	return {
		...finished,
		isTextOutput: typeof body.output === 'string',
		...(marks.size > 0 && { body: value as FinishedRequest['body'] }),
		files: binary,
		marks,
	};
}
