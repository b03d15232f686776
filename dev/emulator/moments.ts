/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Reads the clock once per call, so that a response is consistent: a job that ends while the response is
 * being built has ended in either all or none of it. Times are ms since the epoch.
 */
export function createMoments(clock: () => number) {
	const moments = new AsyncLocalStorage<{ time: number }>();
	return {
		/** Returns the clock's time, even within a call. */
		clock,
		/** Returns the moment of the current call; outside of a call, the clock's time. */
		now: () => moments.getStore()?.time ?? clock(),
		/** Runs `work`. Until it ends, `now` returns the clock's time at its start, even if it awaits something. */
		at: <T>(work: () => T): T => moments.run({ time: clock() }, work),
		/** Moves the current call to the clock's time, for responses that wait for a job. */
		renew(): void {
			const moment = moments.getStore();
			if (moment) moment.time = clock();
		},
	};
}
