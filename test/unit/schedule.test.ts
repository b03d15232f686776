/** When the node checks a running request again: the formula, and the wait between two checks. */
import { AcceptedRequest } from '../../nodes/shared/request/poll/acceptedRequest';
import { checkIntervalMs, scheduleOf } from '../../nodes/shared/request/poll/schedule';
import { SERVICE_URLS } from '../../nodes/shared/service/addresses';
import type { Client } from '../../nodes/shared/service/client';
import { RateLimiter } from '../../nodes/shared/service/rateLimiter';
import { seededRandom } from '../helpers/seededRandom';
import { VirtualClock } from '../helpers/virtualClock';

/** A model that isn't in the catalogue. */
const MODEL = 'a-model';

/** Returns what a schedule uses of a run's client. Runs of one process share the rate limiter. */
function clientOn(clock: VirtualClock, limiter = new RateLimiter(clock, seededRandom(2))): Client {
	return { clock, limiter, random: seededRandom(1), urls: SERVICE_URLS } as unknown as Client;
}

/** Returns a request that was accepted at a time, by default now. */
function requestOf(model: string, clock: VirtualClock, at = clock.now()): AcceptedRequest {
	const submitted_at = new Date(at).toISOString();
	return new AcceptedRequest({ request_id: 'a-request', model, submitted_at });
}

const plan = {
	pollIntervalMs: 0,
	elapsedMs: 0,
	ageMs: 0,
	callsLeft: Infinity,
	windowLeftMs: 60_000,
	unfinished: 1,
	randomValue: 0.5,
};

describe('the time to the next check', () => {
	const intervalMs = (more: Partial<typeof plan> & { usualMs?: number }) =>
		checkIntervalMs({ ...plan, ...more });

	it('grows with the age of a request, up to a maximum that is higher for many requests', () => {
		const ages = [0, 8_000, 400_000].map((elapsedMs) => intervalMs({ elapsedMs }));
		expect(ages).toEqual([...ages].sort((one, other) => one - other));
		expect(ages[0]).toBe(1_000);
		expect(intervalMs({ elapsedMs: 400_000, unfinished: 20 })).toBeGreaterThan(ages[2]);
		expect(intervalMs({ elapsedMs: 400_000, unfinished: 1_000 })).toBeLessThanOrEqual(14_000);
	});

	it('is shortest around the usual time, and longer before and after it', () => {
		const at = (ageMs: number) => intervalMs({ elapsedMs: ageMs, ageMs, usualMs: 60_000 });
		const [early, near, late] = [at(12_000), at(60_000), at(200_000)];
		expect(near).toBeLessThan(early);
		expect(near).toBeLessThan(late);
		expect(late).toBeCloseTo(intervalMs({ elapsedMs: 200_000 }), -0.5);
	});

	it('varies by up to a quarter, so that the requests of a batch are not checked in step', () => {
		expect(checkIntervalMs({ ...plan, elapsedMs: 10_000, randomValue: 0 })).toBe(1_500);
		expect(checkIntervalMs({ ...plan, elapsedMs: 10_000, randomValue: 1 })).toBe(2_500);
	});

	it('spreads the remaining calls over the rest of the window, and keeps one for each result', () => {
		const limited = { ...plan, unfinished: 10, callsLeft: 30, windowLeftMs: 30_000 };
		expect(checkIntervalMs(limited)).toBeCloseTo(0.7 * 15_000);
		expect(checkIntervalMs({ ...limited, callsLeft: 15 })).toBeCloseTo(0.7 * 30_000);
		expect(checkIntervalMs({ ...limited, callsLeft: 0 })).toBeCloseTo(0.7 * 30_000);
		expect(checkIntervalMs({ ...limited, callsLeft: 1 })).toBe(30_000);
	});

	it('is the interval that the user chose, to the millisecond, but at least 50 ms', () => {
		for (const elapsedMs of [0, 5_000, 3_600_000])
			expect(
				checkIntervalMs({
					...plan,
					pollIntervalMs: 7_000,
					elapsedMs,
					ageMs: elapsedMs,
					usualMs: 60_000,
					callsLeft: 1,
					randomValue: 0.9,
				}),
			).toBe(7_000);
		for (const pollIntervalMs of [5e-324, 0.001, 49])
			expect(checkIntervalMs({ ...plan, pollIntervalMs })).toBe(50);
	});
});

