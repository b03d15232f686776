/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import {
	answerWith,
	caught,
	muted,
	rewritten,
	type Replacement,
	type Rewrite,
} from './answerForms';
import { pour, zeros } from './sendFile';
import type { Timers } from './timers';
import type { Call } from './types';

/** Zeros in one member of a gzip, bytes. */
const MEMBER = 10_000_000;
const packedMember = gzipSync(Buffer.alloc(MEMBER));

/** A call that a fault affects. */
export interface Struck {
	call: Call;
	request: Request;
	response: Response;
	timers: Timers;
	/** Destroys the connection. */
	drop(): void;
}

/**
 * Every fault, by name. Its function returns whether the call continues to its route, where a job is created and charged. A fault with parameters
 * is ordered by an object with a member of the fault's name. "Served" means that the call runs normally up to its response. Faults that replace,
 * delay or cut a response let a call that creates or changes something be served first, unless stated otherwise.
 */
export const faultTable = {
	/** The connection ends and nothing is created. */
	dropBeforeAccept({ drop }: Struck) {
		drop();
		return false;
	},
	/** Served, then the connection ends without a response. */
	dropAfterAccept: ({ response, drop }: Struck) => caught(response, drop),
	/** There is no response, and nothing is created. */
	hang: () => false,
	/** Served, but there is no response. */
	hangAfterAccept: ({ response }: Struck) => caught(response, () => {}),
	/** The service's 404 for an unknown request. */
	notFound: ({ call, response }: Struck) =>
		answerWith(response, 404, { body: { error: `Request ${call.requestId ?? ''} not found` } }),
	/** The call is served; then only the first half of the response's head is sent. */
	halfHead: ({ request, response }: Struck) =>
		caught(response, () => request.socket.write('HTTP/1.1 200 OK\r\ncontent-type: applic')),
	/** The call is served; then the body consists of endless zeros of the usual type, without a length. */
	endless: ({ response }: Struck) =>
		caught(response, () => {
			response.removeHeader('content-length');
			void pour(zeros(Infinity), response);
		}),
	/** The response is packed with gzip, whatever the client accepts, and cut in the middle; `content-length` is that of the part. */
	gzipCut: ({ response }: Struck) =>
		caught(response, (own) => {
			const packed = gzipSync(own);
			response.setHeader('content-encoding', 'gzip');
			sendAll(response, packed.subarray(0, Math.floor(packed.length / 2)));
		}),
	/** 307, or `status`; nothing created. */
	redirect: (
		{ response }: Struck,
		{ redirect, status = 307 }: { redirect: string; status?: number },
	) => answerWith(response, status, { headers: { location: redirect } }),
	/**
	 * This answer, nothing created; a text body is text/html. `accept`: served first. With `afterMs` the answer comes this long after the call's
	 * arrival, although the service works on: a gateway that gives up on a v1 call.
	 */
	status(
		{ response, timers }: Struck,
		{ status, accept = false, afterMs, ...replacement }: StatusAction,
	) {
		const answer = () => answerWith(response, status, replacement);
		if (afterMs === undefined) return accept ? caught(response, answer) : answer();
		const speak = accept ? muted(response) : undefined;
		timers.after(afterMs, () => {
			speak?.();
			answer();
			if (accept) muted(response);
		});
		return accept;
	},
	/**
	 * From this many bytes of the request's body on none is read, and nothing answered, nothing created. Who hangs up meanwhile is not noticed, so
	 * the call stays open until `reset`.
	 */
	stopReading({ request }: Struck, { stopReading }: { stopReading: number }) {
		let read = 0;
		request.on('data', (chunk: Buffer) => {
			read += chunk.length;
			if (read >= stopReading) request.pause();
		});
		return false;
	},
	/** The call is served; the connection ends this long after the call's arrival, with or without a response. */
	dropAfterMs({ timers, drop }: Struck, { dropAfterMs }: { dropAfterMs: number }) {
		timers.after(dropAfterMs, drop);
		return true;
	},
	/** The response is late, in real time, with the state at the call's arrival. Calls that create something are accepted at once. */
	async delayMs({ call, response, timers }: Struck, { delayMs }: { delayMs: number }) {
		if (changes(call))
			return caught(response, (own) => timers.after(delayMs, () => response.end(own)));
		await timers.wait(delayMs);
		return true;
	},
	/** That many body bytes of the promised length, then the connection ends. */
	truncate: ({ response, drop }: Struck, { truncate }: { truncate: number }) =>
		caught(response, (own) => sendPart(response, own, truncate, drop)),
	/** That many body bytes of the promised length, then nothing more. */
	stall: ({ response }: Struck, { stall }: { stall: number }) =>
		caught(response, (own) => sendPart(response, own, stall, () => {})),
	/** The body in ten parts, this long apart. */
	trickleMs: ({ response, timers }: Struck, { trickleMs }: { trickleMs: number }) =>
		caught(response, (own) => {
			const length = Math.ceil(own.length / 10);
			for (let part = 0; part < 10; part++) {
				timers.after((part + 1) * trickleMs, () =>
					response.write(own.subarray(part * length, (part + 1) * length)),
				);
			}
			timers.after(11 * trickleMs, () => response.end());
		}),
	/** The body byte by byte, this long apart, without a length; then spaces, for ever. */
	dripMs: ({ response, timers }: Struck, { dripMs }: { dripMs: number }) =>
		caught(response, (own) => {
			response.removeHeader('content-length');
			response.flushHeaders();
			const drip = (at: number): void =>
				timers.after(dripMs, () => {
					if (response.destroyed) return;
					response.write(at < own.length ? own.subarray(at, at + 1) : ' ');
					drip(at + 1);
				});
			drip(0);
		}),
	/** Zeros of this unpacked size under the usual type, packed to about a thousandth. */
	gzipBomb: ({ response }: Struck, { gzipBomb }: { gzipBomb: number }) =>
		caught(response, () => {
			response.removeHeader('content-length');
			response.setHeader('content-encoding', 'gzip');
			const whole = Array<Buffer>(Math.floor(gzipBomb / MEMBER)).fill(packedMember);
			response.end(Buffer.concat([...whole, gzipSync(Buffer.alloc(gzipBomb % MEMBER))]));
		}),
	/** The service's own response, modified. */
	rewrite: ({ response }: Struck, { rewrite }: { rewrite: Rewrite }) =>
		caught(response, (own) => {
			response.statusCode = rewrite.status ?? response.statusCode;
			sendAll(response, rewritten(own, rewrite));
		}),
	/** 200 with this body instead. */
	body({ call, response }: Struck, replacement: { body: unknown } & Replacement) {
		const answer = () => answerWith(response, 200, replacement);
		return changes(call) ? caught(response, answer) : answer();
	},
};

interface StatusAction extends Replacement {
	status: number;
	accept?: boolean;
	afterMs?: number;
}

type Table = typeof faultTable;
export type FaultName = keyof Table;

/** How a fault is ordered. */
export type FaultAction = {
	[Name in FaultName]: Parameters<Table[Name]> extends [Struck, infer Action] ? Action : Name;
}[FaultName];

/** It strikes while the body arrives: a target sees calls whose body has not been read. The call ends there. */
export const inBody: ReadonlySet<FaultName> = new Set<FaultName>(['stopReading']);

/** Calls that create or change something: faults that replace or delay their response let them do it first. */
const changes = ({ method }: Call): boolean => method !== 'GET' && method !== 'HEAD';

function sendAll(response: Response, bytes: Buffer): void {
	response.setHeader('content-length', bytes.length);
	response.end(bytes);
}

/** Sends the head as it would be and this many bytes of the body, then calls `then`. A shorter body ends as usual. */
function sendPart(response: Response, own: Buffer, limit: number, then: () => void): void {
	if (own.length <= limit) {
		response.end(own);
	} else if (limit === 0) {
		response.flushHeaders();
		then();
	} else {
		response.write(own.subarray(0, limit), then);
	}
}
