/* eslint-disable @n8n/community-nodes/no-restricted-globals */

export type Timers = ReturnType<typeof createTimers>;

/** Creates timers that never keep the process alive and can all be cleared at once. */
export function createTimers() {
	const running = new Set<NodeJS.Timeout>();
	/** Calls back after this many ms of real time. */
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
		/** Resolves after this many ms of real time; never, once cleared. */
		wait: async (ms: number) => await new Promise<void>((resolve) => after(ms, resolve)),
		clear(): void {
			for (const timer of running) clearTimeout(timer);
			running.clear();
		},
	};
}
