/**
 * A point in time, ms since the epoch, from ISO text (UTC when it names no zone), an HTTP date, or epoch seconds or ms; undefined for anything
 * else.
 */
export function timeOf(value: unknown): number | undefined {
	const given = typeof value === 'string' ? value.trim() : value;
	if (typeof given === 'number' || (typeof given === 'string' && /^\d+(\.\d+)?$/.test(given))) {
		const number = Number(given);
		if (Number.isNaN(number)) return undefined;
		return number > 1e11 ? number : number * 1_000;
	}
	if (typeof given !== 'string') return undefined;
	const namesZone = /(z|[a-z]{3,4}|[+-]\d\d:?\d\d)( \(.*\))?$/i.test(given);
	const at = Date.parse(namesZone ? given : `${given}Z`);
	const known = Number.isNaN(at) ? Date.parse(given) : at;
	return Number.isNaN(known) ? undefined : known;
}
