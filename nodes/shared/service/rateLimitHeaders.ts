import { timeOf } from './timeText';

/** Longest pause that a header can cause: a wrong clock or a hostile value must not stop a workflow for a day. */
const MAX_PAUSE_MS = 15 * 60_000;
/** Added to every pause, because the service's window may end a little later than our clock says. */
const RESET_MARGIN_MS = 150;
/** Resolution of the Date header. */
const DATE_RESOLUTION_MS = 1_000;
/** If a response takes longer to arrive, its `date` can't be compared with our clock. */
const MAX_TRANSIT_MS = 500;

/**
 * Returns how long to pause after a 429, ms; undefined if no header says so (docs/service.md S222). Compares `x-rate-limit-reset-at-utc` with the response's
 * own `date`, so that a wrong local clock does no harm; otherwise reads `retry-after`.
 */
export function pauseAfter429(headers: Record<string, string>, now: number): number | undefined {
	const date = timeOf(headers.date) ?? now;
	const resetAt = timeOf(headers['x-rate-limit-reset-at-utc']);
	if (resetAt !== undefined) return boundPause(resetAt - serviceTime(date, now));
	return retryAfterMs(headers, date);
}

/**
 * Returns the service's time, of which `date` is only the second: our time if the clocks agree, otherwise `date`. With `date` alone, processes of one
 * account would continue up to a second apart, and the first one would use most of the new window.
 */
function serviceTime(date: number, now: number): number {
	const end = date + DATE_RESOLUTION_MS;
	return now >= date && now <= end + MAX_TRANSIT_MS ? Math.min(now, end) : date;
}

/** Reads `Retry-After`, which is in seconds or a date, and returns it in ms. */
export function retryAfterMs(headers: Record<string, string>, now: number): number | undefined {
	const value = headers['retry-after']?.trim();
	if (!value) return undefined;
	if (/^\d+(\.\d+)?$/.test(value)) return boundPause(Number(value) * 1_000);
	const at = timeOf(value);
	return at === undefined ? undefined : boundPause(at - now);
}

/** Reads `x-rate-limit-remaining`; undefined if the response doesn't have it. */
export function remainingCalls(headers: Record<string, string>): number | undefined {
	const value = headers['x-rate-limit-remaining']?.trim();
	return value && /^\d+$/.test(value) ? Number(value) : undefined;
}

function boundPause(ms: number): number {
	return Math.min(Math.max(ms, 0) + RESET_MARGIN_MS, MAX_PAUSE_MS);
}
