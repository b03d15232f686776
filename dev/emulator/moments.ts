/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The clock, read once per call, so that a response is consistent: a job that ends while the response is
 * being built has either ended in all of it or in none. Times are ms since the epoch.
 */
export function createMoments(clock: () => number) {
	const moments = new AsyncLocalStorage<{ time: number }>();
	return {
		/** What the clock shows, inside a call too. */
		clock,
		/** The moment of the call that is being answered; outside of one, what the clock shows. */
		now: () => moments.getStore()?.time ?? clock(),
		/** Reads the clock and does the work at that moment, whatever it awaits. */
		at: <T>(work: () => T): T => moments.run({ time: clock() }, work),
		/** Moves the call that is being answered on to what the clock shows: for answers that wait for a job. */
		renew(): void {
			const moment = moments.getStore();
			if (moment) moment.time = clock();
		},
	};
}
