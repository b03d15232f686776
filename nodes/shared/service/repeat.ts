/**
 * The rule for repeating a call within an attempt. A call that starts or changes something is repeated only after 429, 503 (free by the published rule,
 * docs/service.md S40) or a refused connection. A call that reads or uploads may be repeated after every transient fault.
 */

import { wait, type Clock } from '../base/clock';
import { stoppedFailure } from '../errors/failures';
import { isTransientStatus } from './responses';
import type { CallOutcome } from './http';
import { retryAfterMs } from './rateLimiter';

/** A pause of the rate limiter that is longer than this is shown to the user. */
export const MIN_REPORTED_PAUSE_MS = 5_000;
const FIRST_REPEAT_PAUSE_MS = 500;
const MAX_REPEAT_PAUSE_MS = 15_000;
/** How often a call is tried if the connection is refused and, if it does no harm twice, after any other transient fault. */
const MAX_TRIES = 4;

/**
 * Whether a call that starts or changes something may be repeated after `tries` tries: it wasn't accepted, or by the published rule isn't charged, and may be
 * accepted soon.
 */
export function mayBeRepeated(outcome: CallOutcome, tries: number): boolean {
	if (outcome.kind === 'response') return outcome.status === 429 || outcome.status === 503;
	return outcome.kind === 'refused' && tries < MAX_TRIES;
}

/** Whether an upload may be repeated after `tries` tries: it's free, and does no harm twice. */
export function mayUploadAgain(outcome: CallOutcome, tries: number): boolean {
	return mayBeRepeated(outcome, tries) || (isTransient(outcome) && tries < MAX_TRIES);
}

/** Whether a later reading call may succeed: after 429, 5xx and network faults. */
export function isTransient(outcome: CallOutcome): boolean {
	if (outcome.kind === 'response') return isTransientStatus(outcome.status);
	return outcome.kind === 'lost' || outcome.kind === 'refused';
}

/** Is called when an HTTP call is about to be sent, and when it certainly wasn't accepted. */
export interface CallWatch {
	sending(): void;
	notAccepted(): void;
}

interface RepeatRules {
	/** Whether the call may be repeated after `tries` tries. */
	mayRepeat: (outcome: CallOutcome, tries: number) => boolean;
	clock: Clock;
	random?: () => number;
	/** No try begins later than this, in ms since the epoch. */
	endsAt?: number;
	signal?: AbortSignal;
	/** After a 429 the rate limiter delays the next call itself. */
	limiter?: { readonly pauseEndsAt: number };
	/** Only for the error text if the execution is stopped. */
	requestId?: string;
	/** Of a call that starts or changes something. */
	watch?: CallWatch;
	/** Is called before a call is repeated after a pause. A call that the rate limiter holds back isn't reported: the pause itself is. */
	onRepeat?: (outcome: CallOutcome, pauseMs: number) => void;
}

/** Makes a call, and repeats it as the rules allow. Returns the outcome of the last try. @throws SegmindFailure when stopped */
export async function repeatCall(
	makeCall: (tries: number) => Promise<CallOutcome>,
	rules: RepeatRules,
): Promise<CallOutcome> {
	for (let tries = 1; ; tries++) {
		const outcome = await makeCall(tries);
		if (!rules.mayRepeat(outcome, tries)) return outcome;
		rules.watch?.notAccepted();
		if (!(await pause(outcome, tries, rules))) return outcome;
	}
}

/** Waits before the next try; returns false if no time is left for it. @throws SegmindFailure when stopped */
async function pause(outcome: CallOutcome, tries: number, rules: RepeatRules): Promise<boolean> {
	const { clock, random = Math.random, endsAt = Infinity, signal, limiter, requestId } = rules;
	const now = clock.now();
	const isPausedByLimiter = limiter && outcome.kind === 'response' && outcome.status === 429;
	const pauseMs = isPausedByLimiter
		? Math.max(limiter.pauseEndsAt - now, 0)
		: backoffMs(outcome, tries, now, random);
	if (now + pauseMs >= endsAt) return false;
	const isReportedAsPause = isPausedByLimiter && pauseMs > MIN_REPORTED_PAUSE_MS;
	if (!isReportedAsPause) rules.onRepeat?.(outcome, pauseMs);
	if (!isPausedByLimiter) await wait(clock, pauseMs, { signal });
	if (signal?.aborted) throw stoppedFailure(requestId);
	return true;
}

/** Returns the pause before the next try: what the service asks for, but at least a growing backoff, so that "Retry-After: 0" doesn't cause a flood. */
function backoffMs(outcome: CallOutcome, tries: number, now: number, random: () => number): number {
	const requestedMs = outcome.kind === 'response' ? (retryAfterMs(outcome.headers, now) ?? 0) : 0;
	const backoff = Math.min(FIRST_REPEAT_PAUSE_MS * 2 ** (tries - 1), MAX_REPEAT_PAUSE_MS);
	return Math.max(requestedMs, backoff * (0.75 + random() / 2));
}
