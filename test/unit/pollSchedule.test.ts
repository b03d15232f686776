import fc from 'fast-check';

import { nextPollMs } from '../../nodes/shared/request/pollSchedule';
import { normal, seeded } from '../../dev/simulation/seeded';

interface Run {
	/** From the job's end to the look that finds it ended, ms. */
	detectionMs: number;
	calls: number;
}

/** The looks at one job, from acceptance until one finds it ended. */
function watch(jobMs: number, random: () => number, expectedMs?: number): Run {
	let elapsedMs = 0;
	let calls = 0;
	while (elapsedMs < jobMs) {
		elapsedMs += nextPollMs({ elapsedMs, expectedMs, random: random() });
		calls++;
	}
	return { detectionMs: elapsedMs - jobMs, calls };
}

const JOBS = 3_000;
/** Room for chance in a mean of this many jobs. */
const CHANCE = 1.03;

function mean(run: () => Run): Run {
	let detectionMs = 0;
	let calls = 0;
	for (let job = 0; job < JOBS; job++) {
		const one = run();
		detectionMs += one.detectionMs / JOBS;
		calls += one.calls / JOBS;
	}
	return { detectionMs, calls };
}

/** How long one of such jobs takes, ms. */
function about(usualMs: number, random: () => number): number {
	return usualMs * Math.exp(0.15 * normal(random));
}

/** What the look that finds the end and the fetching of the result take, ms. */
const LAST_CALLS_MS = 100;

const jobLengths = [300, 1_000, 1_200, 3_000, 5_000, 8_000, 9_000, 9_900];
const longJobLengths = [
	10_000, 10_900, 13_100, 15_700, 25_000, 60_000, 99_000, 131_000, 151_000, 200_000, 400_000,
	900_000, 3_600_000,
];

describe('a model of which nothing is known', () => {
	it.each(jobLengths)('a job of %i ms is found ended within 1 s on the mean', (jobMs) => {
		const random = seeded(jobMs);
		expect(mean(() => watch(jobMs, random)).detectionMs).toBeLessThanOrEqual(1_000);
	});

	it.each(longJobLengths)('a job of %i ms within a tenth of its time, and 10 s', (jobMs) => {
		const random = seeded(jobMs);
		expect(mean(() => watch(jobMs, random)).detectionMs).toBeLessThanOrEqual(
			Math.min(0.1 * jobMs, 10_000) * CHANCE,
		);
	});

	it.each([12_000, 15_000, 20_000, 60_000])(
		'items with jobs of about %i ms end within a tenth of that, the last two calls included',
		(usualMs) => {
			const random = seeded(usualMs);
			const { detectionMs } = mean(() => watch(about(usualMs, random), random));
			expect(detectionMs + LAST_CALLS_MS).toBeLessThanOrEqual(0.1 * usualMs);
		},
	);

	it.each([
		[60_000, 20],
		[400_000, 40],
	])('a job of %i ms takes at most %i calls', (jobMs, most) => {
		const random = seeded(most);
		expect(mean(() => watch(jobMs, random)).calls).toBeLessThanOrEqual(most);
	});

	it('keeps these bounds for jobs of any length, a mixed thousand at a time', () => {
		fc.assert(
			fc.property(fc.integer(), fc.integer({ min: 10_000, max: 600_000 }), (seed, usualMs) => {
				const random = seeded(seed);
				let late = 0;
				for (let job = 0; job < 1_000; job++) {
					const jobMs = usualMs * (0.9 + 0.2 * random());
					late += watch(jobMs, random).detectionMs / 1_000;
				}
				expect(late).toBeLessThanOrEqual(Math.min(0.11 * usualMs, 10_700));
			}),
			{ numRuns: 30, seed: 1 },
		);
	});
});

