/** The year 5138. A later time, ms since the epoch, is no time: a number of microseconds, for example. Nor is one before 1970. */
const BEYOND = 1e14;
/** ISO text with a time of day, or a date that spells its month: 05/01/2026 is ambiguous, and a day alone isn't a point in time. */
const POINT_IN_TIME = /^\d{4}-\d\d-\d\d[T ]\d|[a-z]{3}/i;

/**
 * A point in time, ms since the epoch, from ISO text (UTC if it names no zone), an HTTP date, or epoch seconds or ms; otherwise undefined.
 */
export function timeOf(value: unknown): number | undefined {
	const at = readTime(value);
	return at >= 0 && at < BEYOND ? at : undefined;
}

function readTime(value: unknown): number {
	const given = typeof value === 'string' ? value.trim() : value;
	if (typeof given === 'number' || (typeof given === 'string' && /^\d+(\.\d+)?$/.test(given))) {
		const number = Number(given);
		return number > 1e11 ? number : number * 1_000;
	}
	if (typeof given !== 'string' || !POINT_IN_TIME.test(given)) return NaN;
	const at = Date.parse(namesZone(given) ? given : `${given}Z`);
	return Number.isNaN(at) ? Date.parse(given) : at;
}

/** Whether a time names its zone; numbers count from the epoch. */
export function namesZone(value: unknown): boolean {
	if (typeof value !== 'string') return true;
	return /(^[\d.]+|z|[a-z]{3,4}|[+-]\d\d:?\d\d)( \([^()]*\))?$/i.test(value.trim());
}
