import { mean } from 'simple-statistics';

import { normalRandom, runWithRandom, seededRandom } from '../../simulation/seededRandom';
import {
	LATENCY_MS,
	SimulatedService,
	runJob,
	simulatedClient,
} from '../../simulation/simulatedService';
import { VirtualClock } from '../../simulation/virtualClock';
import { repeat, type Line, type Row } from '../row';

/** Usual durations of jobs, in s. */
const DURATIONS_S = [60, 400];
/** The targets for the status checks of one of many requests, by duration. */
const MAX_CALLS: Record<number, number> = { 60: 35, 400: 80 };
/** Real durations have a lognormal distribution around the usual duration. */
const SIGMA = 0.3;
const JOBS = 1_000;

/** Requests that wait at the same time, on one account. */
interface Load {
	name: string;
	requests: number;
	/** Requests of other executions that stay unfinished. */
	others?: number;
	/** Whether the process has seen a request of the model. */
	isKnown?: boolean;
	/** A fixed interval of status checks, in s; adaptive by default. */
	everyS?: number;
}

/** Loads, and their targets for detection, in s. */
const LOADS: Array<Load & { targetS: number }> = [
	{ name: 'one request', requests: 1, isKnown: true, targetS: 0.85 },
	{ name: 'one request, the first of its model', requests: 1, targetS: 1.1 },
	{ name: 'one of 20', requests: 1, others: 19, isKnown: true, targetS: 4 },
	{ name: '20 at once', requests: 20, isKnown: true, targetS: 4 },
];
const RIVALS: Load[] = [2, 5].map((everyS) => ({
	name: `every ${everyS} s`,
	requests: 1,
	everyS,
}));

/** Means: `detection` is the time from a job's end to the status check that shows it, in s; `calls` is the number of status checks per request. */
type Found = Record<'detection' | 'calls', number>;

export const detection: Row = {
	name: 'detection',
	about: 'how soon the end of a job is found, and with how many calls, on virtual time',
	async measure() {
		const lines: Line[] = [];
		for (const seconds of DURATIONS_S) {
			const rivals = await repeat(RIVALS.length, async (at) => ({
				name: RIVALS[at].name,
				found: await measureLoad(RIVALS[at], seconds),
			}));
			const rivalsOf = (what: keyof Found) =>
				rivals.map(({ name, found }) => ({ name, values: [found[what]] }));
			for (const { targetS, ...load } of LOADS) {
				const { detection: late, calls } = await measureLoad(load, seconds);
				lines.push({
					measure: `job of ${seconds} s, ${load.name}: end seen after`,
					unit: 's',
					target: targetS,
					values: [late],
					rivals: rivalsOf('detection'),
				});
				if (load.requests > 1)
					lines.push({
						measure: `job of ${seconds} s, ${load.name}: status checks of each`,
						unit: 'calls',
						target: MAX_CALLS[seconds],
						values: [calls],
						rivals: rivalsOf('calls'),
					});
			}
		}
		return lines;
	},
};

async function measureLoad(load: Load, seconds: number): Promise<Found> {
	const found = await repeat(
		JOBS / load.requests,
		async (seed) => await runLoad(load, seconds, seed),
	);
	return {
		detection: mean(found.map((run) => run.detection)),
		calls: mean(found.map((run) => run.calls)),
	};
}

/** Runs a load's requests with the nodes' own code. With the same seed, loads of the same size have the same jobs. */
async function runLoad(
	{ requests, others = 0, isKnown = false, everyS = 0 }: Load,
	seconds: number,
	seed: number,
): Promise<Found> {
	const random = seededRandom(seed);
	const usualMs = seconds * 1_000;
	const jobMs = Array.from(
		{ length: requests },
		() => usualMs * Math.exp(SIGMA * normalRandom(random)),
	);
	return await runWithRandom(random, async () => {
		const clock = new VirtualClock();
		const first = simulatedClient(new SimulatedService({ clock, jobMs: usualMs }), clock, random);
		if (isKnown) await clock.runUntil(runJob(first));
		const { limiter } = first;
		for (let other = 0; other < others; other++) limiter.expectChecks();
		const service = new SimulatedService({ clock, jobMs });
		const client = simulatedClient(service, clock, random, { limiter });
		const ends = await clock.runUntil(
			Promise.all(
				jobMs.map(async () => {
					await runJob(client, everyS * 1_000);
					// After the status check reached the service, its response took half a round trip, and getting the result took a whole one.
					return clock.now() - 1.5 * LATENCY_MS;
				}),
			),
		);
		return {
			detection: (mean(ends) - mean(service.endTimes)) / 1_000,
			calls: service.count('status') / requests,
		};
	});
}
