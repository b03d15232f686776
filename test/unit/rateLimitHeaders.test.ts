/** How the service's rate-limit headers are read. */
import {
	pauseAfter429,
	remainingCalls,
	retryAfterMs,
} from '../../nodes/shared/service/rateLimitHeaders';

const NOW = Date.UTC(2026, 0, 15, 10, 0, 0);
const DAY_MS = 24 * 3_600_000;
const httpDate = (at: number) => new Date(at).toUTCString();

afterEach(() => jest.restoreAllMocks());

/** Returns the pause in whole seconds for a value of the reset header. */
function pauseFor(reset: string, headers: Record<string, string> = {}) {
	const pause = pauseAfter429({ 'x-rate-limit-reset-at-utc': reset, ...headers }, NOW);
	return pause === undefined ? undefined : Math.floor(pause / 1_000);
}

describe('the pause after a 429', () => {
	it.each<[string, Record<string, string>, number]>([
		['2026-01-15T10:00:30Z', {}, 30],
		['2026-01-15T15:30:30+05:30', {}, 30],
		// The header's name says UTC, so a time without a zone is UTC.
		['2026-01-15T10:00:30', {}, 30],
		['2026-01-15 10:00:30', {}, 30],
		['2026-01-15T10:00:30.123456', {}, 30],
		[' 2026-01-15T10:00:30Z ', {}, 30],
		['Thu, 15 Jan 2026 10:00:30 GMT', {}, 30],
		[`${(NOW + 30_000) / 1_000}.5`, {}, 30],
		[String(NOW + 30_000), {}, 30],
		// The reset is a time of the service's clock.
		['2026-01-14T10:00:30Z', { date: httpDate(NOW - DAY_MS) }, 30],
		['2026-01-16T10:00:30Z', { date: httpDate(NOW + DAY_MS) }, 30],
		['2026-01-15T10:00:30Z', { 'retry-after': '5' }, 30],
		['soon', { 'retry-after': '5' }, 5],
		['', { 'retry-after': '5' }, 5],
		['2026-01-15T09:00:00Z', {}, 0],
		['2036-01-15T10:00:30Z', {}, 900],
	])('for the reset %p and the headers %j is %i s', (reset, headers, seconds) => {
		expect(pauseFor(reset, headers)).toBe(seconds);
	});

	it('reads a time without a zone as UTC on a host in India too', () => {
		const { parse } = Date;
		jest.spyOn(Date, 'parse').mockImplementation((text) => {
			const isLocal = !/(Z|GMT|[+-]\d\d:\d\d)$/.test(text);
			return parse(text) - (isLocal ? 5.5 * 3_600_000 : 0);
		});
		for (const reset of ['2026-01-15T10:00:30', '2026-01-15 10:00:30'])
			expect(pauseFor(reset)).toBe(30);
	});

	it.each([
		[0, 30_150],
		[999, 29_151],
		// The response took a while to arrive.
		[1_300, 29_150],
		// Our clock differs: the service's time is at least its date header.
		[1_600, 30_150],
		[-1, 30_150],
	])('is exact to the millisecond, %i ms after the date header', (laterMs, pauseMs) => {
		const reset = new Date(NOW + 30_000).toISOString();
		const headers = { 'x-rate-limit-reset-at-utc': reset, date: httpDate(NOW) };
		expect(pauseAfter429(headers, NOW + laterMs)).toBe(pauseMs);
	});
});

it.each([
	['3', 3],
	['0', 0],
	['2.5', 2],
	[httpDate(NOW + 20_000), 20],
	[httpDate(NOW - 20_000), 0],
	['a while', NaN],
])('Retry-After: %p is a pause of %p s', (value, seconds) => {
	expect(Math.floor(retryAfterMs({ 'retry-after': value }, NOW)! / 1_000)).toBe(seconds);
});

it.each([
	['0', 0],
	[' 12 ', 12],
	['', undefined],
	['-1', undefined],
	['1.5', undefined],
	['many', undefined],
])('x-rate-limit-remaining: %p means %p calls', (value, calls) => {
	expect(remainingCalls({ 'x-rate-limit-remaining': value })).toBe(calls);
});
