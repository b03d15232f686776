import {
	RateLimiter,
	rateLimiterFor,
	retryAfterMs,
	type CallPriority,
} from '../../nodes/shared/service/rateLimiter';
import { VirtualClock } from '../helpers/virtualClock';

const HOUR_MS = 3_600_000;

let clock: VirtualClock;
let limiter: RateLimiter;

beforeEach(() => {
	clock = new VirtualClock();
	limiter = new RateLimiter(clock, () => 0.5);
});

interface AskOptions {
	signal?: AbortSignal;
	deadlineMs?: number;
}

/** Asks the limiter for a call. `outcome` is undefined while the call waits. */
function ask(priority: CallPriority, { signal, deadlineMs = HOUR_MS }: AskOptions = {}) {
	const asked: { outcome?: string } = {};
	void limiter
		.acquire(priority, clock.now() + deadlineMs, signal)
		.then((acquired) => (asked.outcome = acquired));
	return asked;
}

/** Makes a call that is granted at once and gets its response at once. */
async function call(priority: CallPriority, status = 200, headers: Record<string, string> = {}) {
	const asked = ask(priority);
	await clock.settle();
	expect(asked.outcome).toBe('granted');
	limiter.release(status, headers);
}

/** Returns the headers of a 429 whose window ends in this many ms. */
function resetIn(ms: number) {
	return {
		date: new Date(clock.now()).toUTCString(),
		'x-rate-limit-reset-at-utc': new Date(clock.now() + ms).toISOString(),
	};
}

/** Returns the header with the remaining calls. */
const remainingHeader = (remaining: number) => ({ 'x-rate-limit-remaining': String(remaining) });

/** Uses up a window of this many calls, so that the limiter learns the limit, and waits for the next window. */
async function learnWindow(size: number, windowMs = 60_000) {
	for (let sent = 0; sent < size; sent++) await call('submission');
	await call('submission', 429, resetIn(windowMs));
	await clock.pass(windowMs + 200);
}

/** Returns how many callers are granted a call within 3 s (a window's first calls are spread over time). Each call ends at once with 200. */
async function countGranted(priority: CallPriority, callers: number): Promise<number> {
	let granted = 0;
	for (let caller = 0; caller < callers; caller++) {
		void limiter.acquire(priority, clock.now() + HOUR_MS).then((acquired) => {
			if (acquired !== 'granted') return;
			granted++;
			limiter.release(200, {});
		});
	}
	await clock.pass(3_000);
	return granted;
}

it('does not learn a limit from failures and lost connections', async () => {
	for (const status of [500, 503, 404, 0]) await call('statusCheck', status);
	expect(await countGranted('statusCheck', 50)).toBe(50);
});

describe('after a 429', () => {
	it('pauses all calls until x-rate-limit-reset-at-utc', async () => {
		await call('statusCheck', 429, resetIn(20_000));
		const waiting = [ask('submission'), ask('statusCheck')];
		await clock.pass(19_900);
		expect(waiting.map(({ outcome }) => outcome)).toEqual([undefined, undefined]);
		await clock.pass(1_500);
		// A single call goes first, to show that the window has been reset.
		expect(waiting.map(({ outcome }) => outcome)).toEqual(['granted', undefined]);
		limiter.release(200, {});
		await clock.pass(200);
		expect(waiting.map(({ outcome }) => outcome)).toEqual(['granted', 'granted']);
	});

	it('without a reset header, backs off for about 1 s, doubled with each 429, up to 30 s', async () => {
		const pauses: number[] = [];
		for (let rejection = 0; rejection < 8; rejection++) {
			await call('submission', 429);
			pauses.push(limiter.pauseEndsAt - clock.now());
			await clock.pass(pauses[rejection]);
		}
		expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
		await call('submission');
		await call('submission', 429);
		expect(limiter.pauseEndsAt - clock.now()).toBe(1_000);
		// The pause is partly random, so that two processes don't continue at the same moment.
		limiter = new RateLimiter(clock, () => 0.999);
		await call('submission', 429);
		expect(limiter.pauseEndsAt - clock.now()).toBeGreaterThan(1_200);
	});

	it('a call of minutes holds up no other call, whether it was sent before the 429 or after it', async () => {
		ask('submission');
		await call('statusCheck', 429);
		await clock.pass(2_500);
		const waiting = [ask('submission'), ask('statusCheck')];
		await clock.pass(1_000);
		expect(waiting.map(({ outcome }) => outcome)).toEqual(['granted', undefined]);
		await clock.pass(2_000);
		expect(waiting.map(({ outcome }) => outcome)).toEqual(['granted', 'granted']);
	});

	it('counts the 429s of simultaneous calls as one', async () => {
		for (let at = 0; at < 20; at++) ask('submission');
		await clock.settle();
		for (let rejected = 0; rejected < 20; rejected++) limiter.release(429, {});
		expect(limiter.pauseEndsAt - clock.now()).toBe(1_000);
	});
});

