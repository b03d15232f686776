import type { Call, CallKind, JobState, Json, OriginName } from './types';

/** What may be handed to `fault({ on })`. Over the control path: a kind, a list, or a pattern with `path` as part of the path. */
export type FaultTarget = CallKind | CallKind[] | CallPattern | ((call: Call) => boolean);

export interface CallPattern {
	kind?: CallKind | CallKind[];
	origin?: OriginName;
	method?: string;
	/** Part of the path, or an expression. */
	path?: string | RegExp;
	/** State, when the call arrives, of the request it asks about. Calls that ask about none do not match. */
	state?: JobState | JobState[];
}

/**
 * What happens to the call. "Served" means that it goes its usual way up to its answer: a job is created and charged.
 * Faults that replace, delay or cut an answer let a call that creates or changes something be served first, unless said otherwise.
 * - `dropBeforeAccept`: the socket is destroyed, nothing was created.
 * - `dropAfterAccept`: served, then the socket is destroyed without an answer.
 * - `hang`: never answered, nothing created; `hangAfterAccept`: served, never answered.
 * - `notFound`: the service's 404 for a request it does not know.
 * - `halfHead`: served, then the first half of an answer's head and nothing more.
 * - `endless`: served, then zeros of the type the answer would have, without a length and without end.
 * - `gzipCut`: the answer packed with gzip, whatever the client accepts, and cut in the middle; `content-length` is that of the part.
 * - `{ status, body?, headers? }`: this answer, nothing created. `accept: true`: served first; with `afterMs` the answer comes this
 *   long after the call's arrival, although the service works on (a gateway that gives up on a v1 call). A text body is text/html.
 * - `{ dropInBody }`: the socket is destroyed once this many bytes of the request's body have come, or all; nothing created.
 * - `{ stopReading }`: from there on no byte is read and nothing answered, nothing created. Who hangs up meanwhile is not noticed,
 *   so the call stays open until `reset`. A target of these two sees calls whose body has not been read.
 * - `{ dropAfterMs }`: served, and the socket is destroyed this long after the call's arrival, answered or not.
 * - `{ delayMs }`: answered late, in real time, with what was true when the call arrived; creating calls are accepted at once.
 * - `{ truncate }`: that many body bytes of the promised length, then the socket is destroyed; `{ stall }`: then nothing more.
 * - `{ trickleMs }`: the body in ten parts, this long apart.
 * - `{ dripMs }`: the body byte by byte, this long apart, without a length; then spaces, for ever.
 * - `{ gzipBomb }`: zeros of this unpacked size, packed with gzip, under the type the answer would have.
 * - `{ redirect }`: 307, or `status`; nothing created.
 * - `{ body, contentType? }`: 200 with this body instead.
 * - `{ rewrite }`: the service's own answer, changed.
 */
export type FaultAction =
	| 'dropBeforeAccept'
	| 'dropAfterAccept'
	| 'hang'
	| 'hangAfterAccept'
	| 'notFound'
	| 'halfHead'
	| 'endless'
	| 'gzipCut'
	| {
			status: number;
			body?: unknown;
			headers?: Record<string, string>;
			accept?: boolean;
			afterMs?: number;
	  }
	| { dropInBody: number }
	| { stopReading: number }
	| { dropAfterMs: number }
	| { delayMs: number }
	| { truncate: number }
	| { stall: number }
	| { trickleMs: number }
	| { dripMs: number }
	| { gzipBomb: number }
	| { redirect: string; status?: 301 | 302 | 303 | 307 | 308 }
	| { body: unknown; contentType?: string; headers?: Record<string, string> }
	| { rewrite: Rewrite };

/** Changes to the service's own answer, made in this order. An answer that is no JSON object only takes `status` and `cut`. */
export interface Rewrite {
	/** Another HTTP status over the same body. */
	status?: number;
	/** Members taken out, with their values. */
	without?: string[];
	/** Members put in or replaced. */
	with?: Record<string, Json>;
	/** Members but `status` and `request_id` become null. */
	nulls?: boolean;
	/** Half of the text, under a content length that fits it. */
	cut?: boolean;
}

export interface FaultSpec {
	on: FaultTarget;
	/** How many calls it hits. Default 1; Infinity (`"always"` in JSON) for all. */
	times?: number | 'always';
	/** Matches let through first. Default 0. */
	after?: number;
	/** Count `times` and `after` for each request asked about instead of over all calls. Default false. */
	perRequest?: boolean;
	do: FaultAction;
}

export interface FaultHandle {
	/** Calls hit so far. */
	readonly hits: number;
	remove(): void;
}
