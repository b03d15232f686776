import type { IHttpRequestOptions } from 'n8n-workflow';
import { sum } from 'simple-statistics';

import { seededRandom, runWithRandom } from './seededRandom';
import { WINDOW_MS } from './simulatedBatch';
import { SimulatedService, runJob, sessionFor } from './simulatedService';
import { VirtualClock } from './virtualClock';

/** Processes of n8n that use one account. Each has its own rate limiter and knows nothing about the others. */
export interface ProcessesSetup {
	processes: number;
	/** Calls per minute that the account's rate limit allows. */
	perMinute: number;
	/** Whether each response has the number of remaining calls. */
	sendRemaining: boolean;
	/** The number of jobs of each process, which submits all of them when it starts. */
	jobs: number;
	jobMs: number;
	seed: number;
}

export type ProcessesResult = Awaited<ReturnType<typeof runProcesses>>;

/** Processes start at random times within this period, as when a schedule starts a workflow in each of them. */
const START_SPREAD_MS = 2_000;

/** Runs a batch of equal jobs in each process, in virtual time. @throws Error unless every job completes */
export async function runProcesses(setup: ProcessesSetup) {
	const { processes, perMinute, sendRemaining, jobs, jobMs, seed } = setup;
	const random = seededRandom(seed);
	return await runWithRandom(random, async () => {
		const clock = new VirtualClock();
		const service = new SimulatedService({ clock, jobMs, limit: { perMinute, sendRemaining } });
		const start = clock.now();
		const runProcess = async () => {
			const responseTimes: number[] = [];
			const ends: number[] = [];
			const countingService = {
				respond: async (call: IHttpRequestOptions) => {
					const response = await service.respond(call);
					if (response.statusCode !== 429) responseTimes.push(clock.now());
					return response;
				},
			};
			const session = sessionFor(countingService, clock, random);
			await clock.sleep(START_SPREAD_MS * random());
			const runOneJob = async () => {
				await runJob(session);
				ends.push(clock.now());
			};
			await Promise.all(Array.from({ length: jobs }, runOneJob));
			return { responseTimes, ends };
		};
		const results = await clock.runUntil(
			Promise.all(Array.from({ length: processes }, runProcess)),
		);
		const firstDoneAt = Math.min(...results.map(({ ends }) => Math.max(...ends)));
		const callsBefore = results.map(
			({ responseTimes }) => responseTimes.filter((at) => at <= firstDoneAt).length,
		);
		const allEnds = results.flatMap(({ ends }) => ends);
		return {
			/** For each process: its finished jobs, and its calls until the first process was done, relative to an equal share. Calls that got a 429 don't count. */
			shares: results.map(({ ends }, at) => ({
				finished: ends.length,
				ofEqualShare: callsBefore[at] / (sum(callsBefore) / processes),
			})),
			/** The mean time from a job's end at the service to its item. */
			detectionMs: (sum(allEnds) - sum(service.acceptedTimes)) / allEnds.length - jobMs,
			/** The time from the start to the last item. */
			tookMs: Math.max(...allEnds) - start,
			/** The minimum of `tookMs` with three calls per job. */
			minMs: minDurationMs(processes * jobs, perMinute, jobMs),
		};
	});
}

/** Returns the minimum time for three calls per job. Two of the three calls, the status check and the result, come after the job's end. */
function minDurationMs(jobs: number, perMinute: number, jobMs: number): number {
	const windowsBefore = Math.floor(jobMs / WINDOW_MS);
	const submitted = Math.min(jobs, Math.max(windowsBefore, 0) * perMinute);
	const after = Math.ceil((3 * jobs - submitted) / perMinute);
	return Math.max((windowsBefore + after - 1) * WINDOW_MS, jobMs);
}