describe('within a known limit', () => {
	const countOfGranted = (asked: Array<ReturnType<typeof ask>>) =>
		asked.filter(({ outcome }) => outcome === 'granted').length;

	it('results go first, all other calls in their order', async () => {
		await learnWindow(10);
		await call('submission', 429, resetIn(30_000));
		const waiting = [ask('statusCheck'), ask('submission'), ask('result')];
		const order: number[] = [];
		for (let turn = 0; turn < 3; turn++) {
			await clock.pass(31_000);
			order.push(waiting.findIndex(({ outcome }, at) => outcome && !order.includes(at)));
			limiter.release(429, {});
		}
		expect(order).toEqual([2, 0, 1]);
	});

	it('submissions wait while the unfinished requests need a quarter of an hour', async () => {
		await learnWindow(20);
		const stopChecks = Array.from({ length: 151 }, () => limiter.expectChecks());
		expect(await countGranted('submission', 3)).toBe(0);
		expect(await countGranted('statusCheck', 3)).toBe(3);
		stopChecks[0]();
		await clock.pass(200);
		expect(limiter.budget.calls).toBe(14);
	});

	it('one call at a time tries whether more calls are allowed', async () => {
		await learnWindow(6);
		expect(await countGranted('submission', 6)).toBe(6);
		const extra = [ask('submission'), ask('submission'), ask('submission')];
		await clock.settle();
		expect(countOfGranted(extra)).toBe(1);
		limiter.release(200, {});
		await clock.pass(200);
		expect(countOfGranted(extra)).toBe(2);
	});

	it('calls of minutes that use it up hold up no other call', async () => {
		await learnWindow(5);
		await call('submission');
		for (let sent = 0; sent < 5; sent++) ask('submission');
		await clock.pass(60_000);
		const waiting = [ask('statusCheck'), ask('result')];
		await clock.pass(100);
		expect(countOfGranted(waiting)).toBe(1);
		await clock.pass(2_000);
		expect(countOfGranted(waiting)).toBe(2);
	});

	it.each([
		[20, 3],
		[400, 20],
	])('with a limit of %i a minute, at most %i calls start in 100 ms', async (limit, max) => {
		await learnWindow(limit);
		await call('submission');
		await clock.pass(200);
		const asked = Array.from({ length: limit - 1 }, () => ask('submission'));
		await clock.settle();
		expect(countOfGranted(asked)).toBe(max);
		await clock.pass(100);
		expect(countOfGranted(asked)).toBe(Math.min(2 * max, limit - 1));
	});
});

describe('the limit', () => {
	it('is the number of calls in the window before a 429, not in the hours before it', async () => {
		for (let minute = 0; minute < 60; minute++) {
			await countGranted('statusCheck', 8);
			await clock.pass(60_000);
		}
		await learnWindow(10, 30_000);
		expect(limiter.limit).toBe(10);
	});

	it('is learned from x-rate-limit-remaining, even while other processes use the account', async () => {
		for (const remaining of [7, 6, 5]) await call('submission', 200, remainingHeader(remaining));
		expect(limiter.limit).toBe(8);
		await clock.pass(100);
		await call('submission', 200, remainingHeader(1));
		expect(limiter.limit).toBe(5);
		expect(limiter.budget.calls).toBe(1);
	});

	it('keeps its window if responses arrive out of order', async () => {
		for (const remaining of [19, 18]) await call('submission', 200, remainingHeader(remaining));
		await clock.pass(5_000);
		for (let sent = 0; sent < 3; sent++) ask('submission');
		await clock.settle();
		for (const remaining of [15, 17, 16]) limiter.release(200, remainingHeader(remaining));
		expect(limiter.budget).toEqual({ calls: 15, ms: 55_000, unfinished: 0 });
	});

	it('is not learned from a 429 after fewer calls than the smallest published limit', async () => {
		await call('statusCheck', 429, resetIn(60_000));
		expect(limiter.limit).toBeUndefined();
		await clock.pass(61_000);
		limiter.expectChecks();
		expect(await countGranted('submission', 40)).toBe(40);
	});

	it('grows if more calls succeed than it allows', async () => {
		await learnWindow(6);
		expect(await countGranted('result', 30)).toBe(30);
		expect(limiter.limit).toBe(30);
	});
});

