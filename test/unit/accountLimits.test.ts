/**
 * How long requests take under the account's rate limit, in virtual time. `npm run bench` measures the same durations with more seeds, and how soon
 * the nodes notice that a job has ended (rows limits and detection). rateLimiter.test.ts shows which calls go first, and when submissions wait.
 */
import { runBatch, type Batch } from '../../dev/simulation/simulatedBatch';

const WINDOW_MS = 60_000;

it.each<[number, Partial<Batch>]>([
	[1.02, { perMinute: 5, windowAgeMs: 45_000 }],
	[1.02, { perMinute: 5, reset: 'epoch' }],
	[1.08, { perMinute: 50, windowAgeMs: 20_000 }],
	[1.08, { perMinute: 50, reset: 'retryAfter' }],
	[1.08, { perMinute: 50, sendRemaining: true }],
	[1.15, { perMinute: 500 }],
	[1.15, { perMinute: 0 }],
])('a batch of 20 jobs of 5 s takes at most %f times the minimum (%j)', async (maxRatio, limit) => {
	const { durationMs, minMs, service } = await runBatch({ perMinute: 0, seed: 1, ...limit });
	expect(durationMs / minMs).toBeLessThanOrEqual(maxRatio);
	expect([service.count('submit'), service.count('result')]).toEqual([20, 20]);
});

it.each<[number, Partial<Batch>]>([
	[0.5, { processes: 4, perMinute: 300, items: 20, jobMs: 60_000 }],
	// The processes use up the limit for many minutes.
	[1.5, { processes: 3, perMinute: 60, items: 40, jobMs: 5_000 }],
])(
	'independent processes finish within %f windows of the minimum (%j)',
	async (windows, account) => {
		const { durationMs, minMs } = await runBatch({ perMinute: 0, seed: 1, ...account });
		expect(durationMs).toBeLessThanOrEqual(minMs + windows * WINDOW_MS);
	},
);
