/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { Readable } from 'node:stream';
import busboy from 'busboy';
import { isRecord } from './prompt';

/** A form field that carries a file. */
interface FormFile {
	fileName: string;
	contentType: string;
	bytes: number;
}

type FormFields = Record<string, string | FormFile>;
type WithType = { headers: { 'content-type'?: string } };

/** The media type without parameters, lower-case; empty when there is no header. */
export function mediaType(request: WithType): string {
	return (request.headers['content-type'] ?? '').split(';')[0].trim().toLowerCase();
}

/** A JSON value or the fields of a form; undefined when the bytes are neither, or nested too deep. */
export async function parsed(request: WithType, body: Buffer): Promise<unknown> {
	const type = mediaType(request);
	if (type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded')
		return await formFields(request.headers['content-type'] ?? '', body);
	try {
		const value = JSON.parse(body.toString('utf8')) as unknown;
		return isTooDeep(value) ? undefined : value;
	} catch {
		return undefined;
	}
}

/** Levels of JSON that are read, as by any parser with a limit. */
const DEEPEST = 1_000;

function isTooDeep(value: unknown): boolean {
	let level = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > DEEPEST) return true;
		level = level.flatMap((one) =>
			one instanceof Object ? (Object.values(one) as unknown[]) : [],
		);
	}
	return false;
}

async function formFields(contentType: string, body: Buffer): Promise<FormFields | undefined> {
	return await new Promise((resolve) => {
		const fields: FormFields = {};
		try {
			const parser = busboy({
				headers: { 'content-type': contentType },
				limits: { fieldSize: Infinity },
			});
			parser.on('field', (name, value) => {
				fields[name ?? ''] = value;
			});
			parser.on('file', (name, stream, { filename = '', mimeType }) => {
				const file: FormFile = { fileName: filename, contentType: mimeType, bytes: 0 };
				fields[name ?? 'file'] = file;
				stream.on('data', (chunk: Buffer) => {
					file.bytes += chunk.length;
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

/** What the record of a call keeps of its body. Of a long one, texts are cut. */
export function forRecord(value: unknown, bodyBytes: number): unknown {
	if (bodyBytes <= longBody) return value;
	if (typeof value === 'string' && value.length > shownOfText)
		return `${value.slice(0, shownOfText)}… (${value.length} characters)`;
	if (Array.isArray(value)) return value.map((entry: unknown) => forRecord(entry, bodyBytes));
	if (!isRecord(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, entry]) => [name, forRecord(entry, bodyBytes)]),
	);
}