describe('a waiter', () => {
	it('ends if its deadline comes first', async () => {
		await call('submission', 429, resetIn(60_000));
		const impatient = ask('statusCheck', { deadlineMs: 5_000 });
		await clock.pass(4_900);
		expect(impatient.outcome).toBeUndefined();
		await clock.pass(400);
		expect(impatient.outcome).toBe('deadlinePassed');
	});

	it('ends at once on Stop', async () => {
		await call('submission', 429, resetIn(60_000));
		const stop = new AbortController();
		const stopped = [
			ask('submission', { signal: stop.signal }),
			ask('statusCheck', { signal: stop.signal }),
		];
		const other = ask('submission');
		await clock.settle();
		stop.abort();
		stopped.push(ask('submission', { signal: stop.signal }));
		await clock.settle();
		expect(stopped.map(({ outcome }) => outcome)).toEqual(['stopped', 'stopped', 'stopped']);
		await clock.pass(61_000);
		expect(other.outcome).toBe('granted');
	});

	it('that was stopped takes no call away from the waiters behind it', async () => {
		await learnWindow(5);
		const stop = new AbortController();
		await call('submission');
		const running = Array.from({ length: 4 }, () => ask('submission'));
		await clock.pass(1_000);
		const stopped = ask('submission', { signal: stop.signal });
		const next = ask('submission');
		stop.abort();
		for (let done = 0; done < running.length; done++) limiter.release(200, {});
		await clock.settle();
		expect([stopped.outcome, next.outcome]).toEqual(['stopped', 'granted']);
	});
});

describe('the pause after a 429', () => {
	/** Returns how long the limiter pauses after a 429 with these headers that arrives this long after 10:00. */
	async function pauseFor(headers: Record<string, string>, laterMs = 0) {
		await clock.pass(laterMs);
		await call('statusCheck', 429, headers);
		return limiter.pauseEndsAt - clock.now();
	}
	const httpDate = (at: number) => new Date(at).toUTCString();
	const NOW = Date.UTC(2026, 0, 15, 10, 0, 0);
	const DAY_MS = 24 * HOUR_MS;
	const RESET = '2026-01-15T10:00:30Z';

	it.each<[string, Record<string, string>, number]>([
		[RESET, {}, 30],
		['2026-01-15T15:30:30+05:30', {}, 30],
		// The header's name says UTC, so a time without a zone is UTC.
		['2026-01-15T10:00:30', {}, 30],
		[String((NOW + 30_000) / 1_000), {}, 30],
		// The reset is a time of the service's clock.
		['2026-01-14T10:00:30Z', { date: httpDate(NOW - DAY_MS) }, 30],
		[RESET, { 'retry-after': '5' }, 30],
		['soon', { 'retry-after': '5' }, 5],
		['2026-01-15T09:00:00Z', {}, 1],
		['2036-01-15T10:00:30Z', {}, 900],
	])('for the reset %p and the headers %j is %i s', async (reset, headers, seconds) => {
		const pause = await pauseFor({ 'x-rate-limit-reset-at-utc': reset, ...headers });
		expect(Math.floor(pause / 1_000)).toBe(seconds);
	});

	it.each([
		[999, 29_151],
		// The response took a while to arrive.
		[1_300, 29_150],
		// Our clock differs: the service's time is at least its date header.
		[1_600, 30_150],
	])('is exact to the millisecond, %i ms after the date header', async (laterMs, pauseMs) => {
		const headers = { 'x-rate-limit-reset-at-utc': RESET, date: httpDate(NOW) };
		expect(await pauseFor(headers, laterMs)).toBe(pauseMs);
	});

	it.each([
		['3', 3],
		['2.5', 2],
		[httpDate(NOW + 20_000), 20],
		[httpDate(NOW - 20_000), 0],
		['a while', NaN],
	])('Retry-After: %p is a pause of %p s', (value, seconds) => {
		expect(Math.floor(retryAfterMs({ 'retry-after': value }, NOW)! / 1_000)).toBe(seconds);
	});
});

it('there is one limiter per credential, shared by all executions', () => {
	expect(rateLimiterFor('a|https://x.test')).toBe(rateLimiterFor('a|https://x.test'));
	expect(rateLimiterFor('a|https://x.test')).not.toBe(rateLimiterFor('b|https://x.test'));
});