describe('a model whose usual time is known', () => {
	const aboutIt = (usualMs: number, random: () => number) =>
		watch(about(usualMs, random), random, usualMs);

	it.each([1_000, 3_000, 5_000, 8_000, 10_000, 20_000, 60_000, 200_000, 400_000, 1_000_000])(
		'jobs of about %i ms are found ended within 5 %%, 0.5 s if that is more, and 10 s',
		(usualMs) => {
			const random = seeded(usualMs);
			expect(mean(() => aboutIt(usualMs, random)).detectionMs).toBeLessThanOrEqual(
				Math.min(Math.max(0.05 * usualMs, 500), 10_000),
			);
		},
	);

	it.each([
		[60_000, 10],
		[400_000, 15],
	])('jobs of about %i ms take at most %i calls on the mean', (usualMs, most) => {
		const random = seeded(most);
		expect(mean(() => aboutIt(usualMs, random)).calls).toBeLessThanOrEqual(most);
	});

	it('a job four times faster is found within half of its time, always', () => {
		fc.assert(
			fc.property(fc.integer(), fc.integer({ min: 800, max: 900_000 }), (seed, jobMs) => {
				const { detectionMs } = watch(jobMs, seeded(seed), 4 * jobMs);
				expect(detectionMs).toBeLessThanOrEqual(0.5 * jobMs);
			}),
			{ numRuns: 3_000, seed: 2 },
		);
	});

	it('a job four times slower is found as if nothing had been known', () => {
		const random = seeded(3);
		const { detectionMs, calls } = mean(() => watch(240_000, random, 60_000));
		expect(detectionMs).toBeLessThanOrEqual(10_000);
		expect(calls).toBeLessThanOrEqual(40);
	});
});

describe('every wait', () => {
	const strange = fc.oneof(
		fc.double(),
		fc.constantFrom(0, -0, -1, NaN, Infinity, -Infinity, Number.MIN_VALUE, Number.MAX_VALUE),
		fc.integer({ min: -4_000_000, max: 4_000_000 }),
	);

	it('is a time that passes, whatever the clock and the service made of the numbers', () => {
		fc.assert(
			fc.property(
				strange,
				fc.option(strange, { nil: undefined }),
				fc.option(strange, { nil: undefined }),
				fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
				(elapsedMs, expectedMs, fixedMs, random) => {
					const wait = nextPollMs({ elapsedMs, expectedMs, fixedMs, random });
					expect(wait).toBeGreaterThan(0);
					expect(wait < Infinity || fixedMs === Infinity).toBe(true);
				},
			),
			{ numRuns: 3_000, seed: 4 },
		);
	});

	it('is short when the clock was set back: it does not wait for the old time to come again', () => {
		expect(nextPollMs({ elapsedMs: -3_600_000, random: 0.5 })).toBeLessThan(2_000);
		expect(nextPollMs({ elapsedMs: -3_600_000, expectedMs: 20_000, random: 0.5 })).toBeLessThan(
			20_000,
		);
	});

	it('differs from item to item, so that a batch does not call in step', () => {
		const random = seeded(5);
		const plans = [
			{ elapsedMs: 0 },
			{ elapsedMs: 30_000 },
			{ elapsedMs: 30_000, expectedMs: 30_000 },
		];
		for (const plan of plans) {
			const waits = Array.from({ length: 20 }, () => nextPollMs({ ...plan, random: random() }));
			expect(new Set(waits).size).toBeGreaterThan(15);
		}
	});

	it('is the interval the user chose, to the millisecond, whatever else is known', () => {
		for (const elapsedMs of [0, 5_000, 3_600_000])
			expect(nextPollMs({ elapsedMs, expectedMs: 100_000, fixedMs: 7_000, random: 0.9 })).toBe(
				7_000,
			);
	});

	it('is never so short that the calls come in a flood', () => {
		for (const fixedMs of [5e-324, 0.001, 1, 49])
			expect(nextPollMs({ elapsedMs: 5_000, fixedMs, random: 0.5 })).toBe(50);
	});

	it('is adaptive when that interval is 0', () => {
		expect(nextPollMs({ elapsedMs: 50_000, fixedMs: 0, random: 0.5 })).toBe(
			nextPollMs({ elapsedMs: 50_000, random: 0.5 }),
		);
	});
});
