import { wait, type Clock } from '../base/clock';
import { stoppedFailure } from '../errors/failures';
import { isTransientStatus } from './responses';
import type { HttpResponse, HttpOutcome } from './http';
import type { NetworkFault } from './networkFault';
import { retryAfterMs } from './rateLimitHeaders';

/**
 * The retry rule for all calls. A call that starts or changes something is repeated only after 429, 503 (free by the published rule, docs/service.md
 * S40) or a refused connection. A call that reads may be repeated after every transient fault.
 */

const BACKOFF_FIRST_MS = 500;
const BACKOFF_LONGEST_MS = 15_000;
/** Most attempts of a call if the connection is refused. */
const REFUSED_TRIES = 4;

export type CallOutcome =
	| { kind: 'response'; response: HttpResponse }
	/** The deadline passed first. `response` is the last 429 or 5xx, if there was one. */
	| { kind: 'late'; response?: HttpResponse; fault?: NetworkFault }
	/** Certainly not accepted: there was no connection, or n8n didn't send the call. */
	| { kind: 'unreachable'; fault: NetworkFault }
	/** May have been accepted: the connection broke or timed out after sending. */
	| { kind: 'lost'; fault: NetworkFault };

/** The outcome of one attempt of a call. */
export function callOutcomeOf(outcome: HttpOutcome): CallOutcome {
	if ('response' in outcome) return { kind: 'response', response: outcome.response };
	const { fault } = outcome;
	return { kind: fault.kind === 'lost' ? 'lost' : 'unreachable', fault };
}

/** Whether a call may be repeated: it wasn't accepted, or by the published rule isn't charged, and may be accepted soon. */
export function mayBeSentAgain(sent: CallOutcome, tries: number): boolean {
	if (sent.kind === 'response') return sent.response.status === 429 || sent.response.status === 503;
	return sent.kind === 'unreachable' && sent.fault.kind === 'refused' && tries < REFUSED_TRIES;
}

/** Statuses of a gateway that gave up: it may have passed the call on. */
export const GATEWAY_GAVE_UP: ReadonlySet<number> = new Set([
	408, 499, 502, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530,
]);

/** Whether a status leaves open if the service carried out the call. A 503 counts as not carried out: by the published rule it's free. */
export function mayHaveBeenCarriedOut(status: number): boolean {
	return (status >= 500 && status !== 503) || GATEWAY_GAVE_UP.has(status);
}

/** Whether a later reading call may succeed: after 429, 5xx and network faults. */
export function isTransient(sent: CallOutcome): boolean {
	if (sent.kind === 'response') return isTransientStatus(sent.response.status);
	return sent.kind === 'lost' || (sent.kind === 'unreachable' && sent.fault.kind === 'refused');
}

interface Pausing {
	clock: Clock;
	random: () => number;
	/** No attempt begins later, ms since the epoch. */
	endsAt: number;
	signal?: AbortSignal;
	/** After a 429 the rate limiter delays the next call itself. */
	limiter?: { readonly pauseEndsAt: number };
	/** Named if the execution is stopped. */
	requestId?: string;
}

/** Waits before the next attempt; false if there is no time for one. @throws SegmindFailure when stopped */
export async function pauseBeforeRetry(
	sent: CallOutcome,
	tries: number,
	{ clock, random, endsAt, signal, limiter, requestId }: Pausing,
): Promise<boolean> {
	const now = clock.now();
	const isHeldBack = limiter && sent.kind === 'response' && sent.response.status === 429;
	const pause = isHeldBack
		? Math.max(limiter.pauseEndsAt - now, 0)
		: backoffMs(sent, tries, now, random);
	if (now + pause >= endsAt) return false;
	if (!isHeldBack) await wait(clock, pause, { signal });
	if (signal?.aborted) throw stoppedFailure(requestId);
	return true;
}

/** The pause before the next attempt, ms: what the service asks for, but at least a growing backoff, so that "Retry-After: 0" doesn't cause a flood. */
function backoffMs(sent: CallOutcome, tries: number, now: number, random: () => number): number {
	const asked = sent.kind === 'response' ? (retryAfterMs(sent.response.headers, now) ?? 0) : 0;
	const backoff = Math.min(BACKOFF_FIRST_MS * 2 ** (tries - 1), BACKOFF_LONGEST_MS);
	return Math.max(asked, backoff * (0.75 + random() / 2));
}
