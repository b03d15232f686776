import { timeOf } from './timeText';

/** Longest pause that a header can cause, ms: a wrong clock or a hostile value must not stop a workflow for a day. */
const LONGEST_PAUSE_MS = 15 * 60_000;
/** Added to a reset time, ms: the service's second may end a little later than ours. */
const MARGIN_MS = 150;
/** Resolution of the Date header, ms. */
const DATE_RESOLUTION_MS = 1_000;
/** How long a response may take, ms, so that its `date` can still be compared with our clock. */
const ON_THE_WAY_MS = 500;

/**
 * How long to pause after a 429, ms; undefined if no header says so (docs/service.md S222). Compares `x-rate-limit-reset-at-utc` with the response's
 * own `date`, so that a wrong local clock does no harm; otherwise reads `retry-after`.
 */
export function pauseAfter429(headers: Record<string, string>, now: number): number | undefined {
	const date = timeOf(headers.date) ?? now;
	const resetAt = timeOf(headers['x-rate-limit-reset-at-utc']);
	if (resetAt !== undefined) return bounded(resetAt - timeWithin(date, now));
	return retryAfterMs(headers, date);
}

/**
 * The service's time within the second of its `date`: our time, if the clocks agree. Otherwise processes of one account would continue up to a second
 * apart, and the first one would use most of the new window.
 */
function timeWithin(date: number, now: number): number {
	const end = date + DATE_RESOLUTION_MS;
	return now >= date && now <= end + ON_THE_WAY_MS ? Math.min(now, end) : date;
}

/** `Retry-After` in ms, given in seconds or as a date. */
export function retryAfterMs(headers: Record<string, string>, now: number): number | undefined {
	const value = headers['retry-after']?.trim();
	if (!value) return undefined;
	if (/^\d+(\.\d+)?$/.test(value)) return bounded(Number(value) * 1_000);
	const at = timeOf(value);
	return at === undefined ? undefined : bounded(at - now);
}

/** `x-rate-limit-remaining`, if the service sends it. */
export function remainingCalls(headers: Record<string, string>): number | undefined {
	const value = headers['x-rate-limit-remaining']?.trim();
	return value && /^\d+$/.test(value) ? Number(value) : undefined;
}

function bounded(ms: number): number {
	return Math.min(Math.max(ms, 0) + MARGIN_MS, LONGEST_PAUSE_MS);
}
