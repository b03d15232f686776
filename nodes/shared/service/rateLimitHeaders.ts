import { timeOf } from './timeText';

/** Longest pause a header can ask for, ms: a wrong clock or a hostile value must not park a workflow for a day. */
const LONGEST_PAUSE_MS = 15 * 60_000;
/** Added to a reset time, ms: the service's second may end a little after ours. */
const MARGIN_MS = 150;

/**
 * How long to pause after a 429, ms; undefined when no header says so (docs/service.md S222).
 * Reads `x-rate-limit-reset-at-utc` against the answer's own `date`, so that a wrong local clock does no harm, then `retry-after`.
 */
export function pauseAfter429(
	headers: Record<string, string>,
	now: number,
	longestMs = LONGEST_PAUSE_MS,
): number | undefined {
	const serviceNow = timeOf(headers.date) ?? now;
	const resetAt = timeOf(headers['x-rate-limit-reset-at-utc']);
	if (resetAt !== undefined) return bounded(resetAt - serviceNow, longestMs);
	return retryAfterMs(headers, serviceNow, longestMs);
}

/** `Retry-After` in ms, given in seconds or as a date. */
export function retryAfterMs(
	headers: Record<string, string>,
	now: number,
	longestMs = LONGEST_PAUSE_MS,
): number | undefined {
	const value = headers['retry-after']?.trim();
	if (!value) return undefined;
	if (/^\d+(\.\d+)?$/.test(value)) return bounded(Number(value) * 1_000, longestMs);
	const at = timeOf(value);
	return at === undefined ? undefined : bounded(at - now, longestMs);
}

/** When the window ends by an answer's own headers, ms from now; undefined when no header says so. */
export function resetInMs(headers: Record<string, string>, now: number): number | undefined {
	const resetAt = timeOf(headers['x-rate-limit-reset-at-utc']);
	return resetAt === undefined ? undefined : Math.max(resetAt - (timeOf(headers.date) ?? now), 0);
}

/** `x-rate-limit-remaining`, when the service sends it. */
export function remainingCalls(headers: Record<string, string>): number | undefined {
	const value = headers['x-rate-limit-remaining']?.trim();
	return value && /^\d+$/.test(value) ? Number(value) : undefined;
}

function bounded(ms: number, longestMs: number): number {
	return Math.min(Math.max(ms, 0) + MARGIN_MS, longestMs);
}
