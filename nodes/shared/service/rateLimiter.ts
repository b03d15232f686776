import { systemClock, wait, type Clock } from '../base/clock';
import { timeOf } from './serviceTime';

/**
 * The purpose of a call. `result`: fetches a charged result, or reads something else that the user waits for. `submission`: starts something.
 * `statusCheck`: checks a request.
 */
export type CallPriority = 'result' | 'submission' | 'statusCheck';

/** A call that waits for permission. */
interface Waiter {
	priority: CallPriority;
	/** ms since the epoch. */
	deadline: number;
	endWait: (end: WaitEnd) => void;
}

/** How the wait for permission ended. */
type WaitEnd = 'granted' | 'stopped' | 'deadlinePassed';

/** The service counts calls in fixed windows of a minute (docs/service.md S233). */
const WINDOW_MS = 60_000;
/** The smallest published limit (docs/service.md S220). A 429 after fewer calls shows that others use the account, not what its limit is. */
const MIN_LIMIT_CALLS = 5;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 30_000;
const TICK_MS = 100;
/** A 429 comes at once: a call that has waited this long for its response was allowed. */
const MAX_429_WAIT_MS = 2_000;
/** Within a known limit, only a share of its calls starts per tick. Otherwise the first process to wake would use a whole window. */
const STARTS_SHARE_PER_TICK = 1 / 20;
/** At least this many calls may start per tick, even if the share is smaller. */
const MIN_STARTS_PER_TICK = 3;
/** Each unfinished request needs at least a status check and a call for its result. */
const CALLS_LEFT_PER_REQUEST = 2;
/** Submissions wait while the unfinished requests need the calls of more minutes: the service keeps the record of a request for only an hour. */
const MAX_MINUTES_LEFT = 15;

/**
 * The rate limiter: one per credential and process. Other processes may use the same account without our knowledge. Allows every call until a header
 * or a 429 shows a limit. After a 429 all calls pause until the window resets. Calls stay within the known limit; beyond it, one call at a time tests
 * whether more is allowed. Results go first, all other calls in the order in which they came.
 */
export class RateLimiter {
	private readonly results = new Set<Waiter>();

	private readonly others = new Set<Waiter>();

	/** Calls of this process per window; undefined until a response shows a limit. */
	limit?: number;

	/** Responses in this window. */
	private used = 0;

	private windowEndsAt = 0;

	/** The time until which all calls pause, in ms since the epoch. */
	pauseEndsAt = 0;

	/** How many responses in a row were a 429. */
	private consecutive429s = 0;

	private inFlight = 0;

	/** Number of requests that are being polled. */
	private unfinished = 0;

	/** Calls that started in this tick. */
	private starts = { since: 0, count: 0 };

	/** When the last call started, in ms since the epoch. */
	private lastStartAt = 0;

	private isTicking = false;

	constructor(
		private readonly clock: Clock = systemClock,
		private readonly random: () => number = Math.random,
	) {}

	/** How many calls and ms are left of the window, and how many unfinished requests share them. */
	get budget(): { calls: number; ms: number; unfinished: number } {
		const now = this.updateWindow();
		const calls = (this.limit ?? Infinity) - this.used - this.inFlight;
		return { calls, ms: this.windowEndsAt - now, unfinished: this.unfinished };
	}

	/** Counts a request that is polled from now on. Call the returned function once, when the polling ends. */
	expectChecks(): () => void {
		this.unfinished++;
		return () => {
			this.unfinished--;
		};
	}

	/**
	 * Waits until a call may be sent. Resolves to `stopped` or `deadlinePassed` if the signal or the deadline (ms since the epoch) came first. After
	 * `granted`, report the call with `release`.
	 */
	async acquire(priority: CallPriority, deadline: number, signal?: AbortSignal): Promise<WaitEnd> {
		if (signal?.aborted) return 'stopped';
		const queue = priority === 'result' ? this.results : this.others;
		return await new Promise((resolve) => {
			const endWait = (end: WaitEnd) => {
				queue.delete(waiter);
				signal?.removeEventListener('abort', leave);
				resolve(end);
			};
			const leave = () => endWait('stopped');
			const waiter: Waiter = { priority, deadline, endWait };
			signal?.addEventListener('abort', leave, { once: true });
			queue.add(waiter);
			this.grantCalls();
			void this.tick();
		});
	}

	/** Reports the response to a granted call; `status` is 0 without a response. */
	release(status: number, headers: Record<string, string>): void {
		this.inFlight--;
		const now = this.updateWindow();
		if (status === 429) this.note429(headers, now);
		else if (status > 0) {
			// The first call after a pause got no 429, so a new window has begun.
			if (this.consecutive429s > 0 && now >= this.pauseEndsAt) this.openWindow(now);
			this.consecutive429s = 0;
			this.countResponse(remainingCalls(headers), now);
		}
		this.grantCalls();
	}

	/**
	 * Counts a response. `remaining`: the calls that are left, if the response reports them. Responses to the calls in flight may come in any order. If
	 * `remaining` is larger than both the known limit and these calls explain, a new window has begun.
	 */
	private countResponse(remaining: number | undefined, now: number): void {
		const callsLeft = (this.limit ?? Infinity) - this.used;
		this.used += 1;
		if (remaining === undefined) {
			if (this.limit !== undefined) this.limit = Math.max(this.limit, this.used);
		} else if (remaining > callsLeft + this.inFlight + 1) {
			this.openWindow(now);
			this.used = 1;
			this.limit = remaining + 1;
		} else this.limit = this.used + Math.min(remaining, callsLeft);
	}

