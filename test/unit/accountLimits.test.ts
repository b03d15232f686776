/**
 * Requests under the account's rate limit, in virtual time: how long they take, how soon their end is seen, and that nothing is lost. A few seeds
 * each; `npm run bench` measures the same with many (rows simulatedLimits, detection and processes).
 */
import { seeded, withRandom } from '../../dev/simulation/seeded';
import { prepare, runBatch, type Batch } from '../../dev/simulation/simulatedBatch';
import { runProcesses, type Sharing } from '../../dev/simulation/simulatedProcesses';
import {
	BASE_URL,
	SimulatedService,
	runJob,
	sessionFor,
} from '../../dev/simulation/simulatedService';
import { VirtualClock } from '../../dev/simulation/virtualClock';
import { refFromId, refFromSubmission } from '../../nodes/shared/request/result/requestRef';
import { waitFor } from '../../nodes/shared/request/wait/wait';
import { jsonOf } from '../../nodes/shared/service/answers';

const HOUR_MS = 3_600_000;
const WINDOW_MS = 60_000;
const WAITING = { isOwn: true, timeoutMs: HOUR_MS, pollIntervalMs: 0, label: 'a-model' };

describe('a batch', () => {
	it.each<Partial<Batch>>([
		{ perMinute: 5 },
		{ perMinute: 5, windowAgeMs: 45_000 },
		{ perMinute: 5, reset: 'epoch' },
		{ perMinute: 50, windowAgeMs: 20_000 },
		{ perMinute: 50, reset: 'retryAfter' },
		{ perMinute: 50, sendRemaining: true },
		{ perMinute: 500 },
		{ perMinute: 500, windowAgeMs: 20_000 },
		{ perMinute: 0 },
	])('of 20 jobs of 5 s takes at most a quarter more than the least (%j)', async (limit) => {
		const { took, least, service } = await runBatch({ perMinute: 0, seed: 1, ...limit });
		expect(took / least).toBeLessThanOrEqual(1.25);
		expect([service.count('submit'), service.count('result')]).toEqual([20, 20]);
	});

	it.each([
		{ items: 20, jobMs: 60_000, perMinute: 60, sendRemaining: true, mostS: 85 },
		{ items: 20, jobMs: 20_000, perMinute: 300, sendRemaining: true, mostS: 28 },
		{ items: 20, jobMs: 5_000, perMinute: 50, reset: 'none', mostS: 120 } as const,
		// As a thousand at 1,000 a minute: three calls each are three windows.
		{ items: 100, jobMs: 60_000, perMinute: 100, mostS: 125 },
	])('is done about as soon as the limit allows (%j)', async ({ mostS, ...batch }) => {
		const { took } = await runBatch({ ...batch, seed: 1 });
		expect(took).toBeLessThanOrEqual(1_000 * mostS);
	});
});

/** All calls but the results are status calls here: nothing urgent tells the limiter what is allowed. */
it.each([
	[120, 120, 1.25],
	[5, 3, 1.25 * 8],
])(
	'20 results that are waited for at %i a minute, of which others took %i, need %p windows at most',
	async (perMinute, takenByOthers, windows) => {
		const ids = Array.from({ length: 20 }, (_unused, at) => `known-${at}`);
		const random = seeded(8);
		const { clock, service, session } = prepare({ perMinute, seed: 8 }, random, 1_000, ids);
		for (let call = 0; call < takenByOthers; call++) service.limiter.count();
		await clock.advance(2_000);
		const start = clock.now();
		const ended = async (id: string) => {
			const waiting = { ...WAITING, acceptedAt: clock.now(), checkAtOnce: true };
			return await waitFor(session, refFromId(id, BASE_URL), waiting);
		};
		await withRandom(random, async () => await clock.runUntil(Promise.all(ids.map(ended))));
		expect(clock.now() - start).toBeLessThanOrEqual(windows * WINDOW_MS);
	},
);

