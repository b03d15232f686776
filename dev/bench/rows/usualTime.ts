import { mean, sum } from 'simple-statistics';

import { scheduleOf } from '../../../nodes/shared/request/poll/schedule';
import { RateLimiter } from '../../../nodes/shared/service/rateLimiter';
import { normalRandom, seededRandom, runWithRandom } from '../../simulation/seededRandom';
import {
	MODEL_LABEL,
	LATENCY_MS,
	SimulatedService,
	runJob,
	requestOf,
	sessionFor,
} from '../../simulation/simulatedService';
import { VirtualClock } from '../../simulation/virtualClock';
import { repeat, type Row } from '../row';

/** Usual durations of jobs, in s. */
const JOBS = [5, 20, 60, 400];
/** Real durations of jobs have a lognormal distribution around the usual duration. */
const SIGMA = 0.3;

/** Requests that wait at the same time, on one account. */
interface Load {
	name: string;
	/** Requests of the measured run. */
	requests: number;
	/** Requests of other runs that stay unfinished. */
	others: number;
	/** Targets with the right usual time: for detection in s, and for calls relative to `before`. */
	max: { detection: number; calls: number };
	/** Measured before the nodes used usual times: detection in s and calls per request, for each of `JOBS`. */
	before: ReadonlyArray<readonly [detection: number, calls: number]>;
}

const LOADS: Load[] = [
	{
		name: 'one request',
		requests: 1,
		others: 0,
		max: { detection: 0.85, calls: 1.1 },
		before: [
			[0.57, 5.6],
			[1.21, 14.1],
			[1.18, 32.1],
			[1.16, 185.5],
		],
	},
	{
		name: 'one of 20',
		requests: 1,
		others: 19,
		max: { detection: 4, calls: 1 },
		before: [
			[0.57, 5.6],
			[2.09, 13.1],
			[5.83, 19.1],
			[7.04, 44.6],
		],
	},
	{
		name: '20 at once',
		requests: 20,
		others: 0,
		max: { detection: 4, calls: 1 },
		before: [
			[0.49, 6.2],
			[0.63, 18.8],
			[1.22, 33.2],
			[3, 76.1],
		],
	},
];

/** The usual time that the process assumes, relative to the right one; 0 means that it assumes none. */
const ESTIMATES = { right: 1, half: 0.5, double: 2, unknown: 0 };
type Estimate = keyof typeof ESTIMATES;
const ALL_ESTIMATES = Object.keys(ESTIMATES) as Estimate[];

/** Means: `detection` is the time from a job's end to the status check that shows it, in s; `calls` is the number of status checks per request. */
interface Means {
	detection: number;
	calls: number;
}

export const usualTime: Row = {
	name: 'usualTime',
	about: 'how soon the end of a job is found if the usual time of its model is known, or wrong',
	async measure(bench) {
		const jobs = bench.quick ? 40 : 2_000;
		const cases = LOADS.flatMap((load) => JOBS.map((seconds, at) => ({ load, seconds, at })));
		const rows = await repeat(cases.length, async (row) => {
			const { load, seconds, at } = cases[row];
			const [detection, calls] = load.before[at];
			const before = { detection, calls };
			const cells = await repeat(ALL_ESTIMATES.length, async (column) => {
				const estimate = ALL_ESTIMATES[column];
				const found = await meansOf(load, seconds, ESTIMATES[estimate], jobs);
				return inWords(found) + (isGoodEnough(estimate, load, found, before) ? '' : ' (missed)');
			});
			return [load.name, seconds, inWords(before), ...cells];
		});
		const columns = [
			'requests',
			'job, s',
			'before',
			...ALL_ESTIMATES.map((estimate) => `usual: ${estimate}`),
		];
		const note = `Time from the end of a job to the check that shows it, and status calls of a request, on virtual time. Lengths of jobs are lognormal (sigma ${SIGMA}). Before: without usual times. One of 20: the other 19 stay unfinished. 20 at once: in one run.`;
		return {
			lines: [],
			tables: [{ title: 'With the usual time of a model', columns, rows, note }],
		};
	},
};

/** With a wrong usual time, detection may take this many times as long as before if it takes no more calls. */
const MAX_WRONG_FACTOR = 1.3;
/** The target for the detection of one request without a usual time. */
const MAX_UNKNOWN_S = 1.1;

/** Whether the means meet our targets. */
function isGoodEnough(
	estimate: Estimate,
	{ requests, others, max }: Load,
	found: Means,
	before: Means,
) {
	const isSooner = found.detection <= before.detection;
	const isSingle = requests + others === 1;
	switch (estimate) {
		case 'right':
			return found.detection <= max.detection && found.calls <= before.calls * max.calls;
		case 'unknown':
			return isSingle ? found.detection <= MAX_UNKNOWN_S : isSooner;
		default:
			return (
				isSooner ||
				(found.detection <= before.detection * MAX_WRONG_FACTOR && found.calls <= before.calls)
			);
	}
}

function inWords({ detection, calls }: Means): string {
	return `${detection.toFixed(2)} s, ${calls.toFixed(1)} calls`;
}

/** Returns the means over this many jobs. With the same seed, every estimate has the same jobs. */
async function meansOf(
	load: Load,
	seconds: number,
	estimate: number,
	jobs: number,
): Promise<Means> {
	const runs = await repeat(
		Math.ceil(jobs / load.requests),
		async (seed) => await oneRun(load, seconds, estimate, seed),
	);
	// Round like the numbers in `before`.
	return {
		detection: Number(mean(runs.map(({ detection }) => detection)).toFixed(2)),
		calls: Number(mean(runs.map(({ calls }) => calls)).toFixed(1)),
	};
}

async function oneRun(
	{ requests, others }: Load,
	seconds: number,
	estimate: number,
	seed: number,
): Promise<Means> {
	const random = seededRandom(seed);
	const jobMs = Array.from(
		{ length: requests },
		() => seconds * 1_000 * Math.exp(SIGMA * normalRandom(random)),
	);
	return await runWithRandom(random, async () => {
		const clock = new VirtualClock();
		const service = new SimulatedService({ clock, jobMs });
		const limiter = new RateLimiter(clock, random);
		const newSession = () => sessionFor(service, clock, random, { limiter });
		if (estimate > 0) {
			const earlier = requestOf(MODEL_LABEL, clock);
			scheduleOf(newSession(), earlier, 0).recordDuration(estimate * seconds * 1_000);
		}
		for (let other = 0; other < others; other++) limiter.expectChecks();
		const session = newSession();
		const ends: number[] = [];
		const waitForOne = async () => {
			await runJob(session);
			// After the status check reached the service, its response took half a round trip, and getting the result took a whole one.
			ends.push(clock.now() - 1.5 * LATENCY_MS);
		};
		await clock.runUntil(Promise.all(jobMs.map(waitForOne)));
		return {
			detection: (sum(ends) - sum(service.endTimes)) / requests / 1_000,
			calls: service.count('status') / requests,
		};
	});
}
