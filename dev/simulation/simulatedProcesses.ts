import type { IHttpRequestOptions } from 'n8n-workflow';
import { sum } from 'simple-statistics';

import { seeded, withRandom } from './seeded';
import { SimulatedService, runJob, sessionFor } from './simulatedService';
import { VirtualClock } from './virtualClock';

/** Processes of n8n on one account: each has a rate limiter of its own and knows nothing of the others. */
export interface Sharing {
	processes: number;
	/** Of the account. */
	perMinute: number;
	/** Each answer tells what is left. */
	sendRemaining: boolean;
	/** Of each process, all submitted when it starts. */
	jobs: number;
	jobMs: number;
	seed: number;
}

/** What one of the processes got; times in ms. */
export interface Share {
	finished: number;
	/** Its calls that were answered before the first process was done, over an equal part of all those. */
	overFair: number;
	/** Calls answered with 429. */
	refused: number;
	/** From the start of all to its last item. */
	tookMs: number;
}

export interface Shared {
	shares: Share[];
	/** From a job's end at the service to its item, mean, ms. */
	detectionMs: number;
	calls: number;
	/** From the start of all to the last item, ms, and the least for three calls a job. */
	tookMs: number;
	leastMs: number;
}

const WINDOW_MS = 60_000;
/** A schedule starts the same workflow in each process, but not in the same instant, ms. */
const START_SPREAD_MS = 2_000;

/** The same batch in each process, on virtual time. @throws Error unless every job completes */
export async function runProcesses(sharing: Sharing): Promise<Shared> {
	const { processes, perMinute, sendRemaining, jobs, jobMs, seed } = sharing;
	const random = seeded(seed);
	return await withRandom(random, async () => {
		const clock = new VirtualClock();
		const service = new SimulatedService({ clock, jobMs, limit: { perMinute, sendRemaining } });
		const start = clock.now();
		const oneProcess = async () => {
			const answered: number[] = [];
			const ends: number[] = [];
			let refused = 0;
			const counting = {
				answer: async (call: IHttpRequestOptions) => {
					const answer = await service.answer(call);
					if (answer.statusCode === 429) refused++;
					else answered.push(clock.now());
					return answer;
				},
			};
			const session = sessionFor(counting, clock, random);
			await clock.sleep(START_SPREAD_MS * random());
			await Promise.all(
				Array.from({ length: jobs }, async () => {
					await runJob(session);
					ends.push(clock.now());
				}),
			);
			return { answered, ends, refused };
		};
		const ran = await clock.runUntil(Promise.all(Array.from({ length: processes }, oneProcess)));
		const firstDone = Math.min(...ran.map(({ ends }) => Math.max(...ends)));
		const before = ran.map(({ answered }) => answered.filter((at) => at <= firstDone).length);
		const ended = service.acceptedTimes.map((at) => at + jobMs);
		const items = ran.flatMap(({ ends }) => ends);
		return {
			shares: ran.map(({ ends, refused }, at) => ({
				finished: ends.length,
				overFair: before[at] / (sum(before) / processes),
				refused,
				tookMs: Math.max(...ends) - start,
			})),
			detectionMs: (sum(items) - sum(ended)) / items.length,
			calls: service.calls.length,
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
