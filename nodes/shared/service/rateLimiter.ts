import { systemClock, wait, type Clock } from '../base/clock';
import {
	windowAfterResponse,
	windowAfter429,
	currentWindow,
	openWindow,
	type AccountWindow,
} from './accountWindow';
import { pauseAfter429, remainingCalls } from './rateLimitHeaders';

/**
 * The priority of a call, named after its typical purpose. `result`: fetches a charged result, or reads something else that the user waits for.
 * `submission`: starts something. `statusCheck`: checks a request, and can always be made later.
 */
export type CallPriority = 'result' | 'submission' | 'statusCheck';

/** The queues in the order in which they are served. A status check that must not wait any longer moves to `urgent`. */
const QUEUE_ORDER = ['result', 'urgent', 'submission', 'statusCheck'] as const;
type QueueName = (typeof QUEUE_ORDER)[number];

/** A call that waits for permission. */
interface Waiter {
	queue: QueueName;
	deadline: number;
	/** The time from which the call is urgent, in ms since the epoch. */
	urgentAt: number;
	settle: (outcome: WaitOutcome) => void;
}

/** How the wait for permission ended. */
type WaitOutcome = 'granted' | 'stopped' | 'deadlinePassed';

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;
const TICK_MS = 100;
/** Within a known limit, only a share of its calls starts per tick. Otherwise the first process to wake would use a whole window. */
const STARTS_SHARE_PER_TICK = 1 / 20;
/** At least this many calls may start per tick, even if the share is smaller. */
const MIN_STARTS_PER_TICK = 3;
/** While requests are unfinished, submissions leave this share of a window for status checks: an accepted request must be seen to end within its hour. */
const SHARE_FOR_CHECKS = 1 / 4;

/**
 * The rate limiter: one per credential and process. Allows every call until a header or a 429 shows a limit. After a 429 all calls pause until the
 * window resets. Calls stay within the known limit; beyond it, one call at a time tests whether more is allowed.
 */
export class RateLimiter {
	private readonly queues: Record<QueueName, Set<Waiter>> = {
		result: new Set(),
		urgent: new Set(),
		submission: new Set(),
		statusCheck: new Set(),
	};

	private window: AccountWindow = openWindow(0);

	/** The time until which all calls pause, in ms since the epoch. */
	pauseEndsAt = 0;

	/** How many responses in a row were a 429. */
	private consecutive429s = 0;

	private inFlight = 0;

	/** Number of requests that are being polled. */
	private unfinished = 0;

	/** Calls that started in this tick. */
	private starts = { since: 0, count: 0 };

	private isTicking = false;

	constructor(
		private readonly clock: Clock = systemClock,
		private readonly random: () => number = Math.random,
	) {}

	/** Calls per minute, as far as known. */
	get callsPerMinute(): number | undefined {
		return this.window.limit;
	}

	/** How many calls and ms are left of the window, and how many unfinished requests share them. */
	get budget(): { calls: number; ms: number; unfinished: number } {
		const now = this.clock.now();
		const { limit = Infinity, used, endsAt } = (this.window = currentWindow(this.window, now));
		return { calls: limit - used - this.inFlight, ms: endsAt - now, unfinished: this.unfinished };
	}

	/** Counts a request that is polled from now on. Call the returned function once, when the polling ends. */
	expectChecks(): () => void {
		this.unfinished++;
		return () => void this.unfinished--;
	}

	/**
	 * Waits until a call may be sent. Resolves to `granted`, or to `stopped` or `late` if the signal or the deadline (ms since the epoch) came first. After
	 * `granted`, report the call with `release`. `urgentAt`: from then on a status check takes priority over submissions.
	 */
	async acquire(
		priority: CallPriority,
		deadline: number,
		signal?: AbortSignal,
		urgentAt = Infinity,
	): Promise<WaitOutcome> {
		if (signal?.aborted) return 'stopped';
		return await new Promise((resolve) => {
			const leave = () => this.dequeue(waiter, 'stopped');
			const settle = (outcome: WaitOutcome) => {
				signal?.removeEventListener('abort', leave);
				resolve(outcome);
			};
			const waiter: Waiter = { queue: priority, deadline, urgentAt, settle };
			signal?.addEventListener('abort', leave, { once: true });
			this.queues[priority].add(waiter);
			this.grantCalls();
			void this.tick();
		});
	}

