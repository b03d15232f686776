/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import type { Clock } from '../../nodes/shared/base/clock';

/**
 * Time that passes only when a test says so. Sleepers wake in the order they are due, and everything a wake-up sets off has
 * happened before the next one. All values in ms.
 */
export class VirtualClock implements Clock {
	private time: number;

	private sleepers: Array<{ at: number; wake: () => void }> = [];

	/** Starts at the beginning of a minute, far enough from 0 to pass for a time of day. */
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

	/** Lets everything happen that is due without time passing. */
	async settle(): Promise<void> {
		await new Promise<void>((resolve) => setImmediate(resolve));
	}

	/** Lets this much time pass. */
	async advance(ms: number): Promise<void> {
		const until = this.time + ms;
		await this.settle();
		while (this.sleepers.length > 0 && this.sleepers[0].at <= until) await this.wakeNext();
		this.time = until;
		await this.settle();
	}

	/**
	 * Lets time pass until a piece of work is done, and hands its value on.
	 * @throws Error when it is still not done after `limit`, or when nothing is left that could end it
	 */
	async runUntil<T>(work: Promise<T>, limit = 24 * 3_600_000): Promise<T> {
		const until = this.time + limit;
		let done = false;
		const mark = () => {
			done = true;
		};
		work.then(mark, mark);
		await this.settle();
		while (!done) {
			if (this.sleepers.length === 0)
				throw new Error('Everything waits for something that never comes');
			if (this.sleepers[0].at > until) throw new Error(`Not done after ${limit} ms`);
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
