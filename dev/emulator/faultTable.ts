/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { gzipSync } from 'node:zlib';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { answerWith, caught, muted, rewritten, rewriteSchema } from './answerForms';
import { pour, zeros } from './sendFile';
import type { Timers } from './timers';
import type { Call } from './types';

/** Zeros in one member of a gzip, bytes. */
const MEMBER = 10_000_000;
const packedMember = gzipSync(Buffer.alloc(MEMBER));

/** A call that a fault strikes. */
export interface Struck {
	call: Call;
	request: Request;
	response: Response;
	timers: Timers;
	/** Destroys the connection. */
	drop(): void;
}

/** What a fault does. Gives whether the call goes on to its route, where a job is created and charged. */
type Strike<Action> = (struck: Struck, action: Action) => boolean | Promise<boolean>;

interface Entry<Action> {
	/** How it is ordered: by its name alone, or with members of which one has its name. */
	ordered: z.ZodType<Action, z.ZodTypeDef, unknown>;
	strike: Strike<Action>;
	/** It strikes while the body arrives: a target sees calls whose body has not been read. The call ends there. */
	inBody?: true;
}

const plain = <Name extends string>(name: Name, strike: Strike<Name>): Entry<Name> => ({
	ordered: z.literal(name),
	strike,
});
const taking = <Shape extends z.ZodRawShape>(
	shape: Shape,
	strike: Strike<z.infer<z.ZodObject<Shape>>>,
): Entry<z.infer<z.ZodObject<Shape>>> => ({
	ordered: z.object(shape).strict() as unknown as z.ZodType<z.infer<z.ZodObject<Shape>>>,
	strike,
});

const count = z.number().int().min(0);
const ms = z.number();
const status = z.number().int().min(200).max(599);
const headers = z.record(z.string()).optional();

/**
 * Every fault: its name, how it is ordered, what it does. "Served" means that the call goes its usual way up to its answer. Those that replace,
 * delay or cut an answer let a call that creates or changes something be served first, unless said otherwise.
 */
