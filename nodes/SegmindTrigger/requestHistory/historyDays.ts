/**
 * The days to ask the request history for. It takes dates only (YYYY-MM-DD, both ends included, 31 days at most, today where none is given;
 * docs/service.md S260, S264) and does not say in which time zone, so each end may be off by 14 hours.
 */

const DAY_MS = 24 * 3_600_000;
/** The largest difference between a time zone and UTC, ms. */
const ZONE_MS = 14 * 3_600_000;
const LONGEST_SPAN_DAYS = 31;

interface HistoryDays {
	from_date: string;
	/** Missing: up to today, whatever day that is for the service. */
	to_date?: string;
	/** With `to_date`: everything made before this certainly lies within the days, ms since the epoch. */
	until?: number;
}

/** Days that certainly begin before `from` (ms since the epoch) and reach up to `now` where 31 days allow it. */
export function daysFrom(from: number, now: number): HistoryDays {
	const from_date = dateOf(from - ZONE_MS);
	const lastDay = Date.parse(from_date) + (LONGEST_SPAN_DAYS - 1) * DAY_MS;
	return lastDay >= now + ZONE_MS
		? { from_date }
		: { from_date, to_date: dateOf(lastDay), until: lastDay + DAY_MS - ZONE_MS };
}

/** YYYY-MM-DD in UTC, of ms since the epoch. */
export function dateOf(time: number): string {
	return new Date(time).toISOString().slice(0, 10);
}
