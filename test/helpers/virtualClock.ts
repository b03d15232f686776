/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import type { Clock } from '../../nodes/shared/base/clock';

/**
 * A clock whose time passes only when a test says so. Sleepers wake in the order in which they are due, and everything that a wake-up causes happens
 * before the next wake-up. Times are in ms.
 *
 * Use it for code that takes a `Clock`. What runs n8n's engine or real sockets needs `virtualTime.ts`, which fakes the process's timers.
 */
export class VirtualClock implements Clock {
	private time: number;

	private sleepers: Array<{ at: number; wake: () => void }> = [];

	/** By default, the clock starts at the beginning of a minute of a realistic day. */
	constructor(start = Date.UTC(2026, 0, 15, 10, 0, 0)) {
		this.time = start;
	}

	now(): number {
		return this.time;
	}

	async sleep(ms: number): Promise<void> {
		await new Promise<void>((wake) => {
			const at = this.time + Math.max(ms, 0);
			const later = this.sleepers.findIndex((other) => other.at > at);
			this.sleepers.splice(later === -1 ? this.sleepers.length : later, 0, { at, wake });
		});
	}

	/** Lets everything happen that is already due. No time passes. */
	async settle(): Promise<void> {
		await new Promise<void>((resolve) => setImmediate(resolve));
	}

	/** Lets this much time pass. */
	async pass(ms: number): Promise<void> {
		const until = this.time + ms;
		await this.settle();
		while (this.sleepers.length > 0 && this.sleepers[0].at <= until) await this.wakeNext();
		this.time = until;
		await this.settle();
	}

	/** Lets time pass until `work` is done, and returns its value. @throws Error if it isn't done after `limitMs`, or if no sleeper is left that could end it */
	async runUntil<T>(work: Promise<T>, limitMs = 24 * 3_600_000): Promise<T> {
		const until = this.time + limitMs;
		let done = false;
		const markDone = () => {
			done = true;
		};
		work.then(markDone, markDone);
		await this.settle();
		while (!done) {
			if (this.sleepers.length === 0)
				throw new Error('Everything waits for something that never comes');
			if (this.sleepers[0].at > until) throw new Error(`Not done after ${limitMs} ms`);
			await this.wakeNext();
		}
		return await work;
	}

	private async wakeNext(): Promise<void> {
		const next = this.sleepers.shift();
		if (!next) return;
		this.time = Math.max(this.time, next.at);
		next.wake();
		await this.settle();
	}
}
