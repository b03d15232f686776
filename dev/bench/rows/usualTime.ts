import { mean, sum } from 'simple-statistics';

import { scheduleOf } from '../../../nodes/shared/request/poll/schedule';
import { RateLimiter } from '../../../nodes/shared/service/rateLimiter';
import { normal, seeded, withRandom } from '../../simulation/seeded';
import {
	LABEL,
	LATENCY_MS,
	SimulatedService,
	runJob,
	sessionFor,
} from '../../simulation/simulatedService';
import { VirtualClock } from '../../simulation/virtualClock';
import { repeated, type Row } from '../row';

/** How long jobs usually take, s. */
const JOBS = [5, 20, 60, 400];
/** Lengths of jobs are lognormal around that. */
const SIGMA = 0.3;

/** Requests that wait at the same time, on one account. */
interface Load {
	name: string;
	/** Requests of one run. */
	requests: number;
	/** Requests of other runs that stay unfinished. */
	others: number;
	/** With the right usual time: detection at most, s, and calls at most, over those before. */
	most: { detection: number; calls: number };
	/** Before usual times were used, with the same jobs: detection, s, and calls of a request, for each of the jobs. */
	before: ReadonlyArray<readonly [detection: number, calls: number]>;
}

const LOADS: Load[] = [
	{
		name: 'one request',
		requests: 1,
		others: 0,
		most: { detection: 0.85, calls: 1.1 },
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
		most: { detection: 4, calls: 1 },
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
		most: { detection: 4, calls: 1 },
		before: [
			[0.49, 6.2],
			[0.63, 18.8],
			[1.22, 33.2],
			[3, 76.1],
		],
	},
];

/** What the process takes for the usual time, over the right one; 0: it knows none. */
const KNOWN = { right: 1, half: 0.5, double: 2, unknown: 0 };
type Known = keyof typeof KNOWN;
const ALL_KNOWN = Object.keys(KNOWN) as Known[];

/** From the end of a job to the check that shows it, s, and calls of a request; means. */
interface Found {
	detection: number;
	calls: number;
}

export const usualTime: Row = {
	name: 'usualTime',
	about: 'how soon the end of a job is found if the usual time of its model is known, or wrong',
	async measure(bench) {
		const jobs = bench.quick ? 40 : 2_000;
		const cases = LOADS.flatMap((load) => JOBS.map((seconds, at) => ({ load, seconds, at })));
		const rows = await repeated(cases.length, async (row) => {
			const { load, seconds, at } = cases[row];
			const [detection, calls] = load.before[at];
			const before = { detection, calls };
			const cells = await repeated(ALL_KNOWN.length, async (column) => {
				const known = ALL_KNOWN[column];
				const found = await meansOf(load, seconds, KNOWN[known], jobs);
				return inWords(found) + (meets(known, load, found, before) ? '' : ' (missed)');
			});
			return [load.name, seconds, inWords(before), ...cells];
		});
		const columns = [
			'requests',
			'job, s',
			'before',
			...ALL_KNOWN.map((known) => `usual: ${known}`),
		];
		const note = `Time from the end of a job to the check that shows it, and status calls of a request, on virtual time. Lengths of jobs are lognormal (sigma ${SIGMA}). Before: without usual times. One of 20: the other 19 stay unfinished. 20 at once: in one run.`;
		return {
			lines: [],
			tables: [{ title: 'With the usual time of a model', columns, rows, note }],
		};
	},
};

/** A wrong usual time may cost so much more time if it costs no more calls. */
const WRONG = 1.3;
/** Without a usual time, the end of one request is to be found within this time, s. */
const UNKNOWN_S = 1.1;

/** Whether that's what we want. */
function meets(known: Known, { requests, others, most }: Load, found: Found, before: Found) {
	const isSooner = found.detection <= before.detection;
	const isFew = requests + others === 1;
	switch (known) {
		case 'right':
			return found.detection <= most.detection && found.calls <= before.calls * most.calls;
		case 'unknown':
			return isFew ? found.detection <= UNKNOWN_S : isSooner;
		default:
			return (
				isSooner || (found.detection <= before.detection * WRONG && found.calls <= before.calls)
			);
	}
}

function inWords({ detection, calls }: Found): string {
	return `${detection.toFixed(2)} s, ${calls.toFixed(1)} calls`;
}

/** Means over so many jobs. The same seed gives every rule the same jobs. */
async function meansOf(load: Load, seconds: number, known: number, jobs: number): Promise<Found> {
	const runs = await repeated(
		Math.ceil(jobs / load.requests),
		async (seed) => await oneRun(load, seconds, known, seed),
	);
	// As exact as the numbers before.
	return {
		detection: Number(mean(runs.map(({ detection }) => detection)).toFixed(2)),
		calls: Number(mean(runs.map(({ calls }) => calls)).toFixed(1)),
	};
}

async function oneRun(
	{ requests, others }: Load,
	seconds: number,
	known: number,
	seed: number,
): Promise<Found> {
	const random = seeded(seed);
	const jobMs = Array.from(
		{ length: requests },
		() => seconds * 1_000 * Math.exp(SIGMA * normal(random)),
	);
	return await withRandom(random, async () => {
		const clock = new VirtualClock();
		const service = new SimulatedService({ clock, jobMs });
		const limiter = new RateLimiter(clock, random);
		const newSession = () => sessionFor(service, clock, random, { limiter });
		if (known > 0) {
			const earlier = { acceptedAt: clock.now(), pollIntervalMs: 0, label: LABEL };
			scheduleOf(newSession(), earlier).finished(known * seconds * 1_000);
		}
		for (let other = 0; other < others; other++) limiter.expectChecks();
		const session = newSession();
		const ends: number[] = [];
		const one = async () => {
			await runJob(session);
			// One more call has fetched the result, and half a call has brought the status.
			ends.push(clock.now() - 1.5 * LATENCY_MS);
		};
		await clock.runUntil(Promise.all(jobMs.map(one)));
		return {
			detection: (sum(ends) - sum(service.endTimes)) / requests / 1_000,
			calls: service.count('status') / requests,
		};
	});
}
