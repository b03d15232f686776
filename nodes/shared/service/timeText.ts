/** No epoch number of ms: microseconds, for example. */
const BEYOND = 1e14;
/** ISO text with a time of day, or a date that spells its month: 05/01/2026 can be read in two ways, and a bare day is no point in time. */
const POINT_IN_TIME = /^\d{4}-\d\d-\d\d[T ]\d|[a-z]{3}/i;

/**
 * A point in time, ms since the epoch, from ISO text (UTC when it names no zone), an HTTP date, or epoch seconds or ms; undefined for anything
 * else.
 */
export function timeOf(value: unknown): number | undefined {
	const given = typeof value === 'string' ? value.trim() : value;
	if (typeof given === 'number' || (typeof given === 'string' && /^\d+(\.\d+)?$/.test(given))) {
		const number = Number(given);
		if (!(Math.abs(number) < BEYOND)) return undefined;
		return number > 1e11 ? number : number * 1_000;
	}
	if (typeof given !== 'string' || !POINT_IN_TIME.test(given)) return undefined;
	const at = Date.parse(namesZone(given) ? given : `${given}Z`);
	const known = Number.isNaN(at) ? Date.parse(given) : at;
	return Number.isNaN(known) ? undefined : known;
}

/** True for a time that says in which zone it is; numbers count from the epoch. */
export function namesZone(value: unknown): boolean {
	if (typeof value !== 'string') return true;
	return /(^[\d.]+|z|[a-z]{3,4}|[+-]\d\d:?\d\d)( \([^()]*\))?$/i.test(value.trim());
}
