import { sleep } from 'n8n-workflow';

/** Time as waiting code sees it: tests pass a virtual one. All values in ms. */
export interface Clock {
	now(): number;
	sleep(ms: number): Promise<void>;
}

/**
 * The wall clock, except that it never runs backwards: one that is set back (by hand, or by a time server) would otherwise lengthen every
 * wait and time limit by as much. Where nobody asks for the time meanwhile, what passed since it was last asked for is not counted.
 */
export function steadyClock(wallNow = () => Date.now()): Clock {
	let correction = 0;
	let last = -Infinity;
	return {
		now: () => {
			const wall = wallNow();
			if (wall + correction < last) correction = last - wall;
			return (last = wall + correction);
		},
		sleep: async (ms) => await sleep(ms),
	};
}

export const systemClock: Clock = steadyClock();

/** Longest single sleep in ms: a timer cannot be cancelled on every supported n8n, so an ended wait leaves at most this much behind. */
const SLICE_MS = 250;

/** Something that can end a wait early: `signal` for good, `changed` to plan again. */
interface Wakers {
	signal?: AbortSignal;
	/** Resolves when the plan behind the wait has changed. */
	changed?: Promise<void>;
	/** True when the wait is over, looked at in each slice: for what many wait for, whom a promise would wake all at once. */
	isOver?: () => boolean;
}

/**
 * Waits up to `ms`, or until a waker fires. Never rejects: the caller checks the signal and the clock.
 * Sliced because n8n-workflow's abortable sleep does not exist in all versions (docs/n8n.md N151).
 */
export async function wait(clock: Clock, ms: number, wakers: Wakers = {}): Promise<void> {
	const until = clock.now() + ms;
	const { signal, changed, isOver } = wakers;
	if (signal?.aborted) return;
	let woken = false;
	let wake: () => void = () => {};
	const early = new Promise<void>((resolve) => {
		wake = () => {
			woken = true;
			resolve();
		};
	});
	signal?.addEventListener('abort', wake, { once: true });
	void changed?.then(wake);
	while (!woken) {
		const left = until - clock.now();
		if (left <= 0 || isOver?.()) break;
		await Promise.race([clock.sleep(Math.min(left, SLICE_MS)), early]);
	}
	signal?.removeEventListener('abort', wake);
}
