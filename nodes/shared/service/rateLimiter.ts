import { systemClock, wait, type Clock } from '../base/clock';
import { pauseAfter429, remainingCalls, resetInMs } from './rateLimitHeaders';

/**
 * What a call is for. `result`: fetches what is paid for, or reads something else a person waits for. `submission`: starts something.
 * `statusCheck`: asks how far a request is; there is always a next time for it.
 */
export type Purpose = 'result' | 'submission' | 'statusCheck';
const PURPOSES: readonly Purpose[] = ['result', 'submission', 'statusCheck'];

interface Waiter {
	purpose: Purpose;
	deadline: number;
	/** From when on it goes before new submissions, ms since the epoch. */
	urgentAt: number;
	settle: (acquired: Acquired) => void;
}

/** What comes of waiting to be let through. */
type Acquired = 'granted' | 'stopped' | 'late';

/** Longest length of the service's window, ms: limits are per minute (docs/service.md S233). */
const WINDOW_MS = 60_000;
const WINDOW_SHORTEST_MS = 1_000;
/** A pause may end this long after the window it waited for, ms: reset times are in whole seconds, and a margin is added. */
const RESET_SLACK_MS = 1_500;
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_LONGEST_MS = 30_000;
/** Status checks are held back below this remaining share of a window. */
const LOW_SHARE = 0.2;
/** Status checks take at most this share: of a limit that a 429 showed, of the calls that answers report as left. */
const CHECKS_MOST_SHARE = 0.5;
/** Share of a limit that a 429 showed that is reserved for status checks while requests are unfinished: what was submitted must be seen to end within its hour. */
const CHECKS_RESERVED_SHARE = 0.25;
/** The smallest published limit, calls: fewer in a window means that others used the rest of it. */
const LEAST_LIMIT = 5;
/** The limit is raised by this factor after a window in which status checks used up their share and nothing was refused: else a low guess would hold them for good. */
const LIMIT_GROWTH = 1.5;
/** By this share the first count of a window may be too high: calls just before it are counted along. */
const FIRST_COUNT_ERROR = 0.05;
const TICK_MS = 100;
/** In the first moments of a window, ms, and all through one that others use too, at most this many calls start in a tick: 30 a second, or a twentieth of the window. */
const OPENING_MS = 500;
const PACE_LEAST = 3;
const PACE_SHARE = 1 / 200;

/** A request's status is checked no oftener than this, ms; in its first seconds twice as often, where the limit leaves plenty. */
const CHECK_LEAST_MS = 2_000;
const CHECK_YOUNG_MS = 1_000;
const YOUNG_MS = 10_000;
/** Status checks are spread evenly while the limit allows them about that often, ms. */
const EVEN_MS = 2_500;
/** Plenty is left when it would allow status checks this far apart, ms. */
const PLENTY_MS = 500;
/** While the limit is unknown, up to this many unfinished requests are checked as the official client does it, about every 2 s. */
const FEW_REQUESTS = 2;
const CHECK_SPREAD_MS = 200;

/** What the service's answers say of the window. */
interface ReportedWindow {
	remaining: number;
	/** Calls the whole window allows. */
	limit: number;
	/** ms since the epoch. */
	endsAt: number;
	/** Status checks of unfinished requests in this window. */
	checks: number;
}

/**
 * One per credential and process. Without limits it lets everything through at once. After a 429 everything pauses until the window resets;
 * then calls go at most as many at a time as the window is known to allow, status checks take between a quarter and a half of it, and one call
 * at a time probes whether more is allowed. The limit is the account's: processes that know nothing of each other get about equal parts of it.
 */
export class RateLimiter {
	private readonly queue: Record<Purpose, Waiter[]> = {
		result: [],
		submission: [],
		statusCheck: [],
	};

	private pausedUntil = 0;

	/** Calls a window allows, once known. */
	private limit?: number;

	/** By this share the limit may have been taken for too high. */
	private limitError = 0;

	/** False while the limit is only a floor. */
	private limitKnown = false;

	private windowMs = WINDOW_MS;

	private windowEndsAt = 0;

	private used = 0;

	/** When the calls of the last minute were answered, ms since the epoch. */
	private recent: number[] = [];

	private checks = 0;

	private readonly inFlight: Record<Purpose, number> = { result: 0, submission: 0, statusCheck: 0 };

	private windowOpenedAt?: number;

	private refusals = 0;

