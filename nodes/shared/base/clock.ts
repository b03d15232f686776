import { sleep } from 'n8n-workflow';

/** The clock for code that waits; tests pass a virtual one. All values in ms. */
export interface Clock {
	now(): number;
	sleep(ms: number): Promise<void>;
}

/**
 * Returns the wall clock, except that it never runs backwards. If the clock is set back (by hand or by a time server), waits and timeouts don't get
 * longer. In that case, the time that passed since the last reading isn't counted.
 */
export function steadyClock(wallNow = () => Date.now()): Clock {
	let correction = 0;
	let last = -Infinity;
	return {
		now: () => {
			const wall = wallNow();
			if (wall + correction < last) correction = last - wall;
			last = wall + correction;
			return last;
		},
		sleep: async (ms) => await sleep(ms),
	};
}

export const systemClock: Clock = steadyClock();

/** Longest single sleep. Not every supported n8n can cancel a timer, so a wait that ends early leaves a timer of at most this length. */
const SLICE_MS = 250;

/** What can end a wait early. */
interface Wakers {
	/** Fires when the execution is stopped. */
	signal?: AbortSignal;
	/** Whether the wait is over; checked after each slice. */
	isOver?: () => boolean;
}

/**
 * Waits up to `ms`, or until something ends the wait early. Never rejects: the caller checks the signal and the clock. Waits in slices, because
 * n8n-workflow's abortable sleep doesn't exist in all versions. A wait keeps no memory per slice, however long it is.
 */
export async function wait(
	clock: Clock,
	ms: number,
	{ signal, isOver }: Wakers = {},
): Promise<void> {
	const endsAt = clock.now() + ms;
	await new Promise<void>((resolve) => {
		const end = () => {
			signal?.removeEventListener('abort', end);
			resolve();
		};
		signal?.addEventListener('abort', end, { once: true });
		const sleepInSlices = async () => {
			for (let leftMs = ms; leftMs > 0 && !signal?.aborted && !isOver?.(); ) {
				await clock.sleep(Math.min(leftMs, SLICE_MS));
				leftMs = endsAt - clock.now();
			}
			end();
		};
		void sleepInSlices();
	});
}

/**
 * Calls `end` once `endsAt` (ms since the epoch; it may still move) has passed, or at once when the execution is stopped, unless the returned function was
 * called before.
 */
export function endAt(
	clock: Clock,
	endsAt: () => number,
	signal: AbortSignal | undefined,
	end: () => void,
): () => void {
	const over = new AbortController();
	const endNow = () => {
		if (over.signal.aborted) return;
		over.abort();
		end();
	};
	const waitAndEnd = async () => {
		while (!over.signal.aborted && !signal?.aborted && clock.now() < endsAt())
			await wait(clock, endsAt() - clock.now(), { signal: over.signal });
		endNow();
	};
	// Removed as soon as it's over, because Node.js warns of more than ten listeners on a signal.
	signal?.addEventListener('abort', endNow, { once: true, signal: over.signal });
	void waitAndEnd();
	return () => over.abort();
}
