/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Response } from 'express';
import { isRecord } from './prompt';
import { pour, zeros } from './sendFile';
import type { Timers } from './timers';
import type { Rewrite } from './types';

/** What replaces an answer: a text is sent as HTML, bytes as they are, anything else as JSON, nothing as an empty body. */
interface Replacement {
	body?: unknown;
	contentType?: string;
	headers?: Record<string, string>;
}

/** Answers with the replacement. Of the headers so far only the date stays. */
export function answerOf(
	response: Response,
	status: number,
	{ body, contentType, headers }: Replacement,
): void {
	for (const name of response.getHeaderNames()) {
		if (name !== 'date') response.removeHeader(name);
	}
	const bytes = bytesOf(body);
	response.statusCode = status;
	const type = contentType ?? defaultType(body);
	if (type !== undefined) response.setHeader('content-type', type);
	response.setHeader('content-length', bytes.length);
	for (const [name, value] of Object.entries(headers ?? {})) response.setHeader(name, value);
	response.end(bytes);
}

function bytesOf(body: unknown): Buffer {
	if (body === undefined) return Buffer.alloc(0);
	if (Buffer.isBuffer(body)) return body;
	return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function defaultType(body: unknown): string | undefined {
	if (body === undefined) return undefined;
	if (Buffer.isBuffer(body)) return 'application/octet-stream';
	return typeof body === 'string' ? 'text/html; charset=utf-8' : 'application/json; charset=utf-8';
}

/** Lets the route run and keeps back what it writes; `finish` gets it in place of the end, with writing possible again. */
export function takeAnswer(response: Response, finish: (own: Buffer) => void): void {
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
		response.write = write;
		response.end = end;
		finish(Buffer.concat(chunks));
		return response;
	}) as Response['end'];
}

/** Lets the route run unheard, whatever it writes and whenever. Gives a function that makes the response speak again. */
export function muteAnswer(response: Response): () => void {
	const { write, end, setHeader } = response;
	response.write = (() => true) as Response['write'];
	response.end = (() => response) as Response['end'];
	response.setHeader = () => response;
	return () => Object.assign(response, { write, end, setHeader });
}

export function delayAnswer(timers: Timers, response: Response, ms: number): void {
	const end = response.end.bind(response) as (...parts: unknown[]) => Response;
	response.end = ((...parts: unknown[]) => {
		timers.after(ms, () => end(...parts));
		return response;
	}) as Response['end'];
}

const trickleParts = 10;

/** Sends a body that is written at once in parts with a pause before each. */
export function trickleAnswer(timers: Timers, response: Response, pauseMs: number): void {
	const end = response.end.bind(response) as (...parts: unknown[]) => Response;
	const write = response.write.bind(response) as (part: Buffer) => boolean;
	response.end = ((body: unknown) => {
		const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : '');
		const length = Math.ceil(bytes.length / trickleParts);
		for (let part = 0; part < trickleParts; part++) {
			timers.after((part + 1) * pauseMs, () =>
				write(bytes.subarray(part * length, (part + 1) * length)),
			);
		}
		timers.after((trickleParts + 1) * pauseMs, () => end());
		return response;
	}) as Response['end'];
}

const space = Buffer.from(' ');

/** Sends the body byte by byte without a length, then spaces until the client goes away. */
export function dripAnswer(timers: Timers, response: Response, pauseMs: number): void {
	takeAnswer(response, (own) => {
		response.removeHeader('content-length');
		response.flushHeaders();
		const drip = (at: number): void => {
			timers.after(pauseMs, () => {
				if (response.destroyed) return;
				response.write(at < own.length ? own.subarray(at, at + 1) : space);
				drip(at + 1);
			});
		};
		drip(0);
	});
}

/** Sends zeros without end, as fast as they are read. */
export function endlessAnswer(response: Response): void {
	takeAnswer(response, () => {
		response.removeHeader('content-length');
		void pour(Readable.from(zeros(Infinity), { objectMode: false }), response);
	});
}

const MEGABYTE = 1_000_000;
const packedMegabyte = gzipSync(Buffer.alloc(MEGABYTE));

/** Sends this many zeros packed to about a thousandth: one gzip for each megabyte, which is packed once. */
export function bombAnswer(response: Response, bytes: number): void {
	takeAnswer(response, () => {
		response.removeHeader('content-length');
		response.setHeader('content-encoding', 'gzip');
		const whole = Array<Buffer>(Math.floor(bytes / MEGABYTE)).fill(packedMegabyte);
		response.end(Buffer.concat([...whole, gzipSync(Buffer.alloc(bytes % MEGABYTE))]));
	});
}

/** Sends the first half of the packed answer as if it were all. */
export function cutGzip(response: Response): void {
	takeAnswer(response, (own) => {
		const packed = gzipSync(own);
		const half = packed.subarray(0, Math.floor(packed.length / 2));
		response.setHeader('content-encoding', 'gzip');
		response.setHeader('content-length', half.length);
		response.end(half);
	});
}

export function rewriteAnswer(response: Response, changes: Rewrite): void {
	takeAnswer(response, (own) => {
		const text = rewritten(own.toString('utf8'), changes);
		const bytes = Buffer.from(changes.cut ? text.slice(0, Math.floor(text.length / 2)) : text);
		response.statusCode = changes.status ?? response.statusCode;
		response.setHeader('content-length', bytes.length);
		response.end(bytes);
	});
}

const alwaysTold = new Set(['status', 'request_id']);

function rewritten(text: string, { without = [], with: added, nulls }: Rewrite): string {
	if (without.length === 0 && added === undefined && nulls !== true) return text;
	let body: unknown;
	try {
		body = JSON.parse(text);
	} catch {
		return text;
	}
	if (!isRecord(body)) return text;
	const kept = Object.entries(body).filter(([name]) => !without.includes(name));
	const members = { ...Object.fromEntries(kept), ...added };
	if (nulls !== true) return JSON.stringify(members);
	return JSON.stringify(members, (name, value: unknown) =>
		name === '' || alwaysTold.has(name) ? value : null,
	);
}

/** Sends the head as it would be and this many bytes of the body, then calls `then`. A shorter body ends as usual. */
export function cutAnswer(response: Response, limit: number, then: () => void): void {
	const write = response.write.bind(response) as (...parts: unknown[]) => boolean;
	const end = response.end.bind(response) as (...parts: unknown[]) => Response;
	let sent = 0;
	let cut = false;
	const push = (chunk: unknown): void => {
		if (cut) return;
		const bytes = Buffer.isBuffer(chunk)
			? chunk
			: Buffer.from(typeof chunk === 'string' ? chunk : '');
		const part = bytes.subarray(0, limit - sent);
		sent += part.length;
		cut = sent + (bytes.length - part.length) > limit;
		if (cut && part.length === 0) {
			response.flushHeaders();
			then();
		} else if (part.length > 0) {
			write(part, cut ? then : undefined);
		}
	};
	response.write = ((chunk: unknown) => {
		push(chunk);
		// Once cut, the route is held as if the client no longer read.
		return !cut;
	}) as Response['write'];
	response.end = ((...parts: unknown[]) => {
		if (parts[0] !== undefined && typeof parts[0] !== 'function') push(parts[0]);
		return cut ? response : end();
	}) as Response['end'];
}
