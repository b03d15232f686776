import { mean } from 'simple-statistics';

import { normal, seeded, withRandom } from '../../simulation/seeded';
import {
	LATENCY_MS,
	SimulatedService,
	runJob,
	sessionFor,
} from '../../simulation/simulatedService';
import { VirtualClock } from '../../simulation/virtualClock';
import { repeated, type Bench, type Line, type Row } from '../row';

/** Job lengths, s, and the targets for them: detection in s, calls. */
const JOBS = [
	{ seconds: 1, unknown: 1 },
	{ seconds: 5, unknown: 1 },
	{ seconds: 20, unknown: 2 },
	{ seconds: 60, unknown: 6, calls: 20 },
	{ seconds: 400, unknown: 10, calls: 45 },
];
/** Jobs last about as long as their name says: lognormal. */
const SIGMA = 0.15;

/** How a caller waits; s. */
interface Way {
	name: string;
	/** Asks at this interval. */
	every?: (usual: number, real: number) => number;
	/** Requests that wait at the same time; one by default. */
	requests?: number;
	/** Others that wait too, so many that the limit leaves nothing for additional status checks. */
	crowd?: number;
	/** Calls per minute, reported by a header of each response. */
	reported?: number;
}

const ALONE: Way = { name: 'one request, limit unknown' };
const REPORTED: Way = { name: 'one request, 60 a minute reported', reported: 60 };
const FIVE: Way = { name: 'five requests, 300 a minute reported', reported: 300, requests: 5 };
const SOON = [ALONE, REPORTED, FIVE];
/** Mean time until the item of such a request, s: 1.2 until the response that shows its end, and two calls. */
const SOON_TARGET_S = 1.2 + (2 * LATENCY_MS) / 1_000;

const CROWD = 100;
const UNKNOWN: Way = { name: 'one of many', crowd: CROWD };
/** Twenty jobs of one length: the first end suggests that the others end, too. */
const BATCH: Way = { name: '20 at once', requests: 20 };
/** Knows how long the job takes: one status check, at the moment it ends. */
const BEST: Way = { name: 'best possible', every: (_usual, real) => real };
const RIVALS: Way[] = [
	{ name: 'every 2 s', every: () => 2 },
	{ name: 'every 5 s', every: () => 5 },
	BEST,
];
const WAYS = [...SOON, UNKNOWN, BATCH, ...RIVALS];

/** The job length that docs/benchmarks.md shows, s. */
const HEADLINES = { detection: 60, calls: 400 };

/** Means over many jobs; detection in s. */
type Found = Record<'detection' | 'calls', number>;

export const detection: Row = {
	name: 'detection',
	about: 'how soon the end of a job is found, and with how many calls, on virtual time',
	async measure(bench) {
		const lines: Line[] = [];
		for (const { seconds, calls, unknown } of JOBS) {
			const found = new Map<Way, Found[]>();
			for (const way of WAYS) found.set(way, await watch(bench, seconds, way));
			const valuesOf = (way: Way, what: keyof Found) => found.get(way)!.map((run) => run[what]);
			const about = (way: Way, what: keyof Found, most: number): Line => ({
				measure: `${what === 'calls' ? 'status calls' : 'detection'}, job of ${seconds} s, ${way.name}`,
				unit: what === 'calls' ? 'calls' : 's',
				values: valuesOf(way, what),
				target: most,
				rivals: RIVALS.map((rival) => ({ name: rival.name, values: valuesOf(rival, what) })),
				...(seconds === HEADLINES[what] && { headline: true as const }),
			});
			for (const way of SOON) lines.push(about(way, 'detection', SOON_TARGET_S));
			lines.push(about(UNKNOWN, 'detection', unknown));
			if (calls) {
				lines.push(about(BATCH, 'detection', SOON_TARGET_S));
				lines.push(about(BATCH, 'calls', calls));
			}
		}
		return { lines };
	},
};

/** From a job's end to its item's end, the result's fetching included. */
async function watch(bench: Bench, seconds: number, way: Way): Promise<Found[]> {
	const jobs = bench.quick ? 30 : 250;
	return await repeated(bench.times(5), async (run) => {
		const found = await repeated(jobs, async (job) => await oneJob(seconds, way, run * jobs + job));
		return {
			detection: mean(found.map(({ lateMs }) => lateMs)) / 1_000,
			calls: mean(found.map(({ calls }) => calls)),
		};
	});
}

/** A single job with the node's own sending and waiting. With the same seed every caller has the same job. */
async function oneJob(
	seconds: number,
	{ every, requests = 1, crowd = 0, reported }: Way,
	seed: number,
) {
	const random = seeded(seed);
	const real = seconds * Math.exp(SIGMA * normal(random));
	return await withRandom(random, async () => {
		const clock = new VirtualClock();
		const service = new SimulatedService({
			clock,
			jobMs: real * 1_000,
			limit: reported === undefined ? undefined : { perMinute: reported, sendRemaining: true },
		});
		const session = sessionFor(service, clock, random);
		for (let other = 0; other < crowd; other++) session.client.limiter.expectChecks();
		const startedAt = clock.now();
		const ends: number[] = [];
		const one = async () => {
			await runJob(session, every && every(seconds, real) * 1_000);
			ends.push(clock.now());
		};
		await clock.runUntil(Promise.all(Array.from({ length: requests }, one)));
		const endedAt = startedAt + LATENCY_MS / 2 + real * 1_000;
		return { lateMs: mean(ends) - endedAt, calls: service.count('status') / requests };
	});
}
