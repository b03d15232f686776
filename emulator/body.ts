/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import busboy from 'busboy';
import { isRecord } from './prompt';
import { refuse } from './refusal';

/** The largest body read: 400 MB. */
export const maxBodyBytes = 400 * 1024 * 1024;

/** A form field that carries a file. */
export interface FormFile {
	fileName: string;
	contentType: string;
	bytes: number;
}

export type FormFields = Record<string, string | FormFile>;

/** The media type without parameters, lower-case; empty when there is no header. */
export function mediaType(request: { headers: { 'content-type'?: string } }): string {
	return (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
}

/** The whole body, whatever the method: three of the service's calls are GETs with one. Throws a 413. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let bytes = 0;
	for await (const chunk of request as AsyncIterable<Buffer>) {
		bytes += chunk.length;
		if (bytes > maxBodyBytes) refuse(413, 'Request body is too large.');
		chunks.push(chunk);
	}
	return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, bytes);
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
export async function parseForm(contentType: string, body: Buffer): Promise<FormFields | undefined> {
	return await new Promise((resolve) => {
		const fields: FormFields = {};
		try {
			const parser = busboy({ headers: { 'content-type': contentType }, limits: { fieldSize: maxBodyBytes } });
			parser.on('field', (name, value) => {
				fields[name ?? ''] = value;
			});
			parser.on('file', (name, stream, info) => {
				let bytes = 0;
				stream.on('data', (chunk: Buffer) => {
					bytes += chunk.length;
				});
				stream.on('end', () => {
					fields[name ?? 'file'] = { fileName: info.filename ?? '', contentType: info.mimeType, bytes };
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
export function forRecord(body: unknown, bytes: number): unknown {
	if (bytes <= longBody) return body;
	if (typeof body === 'string') {
		return body.length <= shownOfText ? body : `${body.slice(0, shownOfText)}… (${body.length} characters)`;
	}
	if (Array.isArray(body)) return body.map((entry: unknown) => forRecord(entry, bytes));
	if (!isRecord(body)) return body;
	return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, forRecord(value, bytes)]));
}
