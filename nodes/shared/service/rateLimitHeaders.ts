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

/** A point in time from ISO text (UTC when it names no zone), an HTTP date, or epoch seconds or ms. */
function timeOf(value: string | undefined): number | undefined {
	const text = value?.trim();
	if (!text) return undefined;
	if (/^\d+(\.\d+)?$/.test(text)) {
		const number = Number(text);
		return number > 1e11 ? number : number * 1_000;
	}
	const isoWithoutZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text);
	const at = Date.parse(isoWithoutZone ? `${text.replace(' ', 'T')}Z` : text);
	return Number.isNaN(at) ? undefined : at;
}

function bounded(ms: number, longestMs: number): number {
	return Math.min(Math.max(ms, 0) + MARGIN_MS, longestMs);
}
