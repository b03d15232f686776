/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * The clock, read once per call, so that a response is consistent: a job that ends while the response is
 * being built has either ended in all of it or in none. Times are ms since the epoch.
 */
export function createMoments(clock: () => number) {
	const moments = new AsyncLocalStorage<{ time: number }>();
	return {
		/** The time of the clock, also within a call. */
		clock,
		/** The moment of the current call; outside of a call the time of the clock. */
		now: () => moments.getStore()?.time ?? clock(),
		/** Does some work during which `now` returns the current time of the clock, even if the work awaits something. */
		at: <T>(work: () => T): T => moments.run({ time: clock() }, work),
		/** Moves the current call to the time of the clock, for responses that wait for a job. */
		renew(): void {
			const moment = moments.getStore();
			if (moment) moment.time = clock();
		},
	};
}
