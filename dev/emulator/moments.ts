/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The clock, read once for each call, so that whatever its answer tells goes by one moment: a job that
 * ends while the answer is put together is either ended in all of it or in none. Times are ms since the epoch.
 */
export interface Moments {
	/** The moment of the call that is being answered; outside of one, what the clock shows. */
	now(): number;
	/** What the clock shows, inside a call too. */
	clock(): number;
	/** Reads the clock and does the work at that moment, whatever it awaits. */
	at<T>(work: () => T): T;
	/** Moves the call that is being answered on to what the clock shows: for answers that wait for a job. */
	renew(): void;
}

export function createMoments(clock: () => number): Moments {
	const moments = new AsyncLocalStorage<{ time: number }>();
	return {
		clock,
		now: () => moments.getStore()?.time ?? clock(),
		at: (work) => moments.run({ time: clock() }, work),
		renew() {
			const moment = moments.getStore();
			if (moment) moment.time = clock();
		},
	};
}