export const faultTable = {
	/** The connection ends, nothing was created. */
	dropBeforeAccept: plain('dropBeforeAccept', ({ drop }) => {
		drop();
		return false;
	}),
	/** Served, then the connection ends without an answer. */
	dropAfterAccept: plain('dropAfterAccept', ({ response, drop }) => caught(response, drop)),
	/** Never answered, nothing created. */
	hang: plain('hang', () => false),
	/** Served, never answered. */
	hangAfterAccept: plain('hangAfterAccept', ({ response }) => caught(response, () => {})),
	/** The service's 404 for a request it does not know. */
	notFound: plain('notFound', ({ call, response }) =>
		answerWith(response, 404, { body: { error: `Request ${call.requestId ?? ''} not found` } }),
	),
	/** Served, then the first half of an answer's head and nothing more. */
	halfHead: plain('halfHead', ({ request, response }) =>
		caught(response, () => request.socket.write('HTTP/1.1 200 OK\r\ncontent-type: applic')),
	),
	/** Served, then zeros of the type the answer would have, without a length and without end. */
	endless: plain('endless', ({ response }) =>
		caught(response, () => {
			response.removeHeader('content-length');
			void pour(zeros(Infinity), response);
		}),
	),
	/** The answer packed with gzip, whatever the client accepts, and cut in the middle; `content-length` is that of the part. */
	gzipCut: plain('gzipCut', ({ response }) =>
		caught(response, (own) => {
			const packed = gzipSync(own);
			response.setHeader('content-encoding', 'gzip');
			sendAll(response, packed.subarray(0, Math.floor(packed.length / 2)));
		}),
	),
	/** 307, or `status`; nothing created. */
	redirect: taking(
		{ redirect: z.string(), status: status.optional() },
		({ response }, { redirect, status: code = 307 }) =>
			answerWith(response, code, { headers: { location: redirect } }),
	),
	/**
	 * This answer, nothing created; a text body is text/html. `accept`: served first. With `afterMs` the answer comes this long after the call's
	 * arrival, although the service works on: a gateway that gives up on a v1 call.
	 */
	status: taking(
		{
			status,
			body: z.unknown(),
			headers,
			accept: z.boolean().optional(),
			afterMs: ms.optional(),
		},
		({ response, timers }, { status: code, accept = false, afterMs, ...replacement }) => {
			const answer = () => answerWith(response, code, replacement);
			if (afterMs === undefined) return accept ? caught(response, answer) : answer();
			const speak = accept ? muted(response) : undefined;
			timers.after(afterMs, () => {
				speak?.();
				answer();
				if (accept) muted(response);
			});
			return accept;
		},
	),
	/** The connection ends once this many bytes of the request's body have come, or all; nothing created. */
	dropInBody: {
		...taking({ dropInBody: count }, (struck, { dropInBody }) =>
			whenRead(struck, dropInBody, struck.drop),
		),
		inBody: true as const,
	},
	/**
	 * From there on no byte is read and nothing answered, nothing created. Who hangs up meanwhile is not noticed, so the call stays open until
	 * `reset`.
	 */
	stopReading: {
		...taking({ stopReading: count }, (struck, { stopReading }) =>
			whenRead(struck, stopReading, () => struck.request.pause()),
		),
		inBody: true as const,
	},
	/** Served, and the connection ends this long after the call's arrival, answered or not. */
	dropAfterMs: taking({ dropAfterMs: ms }, ({ timers, drop }, { dropAfterMs }) => {
		timers.after(dropAfterMs, drop);
		return true;
	}),
	/** Answered late, in real time, with what was true when the call arrived; creating calls are accepted at once. */
	delayMs: taking({ delayMs: ms }, async ({ call, response, timers }, { delayMs }) => {
		if (changes(call))
			return caught(response, (own) => timers.after(delayMs, () => response.end(own)));
		await timers.wait(delayMs);
		return true;
	}),
	/** That many body bytes of the promised length, then the connection ends. */
	truncate: taking({ truncate: count }, ({ response, drop }, { truncate }) =>
		caught(response, (own) => sendPart(response, own, truncate, drop)),
	),
	/** That many body bytes of the promised length, then nothing more. */
	stall: taking({ stall: count }, ({ response }, { stall }) =>
		caught(response, (own) => sendPart(response, own, stall, () => {})),
	),
	/** The body in ten parts, this long apart. */
	trickleMs: taking({ trickleMs: ms }, ({ response, timers }, { trickleMs }) =>
		caught(response, (own) => {
			const length = Math.ceil(own.length / 10);
			for (let part = 0; part < 10; part++) {
				timers.after((part + 1) * trickleMs, () =>
					response.write(own.subarray(part * length, (part + 1) * length)),
				);
			}
			timers.after(11 * trickleMs, () => response.end());
		}),
	),
	/** The body byte by byte, this long apart, without a length; then spaces, for ever. */
	dripMs: taking({ dripMs: ms }, ({ response, timers }, { dripMs }) =>
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
	),
	/** Zeros of this unpacked size, packed to about a thousandth under the answer's own type, in members of which one is packed once. */
	gzipBomb: taking({ gzipBomb: count }, ({ response }, { gzipBomb }) =>
		caught(response, () => {
			response.removeHeader('content-length');
			response.setHeader('content-encoding', 'gzip');
			const whole = Array<Buffer>(Math.floor(gzipBomb / MEMBER)).fill(packedMember);
			response.end(Buffer.concat([...whole, gzipSync(Buffer.alloc(gzipBomb % MEMBER))]));
		}),
	),
	/** The service's own answer, changed. */
	rewrite: taking({ rewrite: rewriteSchema }, ({ response }, { rewrite }) =>
		caught(response, (own) => {
			response.statusCode = rewrite.status ?? response.statusCode;
			sendAll(response, rewritten(own, rewrite));
		}),
	),
	/** 200 with this body instead. */
	body: taking(
		{ body: z.unknown(), contentType: z.string().optional(), headers },
		({ call, response }, replacement) => {
			const answer = () => answerWith(response, 200, replacement);
			return changes(call) ? caught(response, answer) : answer();
		},
	),
};

/** Calls that create or change something: faults that replace or delay their answer let them do it first. */
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

function whenRead({ request }: Struck, limit: number, strike: () => void): false {
	let read = 0;
	request.on('data', (chunk: Buffer) => {
		read += chunk.length;
		if (read >= limit) strike();
	});
	request.on('end', strike);
	return false;
}