	private note429(headers: Record<string, string>, now: number): void {
		const wasPaused = now < this.pauseEndsAt;
		this.pauseEndsAt = Math.max(this.pauseEndsAt, now + (pauseAfter429(headers, now) ?? 0));
		// Calls that were under way together get a 429 together: one backoff is enough.
		if (wasPaused) return;
		if (this.consecutive429s === 0 && this.used >= MIN_LIMIT_CALLS) this.limit = this.used;
		const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** this.consecutive429s, MAX_BACKOFF_MS);
		this.consecutive429s++;
		this.pauseEndsAt = Math.max(this.pauseEndsAt, now + backoff * (0.75 + 0.5 * this.random()));
	}

	/** Opens a new window if the last one has ended. Returns the time. */
	private updateWindow(): number {
		const now = this.clock.now();
		if (now >= this.windowEndsAt) this.openWindow(now);
		return now;
	}

	private openWindow(now: number): void {
		this.used = 0;
		this.windowEndsAt = now + WINDOW_MS;
	}

	/** Grants waiting calls, as far as the limit allows. */
	private grantCalls(): void {
		const now = this.updateWindow();
		if (now < this.pauseEndsAt) return;
		if (now - this.starts.since >= TICK_MS) this.starts = { since: now, count: 0 };
		for (const queue of [this.results, this.others]) {
			for (const waiter of queue) {
				if (!this.allowsCall(now)) return;
				if (waiter.priority === 'submission' && !this.allowsSubmission()) continue;
				this.inFlight++;
				this.starts.count++;
				this.lastStartAt = now;
				waiter.endWait('granted');
			}
		}
	}

	private allowsCall(now: number): boolean {
		const { limit, used, inFlight, starts } = this;
		const mayTest = inFlight === 0 || now - this.lastStartAt >= MAX_429_WAIT_MS;
		// After a 429, calls only test the limit until one gets another response.
		if (this.consecutive429s > 0) return mayTest;
		if (limit === undefined) return true;
		if (starts.count >= Math.max(MIN_STARTS_PER_TICK, limit * STARTS_SHARE_PER_TICK)) return false;
		return used + inFlight < limit || mayTest;
	}

	private allowsSubmission(): boolean {
		return this.unfinished * CALLS_LEFT_PER_REQUEST <= (this.limit ?? Infinity) * MAX_MINUTES_LEFT;
	}

	/** Runs while calls wait: wakes the queues after a pause, and ends the wait of calls whose deadline has passed. */
	private async tick(): Promise<void> {
		if (this.isTicking) return;
		this.isTicking = true;
		while (this.results.size + this.others.size > 0) {
			await wait(this.clock, TICK_MS);
			const now = this.clock.now();
			const late = [...this.results, ...this.others].filter(({ deadline }) => now >= deadline);
			for (const waiter of late) waiter.endWait('deadlinePassed');
			this.grantCalls();
		}
		this.isTicking = false;
	}
}

const limiters = new Map<string, RateLimiter>();

/** Returns the one rate limiter of this process for a credential and its base URL. */
export function rateLimiterFor(key: string): RateLimiter {
	const limiter = limiters.get(key) ?? new RateLimiter();
	limiters.set(key, limiter);
	return limiter;
}

/** Longest pause that a header can cause: a wrong clock or a hostile value must not stop a workflow for a day. */
const MAX_PAUSE_MS = 15 * 60_000;
/** Added to every pause, because the service's window may end a little later than our clock says. */
const RESET_MARGIN_MS = 150;
/** Resolution of the Date header. */
const DATE_RESOLUTION_MS = 1_000;
/** If a response takes longer to arrive, its `date` can't be compared with our clock. */
const MAX_TRANSIT_MS = 500;

/**
 * Returns how long to pause after a 429, ms; undefined if no header says so (docs/service.md S222). Compares `x-rate-limit-reset-at-utc` with the response's
 * own `date`, so that a wrong local clock does no harm; otherwise reads `retry-after`.
 */
function pauseAfter429(headers: Record<string, string>, now: number): number | undefined {
	const date = timeOf(headers.date) ?? now;
	const resetAt = timeOf(headers['x-rate-limit-reset-at-utc']);
	if (resetAt === undefined) return retryAfterMs(headers, date);
	// The date has only whole seconds. If the clocks agree, ours is more exact: otherwise processes of one account would continue up to a second apart.
	const end = date + DATE_RESOLUTION_MS;
	const doClocksAgree = now >= date && now <= end + MAX_TRANSIT_MS;
	return boundPause(resetAt - (doClocksAgree ? Math.min(now, end) : date));
}

/** Reads `Retry-After`, which is in seconds or a date, and returns it in ms. */
export function retryAfterMs(headers: Record<string, string>, now: number): number | undefined {
	const value = headers['retry-after']?.trim();
	if (!value) return undefined;
	if (/^\d+(\.\d+)?$/.test(value)) return boundPause(Number(value) * 1_000);
	const at = timeOf(value);
	return at === undefined ? undefined : boundPause(at - now);
}

function boundPause(ms: number): number {
	return Math.min(Math.max(ms, 0) + RESET_MARGIN_MS, MAX_PAUSE_MS);
}

/** Reads `x-rate-limit-remaining`; undefined if the response doesn't have it. */
function remainingCalls(headers: Record<string, string>): number | undefined {
	const value = headers['x-rate-limit-remaining']?.trim();
	return value && /^\d+$/.test(value) ? Number(value) : undefined;
}
