import fc from 'fast-check';

import { JobLookup, type Calls } from '../../nodes/SegmindFineTuneTrigger/jobLookup';
import { addWaiting, removeWaiting } from '../../nodes/SegmindFineTuneTrigger/waitingDeliveries';
import { VirtualClock } from '../../dev/simulation/virtualClock';

const MINUTE = 60_000;

interface Service {
	jobs: Record<string, string>;
	limit?: number;
	/** How the list is answered. */
	list?: 'whole' | 'page' | 'none';
	latencyMs?: number;
}

/** A lookup, the service it asks, and when it was asked. */
function lookupOf(service: Service) {
	const clock = new VirtualClock();
	const lookup = new JobLookup(clock);
	const asked: Array<{ at: number; jobId?: string }> = [];
	const calls: Calls = {
		limit: () => service.limit,
		job: async (jobId) => {
			asked.push({ at: clock.now(), jobId });
			await clock.sleep(service.latencyMs ?? 100);
			const status = service.jobs[jobId];
			return status === undefined
				? { kind: 'final', why: 'no such job', isUnknown: true }
				: { kind: 'job', status, job: { id: jobId, status } };
		},
		list: async () => {
			asked.push({ at: clock.now() });
			await clock.sleep(service.latencyMs ?? 100);
			const jobs = Object.entries(service.jobs).map(([id, status]) => ({ id, status }));
			return service.list === 'none'
				? { why: 'HTTP 404' }
				: { jobs, isWhole: service.list !== 'page' };
		},
	};
	const ask = async (jobId: string, forMs = 1.5 * MINUTE, since = 0) => {
		const until = clock.now() + forMs;
		return await lookup.answerFor({ jobId, since, until: () => until }, calls);
	};
	return { clock, lookup, asked, ask };
}

/** The most calls in any minute. */
function busiest(asked: Array<{ at: number }>): number {
	return Math.max(
		0,
		...asked.map(
			({ at }) => asked.filter((other) => other.at >= at && other.at < at + MINUTE).length,
		),
	);
}

it('asks for a job by itself while that costs little', async () => {
	const { clock, asked, ask } = lookupOf({ jobs: { real: 'AVAILABLE' } });
	expect(await clock.runUntil(ask('real'))).toMatchObject({ kind: 'job', status: 'AVAILABLE' });
	expect(await clock.runUntil(ask('invented'))).toMatchObject({ kind: 'final' });
	expect(asked.map(({ jobId }) => jobId)).toEqual(['real', 'invented']);
});

it('asks once for those that come together, and never again for an unknown one', async () => {
	const { clock, asked, ask, lookup } = lookupOf({ jobs: {} });
	await clock.runUntil(Promise.all([ask('x'), ask('x'), ask('x')]));
	expect(lookup.isUnknown('x')).toBe(true);
	await clock.runUntil(ask('x'));
	expect(asked).toHaveLength(1);
	await clock.runUntil(clock.sleep(10 * MINUTE));
	expect(lookup.isUnknown('x')).toBe(false);
});

it('lets one list decide on many', async () => {
	const { clock, asked, ask, lookup } = lookupOf({ jobs: { real: 'AVAILABLE' } });
	const answers = await clock.runUntil(
		Promise.all([
			...Array.from({ length: 19 }, async (_unused, at) => await ask(`forged ${at}`)),
			ask('real'),
		]),
	);
	expect(answers.filter(({ kind }) => kind === 'job')).toHaveLength(1);
	expect(asked).toHaveLength(4);
	expect(lookup.isUnknown('another')).toBe(true);
	expect(lookup.isUnknown('real')).toBe(false);
	await clock.runUntil(clock.sleep(MINUTE));
	expect(lookup.isUnknown('another')).toBe(false);
});

it('checks a job again that the list showed too early', async () => {
	const service: Service = { jobs: { real: 'DEPLOYING' } };
	const { clock, ask } = lookupOf(service);
	await clock.runUntil(Promise.all(['a', 'b', 'c', 'd', 'real'].map(async (id) => await ask(id))));
	service.jobs.real = 'AVAILABLE';
	expect(await clock.runUntil(ask('real', 1.5 * MINUTE, clock.now()))).toMatchObject({
		status: 'AVAILABLE',
	});
});

