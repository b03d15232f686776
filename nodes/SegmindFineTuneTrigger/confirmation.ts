import type { IDataObject } from 'n8n-workflow';

import { wait, type Clock } from '../shared/base/clock';
import { hasHappened } from './events';
import type { JobAnswer } from './jobCalls';

/** How long after a delivery its event may be confirmed, ms: longer than the window of a rate limit, so that each job is asked for at least once. */
export const CONFIRM_FOR_MS = 90_000;
const PAUSE_FIRST_MS = 1_000;
const PAUSE_LONGEST_MS = 10_000;

/** The job that confirms the event, or why none does. */
type Verdict = { job: IDataObject } | { why: string };

/**
 * Asks for the job until its status confirms the event, an answer is final, or the time is up. An earlier status is asked for again too: the
 * webhook may be a moment ahead of the API.
 * @param until gives the end, ms since the epoch; it may be extended meanwhile
 */
export async function confirmation(
	event: string,
	ask: () => Promise<JobAnswer>,
	until: () => number,
	clock: Clock,
): Promise<Verdict> {
	let why = 'its time was up before Segmind could be asked';
	for (let pause = PAUSE_FIRST_MS; ; pause = Math.min(pause * 2, PAUSE_LONGEST_MS)) {
		if (clock.now() >= until()) return { why };
		const answer = await ask();
		if (answer.kind === 'job' && hasHappened(event, answer.status)) return { job: answer.job };
		why = answer.kind === 'job' ? `the job's status is ${answer.status}` : answer.why;
		if (answer.kind === 'final' || clock.now() + pause >= until()) return { why };
		await wait(clock, pause);
	}
}
