import type { Request, Response } from 'express';
import type { Service } from './service';
import type { Call, FaultAction } from './types';

/**
 * Does what an ordered fault asks for. Returns whether the call goes on to its route: as usual when
 * no fault is due, or with its answer caught where the fault wants the call served first.
 */
export async function applyFault(
	service: Service,
	call: Call,
	request: Request,
	response: Response,
): Promise<boolean> {
	const action = service.faults.next(call);
	if (action === undefined) return true;
	const drop = (): void => {
		request.socket.destroy();
	};
	if (action === 'dropBeforeAccept') {
		drop();
		return false;
	}
	if (action === 'hang') return false;
	if (action === 'dropAfterAccept') {
		catchAnswer(response, drop);
		return true;
	}
	if (action === 'hangAfterAccept') {
		catchAnswer(response, () => {});
		return true;
	}
	if ('redirect' in action) {
		response
			.status(action.status ?? 307)
			.set('location', action.redirect)
			.end();
		return false;
	}
	if ('status' in action) {
		if (action.accept !== true) {
			answer(response, action.status, action);
			return false;
		}
		catchAnswer(response, () => answer(response, action.status, action));
		return true;
	}
	if ('delayMs' in action) {
		if (changes(call)) delayAnswer(service, response, action.delayMs);
		else await service.timers.wait(action.delayMs);
		return true;
	}
	if ('truncate' in action) {
		cutAnswer(response, action.truncate, drop);
		return true;
	}
	if ('stall' in action) {
		cutAnswer(response, action.stall, () => {});
		return true;
	}
	if ('trickleMs' in action) {
		trickleAnswer(service, response, action.trickleMs);
		return true;
	}
	if (!changes(call)) {
		answer(response, 200, action);
		return false;
	}
	catchAnswer(response, () => answer(response, 200, action));
	return true;
}

/** Calls that create or change something: faults that replace or delay their answer let them do it first. */
const changes = ({ method }: Call): boolean => method !== 'GET' && method !== 'HEAD';

type Replacement = Extract<FaultAction, { body?: unknown }> & { contentType?: string };

/** A text is sent as HTML, bytes as they are, anything else as JSON; nothing as an empty body. */
function answer(
	response: Response,
	status: number,
	{ body, contentType, headers }: Replacement,
): void {
	for (const name of response.getHeaderNames()) response.removeHeader(name);
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

/** Lets the route run and swallows what it writes; `finish` is called in place of the end, with writing possible again. */
function catchAnswer(response: Response, finish: () => void): void {
	const { write, end } = response;
	response.write = (() => true) as Response['write'];
	response.end = (() => {
		response.write = write;
		response.end = end;
		finish();
		return response;
	}) as Response['end'];
}

function delayAnswer(service: Service, response: Response, ms: number): void {
	const end = response.end.bind(response) as (...parts: unknown[]) => Response;
	response.end = ((...parts: unknown[]) => {
		service.timers.after(ms, () => end(...parts));
		return response;
	}) as Response['end'];
}

const trickleParts = 10;

/** Sends a body that is written at once in parts with a pause before each. */
function trickleAnswer(service: Service, response: Response, pauseMs: number): void {
	const end = response.end.bind(response) as (...parts: unknown[]) => Response;
	const write = response.write.bind(response) as (part: Buffer) => boolean;
	response.end = ((body: unknown) => {
		const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : '');
		const length = Math.ceil(bytes.length / trickleParts);
		for (let part = 0; part < trickleParts; part++) {
			service.timers.after((part + 1) * pauseMs, () =>
				write(bytes.subarray(part * length, (part + 1) * length)),
			);
		}
		service.timers.after((trickleParts + 1) * pauseMs, () => end());
		return response;
	}) as Response['end'];
}

/** Sends the head as it would be and so many bytes of the body, then calls `then`. A shorter body ends as usual. */
function cutAnswer(response: Response, limit: number, then: () => void): void {
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
