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

/** Durations of jobs, and their targets: for detection of one of many requests, in s, and for the number of status checks of a request. */
const JOBS = [
	{ seconds: 1, crowdedS: 1 },
	{ seconds: 5, crowdedS: 1 },
	{ seconds: 20, crowdedS: 2 },
	{ seconds: 60, crowdedS: 6, calls: 20 },
	{ seconds: 400, crowdedS: 10, calls: 45 },
];
/** Real durations of jobs have a lognormal distribution around the nominal duration. */
const SIGMA = 0.15;

/** A way to wait for requests. Times are in s. */
interface Caller {
	name: string;
	/** The interval of status checks, by the nominal and the real duration of the job; adaptive by default. */
	intervalOf?: (nominalSeconds: number, realSeconds: number) => number;
	/** Requests that wait at the same time; one by default. */
	requests?: number;
	/** The number of other requests that wait too. Many leave no calls for additional status checks. */
	crowd?: number;
	/** The rate limit, in calls per minute, if a header of each response reports it. */
	reportedPerMinute?: number;
}

const SINGLE: Caller = { name: 'one request, limit unknown' };
const REPORTED: Caller = { name: 'one request, 60 a minute reported', reportedPerMinute: 60 };
const FIVE: Caller = {
	name: 'five requests, 300 a minute reported',
	reportedPerMinute: 300,
	requests: 5,
};
const UNCROWDED = [SINGLE, REPORTED, FIVE];
/** The target for the mean time from a job's end to its item: 1.2 s until the response that shows the end, and two calls. */
const UNCROWDED_TARGET_S = 1.2 + (2 * LATENCY_MS) / 1_000;

const CROWD = 100;
const CROWDED: Caller = { name: 'one of many', crowd: CROWD };
/** Twenty jobs of equal duration: when the first one ends, the others are likely to end too. */
const BATCH: Caller = { name: '20 at once', requests: 20 };
/** A caller that knows how long the job takes, and so makes only one status check, at the moment when the job ends. */
const BEST_POSSIBLE: Caller = {
	name: 'best possible',
	intervalOf: (_nominalSeconds, realSeconds) => realSeconds,
};
const RIVALS: Caller[] = [
	{ name: 'every 2 s', intervalOf: () => 2 },
	{ name: 'every 5 s', intervalOf: () => 5 },
	BEST_POSSIBLE,
];
const CALLERS = [...UNCROWDED, CROWDED, BATCH, ...RIVALS];

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
			for (const caller of CALLERS) found.set(caller, await measureCaller(bench, seconds, caller));
			const valuesOf = (caller: Caller, what: keyof Means) =>
				found.get(caller)!.map((run) => run[what]);
			const lineOf = (caller: Caller, what: keyof Means, target: number): Line => ({
				measure: `${what === 'calls' ? 'status calls' : 'detection'}, job of ${seconds} s, ${caller.name}`,
				unit: what === 'calls' ? 'calls' : 's',
				values: valuesOf(caller, what),
				target,
				rivals: RIVALS.map((rival) => ({ name: rival.name, values: valuesOf(rival, what) })),
				...(seconds === HEADLINE_SECONDS[what] && { headline: true as const }),
			});
			for (const caller of UNCROWDED) lines.push(lineOf(caller, 'detection', UNCROWDED_TARGET_S));
			lines.push(lineOf(CROWDED, 'detection', crowdedS));
			if (calls) {
				lines.push(lineOf(BATCH, 'detection', UNCROWDED_TARGET_S));
				lines.push(lineOf(BATCH, 'calls', calls));
			}
		}
		return { lines };
	},
};

/** Measures the time from a job's end to the end of its item, which includes getting the result. */
async function measureCaller(bench: Bench, seconds: number, caller: Caller): Promise<Means[]> {
	const jobs = bench.quick ? 30 : 250;
	return await repeat(bench.times(5), async (run) => {
		const found = await repeat(
			jobs,
			async (job) => await runCaller(seconds, caller, run * jobs + job),
		);
		return {
			detection: mean(found.map(({ lateMs }) => lateMs)) / 1_000,
			calls: mean(found.map(({ calls }) => calls)),
		};
	});
}

/** Runs a caller's requests, whose jobs take equally long, with the nodes' own code. With the same seed, every caller has the same jobs. */
async function runCaller(
	seconds: number,
	{ intervalOf, requests = 1, crowd = 0, reportedPerMinute: perMinute }: Caller,
	seed: number,
) {
	const random = seededRandom(seed);
	const realSeconds = seconds * Math.exp(SIGMA * normalRandom(random));
	return await runWithRandom(random, async () => {
		const clock = new VirtualClock();
		const service = new SimulatedService({
			clock,
			jobMs: realSeconds * 1_000,
			limit: perMinute === undefined ? undefined : { perMinute, sendRemaining: true },
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
