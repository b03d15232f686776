import { systemClock, wait, type Clock } from '../base/clock';
import { afterResponse, afterRefusal, at, openedAt, type AccountWindow } from './accountWindow';
import { pauseAfter429, remainingCalls } from './rateLimitHeaders';

/**
 * The purpose of a call. `result`: fetches a charged result, or reads something else that the user waits for. `submission`: starts something.
 * `statusCheck`: checks a request, and can always be made later.
 */
export type CallPriority = 'result' | 'submission' | 'statusCheck';

/** The order of the queues. A status check that must not wait any longer is urgent. */
const ORDER = ['result', 'urgent', 'submission', 'statusCheck'] as const;
type Line = (typeof ORDER)[number];

interface Waiter {
	line: Line;
	deadline: number;
	/** From when on the call is urgent, ms since the epoch. */
	urgentAt: number;
	settle: (acquired: Acquired) => void;
}

/** The outcome of waiting for permission. */
type Acquired = 'granted' | 'stopped' | 'late';

const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_LONGEST_MS = 30_000;
const TICK_MS = 100;
/** Within a known limit, at most this many calls, or this share of it, start per tick. Otherwise the first process to wake would use a whole window. */
const STARTS_LEAST = 3;
const STARTS_SHARE = 1 / 20;
/** While requests are unfinished, submissions leave this share of a window for status checks: an accepted request must be seen to end within its hour. */
const KEPT_FOR_CHECKS = 1 / 4;

/**
 * The rate limiter: one per credential and process. Allows every call until a header or a 429 shows a limit. After a 429 all calls pause until the
 * window resets. Calls stay within the known limit; beyond it, one call at a time tests whether more is allowed.
 */
export class RateLimiter {
	private readonly lines: Record<Line, Set<Waiter>> = {
		result: new Set(),
		urgent: new Set(),
		submission: new Set(),
		statusCheck: new Set(),
	};

	private window: AccountWindow = openedAt(0);

	/** Until when all calls pause, ms since the epoch. */
	pauseEndsAt = 0;

	/** 429 responses in a row. */
	private refusals = 0;

	private inFlight = 0;

	/** Number of requests that are being polled. */
	private unfinished = 0;

	/** Calls that started in this tick. */
	private starts = { since: 0, count: 0 };

	private ticking = false;

	constructor(
		private readonly clock: Clock = systemClock,
		private readonly random: () => number = Math.random,
	) {}

	/** Calls per minute, as far as known. */
	get callsPerMinute(): number | undefined {
		return this.window.limit;
	}

	/** What is left of the window, in calls and ms, and for how many unfinished requests. */
	get left(): { calls: number; ms: number; unfinished: number } {
		const now = this.clock.now();
		const { limit = Infinity, used, endsAt } = (this.window = at(this.window, now));
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
	): Promise<Acquired> {
		if (signal?.aborted) return 'stopped';
		return await new Promise((resolve) => {
			const leave = () => this.dequeue(waiter, 'stopped');
			const settle = (acquired: Acquired) => {
				signal?.removeEventListener('abort', leave);
				resolve(acquired);
			};
			const waiter: Waiter = { line: priority, deadline, urgentAt, settle };
			signal?.addEventListener('abort', leave, { once: true });
			this.lines[priority].add(waiter);
			this.pump();
			void this.tick();
		});
	}

	/** Reports the response to a granted call; `status` is 0 without a response. */
	release(status: number, headers: Record<string, string>): void {
		this.inFlight--;
		const now = this.clock.now();
		this.window = at(this.window, now);
		if (status === 429) this.recordRefusal(headers, now);
		else if (status > 0) {
			// A call that got a 429 before succeeds now: a new window has begun.
			if (this.refusals > 0 && now >= this.pauseEndsAt)
				this.window = openedAt(now, this.window.limit);
			this.refusals = 0;
			const remaining = remainingCalls(headers);
			this.window = afterResponse(this.window, now, { remaining, inFlight: this.inFlight });
		}
		this.pump();
	}

	private recordRefusal(headers: Record<string, string>, now: number) {
		const wasPaused = now < this.pauseEndsAt;
		this.pauseEndsAt = Math.max(this.pauseEndsAt, now + (pauseAfter429(headers, now) ?? 0));
		// Calls that were under way together get a 429 together: one backoff is enough.
		if (wasPaused) return;
		if (this.refusals === 0) this.window = afterRefusal(this.window);
		const backoff = Math.min(BACKOFF_FIRST_MS * 2 ** this.refusals++, BACKOFF_LONGEST_MS);
		this.pauseEndsAt = Math.max(this.pauseEndsAt, now + backoff * (0.75 + 0.5 * this.random()));
	}

	private pump() {
		const now = this.clock.now();
		if (now < this.pauseEndsAt) return;
		this.window = at(this.window, now);
		if (now - this.starts.since >= TICK_MS) this.starts = { since: now, count: 0 };
		for (const line of ORDER)
			for (const waiter of this.lines[line]) {
				if (!this.allows(line)) break;
				this.inFlight++;
				this.starts.count++;
				this.dequeue(waiter, 'granted');
			}
	}

	private allows(line: Line): boolean {
		// Until one call succeeds again, the others wait for it.
		if (this.refusals > 0) return this.inFlight === 0;
		const { limit, used } = this.window;
		if (limit === undefined) return true;
		if (this.starts.count >= Math.max(STARTS_LEAST, limit * STARTS_SHARE)) return false;
		const leavesSome = line === 'submission' && this.unfinished > 0;
		const most = limit * (leavesSome ? 1 - KEPT_FOR_CHECKS : 1);
		// One call beyond the limit at a time, but not from the share kept for status checks.
		return used + this.inFlight < most || (this.inFlight === 0 && !leavesSome);
	}

	private dequeue(waiter: Waiter, acquired: Acquired) {
		this.lines[waiter.line].delete(waiter);
		waiter.settle(acquired);
	}

	/** Runs while calls wait: wakes the queues after a pause, ends the wait of calls whose deadline has passed, and makes old status checks urgent. */
	private async tick(): Promise<void> {
		if (this.ticking) return;
		this.ticking = true;
		while (ORDER.some((line) => this.lines[line].size > 0)) {
			await wait(this.clock, TICK_MS);
			const now = this.clock.now();
			for (const line of ORDER)
				for (const waiter of this.lines[line]) {
					if (now >= waiter.deadline) this.dequeue(waiter, 'late');
					else if (line === 'statusCheck' && now >= waiter.urgentAt) {
						this.lines.statusCheck.delete(waiter);
						waiter.line = 'urgent';
						this.lines.urgent.add(waiter);
					}
				}
			this.pump();
		}
		this.ticking = false;
	}
}

const limiters = new Map<string, RateLimiter>();

/** The one rate limiter of this process for a credential and its origin. */
export function rateLimiterFor(key: string): RateLimiter {
	let limiter = limiters.get(key);
	if (!limiter) limiters.set(key, (limiter = new RateLimiter()));
	return limiter;
}