it.each([
	{ jobS: 5, perMinute: 0, jobs: 1, lateMs: 1_200, checks: Infinity },
	{ jobS: 60, perMinute: 0, jobs: 1, lateMs: 1_200, checks: Infinity },
	{ jobS: 60, perMinute: 60, jobs: 1, lateMs: 1_200, checks: 31 },
	{ jobS: 60, perMinute: 300, jobs: 5, lateMs: 1_200, checks: 155 },
	// Of ten a minute one is left for the submission and one for the result.
	{ jobS: 60, perMinute: 10, jobs: 1, lateMs: Infinity, checks: 8 },
])(
	'the end of a request is seen after about a second, where the limit allows, and nothing is refused (%j)',
	async ({ jobS, perMinute, jobs, lateMs, checks }) => {
		const RUNS = 8;
		const LATENCY_MS = 40;
		let late = 0;
		let calls = 0;
		let minutes = 0;
		for (let seed = 0; seed < RUNS; seed++) {
			const random = seeded(seed);
			await withRandom(random, async () => {
				const clock = new VirtualClock();
				// No job ends in step with the status checks.
				const jobMs = jobS * 1_000 * (0.9 + (0.2 * (seed + 0.5)) / RUNS);
				const limit = perMinute > 0 ? { perMinute, sendRemaining: true } : undefined;
				const service = new SimulatedService({ clock, jobMs, limit, latencyMs: LATENCY_MS });
				const session = sessionFor(service, clock, random);
				const start = clock.now();
				const one = async () => {
					await runJob(session);
					// The result is one more call, and so is the way of the submission.
					late += (clock.now() - start - jobMs - 1.5 * LATENCY_MS) / (jobs * RUNS);
				};
				await clock.runUntil(Promise.all(Array.from({ length: jobs }, one)));
				calls += service.count('status');
				minutes += (clock.now() - start) / WINDOW_MS;
				expect(service.calls.filter(({ status }) => status === 429)).toEqual([]);
			});
		}
		expect(late).toBeLessThanOrEqual(lateMs);
		expect(calls / minutes).toBeLessThanOrEqual(checks);
	},
);

describe('processes that know nothing of each other', () => {
	const finishedOf = async (sharing: Omit<Sharing, 'seed'>, spareMs: number) => {
		const { shares, tookMs, leastMs } = await runProcesses({ ...sharing, seed: 1 });
		expect(shares.map(({ finished }) => finished)).toEqual(shares.map(() => sharing.jobs));
		expect(tookMs).toBeLessThanOrEqual(leastMs + spareMs);
		return shares;
	};

	// A window or two more where three calls a job are not enough: looks that come too early, and refusals.
	it.each([false, true])('finish in little more than the least (%p)', async (sendRemaining) => {
		const account = { processes: 4, perMinute: 300, sendRemaining };
		await finishedOf({ ...account, jobs: 20, jobMs: 60_000 }, 125_000);
	});

	it('do not starve while the limit is used up for many minutes', async () => {
		const account = { processes: 3, perMinute: 60, sendRemaining: false };
		const shares = await finishedOf({ ...account, jobs: 40, jobMs: 5_000 }, 2 * WINDOW_MS);
		for (const { overFair } of shares) expect(overFair).toBeGreaterThanOrEqual(0.5);
	});
});

/** Each execution has one item and knows nothing of the others but the rate limiter they share. */
it.each([20_000, 400_000])(
	'of 120 executions at five calls a minute none expires unseen (jobs of %i ms)',
	async (jobMs) => {
		const clock = new VirtualClock();
		const random = seeded(19);
		const limit = { perMinute: 5 };
		const service = new SimulatedService({ clock, jobMs, limit, recordMs: HOUR_MS });
		const { client } = sessionFor(service, clock, random);
		const execution = async () => {
			const sent = await client.send(
				() => ({ method: 'POST', url: `${BASE_URL}/v2/a-model`, body: '{}', limitMs: 60_000 }),
				{ purpose: 'submission', deadline: clock.now() + HOUR_MS },
			);
			if (sent.kind !== 'answer') return 'not sent';
			const ref = refFromSubmission(jsonOf(sent.answer));
			const waiting = { ...WAITING, acceptedAt: clock.now(), checkAtOnce: false };
			return ref ? (await waitFor({ client }, ref, waiting)).kind : 'unusable';
		};
		const ends = await withRandom(random, async () => {
			const all = Promise.all(Array.from({ length: 120 }, execution));
			return await clock.runUntil(all, 48 * HOUR_MS);
		});
		const accepted = service.count('submit');
		expect(accepted).toBeGreaterThan(0);
		expect(ends.filter((end) => end === 'finished')).toHaveLength(accepted);
		expect(ends.filter((end) => end === 'not sent')).toHaveLength(120 - accepted);
	},
);
