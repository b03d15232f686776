/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import {
	respondWith,
	holdBack,
	mute,
	rewriteBody,
	type Replacement,
	type Rewrite,
} from './responseChanges';
import { sendChunks, zeros } from './sendFile';
import type { Timers } from './timers';
import type { Call } from './types';

/** The uncompressed size of one member of a gzip file. A gzip file can have several members. */
const MEMBER_BYTES = 10_000_000;
const gzippedZeros = gzipSync(Buffer.alloc(MEMBER_BYTES));

/** A call that a fault affects. */
export interface FaultyCall {
	call: Call;
	request: Request;
	response: Response;
	timers: Timers;
	/** Destroys the connection. */
	drop(): void;
}

/**
 * Every fault, by name. Each function returns whether the call continues to its route, where a job is created and charged. A test requests a fault
 * by its name or, if the fault has parameters, with an object that has a member of that name. "Served" means that the call runs normally up to its
 * response. Faults that replace, delay or cut a response let a call that creates or changes something be served first, unless stated otherwise.
 */
export const faultTable = {
	/** The connection is cut, and nothing is created. */
	dropBeforeAccept({ drop }: FaultyCall) {
		drop();
		return false;
	},
	/** The call is served, then the connection is cut without a response. */
	dropAfterAccept: ({ response, drop }: FaultyCall) => holdBack(response, drop),
	/** There is no response, and nothing is created. */
	hang: () => false,
	/** The call is served, but there is no response. */
	hangAfterAccept: ({ response }: FaultyCall) => holdBack(response, () => {}),
	/** The response is the service's 404 for an unknown request. */
	notFound: ({ call, response }: FaultyCall) =>
		respondWith(response, 404, { body: { error: `Request ${call.requestId ?? ''} not found` } }),
	/** The call is served; then only the first half of the response's head is sent. */
	halfHead: ({ request, response }: FaultyCall) =>
		holdBack(response, () => request.socket.write('HTTP/1.1 200 OK\r\ncontent-type: applic')),
	/** The call is served; then the body is an endless stream of zero bytes, with the usual content type and without `content-length`. */
	endless: ({ response }: FaultyCall) =>
		holdBack(response, () => {
			response.removeHeader('content-length');
			void sendChunks(zeros(Infinity), response);
		}),
	/** The response redirects to this URL with 307, or `status`; nothing is created. */
	redirect: (
		{ response }: FaultyCall,
		{ redirect, status = 307 }: { redirect: string; status?: number },
	) => respondWith(response, status, { headers: { location: redirect } }),
	/**
	 * A response with this status is sent, and nothing is created unless `accept` lets the call be served first. With `afterMs`, the response is sent
	 * this long after the call's arrival; with `accept` too, the service continues in the meantime, as when a gateway gives up on a v1 call.
	 */
	status(
		{ response, timers }: FaultyCall,
		{ status, accept = false, afterMs, ...replacement }: StatusAction,
	) {
		const respond = () => respondWith(response, status, replacement);
		if (afterMs === undefined) return accept ? holdBack(response, respond) : respond();
		const unmute = accept ? mute(response) : undefined;
		timers.after(afterMs, () => {
			unmute?.();
			respond();
			if (accept) mute(response);
		});
		return accept;
	},
	/** The response is sent this much later, in real time, with the state at the call's arrival. Calls that create or change something do so at once. */
	async delayMs({ call, response, timers }: FaultyCall, { delayMs }: { delayMs: number }) {
		if (isChanging(call))
			return holdBack(response, (original) => timers.after(delayMs, () => response.end(original)));
		await timers.wait(delayMs);
		return true;
	},
	/** Only this many bytes of the body are sent, then the connection is cut. `content-length` is that of the whole body. */
	truncate: ({ response, drop }: FaultyCall, { truncate }: { truncate: number }) =>
		holdBack(response, (original) => sendPart(response, original, truncate, drop)),
	/** Only this many bytes of the body are sent, and the connection stays open. `content-length` is that of the whole body. */
	stall: ({ response }: FaultyCall, { stall }: { stall: number }) =>
		holdBack(response, (original) => sendPart(response, original, stall, () => {})),
	/** The body is sent in ten parts, this long apart. */
	trickleMs: ({ response, timers }: FaultyCall, { trickleMs }: { trickleMs: number }) =>
		holdBack(response, (original) => {
			const length = Math.ceil(original.length / 10);
			for (let part = 0; part < 10; part++) {
				timers.after((part + 1) * trickleMs, () =>
					response.write(original.subarray(part * length, (part + 1) * length)),
				);
			}
			timers.after(11 * trickleMs, () => response.end());
		}),
	/** The body is sent byte by byte, this long apart and without `content-length`. Endless spaces follow. */
	dripMs: ({ response, timers }: FaultyCall, { dripMs }: { dripMs: number }) =>
		holdBack(response, (original) => {
			response.removeHeader('content-length');
			response.flushHeaders();
			const drip = (at: number): void =>
				timers.after(dripMs, () => {
					if (response.destroyed) return;
					response.write(at < original.length ? original.subarray(at, at + 1) : ' ');
					drip(at + 1);
				});
			drip(0);
		}),
	/** The body is this many zero bytes, with the usual content type, compressed with gzip to about a thousandth of that size. */
	gzipBomb: ({ response }: FaultyCall, { gzipBomb }: { gzipBomb: number }) =>
		holdBack(response, () => {
			response.removeHeader('content-length');
			response.setHeader('content-encoding', 'gzip');
			const whole = Array<Buffer>(Math.floor(gzipBomb / MEMBER_BYTES)).fill(gzippedZeros);
			response.end(Buffer.concat([...whole, gzipSync(Buffer.alloc(gzipBomb % MEMBER_BYTES))]));
		}),
	/** The service's own response is sent, modified. */
	rewrite: ({ response }: FaultyCall, { rewrite }: { rewrite: Rewrite }) =>
		holdBack(response, (original) => {
			response.statusCode = rewrite.status ?? response.statusCode;
			sendBytes(response, rewriteBody(original, rewrite));
		}),
	/** The response is 200 with this body. */
	body({ call, response }: FaultyCall, replacement: { body: unknown } & Replacement) {
		const respond = () => respondWith(response, 200, replacement);
		return isChanging(call) ? holdBack(response, respond) : respond();
	},
};

interface StatusAction extends Replacement {
	status: number;
	accept?: boolean;
	afterMs?: number;
}

type Table = typeof faultTable;
export type FaultName = keyof Table;

/** How a test names a fault: its name, or an object with its parameters. */
export type FaultAction = {
	[Name in FaultName]: Parameters<Table[Name]> extends [FaultyCall, infer Action] ? Action : Name;
}[FaultName];

/** Whether a call creates or changes something. */
const isChanging = ({ method }: Call): boolean => method !== 'GET' && method !== 'HEAD';

function sendBytes(response: Response, bytes: Buffer): void {
	response.setHeader('content-length', bytes.length);
	response.end(bytes);
}

/** Sends the unchanged head and this many bytes of the body, then calls `onSent`. If the body isn't longer than that, the response is sent as usual. */
function sendPart(response: Response, original: Buffer, bytes: number, onSent: () => void): void {
	if (original.length <= bytes) {
		response.end(original);
	} else if (bytes === 0) {
		response.flushHeaders();
		onSent();
	} else {
		response.write(original.subarray(0, bytes), onSent);
	}
}