describe('waiting for the next check', () => {
	/** Prepares a run whose requests were accepted at the same time. */
	function prepare() {
		const clock = new VirtualClock();
		const client = clientOn(clock);
		for (let other = 0; other < 100; other++) client.limiter.expectChecks();
		const acceptedAt = clock.now();
		const scheduled = (label = MODEL, pollIntervalMs = 0) =>
			scheduleOf(client, requestOf(label, clock, acceptedAt), pollIntervalMs);
		return { clock, acceptedAt, scheduled, limiter: client.limiter };
	}

	/** Returns how long the wait after a check at 40 s takes, in ms, if a request of the model `otherLabel` is seen to end during the wait. */
	async function waitAfterCheck(otherLabel: string, label = MODEL, pollIntervalMs = 0) {
		const { clock, acceptedAt, scheduled } = prepare();
		await clock.pass(40_000);
		const waiting = scheduled(label, pollIntervalMs).waitForNextCheck(clock.now(), Infinity);
		await clock.pass(1_000);
		scheduled(otherLabel).learnDuration(41_000);
		await clock.runUntil(waiting);
		return clock.now() - acceptedAt - 40_000;
	}

	it('ends when the request has run as long as an earlier request of its model', async () => {
		expect(await waitAfterCheck(MODEL)).toBeLessThanOrEqual(1_250);
		expect(await waitAfterCheck('another-model')).toBeGreaterThan(3_000);
		expect(await waitAfterCheck(MODEL, MODEL, 9_000)).toBe(9_000);
	});

	it.each([
		[150, 1_000, 1_250],
		[50, 3_000, 90_000],
	])(
		'leaves enough calls of a known limit for the results: %i left for 100 requests',
		async (remaining, minMs, maxMs) => {
			const { clock, scheduled, limiter } = prepare();
			await clock.pass(40_000);
			await limiter.acquire('result', Infinity);
			limiter.release(200, { 'x-rate-limit-remaining': String(remaining) });
			scheduled().learnDuration(41_000);
			const start = clock.now();
			await clock.runUntil(scheduled().waitForNextCheck(start, Infinity));
			expect(clock.now() - start).toBeGreaterThanOrEqual(minMs);
			expect(clock.now() - start).toBeLessThanOrEqual(maxMs);
		},
	);

	it('ends once at the mean duration of earlier requests, and then follows intervals again', async () => {
		const { clock, acceptedAt, scheduled } = prepare();
		const schedule = scheduled();
		for (const ms of [44_000, 46_000]) scheduled().learnDuration(ms);
		await clock.pass(43_900);
		await clock.runUntil(schedule.waitForNextCheck(clock.now(), Infinity));
		expect(clock.now() - acceptedAt).toBeGreaterThanOrEqual(45_000);
		expect(clock.now() - acceptedAt).toBeLessThanOrEqual(45_250);
		const waitAfter = async (checkedAt: number) => {
			await clock.runUntil(schedule.waitForNextCheck(checkedAt, Infinity));
			return clock.now() - checkedAt;
		};
		const next = await waitAfter(clock.now());
		expect(next).toBeGreaterThanOrEqual(750);
		expect(next).toBeLessThanOrEqual(1_250);
		await clock.pass(acceptedAt + 65_000 - clock.now());
		const later = await waitAfter(clock.now());
		expect(later).toBeGreaterThanOrEqual(3_000);
		expect(later).toBeLessThanOrEqual(5_000);
	});

	describe('the wait for the first check follows the usual duration', () => {
		/** Returns the wait in ms if requests of an earlier run on the account took the times in `seen`. `seenLabel` is the model of these requests. */
		async function firstWait(label: string, seen: number[], seenLabel = label) {
			const clock = new VirtualClock();
			const earlier = clientOn(clock);
			const { limiter } = earlier;
			const client = clientOn(clock, limiter);
			const acceptedAt = clock.now();
			const seenSchedule = scheduleOf(earlier, requestOf(seenLabel, clock), 0);
			for (const ms of seen) seenSchedule.learnDuration(ms);
			const schedule = scheduleOf(client, requestOf(label, clock), 0);
			await clock.runUntil(schedule.waitForNextCheck(clock.now(), Infinity));
			return clock.now() - acceptedAt;
		}
		const many = (ms: number) => new Array<number>(20).fill(ms);
		const PUBLISHED = 'nano-banana-pro';

		it.each<[string, string, number[], number, number, string?]>([
			['unknown', MODEL, [], 750, 1_250],
			['of another model', MODEL, [60_000], 750, 1_250, 'another-model'],
			['of requests whose model is unknown', '', [60_000], 750, 1_250],
			['of one request', MODEL, [60_000], 3_000, 5_000],
			[
				'of recent requests, which were short',
				MODEL,
				[...many(400_000), ...many(10_000)],
				750,
				2_000,
			],
			[
				'of recent requests, which were long',
				MODEL,
				[...many(10_000), ...many(400_000)],
				3_000,
				5_000,
			],
			['published', PUBLISHED, [], 3_000, 5_000],
			['published, but measured shorter', PUBLISHED, [5_000], 750, 1_250],
			['negative because a clock was set back', MODEL, [-5_000], 750, 1_250],
			['of zero', MODEL, [0], 750, 1_250],
		])('%s', async (_what, label, seen, minMs, maxMs, seenLabel = label) => {
			const ms = await firstWait(label, seen, seenLabel);
			expect(ms).toBeGreaterThanOrEqual(minMs);
			expect(ms).toBeLessThanOrEqual(maxMs);
		});

		it('which is forgotten for the oldest of hundreds of models, so that memory stays bounded', async () => {
			const clock = new VirtualClock();
			const client = clientOn(clock);
			const scheduleFor = (label: string) => scheduleOf(client, requestOf(label, clock), 0);
			scheduleFor(MODEL).learnDuration(60_000);
			for (let at = 0; at < 500; at++) scheduleFor(`model ${at}`).learnDuration(60_000);
			const start = clock.now();
			await clock.runUntil(scheduleFor(MODEL).waitForNextCheck(start, Infinity));
			expect(clock.now() - start).toBeLessThanOrEqual(1_250);
		});
	});
});
