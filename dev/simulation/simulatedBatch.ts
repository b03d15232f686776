import type { RateLimit } from '../emulator/orders';
import { seededRandom, runWithRandom } from './seededRandom';
import { SimulatedService, runJob, simulatedClient } from './simulatedService';
import { VirtualClock } from './virtualClock';

/** A batch under a rate limit, on virtual time. */
interface Batch {
	/** Calls per minute that the rate limit allows; 0 means no limit. */
	perMinute: number;
	reset?: RateLimit['reset'];
	sendRemaining?: boolean;
	seed: number;
	/** The age of the rate-limit window when the batch starts; with 0 the batch opens it. */
	windowAgeMs?: number;
	/** A fixed poll interval; 0 means adaptive. */
	pollIntervalMs?: number;
	/** The number of jobs of each process; 20 by default. */
	items?: number;
	/** The number of n8n processes, each with a rate limiter of its own; 1 by default. They start at random times within 2 s. */
	processes?: number;
	jobMs?: number;
}

export const ITEMS = 20;
export const JOB_MS = 5_000;
export const WINDOW_MS = 60_000;

/** Runs the jobs from submission to result. Returns how long they took, and the minimum that the rate limit allows for three calls per job. @throws Error unless every job completes */
export async function runBatch(batch: Batch) {
	const { perMinute, seed, windowAgeMs = 0, pollIntervalMs, items = ITEMS, jobMs = JOB_MS } = batch;
	const { reset, sendRemaining, processes = 1 } = batch;
	const random = seededRandom(seed);
	return await runWithRandom(random, async () => {
		const clock = new VirtualClock();
		const limit = perMinute > 0 ? { perMinute, reset, sendRemaining } : undefined;
		const service = new SimulatedService({ clock, jobMs, limit });
		if (windowAgeMs > 0) {
			service.limiter.count();
			await clock.pass(windowAgeMs);
		}
		const start = clock.now();
		const runProcess = async () => {
			const client = simulatedClient(service, clock, random);
			if (processes > 1) await clock.sleep(2_000 * random());
			const job = async () => await runJob(client, pollIntervalMs);
			await Promise.all(Array.from({ length: items }, job));
		};
		await clock.runUntil(Promise.all(Array.from({ length: processes }, runProcess)));
		const calls = 3 * items * processes + (windowAgeMs > 0 ? 1 : 0);
		const windows = perMinute > 0 ? Math.ceil(calls / perMinute) : 1;
		return {
			service,
			durationMs: clock.now() - start,
			minMs: Math.max((windows - 1) * WINDOW_MS - windowAgeMs, jobMs),
		};
	});
}
