import { waitFor } from '../../nodes/shared/request/wait/wait';
import { refFromId } from '../../nodes/shared/request/result/requestRef';
import { seeded, withRandom } from '../../dev/simulation/seeded';
import {
	ITEMS,
	JOB_MS,
	WINDOW_MS,
	prepare,
	runBatch,
	type Batch,
} from '../../dev/simulation/simulatedBatch';
import { BASE_URL } from '../../dev/simulation/simulatedService';

describe('20 jobs of 5 s under a limit of', () => {
	const cases: Batch[] = [5, 50, 500].flatMap((perMinute) =>
		[1, 2, 3].flatMap((seed) =>
			[0, 20_000, 45_000].map((windowAgeMs) => ({ perMinute, seed, windowAgeMs })),
		),
	);

	it.each(cases)(
		'$perMinute a minute, in a window $windowAgeMs ms old, take at most a quarter more than the least (seed $seed)',
		async (batch) => {
			const { took, least } = await runBatch(batch);
			expect(took / least).toBeLessThanOrEqual(1.25);
		},
	);

	it.each<Partial<Batch>>([{ reset: 'epoch' }, { reset: 'retryAfter' }, { sendRemaining: true }])(
		'5 and 50 a minute do so also with %p',
		async (headers) => {
			for (const perMinute of [5, 50]) {
				const { took, least } = await runBatch({ perMinute, seed: 4, ...headers });
				expect(took / least).toBeLessThanOrEqual(1.25);
			}
		},
	);

	it('5 a minute are submitted once each, and what was submitted is seen to end before the last is sent', async () => {
		const { service } = await runBatch({ perMinute: 5, seed: 5 });
		expect(service.count('submit')).toBe(ITEMS);
		expect(service.count('result')).toBe(ITEMS);
		const answered = service.calls.filter(({ status }) => status === 200).map(({ kind }) => kind);
		const beforeLast = answered.slice(0, answered.lastIndexOf('submit'));
		expect(beforeLast).toContain('status');
	});

	it('50 a minute still end when no answer says when the window resets', async () => {
		const { took, service } = await runBatch({ perMinute: 50, reset: 'none', seed: 6 });
		expect(took).toBeLessThanOrEqual(2 * WINDOW_MS);
		expect(service.calls.length).toBeLessThan(15 * ITEMS);
	});

	it.each<Partial<Batch>>([{ perMinute: 0 }, { perMinute: 500 }, { sendRemaining: true }])(
		'take a ninth more than the job itself where the limit leaves enough (%p)',
		async (limit) => {
			const over: number[] = [];
			for (let seed = 0; seed < 21; seed++)
				over.push((await runBatch({ perMinute: 500, ...limit, seed })).took / JOB_MS);
			over.sort((one, other) => one - other);
			expect(over[10]).toBeLessThanOrEqual(1.11);
			expect(over[20]).toBeLessThanOrEqual(1.15);
		},
	);

	it('500 a minute and without a limit are done in a quarter more than the job itself', async () => {
		for (const perMinute of [500, 0]) {
			const { took, service } = await runBatch({ perMinute, seed: 7 });
			expect(took).toBeLessThanOrEqual(1.25 * JOB_MS);
			expect(service.calls.every(({ status }) => status === 200)).toBe(true);
		}
	});
});

describe('jobs of usual length', () => {
	it.each([
		{ items: 20, jobMs: 60_000, perMinute: 60, sendRemaining: true, mostS: 85 },
		{ items: 20, jobMs: 20_000, perMinute: 300, sendRemaining: true, mostS: 28 },
		// As a thousand at 1,000 a minute: three calls each are three windows.
		{ items: 100, jobMs: 60_000, perMinute: 100, sendRemaining: false, mostS: 125 },
		{ items: 100, jobMs: 60_000, perMinute: 100, sendRemaining: true, mostS: 125 },
	])('are done about as soon as the limit allows (%j)', async ({ mostS, ...batch }) => {
		for (const seed of [1, 2, 3])
			expect((await runBatch({ ...batch, seed })).took).toBeLessThanOrEqual(1_000 * mostS);
	});
});

describe('20 results that are only waited for', () => {
	/** All calls but the results are status calls here: nothing urgent tells the gate what is allowed. */
	async function waitForAll(perMinute: number, takenByOthers: number) {
		const ids = Array.from({ length: ITEMS }, (_, at) => `known-${at}`);
		const random = seeded(8);
		const { clock, service, session } = prepare({ perMinute, seed: 8 }, random, 1_000, ids);
		for (let call = 0; call < Math.min(takenByOthers, perMinute); call++) service.limiter.count();
		await clock.advance(2_000);
		const start = clock.now();
		const ended = async (id: string) =>
			await waitFor(session, refFromId(id, BASE_URL), {
				acceptedAt: clock.now(),
				isOwn: true,
				timeoutMs: 3_600_000,
				pollIntervalMs: 0,
				label: 'a-model',
				checkAtOnce: true,
			});
		await withRandom(random, async () => await clock.runUntil(Promise.all(ids.map(ended))));
		return clock.now() - start;
	}

	it.each([50, 120, 500])(
		'come in the next window when others have used this one up, at %i a minute',
		async (perMinute) => {
			expect(await waitForAll(perMinute, perMinute)).toBeLessThan(1.25 * WINDOW_MS);
		},
	);

	it('come about as fast as 5 a minute allow, whatever others had left', async () => {
		for (const taken of [0, 1, 3, 5])
			expect(await waitForAll(5, taken)).toBeLessThanOrEqual(1.25 * 8 * WINDOW_MS);
	});
});
