/* eslint-disable @n8n/community-nodes/no-restricted-globals */

/** Timers that never keep the process alive and that can all be dropped at once. */
export interface Timers {
	/** Calls back after this many ms of real time. */
	after(ms: number, callback: () => void): void;
	/** Resolves after this many ms of real time; never, once cleared. */
	wait(ms: number): Promise<void>;
	clear(): void;
}

export function createTimers(): Timers {
	const running = new Set<NodeJS.Timeout>();
	const after = (ms: number, callback: () => void): void => {
		const timer = setTimeout(() => {
			running.delete(timer);
			callback();
		}, ms);
		timer.unref();
		running.add(timer);
	};
	return {
		after,
		wait: async (ms) => await new Promise((resolve) => after(ms, resolve)),
		clear() {
			for (const timer of running) clearTimeout(timer);
			running.clear();
		},
	};
}
