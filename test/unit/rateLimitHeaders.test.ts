import fc from 'fast-check';

import {
	pauseAfter429,
	remainingCalls,
	retryAfterMs,
} from '../../nodes/shared/service/rateLimitHeaders';

const NOW = Date.UTC(2026, 0, 15, 10, 0, 0);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const httpDate = (at: number) => new Date(at).toUTCString();

afterEach(() => jest.restoreAllMocks());

/** The pause for a reset told so, in s, the margin rounded away. */
function pauseFor(reset: string, headers: Record<string, string> = {}) {
	const pause = pauseAfter429({ 'x-rate-limit-reset-at-utc': reset, ...headers }, NOW);
	return pause === undefined ? undefined : Math.floor(pause / 1_000);
}

describe('the pause after a 429', () => {
	it.each([
		['2026-01-15T10:00:30Z'],
		['2026-01-15T10:00:30.000Z'],
		['2026-01-15T10:00:30+00:00'],
		['2026-01-15T15:30:30+05:30'],
		// It is UTC by name, also without a zone.
		['2026-01-15T10:00:30'],
		['2026-01-15 10:00:30'],
		['2026-01-15T10:00:30.123456'],
		[' 2026-01-15T10:00:30Z '],
		['Thu, 15 Jan 2026 10:00:30 GMT'],
		[String((NOW + 30_000) / 1_000)],
		[String((NOW + 30_000) / 1_000) + '.5'],
		[String(NOW + 30_000)],
	])('ends half a minute from now when the reset is %p', (reset) => {
		expect(pauseFor(reset)).toBe(30);
	});

	it.each(['2026-01-15T10:00:30', '2026-01-15 10:00:30'])(
		'reads %p as UTC on a host in India too',
		(reset) => {
			const { parse } = Date;
			jest.spyOn(Date, 'parse').mockImplementation((text) => {
				const isLocal = !/(Z|GMT|[+-]\d\d:\d\d)$/.test(text);
				return parse(text) - (isLocal ? 5.5 * HOUR_MS : 0);
			});
			expect(pauseFor(reset)).toBe(30);
		},
	);

	it.each([-DAY_MS, -61_000, 61_000, DAY_MS])(
		'goes by the clock of the service, which is %i ms ahead of ours',
		(aheadMs) => {
			const reset = new Date(NOW + aheadMs + 30_000).toISOString();
			expect(pauseFor(reset, { date: httpDate(NOW + aheadMs) })).toBe(30);
		},
	);

	it.each([
		[0, 30_150],
		[400, 29_750],
		[999, 29_151],
		// The answer was on its way for a while.
		[1_300, 29_150],
		// Our clock is another one: the service's time is what its date says at least.
		[1_600, 30_150],
		[-1, 30_150],
	])(
		'is told to the millisecond by our clock, %i ms after the second of the date',
		(laterMs, pauseMs) => {
			const headers = {
				'x-rate-limit-reset-at-utc': new Date(NOW + 30_000).toISOString(),
				date: httpDate(NOW),
			};
			expect(pauseAfter429(headers, NOW + laterMs)).toBe(pauseMs);
		},
	);

	it('outlasts the second in which the window resets', () => {
		expect(
			pauseAfter429({ 'x-rate-limit-reset-at-utc': '2026-01-15T10:00:30Z' }, NOW),
		).toBeGreaterThan(30_000);
	});

	it('prefers the reset time to Retry-After, and takes that when the other is unreadable', () => {
		expect(pauseFor('2026-01-15T10:00:30Z', { 'retry-after': '5' })).toBe(30);
		expect(pauseFor('soon', { 'retry-after': '5' })).toBe(5);
		expect(pauseFor('', { 'retry-after': '5' })).toBe(5);
	});

	it('is short for a reset in the past, and never negative', () => {
		expect(pauseFor('2026-01-15T09:00:00Z')).toBe(0);
	});

	it('is a quarter of an hour at most', () => {
		expect(pauseFor('2036-01-15T10:00:30Z')).toBeLessThanOrEqual(900);
		expect(pauseAfter429({ 'retry-after': '9'.repeat(400) }, NOW)).toBeLessThanOrEqual(900_000);
	});

	it('is unknown when no header speaks of it', () => {
		expect(pauseAfter429({}, NOW)).toBeUndefined();
		expect(pauseAfter429({ date: httpDate(NOW), 'retry-after': '  ' }, NOW)).toBeUndefined();
	});

	it('is unknown or a bounded time, whatever the headers hold', () => {
		const value = fc.option(fc.oneof(fc.string(), fc.date({ noInvalidDate: true }).map(String)), {
			nil: undefined,
		});
		fc.assert(
			fc.property(value, value, value, (reset, retryAfter, date) => {
				const headers = Object.fromEntries(
					Object.entries({
						'x-rate-limit-reset-at-utc': reset,
						'retry-after': retryAfter,
						date,
					}).filter((entry): entry is [string, string] => entry[1] !== undefined),
				);
				const pause = pauseAfter429(headers, NOW) ?? 1;
				expect(pause).toBeGreaterThan(0);
				expect(pause).toBeLessThanOrEqual(900_000);
			}),
			{ numRuns: 1_000, seed: 1 },
		);
	});
});

describe('Retry-After', () => {
	it.each([
		['3', 3],
		['0', 0],
		['2.5', 2],
		[httpDate(NOW + 20_000), 20],
		[httpDate(NOW - 20_000), 0],
	])('%p is a pause of %i s', (value, seconds) => {
		expect(Math.floor(retryAfterMs({ 'retry-after': value }, NOW)! / 1_000)).toBe(seconds);
	});

	it('is undefined when missing or unreadable', () => {
		expect(retryAfterMs({}, NOW)).toBeUndefined();
		expect(retryAfterMs({ 'retry-after': 'a while' }, NOW)).toBeUndefined();
	});
});

describe('x-rate-limit-remaining', () => {
	it.each([
		['0', 0],
		[' 12 ', 12],
		['', undefined],
		['-1', undefined],
		['1.5', undefined],
		['many', undefined],
	])('%p means %p calls', (value, calls) => {
		expect(remainingCalls({ 'x-rate-limit-remaining': value })).toBe(calls);
	});

	it('is undefined when the service does not send it', () => {
		expect(remainingCalls({})).toBeUndefined();
	});
});