it.each(['page', 'none'] as const)(
	'does not take a job for unknown because a list is not there or not whole (%s)',
	async (list) => {
		const service: Service = { jobs: { real: 'AVAILABLE' }, list };
		const { clock, ask, lookup } = lookupOf(service);
		await clock.runUntil(Promise.all(['a', 'b', 'c', 'd'].map(async (id) => await ask(id))));
		expect(lookup.isUnknown('other')).toBe(false);
		expect(await clock.runUntil(ask('real'))).toMatchObject({ kind: 'job' });
	},
);

it('gives up in time', async () => {
	const { clock, asked, ask } = lookupOf({ jobs: {}, list: 'none', limit: 10 });
	await clock.runUntil(ask('a'));
	const before = clock.now();
	expect(await clock.runUntil(ask('b', 5_000))).toMatchObject({ kind: 'transient' });
	expect(clock.now() - before).toBeLessThanOrEqual(5_200);
	expect(asked.map(({ jobId }) => jobId)).toEqual([undefined, 'a']);
});

it('any deliveries: at most a tenth of the limit in any minute, and the real ones get in', async () => {
	await fc.assert(
		fc.asyncProperty(
			fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
			fc.array(
				fc.record({
					afterMs: fc.nat(5_000),
					id: fc.oneof(fc.constantFrom('real 1', 'real 2'), fc.uuid()),
				}),
				{ maxLength: 60 },
			),
			fc.constantFrom('whole', 'page', 'none'),
			fc.integer({ min: 1, max: 3_000 }),
			async (limit, deliveries, list, latencyMs) => {
				const { clock, asked, ask, lookup } = lookupOf({
					jobs: { 'real 1': 'AVAILABLE', 'real 2': 'AVAILABLE' },
					limit,
					list,
					latencyMs,
				});
				const answers: Array<Promise<void>> = [];
				for (const { afterMs, id } of deliveries) {
					await clock.runUntil(clock.sleep(afterMs));
					// As the trigger does: one that is certainly unknown does not wait, and few wait at once.
					if (lookup.isUnknown(id)) {
						expect(id).not.toMatch(/real/);
						continue;
					}
					answers.push(
						ask(id).then((answer) => {
							if (answer.kind === 'job') expect(id).toMatch(/real/);
							else if (list === 'whole') expect(id).not.toMatch(/real/);
						}),
					);
				}
				await clock.runUntil(Promise.all(answers));
				expect(busiest(asked)).toBeLessThanOrEqual(
					limit === undefined ? 6 : Math.max(1, Math.floor(limit / 10)),
				);
			},
		),
		{ numRuns: 300, seed: 1 },
	);
});

it('places: twenty at most, a megabyte at most, one for a job and event', () => {
	fc.assert(
		fc.property(
			fc.array(
				fc.record({
					key: fc.integer({ max: 40, min: 0 }).map(String),
					size: fc.integer({ min: 2, max: 64_000 }),
					leave: fc.boolean(),
				}),
				{ maxLength: 120 },
			),
			(steps) => {
				const held = new Map<string, number>();
				for (const { key, size, leave } of steps) {
					if (leave) {
						removeWaiting(key);
						held.delete(key);
						continue;
					}
					const place = addWaiting(key, { text: 'x'.repeat(size), until: 0 });
					if (place === 'joined') expect(held.has(key)).toBe(true);
					if (place === 'taken') held.set(key, size);
					const sum = [...held.values()].reduce((all, one) => all + one, 0);
					expect(held.size).toBeLessThanOrEqual(20);
					expect(sum).toBeLessThanOrEqual(1_000_000);
					if (place === 'full') expect(held.size === 20 || sum + size > 1_000_000).toBe(true);
				}
				for (const key of held.keys()) removeWaiting(key);
			},
		),
		{ numRuns: 100, seed: 1 },
	);
});
