import { mean } from 'simple-statistics';

import { normalRandom, seededRandom, runWithRandom } from '../../simulation/seededRandom';
import {
	LATENCY_MS,
	SimulatedService,
	runJob,
	sessionFor,
} from '../../simulation/simulatedService';
import { VirtualClock } from '../../simulation/virtualClock';
import { repeat, type Bench, type Line, type Row } from '../row';

/** Durations of jobs and the targets for them: detection of one of many requests in s, and calls. */
const JOBS = [
	{ seconds: 1, crowdedS: 1 },
	{ seconds: 5, crowdedS: 1 },
	{ seconds: 20, crowdedS: 2 },
	{ seconds: 60, crowdedS: 6, calls: 20 },
	{ seconds: 400, crowdedS: 10, calls: 45 },
];
/** Durations of jobs are lognormal around the nominal one. */
const SIGMA = 0.15;

/** A way to wait for requests. Times are in s. */
interface Caller {
	name: string;
	/** The interval of status checks, by the nominal and the real duration of the job; adaptive by default. */
	intervalOf?: (usual: number, realSeconds: number) => number;
	/** Requests that wait at the same time; one by default. */
	requests?: number;
	/** The number of other requests that wait too. Many leave no calls for additional status checks. */
	crowd?: number;
	/** Calls per minute, reported by a header of each response. */
	reported?: number;
}

const SINGLE: Caller = { name: 'one request, limit unknown' };
const REPORTED: Caller = { name: 'one request, 60 a minute reported', reported: 60 };
const FIVE: Caller = { name: 'five requests, 300 a minute reported', reported: 300, requests: 5 };
const UNCROWDED = [SINGLE, REPORTED, FIVE];
/** The target for the mean time from a job's end to its item: 1.2 s until the response that shows the end, and two calls. */
const UNCROWDED_TARGET_S = 1.2 + (2 * LATENCY_MS) / 1_000;

const CROWD = 100;
const CROWDED: Caller = { name: 'one of many', crowd: CROWD };
/** Twenty jobs of equal duration: when the first one ends, the others are likely to end too. */
const BATCH: Caller = { name: '20 at once', requests: 20 };
/** A caller that knows how long the job takes, and so makes one status check, at the moment when it ends. */
const BEST_POSSIBLE: Caller = {
	name: 'best possible',
	intervalOf: (_usual, realSeconds) => realSeconds,
};
const RIVALS: Caller[] = [
	{ name: 'every 2 s', intervalOf: () => 2 },
	{ name: 'every 5 s', intervalOf: () => 5 },
	BEST_POSSIBLE,
];
const WAYS = [...UNCROWDED, CROWDED, BATCH, ...RIVALS];

/** The durations of jobs that docs/benchmarks.md shows. */
const HEADLINE_SECONDS = { detection: 60, calls: 400 };

/** Means over many jobs; `detection` is in s. */
type Means = Record<'detection' | 'calls', number>;

export const detection: Row = {
	name: 'detection',
	about: 'how soon the end of a job is found, and with how many calls, on virtual time',
	async measure(bench) {
		const lines: Line[] = [];
		for (const { seconds, calls, crowdedS } of JOBS) {
			const found = new Map<Caller, Means[]>();
			for (const way of WAYS) found.set(way, await measureCaller(bench, seconds, way));
			const valuesOf = (way: Caller, what: keyof Means) => found.get(way)!.map((run) => run[what]);
			const about = (way: Caller, what: keyof Means, most: number): Line => ({
				measure: `${what === 'calls' ? 'status calls' : 'detection'}, job of ${seconds} s, ${way.name}`,
				unit: what === 'calls' ? 'calls' : 's',
				values: valuesOf(way, what),
				target: most,
				rivals: RIVALS.map((rival) => ({ name: rival.name, values: valuesOf(rival, what) })),
				...(seconds === HEADLINE_SECONDS[what] && { headline: true as const }),
			});
			for (const way of UNCROWDED) lines.push(about(way, 'detection', UNCROWDED_TARGET_S));
			lines.push(about(CROWDED, 'detection', crowdedS));
			if (calls) {
				lines.push(about(BATCH, 'detection', UNCROWDED_TARGET_S));
				lines.push(about(BATCH, 'calls', calls));
			}
		}
		return { lines };
	},
};

/** Measures the time from a job's end to the end of its item, which includes getting the result. */
async function measureCaller(bench: Bench, seconds: number, way: Caller): Promise<Means[]> {
	const jobs = bench.quick ? 30 : 250;
	return await repeat(bench.times(5), async (run) => {
		const found = await repeat(
			jobs,
			async (job) => await runOneJob(seconds, way, run * jobs + job),
		);
		return {
			detection: mean(found.map(({ lateMs }) => lateMs)) / 1_000,
			calls: mean(found.map(({ calls }) => calls)),
		};
	});
}

/** Runs one job with the nodes' own code. With an equal seed, every caller has the same job. */
async function runOneJob(
	seconds: number,
	{ intervalOf, requests = 1, crowd = 0, reported }: Caller,
	seed: number,
) {
	const random = seededRandom(seed);
	const realSeconds = seconds * Math.exp(SIGMA * normalRandom(random));
	return await runWithRandom(random, async () => {
		const clock = new VirtualClock();
		const service = new SimulatedService({
			clock,
			jobMs: realSeconds * 1_000,
			limit: reported === undefined ? undefined : { perMinute: reported, sendRemaining: true },
		});
		const session = sessionFor(service, clock, random);
		for (let other = 0; other < crowd; other++) session.client.limiter.expectChecks();
		const startedAt = clock.now();
		const ends: number[] = [];
		const waitForOne = async () => {
			await runJob(session, intervalOf && intervalOf(seconds, realSeconds) * 1_000);
			ends.push(clock.now());
		};
		await clock.runUntil(Promise.all(Array.from({ length: requests }, waitForOne)));
		const endedAt = startedAt + LATENCY_MS / 2 + realSeconds * 1_000;
		return { lateMs: mean(ends) - endedAt, calls: service.count('status') / requests };
	});
}
