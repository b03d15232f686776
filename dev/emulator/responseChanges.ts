import type { Response } from 'express';
import { isRecord } from './prompt';

/** A response that replaces the route's. A string is sent as HTML, bytes are sent unchanged, undefined as an empty body, anything else as JSON. */
export interface Replacement {
	body?: unknown;
	contentType?: string;
	headers?: Record<string, string>;
}

/** Responds with the replacement, and removes all earlier headers but the date. Returns false: the call doesn't continue to its route. */
export function respondWith(
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

/** Holds back what the route writes, until `finish` receives it and can write to the response. Returns true: the call continues to its route. */
export function holdBack(response: Response, finish: (original: Buffer) => void): true {
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

/** Discards everything the route writes. Returns a function that makes the response writable again. */
export function mute(response: Response): () => void {
	const { write, end, setHeader } = response;
	response.write = (() => true) as Response['write'];
	response.end = (() => response) as Response['end'];
	response.setHeader = () => response;
	return () => Object.assign(response, { write, end, setHeader });
}

/** Changes to the service's own response, in this order. A response that isn't a JSON object only supports `status` and `cut`. */
export interface Rewrite {
	/** Replaces the HTTP status; the body stays. */
	status?: number;
	/** Names of top-level members to remove. */
	without?: string[];
	/** Top-level members to add or replace. */
	with?: Record<string, unknown>;
	/** Sets all top-level members but `status` and `request_id` to null. */
	nulls?: boolean;
	/** Sends only the first half of the text, with the content length of that half. */
	cut?: boolean;
}

/** Returns the body with these changes. The caller changes the status. */
export function rewriteBody(original: Buffer, changes: Rewrite): Buffer {
	const text = changeMembers(original.toString('utf8'), changes);
	return Buffer.from(changes.cut ? text.slice(0, Math.floor(text.length / 2)) : text);
}

const NEVER_NULL = new Set(['', 'status', 'request_id']);

function changeMembers(text: string, { without = [], with: added, nulls }: Rewrite): string {
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
		nulls !== true || NEVER_NULL.has(name) ? value : null,
	);
}