	/** The share of status checks was used up in this window, and nothing was refused in it. */
	private checksHeld = false;

	private lastResetAt?: number;

	private ticking = false;

	/** A window ended before it had given us what we knew it to allow: somebody else uses the account too. */
	private isShared = false;

	/** Calls started since then, ms since the epoch. */
	private pace = { from: 0, started: 0 };

	/** Requests that somebody waits for. */
	private unfinished = 0;

	private reported?: ReportedWindow;

	private wasRefused = false;

	constructor(
		private readonly clock: Clock = systemClock,
		private readonly random: () => number = Math.random,
	) {}

	/** Time until which all calls pause, ms since the epoch; 0 when none. */
	get pauseEndsAt(): number {
		return this.pausedUntil > this.clock.now() ? this.pausedUntil : 0;
	}

	/** Calls a window of a minute allows, as far as known. */
	get callsPerMinute(): number | undefined {
		return this.limitKnown ? this.limit : undefined;
	}

	/**
	 * How often the account's limit allows a status check of one of the unfinished requests, ms; undefined when nothing is known that would allow it.
	 * At most half of what is left of the window goes to status checks, spread over the time left; under a fifth of the limit none until the window ends.
	 * `ageMs`: time since the request was accepted. `least`: checks closer together would use up what the rest of the window needs; where it does
	 * not allow checks of all requests every 2 s, those that are likeliest to have ended may have them sooner.
	 */
	checkEveryMs(ageMs: number): { least: number; most: number } | undefined {
		const now = this.clock.now();
		if (now < this.pausedUntil) return undefined;
		const { reported } = this;
		if (reported === undefined)
			return this.wasRefused || this.unfinished > FEW_REQUESTS
				? undefined
				: { least: 0, most: CHECK_LEAST_MS + CHECK_SPREAD_MS * this.random() };
		const isOver = now >= reported.endsAt;
		const remaining = isOver ? reported.limit : reported.remaining;
		const left = isOver ? WINDOW_MS : reported.endsAt - now;
		if (remaining < reported.limit * LOW_SHARE)
			return { least: 0, most: Math.max(left, CHECK_LEAST_MS) };
		const every =
			(left * Math.max(this.unfinished, 1)) / Math.max(remaining * CHECKS_MOST_SHARE, 1);
		const isYoung = ageMs < YOUNG_MS && every <= PLENTY_MS;
		return {
			least: every <= EVEN_MS ? every : 0,
			most: Math.max(every, isYoung ? CHECK_YOUNG_MS : CHECK_LEAST_MS),
		};
	}

	/** A request is waited for from now on; call what it returns when that is over. */
	expectChecks(): () => void {
		this.unfinished++;
		let isOver = false;
		return () => {
			if (!isOver) this.unfinished--;
			isOver = true;
		};
	}

