/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import busboy from 'busboy';
import type { Blob, BlobStore } from './blobs';
import { blobMark, createLongJsonReader } from './longJson';
import { isRecord } from './prompt';
import { refuse } from './refusal';

/** The largest body read: 400 MB. */
const maxBodyBytes = 400 * 1024 * 1024;

/** A form field that carries a file. */
interface FormFile {
	fileName: string;
	contentType: string;
	bytes: number;
}

type FormFields = Record<string, string | FormFile>;

/** The media type without parameters, lower-case; empty when there is no header. */
export function mediaType(request: { headers: { 'content-type'?: string } }): string {
	return (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
}

/** A body read to its end. */
export interface Body {
	/** Of the body as sent. */
	length: number;
	/** The bytes; with a store, long data URLs in JSON are replaced by a mark and their content is in `blobs`. */
	raw: Buffer;
	blobs: Blob[];
}

/**
 * The whole body, whatever the method: three of the service's calls are GETs with one. With a store,
 * long data URLs in JSON go to disk while they arrive. Throws a 413.
 */
export async function readBody(request: IncomingMessage, store?: BlobStore): Promise<Body> {
	const json =
		store && mediaType(request) === 'application/json' ? createLongJsonReader(store) : undefined;
	const chunks: Buffer[] = [];
	let length = 0;
	for await (const chunk of request as AsyncIterable<Buffer>) {
		length += chunk.length;
		if (length > maxBodyBytes) refuse(413, 'Request body is too large.');
		if (json) json.write(chunk);
		else chunks.push(chunk);
	}
	if (!json) return { length, raw: Buffer.concat(chunks, length), blobs: [] };
	const { skeleton, blobs } = json.end();
	return { length, raw: skeleton, blobs };
}

/** A JSON value, or undefined when the bytes are no JSON. */
export function parseJson(body: Buffer): unknown {
	if (body.length === 0) return undefined;
	try {
		return JSON.parse(body.toString('utf8')) as unknown;
	} catch {
		return undefined;
	}
}

/** The fields of a multipart or urlencoded form, or undefined when it is neither or malformed. */
export async function parseForm(
	contentType: string,
	body: Buffer,
): Promise<FormFields | undefined> {
	return await new Promise((resolve) => {
		const fields: FormFields = {};
		try {
			const parser = busboy({
				headers: { 'content-type': contentType },
				limits: { fieldSize: maxBodyBytes },
			});
			parser.on('field', (name, value) => {
				fields[name ?? ''] = value;
			});
			parser.on('file', (name, stream, info) => {
				let bytes = 0;
				stream.on('data', (chunk: Buffer) => {
					bytes += chunk.length;
				});
				stream.on('end', () => {
					fields[name ?? 'file'] = {
						fileName: info.filename ?? '',
						contentType: info.mimeType,
						bytes,
					};
				});
			});
			parser.on('error', () => resolve(undefined));
			parser.on('close', () => resolve(fields));
			Readable.from([body]).pipe(parser);
		} catch {
			resolve(undefined);
		}
	});
}

const longBody = 1024 * 1024;
const shownOfText = 200;

/** What the record of a call keeps of its body. A long body is kept with its texts cut. */
export function forRecord(
	value: unknown,
	{ length, blobs }: Pick<Body, 'length' | 'blobs'>,
): unknown {
	if (length <= longBody && blobs.length === 0) return value;
	const body = { length, blobs };
	if (typeof value === 'string') {
		const blob = blobOf(value, blobs);
		if (blob) return cut(blob.head + blob.beginning, blob.head.length + blob.characters);
		return value.length <= shownOfText ? value : cut(value.slice(0, shownOfText), value.length);
	}
	if (Array.isArray(value)) return value.map((entry: unknown) => forRecord(entry, body));
	if (!isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, entry]) => [name, forRecord(entry, body)]),
	);
}

const cut = (beginning: string, characters: number): string =>
	`${beginning}… (${characters} characters)`;

/** The blob a text stands for, if it stands for one. */
export function blobOf(text: string, blobs: Blob[]): Blob | undefined {
	const mark = text.indexOf(blobMark);
	return mark === -1 ? undefined : blobs[Number(text.slice(mark + 1))];
}
