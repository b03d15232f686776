import type { RateLimit } from '../emulator/orders';
import { seeded, withRandom } from './seeded';
import { SimulatedService, runJob, sessionFor } from './simulatedService';
import { VirtualClock } from './virtualClock';

/** A batch under a rate limit, on virtual time. */
export interface Batch {
	/** 0: no limit. */
	perMinute: number;
	reset?: RateLimit['reset'];
	sendRemaining?: boolean;
	seed: number;
	/** The window is so old when the batch starts, ms; 0: the batch opens it. */
	windowAgeMs?: number;
	/** A fixed poll interval, ms; 0 = adaptive. */
	pollIntervalMs?: number;
	/** Default: twenty jobs of 5 s. */
	items?: number;
	jobMs?: number;
}

export const ITEMS = 20;
export const JOB_MS = 5_000;
export const WINDOW_MS = 60_000;

/** Jobs from submission to result: the time they took, ms, and the least the limit allows for three calls a job. */
export async function runBatch(batch: Batch) {
	const { perMinute, seed, windowAgeMs = 0, pollIntervalMs, items = ITEMS, jobMs = JOB_MS } = batch;
	const { reset, sendRemaining } = batch;
	const random = seeded(seed);
	return await withRandom(random, async () => {
		const clock = new VirtualClock();
		const limit = perMinute > 0 ? { perMinute, reset, sendRemaining } : undefined;
		const service = new SimulatedService({ clock, jobMs, limit });
		const session = sessionFor(service, clock, random);
		if (windowAgeMs > 0) {
			service.limiter.count();
			await clock.advance(windowAgeMs);
		}
		const start = clock.now();
		const job = async () => await runJob(session, pollIntervalMs);
		await clock.runUntil(Promise.all(Array.from({ length: items }, job)));
		const calls = 3 * items + (windowAgeMs > 0 ? 1 : 0);
		const windows = perMinute > 0 ? Math.ceil(calls / perMinute) : 1;
		return {
			service,
			took: clock.now() - start,
			least: Math.max((windows - 1) * WINDOW_MS - windowAgeMs, jobMs),
		};
	});
}