	/**
	 * Waits until a call may be sent. Resolves to `granted`, or to `stopped` or `late` when the signal or the deadline (ms since the epoch) came first.
	 * After `granted`, the call must be reported with `release`. `urgentAt`: a status check older than that goes before new submissions.
	 */
	async acquire(
		purpose: Purpose,
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
			const waiter: Waiter = { purpose, deadline, urgentAt, settle };
			signal?.addEventListener('abort', leave, { once: true });
			this.queue[purpose].push(waiter);
			this.pump();
			void this.tick();
		});
	}

	/** Reports the answer of a call that was let through; `status` 0 when none came. */
	release(purpose: Purpose, status: number, headers: Record<string, string>): void {
		this.inFlight[purpose]--;
		if (status === 429) this.recordRefusal(headers);
		else if (status > 0) this.recordAnswer(purpose, headers);
		this.pump();
	}

	private recordAnswer(purpose: Purpose, headers: Record<string, string>) {
		this.refusals = 0;
		this.used++;
		if (purpose === 'statusCheck') this.checks++;
		const now = this.clock.now();
		while (this.recent[0] < now - WINDOW_MS) this.recent.shift();
		this.recent.push(now);
		const remaining = remainingCalls(headers);
		if (remaining !== undefined) {
			const allowed = this.takenSince(now - WINDOW_MS) + remaining;
			this.reported = this.reportedBy(headers, remaining, allowed, now);
			if (purpose === 'statusCheck') this.reported.checks++;
			if (remaining < allowed * LOW_SHARE) {
				this.limit = Math.max(this.limit ?? 0, allowed);
				this.limitKnown = true;
			} else if (this.limit !== undefined) this.limit = Math.max(this.limit, allowed);
		} else if (this.limit !== undefined && this.used > this.limit) this.limit = this.used;
	}

	/** The window goes on until more is left than before; where no header says when it ends, it is a minute from its first call. */
	private reportedBy(
		headers: Record<string, string>,
		remaining: number,
		allowed: number,
		now: number,
	): ReportedWindow {
		const { reported } = this;
		const goesOn =
			reported !== undefined && now < reported.endsAt && remaining <= reported.remaining;
		const reset = resetInMs(headers, now);
		const endsAt =
			reset !== undefined
				? now + reset
				: goesOn
					? reported.endsAt
					: reported === undefined
						? (this.windowOpenedAt ?? now) + WINDOW_MS
						: now + WINDOW_MS;
		return {
			remaining,
			limit: Math.max(allowed, goesOn ? reported.limit : 0),
			endsAt,
			checks: goesOn ? reported.checks : 0,
		};
	}

	/** Calls of a window that began at `from` at the latest: none from before the last reset. */
	private takenSince(from: number): number {
		const begin = Math.max(from, this.lastResetAt ?? 0);
		return this.recent.filter((at) => at >= begin).length;
	}

	private recordRefusal(headers: Record<string, string>) {
		this.wasRefused = true;
		const now = this.clock.now();
		const asked = pauseAfter429(headers, now);
		if (this.pausedUntil > now) {
			// Calls that were under way together are refused together: one pause is enough.
			this.pausedUntil = Math.max(this.pausedUntil, now + (asked ?? 0));
			return;
		}
		const backoff =
			Math.min(BACKOFF_FIRST_MS * 2 ** this.refusals, BACKOFF_LONGEST_MS) *
			(0.75 + 0.5 * this.random());
		// A reset time that keeps lying in the past says nothing.
		const pause = asked === undefined || this.refusals > 0 ? Math.max(asked ?? 0, backoff) : asked;
		this.refusals++;
		this.pausedUntil = now + pause;
		const taken = this.takenSince(this.pausedUntil - WINDOW_MS - RESET_SLACK_MS);
		if (this.limit !== undefined) {
			if (taken < Math.floor(this.limit * (1 - this.limitError))) this.isShared = true;
			else if (taken > this.limit) this.isShared = false;
		}
		if (taken > 0 || this.limit === undefined) {
			this.limit = Math.max(LEAST_LIMIT, taken);
			this.limitKnown = taken >= LEAST_LIMIT;
			this.limitError = this.lastResetAt === undefined ? FIRST_COUNT_ERROR : 0;
		}
		this.checksHeld = false;
		// From the second reset on the window's length is known; before, at least what has been seen of it.
		const seenFrom = this.lastResetAt ?? this.windowOpenedAt ?? now;
		this.windowMs = Math.min(Math.max(this.pausedUntil - seenFrom, WINDOW_SHORTEST_MS), WINDOW_MS);
		this.lastResetAt = this.pausedUntil;
		this.windowEndsAt = this.pausedUntil;
	}

	private rollWindow(now: number) {
		// While no limit is known, a minute is counted at a time: a limit, once met, must not be read from hours of calls.
		const endsAt =
			this.limit === undefined ? (this.windowOpenedAt ?? now) + WINDOW_MS : this.windowEndsAt;
		if (now < endsAt) return;
		this.windowOpenedAt = now;
		this.windowEndsAt = now + this.windowMs;
		if (this.checksHeld && this.limit !== undefined) {
			this.limit = Math.ceil(this.limit * LIMIT_GROWTH);
			this.limitError = 1 - 1 / LIMIT_GROWTH;
		}
		this.checksHeld = false;
		this.used = 0;
		this.checks = 0;
	}

	private pump() {
		const now = this.clock.now();
		if (now < this.pausedUntil) return;
		this.rollWindow(now);
		this.startUrgentChecks(now);
		for (const purpose of PURPOSES) {
			while (this.queue[purpose].length > 0 && this.allows(purpose))
				this.start(this.queue[purpose][0]);
		}
	}

	/** Results go before everything; then the status checks that must not wait any longer. */
	private startUrgentChecks(now: number) {
		if (this.queue.statusCheck.length === 0) return;
		while (this.queue.result.length > 0 && this.allows('result')) this.start(this.queue.result[0]);
		const urgent = this.queue.statusCheck
			.filter(({ urgentAt }) => urgentAt <= now)
			.sort((one, other) => one.urgentAt - other.urgentAt);
		for (const waiter of urgent) {
			if (!this.allowsMore()) return;
			this.start(waiter);
		}
	}

	private start(waiter: Waiter) {
		this.inFlight[waiter.purpose]++;
		this.pace.started++;
		this.windowOpenedAt ??= this.clock.now();
		this.dequeue(waiter, 'granted');
	}

	private get totalInFlight(): number {
		return PURPOSES.reduce((sum, purpose) => sum + this.inFlight[purpose], 0);
	}

	/**
	 * Other processes may use the same account, and nothing tells us but what we get of a window. Were all calls of a window to start as it opens,
	 * the first process to wake would have all of it, window after window.
	 */
	private keepsPace(purpose: Purpose, limit: number): boolean {
		const now = this.clock.now();
		const isOpening = now - (this.windowOpenedAt ?? now) < OPENING_MS;
		if (!isOpening && !this.isShared) return true;
		// Status checks have a measure of their own where answers say what is left; as a window opens they only must not overtake what is held back here.
		if (purpose === 'statusCheck' && this.reported)
			return !isOpening || this.queue.result.length + this.queue.submission.length === 0;
		if (now - this.pace.from >= TICK_MS) this.pace = { from: now, started: 0 };
		return this.pace.started < Math.max(PACE_LEAST, Math.ceil(limit * PACE_SHARE));
	}

	/** Within what the window is known to allow, together; beyond it, one at a time as a probe. */
	private allowsMore(): boolean {
		if (this.limit === undefined) return true;
		const { totalInFlight } = this;
		return this.used + totalInFlight < this.limit || totalInFlight === 0;
	}

	/** Of what was left for us when the window began, status checks take at most half; none when little is left at all. */
	private allowsCheck(): boolean {
		const { reported } = this;
		if (reported === undefined || this.clock.now() >= reported.endsAt) return true;
		const inFlight = this.inFlight.statusCheck;
		const taken = reported.checks + inFlight;
		const left = reported.remaining - inFlight;
		return left >= reported.limit * LOW_SHARE && taken < CHECKS_MOST_SHARE * (taken + left);
	}

	private allows(purpose: Purpose): boolean {
		if (purpose === 'statusCheck' && !this.allowsCheck()) return false;
		if (this.limit === undefined) return true;
		if (!this.keepsPace(purpose, this.limit)) return false;
		const checks = this.checks + this.inFlight.statusCheck;
		if (purpose === 'statusCheck' && checks >= Math.ceil(this.limit * CHECKS_MOST_SHARE)) {
			this.checksHeld = true;
			return !this.limitKnown && this.totalInFlight === 0;
		}
		if (purpose !== 'submission') return this.allowsMore();
		const share = this.unfinished > 0 ? Math.ceil(this.limit * CHECKS_RESERVED_SHARE) : 0;
		const reserved = Math.max(0, share - checks);
		// No probing into what is reserved.
		return reserved === 0
			? this.allowsMore()
			: this.used + this.totalInFlight < this.limit - reserved;
	}

	private dequeue(waiter: Waiter, acquired: Acquired) {
		this.queue[waiter.purpose] = this.queue[waiter.purpose].filter((other) => other !== waiter);
		waiter.settle(acquired);
	}

	/** Runs while anyone waits: wakes the queue after a pause, and ends the wait of calls whose deadline has passed. */
	private async tick(): Promise<void> {
		if (this.ticking) return;
		this.ticking = true;
		while (this.isAwaited) {
			this.dequeueLate();
			this.pump();
			if (this.isAwaited) await wait(this.clock, TICK_MS);
		}
		this.ticking = false;
	}

	private get isAwaited(): boolean {
		return PURPOSES.some((purpose) => this.queue[purpose].length > 0);
	}

	private dequeueLate(): void {
		const now = this.clock.now();
		// Whoever leaves leaves a new array: this one does not change.
		for (const purpose of PURPOSES)
			for (const waiter of this.queue[purpose])
				if (now >= waiter.deadline) this.dequeue(waiter, 'late');
	}
}

const limiters = new Map<string, RateLimiter>();

/** The process-wide rate limiter of a credential and its origin. */
export function rateLimiterFor(key: string): RateLimiter {
	let limiter = limiters.get(key);
	if (!limiter) limiters.set(key, (limiter = new RateLimiter()));
	return limiter;
}
