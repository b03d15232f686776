import type { IHttpRequestOptions } from 'n8n-workflow';
import { sum } from 'simple-statistics';

import { seeded, withRandom } from './seeded';
import { WINDOW_MS } from './simulatedBatch';
import { SimulatedService, runJob, sessionFor } from './simulatedService';
import { VirtualClock } from './virtualClock';

/** Processes of n8n on one account: each has a rate limiter of its own and knows nothing of the others. */
export interface Sharing {
	processes: number;
	/** Of the account. */
	perMinute: number;
	/** Each response shows the remaining calls. */
	sendRemaining: boolean;
	/** Of each process, all submitted when it starts. */
	jobs: number;
	jobMs: number;
	seed: number;
}

export type Shared = Awaited<ReturnType<typeof runProcesses>>;

/** A schedule starts the same workflow in each process, but not in the same instant, ms. */
const START_SPREAD_MS = 2_000;

/** The same batch in each process, on virtual time, ms. @throws Error unless every job completes */
export async function runProcesses(sharing: Sharing) {
	const { processes, perMinute, sendRemaining, jobs, jobMs, seed } = sharing;
	const random = seeded(seed);
	return await withRandom(random, async () => {
		const clock = new VirtualClock();
		const service = new SimulatedService({ clock, jobMs, limit: { perMinute, sendRemaining } });
		const start = clock.now();
		const oneProcess = async () => {
			const answered: number[] = [];
			const ends: number[] = [];
			const counting = {
				answer: async (call: IHttpRequestOptions) => {
					const answer = await service.answer(call);
					if (answer.statusCode !== 429) answered.push(clock.now());
					return answer;
				},
			};
			const session = sessionFor(counting, clock, random);
			await clock.sleep(START_SPREAD_MS * random());
			const one = async () => {
				await runJob(session);
				ends.push(clock.now());
			};
			await Promise.all(Array.from({ length: jobs }, one));
			return { answered, ends };
		};
		const ran = await clock.runUntil(Promise.all(Array.from({ length: processes }, oneProcess)));
		const firstDone = Math.min(...ran.map(({ ends }) => Math.max(...ends)));
		const before = ran.map(({ answered }) => answered.filter((at) => at <= firstDone).length);
		const items = ran.flatMap(({ ends }) => ends);
		return {
			/** The share of each process: its calls with a response before the first process was done, relative to an equal share. */
			shares: ran.map(({ ends }, at) => ({
				finished: ends.length,
				overFair: before[at] / (sum(before) / processes),
			})),
			/** From a job's end at the service to its item, mean. */
			detectionMs: (sum(items) - sum(service.acceptedTimes)) / items.length - jobMs,
			/** From the start of all to the last item, and the least for three calls a job. */
			tookMs: Math.max(...items) - start,
			leastMs: leastMs(processes * jobs, perMinute, jobMs),
		};
	});
}

/** The windows that three calls a job need, of which two come after the end of the first job. */
function leastMs(jobs: number, perMinute: number, jobMs: number): number {
	const windowsBefore = Math.floor(jobMs / WINDOW_MS);
	const submitted = Math.min(jobs, Math.max(windowsBefore, 0) * perMinute);
	const after = Math.ceil((3 * jobs - submitted) / perMinute);
	return Math.max((windowsBefore + after - 1) * WINDOW_MS, jobMs);
}
