/**
 * Requests under the account's rate limit, in virtual time: how long they take, and that none is lost. `npm run bench` measures the same durations
 * with more seeds, and how soon the nodes notice that a job has ended (rows limits and detection).
 */
import { seededRandom, runWithRandom } from '../../dev/simulation/seededRandom';
import { runBatch, type Batch } from '../../dev/simulation/simulatedBatch';
import {
	BASE_URL,
	SimulatedService,
	requestOf,
	sessionFor,
} from '../../dev/simulation/simulatedService';
import { VirtualClock } from '../../dev/simulation/virtualClock';
import { refFromSubmission } from '../../nodes/shared/request/poll/requestRef';
import { poll } from '../../nodes/shared/request/poll/poll';
import { isSuccess } from '../../nodes/shared/service/http';
import { jsonOf } from '../../nodes/shared/service/responses';

const HOUR_MS = 3_600_000;
const WINDOW_MS = 60_000;
const POLLING = { timeoutMs: HOUR_MS, pollIntervalMs: 0, isNew: true };

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

/** Each execution has one item, and shares only the rate limiter with the other executions. */
it.each([
	[40, 20_000, 40],
	[120, 400_000, 100],
])(
	'with %i executions at five calls a minute, no request expires before its result is fetched (jobs of %i ms)',
	async (count, jobMs, minAccepted) => {
		const clock = new VirtualClock();
		const random = seededRandom(19);
		const limit = { perMinute: 5 };
		const service = new SimulatedService({ clock, jobMs, limit, recordMs: HOUR_MS });
		const { client } = sessionFor(service, clock, random);
		const execution = async () => {
			const sent = await client.send(
				() => ({ method: 'POST', url: `${BASE_URL}/v2/a-model`, body: '{}', timeoutMs: 60_000 }),
				{ priority: 'submission', deadline: clock.now() + HOUR_MS },
			);
			if (!isSuccess(sent)) return 'not sent';
			const ref = refFromSubmission(jsonOf(sent));
			if (!ref) return 'unusable';
			const request = { ...ref, ...requestOf('a-model', clock, ref.request_id) };
			return (await poll({ client }, request, POLLING)).kind;
		};
		const ends = await runWithRandom(random, async () => {
			const all = Promise.all(Array.from({ length: count }, execution));
			return await clock.runUntil(all, 48 * HOUR_MS);
		});
		const accepted = service.count('submit');
		expect(accepted).toBeGreaterThanOrEqual(minAccepted);
		expect(ends.filter((end) => end === 'finished')).toHaveLength(accepted);
		expect(ends.filter((end) => end === 'not sent')).toHaveLength(count - accepted);
	},
);
