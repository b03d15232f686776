/** The service's times: the texts that name them, and how far the service's clock is from ours. */

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
	if (typeof value === 'number') return epochMs(value);
	if (typeof value !== 'string') return NaN;
	const text = value.trim();
	if (/^\d+(\.\d+)?$/.test(text)) return epochMs(Number(text));
	if (!POINT_IN_TIME.test(text)) return NaN;
	const at = Date.parse(namesZone(text) ? text : `${text}Z`);
	return Number.isNaN(at) ? Date.parse(text) : at;
}

/** Returns a time in seconds or ms as ms. In seconds, 1e11 would be the year 5138; in ms it's 1973. */
function epochMs(time: number): number {
	return time > 1e11 ? time : time * 1_000;
}

/** Whether a time names its zone. True for numbers, which count from the epoch. */
export function namesZone(value: unknown): boolean {
	if (typeof value !== 'string') return true;
	return /(^[\d.]+|z|[a-z]{3,4}|[+-]\d\d(:?\d\d)?)( \([^()]*\))?$/i.test(value.trim());
}

/** Resolution of the Date header. */
const DATE_RESOLUTION_MS = 1_000;
/** After this long, any new reading replaces the old one, because clocks drift. */
const MAX_AGE_MS = 600_000;

/**
 * How far the service's clock is ahead of ours, according to the Date headers of its responses. The fastest response is the most exact, because the service may
 * have read its clock at any time between sending and receiving. All values in ms.
 */
export class ServerClock {
	/** The smallest possible value of service time minus local time. */
	offsetMs = 0;

	/** How much larger that difference may be. */
	errorMs = 0;

	private readAt = -Infinity;

	/** Reads the Date header of a response. Anything but a date is ignored. */
	note(date: string | undefined, sentAt: number, receivedAt: number): void {
		const serverTime = timeOf(date);
		if (serverTime === undefined) return;
		const offsetMs = serverTime - receivedAt;
		const errorMs = receivedAt - sentAt;
		const isBetter = errorMs <= this.errorMs || receivedAt - this.readAt > MAX_AGE_MS;
		if (!isBetter && !this.contradicts(offsetMs, errorMs)) return;
		this.offsetMs = offsetMs;
		this.errorMs = errorMs;
		this.readAt = receivedAt;
	}

	/** Whether no offset fits both readings, because one of the clocks was changed. */
	private contradicts(offsetMs: number, errorMs: number): boolean {
		return (
			offsetMs > this.offsetMs + this.errorMs + DATE_RESOLUTION_MS ||
			offsetMs + errorMs + DATE_RESOLUTION_MS < this.offsetMs
		);
	}
}
