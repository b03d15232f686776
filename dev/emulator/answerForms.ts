import type { Response } from 'express';
import { isRecord } from './prompt';

/** What replaces a response: a text is sent as HTML, bytes unchanged, anything else as JSON, undefined as an empty body. */
export interface Replacement {
	body?: unknown;
	contentType?: string;
	headers?: Record<string, string>;
}

/** Responds with the replacement; returns false, because the call has ended. Of the headers so far only the date stays. */
export function answerWith(
	response: Response,
	status: number,
	{ body, contentType, headers = {} }: Replacement,
): false {
	for (const name of response.getHeaderNames()) {
		if (name !== 'date') response.removeHeader(name);
	}
	const [bytes, usualType] = bytesOf(body);
	response.statusCode = status;
	const type = contentType ?? usualType;
	if (type !== undefined) response.setHeader('content-type', type);
	response.setHeader('content-length', bytes.length);
	for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
	response.end(bytes);
	return false;
}

function bytesOf(body: unknown): [bytes: Buffer, type: string | undefined] {
	if (body === undefined) return [Buffer.alloc(0), undefined];
	if (Buffer.isBuffer(body)) return [body, 'application/octet-stream'];
	return typeof body === 'string'
		? [Buffer.from(body), 'text/html; charset=utf-8']
		: [Buffer.from(JSON.stringify(body)), 'application/json; charset=utf-8'];
}

/** Lets the route run (true) but holds back its output. `finish` receives the output and can write again. */
export function caught(response: Response, finish: (own: Buffer) => void): true {
	const { write, end } = response;
	const chunks: Buffer[] = [];
	const take = (chunk: unknown): void => {
		if (Buffer.isBuffer(chunk)) chunks.push(chunk);
		else if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
	};
	response.write = ((chunk: unknown) => {
		take(chunk);
		return true;
	}) as Response['write'];
	response.end = ((chunk: unknown) => {
		take(chunk);
		Object.assign(response, { write, end });
		finish(Buffer.concat(chunks));
		return response;
	}) as Response['end'];
	return true;
}

/** Lets the route run and discards everything it writes. Returns a function that makes the response writable again. */
export function muted(response: Response): () => void {
	const { write, end, setHeader } = response;
	response.write = (() => true) as Response['write'];
	response.end = (() => response) as Response['end'];
	response.setHeader = () => response;
	return () => Object.assign(response, { write, end, setHeader });
}

/** Changes to the service's own response, in this order. A response that isn't a JSON object only supports `status` and `cut`. */
export interface Rewrite {
	/** Another HTTP status over the same body. */
	status?: number;
	/** Members taken out, with their values. */
	without?: string[];
	/** Members put in or replaced. */
	with?: Record<string, unknown>;
	/** Members but `status` and `request_id` become null. */
	nulls?: boolean;
	/** Half of the text, under a content length that fits it. */
	cut?: boolean;
}

/** The response with these changes, except its status. */
export function rewritten(own: Buffer, changes: Rewrite): Buffer {
	const text = changedMembers(own.toString('utf8'), changes);
	return Buffer.from(changes.cut ? text.slice(0, Math.floor(text.length / 2)) : text);
}

const alwaysTold = new Set(['', 'status', 'request_id']);

function changedMembers(text: string, { without = [], with: added, nulls }: Rewrite): string {
	if (without.length === 0 && added === undefined && nulls !== true) return text;
	let body: unknown;
	try {
		body = JSON.parse(text);
	} catch {
		return text;
	}
	if (!isRecord(body)) return text;
	const kept = Object.entries(body).filter(([name]) => !without.includes(name));
	return JSON.stringify({ ...Object.fromEntries(kept), ...added }, (name, value: unknown) =>
		nulls !== true || alwaysTold.has(name) ? value : null,
	);
}
