/** The year 5138. A larger number isn't a time in ms, but one in microseconds, for example. */
const MAX_TIME_MS = 1e14;
/** ISO text with a time of day, or a date with the name of its month: 05/01/2026 is ambiguous, and a day alone isn't a point in time. */
const POINT_IN_TIME = /^\d{4}-\d\d-\d\d[T ]\d|[a-z]{3}/i;

/**
 * Reads a point in time: ISO text (UTC if it names no zone), an HTTP date, or epoch seconds or ms. Returns ms since the epoch; undefined for anything
 * else and for times before 1970.
 */
export function timeOf(value: unknown): number | undefined {
	const at = readTime(value);
	return at >= 0 && at < MAX_TIME_MS ? at : undefined;
}

function readTime(value: unknown): number {
	const trimmed = typeof value === 'string' ? value.trim() : value;
	if (
		typeof trimmed === 'number' ||
		(typeof trimmed === 'string' && /^\d+(\.\d+)?$/.test(trimmed))
	) {
		const number = Number(trimmed);
		// In seconds, 1e11 would be the year 5138; in ms it's 1973.
		return number > 1e11 ? number : number * 1_000;
	}
	if (typeof trimmed !== 'string' || !POINT_IN_TIME.test(trimmed)) return NaN;
	const at = Date.parse(namesZone(trimmed) ? trimmed : `${trimmed}Z`);
	return Number.isNaN(at) ? Date.parse(trimmed) : at;
}

/** Whether a time names its zone. True for numbers, which count from the epoch. */
export function namesZone(value: unknown): boolean {
	if (typeof value !== 'string') return true;
	return /(^[\d.]+|z|[a-z]{3,4}|[+-]\d\d:?\d\d)( \([^()]*\))?$/i.test(value.trim());
}