	/** Reports the response to a granted call; `status` is 0 without a response. */
	release(status: number, headers: Record<string, string>): void {
		this.inFlight--;
		const now = this.clock.now();
		this.window = currentWindow(this.window, now);
		if (status === 429) this.record429(headers, now);
		else if (status > 0) {
			// The first call after a pause got no 429, so a new window has begun.
			if (this.consecutive429s > 0 && now >= this.pauseEndsAt)
				this.window = openWindow(now, this.window.limit);
			this.consecutive429s = 0;
			const remaining = remainingCalls(headers);
			this.window = windowAfterResponse(this.window, now, { remaining, inFlight: this.inFlight });
		}
		this.grantCalls();
	}

	private record429(headers: Record<string, string>, now: number) {
		const wasPaused = now < this.pauseEndsAt;
		this.pauseEndsAt = Math.max(this.pauseEndsAt, now + (pauseAfter429(headers, now) ?? 0));
		// Calls that were under way together get a 429 together: one backoff is enough.
		if (wasPaused) return;
		if (this.consecutive429s === 0) this.window = windowAfter429(this.window);
		const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** this.consecutive429s++, MAX_BACKOFF_MS);
		this.pauseEndsAt = Math.max(this.pauseEndsAt, now + backoff * (0.75 + 0.5 * this.random()));
	}

	/** Grants waiting calls in the order of the queues, as far as the limit allows. */
	private grantCalls() {
		const now = this.clock.now();
		if (now < this.pauseEndsAt) return;
		this.window = currentWindow(this.window, now);
		if (now - this.starts.since >= TICK_MS) this.starts = { since: now, count: 0 };
		for (const queue of QUEUE_ORDER)
			for (const waiter of this.queues[queue]) {
				if (!this.allows(queue)) break;
				this.inFlight++;
				this.starts.count++;
				this.dequeue(waiter, 'granted');
			}
	}

	private allows(queue: QueueName): boolean {
		// After a 429, only one call at a time is made until one gets another response.
		if (this.consecutive429s > 0) return this.inFlight === 0;
		const { limit, used } = this.window;
		if (limit === undefined) return true;
		if (this.starts.count >= Math.max(MIN_STARTS_PER_TICK, limit * STARTS_SHARE_PER_TICK))
			return false;
		const mustLeaveShare = queue === 'submission' && this.unfinished > 0;
		const maxCalls = limit * (mustLeaveShare ? 1 - SHARE_FOR_CHECKS : 1);
		// One call at a time may exceed the limit, but no submission may use the share that is kept for status checks.
		return used + this.inFlight < maxCalls || (this.inFlight === 0 && !mustLeaveShare);
	}

	private dequeue(waiter: Waiter, outcome: WaitOutcome) {
		this.queues[waiter.queue].delete(waiter);
		waiter.settle(outcome);
	}

	/** Runs while calls wait: wakes the queues after a pause, ends the wait of calls whose deadline has passed, and makes old status checks urgent. */
	private async tick(): Promise<void> {
		if (this.isTicking) return;
		this.isTicking = true;
		while (QUEUE_ORDER.some((queue) => this.queues[queue].size > 0)) {
			await wait(this.clock, TICK_MS);
			const now = this.clock.now();
			for (const queue of QUEUE_ORDER)
				for (const waiter of this.queues[queue]) {
					if (now >= waiter.deadline) this.dequeue(waiter, 'deadlinePassed');
					else if (queue === 'statusCheck' && now >= waiter.urgentAt) {
						this.queues.statusCheck.delete(waiter);
						waiter.queue = 'urgent';
						this.queues.urgent.add(waiter);
					}
				}
			this.grantCalls();
		}
		this.isTicking = false;
	}
}

const limiters = new Map<string, RateLimiter>();

/** Returns the one rate limiter of this process for a credential and its base URL. */
export function rateLimiterFor(key: string): RateLimiter {
	let limiter = limiters.get(key);
	if (!limiter) limiters.set(key, (limiter = new RateLimiter()));
	return limiter;
}
