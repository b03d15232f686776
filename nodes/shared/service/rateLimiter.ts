import { systemClock, wait, type Clock } from '../base/clock';
import { pauseAfter429, remainingCalls } from './rateLimitHeaders';

/** `urgent`: submissions and results. `poll`: status calls, which give way to them. */
export type Lane = 'urgent' | 'poll';

interface Waiter {
	lane: Lane;
	start: () => void;
	deadline: number;
	give: (reason: 'stopped' | 'late') => void;
}

/** Longest length of the service's window, ms (service-facts section 10: limits are per minute). */
const WINDOW_MS = 60_000;
const WINDOW_SHORTEST_MS = 1_000;
/** A pause may end so long after the window it waited for, ms: reset times are in whole seconds, and a margin is added. */
const RESET_SLACK_MS = 1_500;
const BACKOFF_FIRST_MS = 1_000;
const BACKOFF_LONGEST_MS = 30_000;
/** Left of this share of a window, polls are held back. */
const LOW_SHARE = 0.2;
/** The smallest published limit, calls (service-facts section 10): fewer in a window means that others used the rest of it. */
const LEAST_LIMIT = 5;
/** A window that the polls' share of it ended without a refusal may allow so many times more: else a low guess would hold polls for good. */
const REGROWTH = 1.5;

/**
 * One gate per credential and process (design.md section 4, Waiting). Without limits it lets everything through at once.
 * After a 429 everything pauses until the window resets; then calls go at most as many at a time as the window is known to allow,
 * polls take at most half of it, and one call at a time probes whether more is allowed.
 */
export class Gate {
	private readonly queue: Record<Lane, Waiter[]> = { urgent: [], poll: [] };

	private pausedUntil = 0;

	/** Calls a window allows, once known. */
	private limit?: number;

	/** False while the limit is only a floor. */
	private limitKnown = false;

	private windowMs = WINDOW_MS;

	private windowEndsAt = 0;

	private used = 0;

	/** When the calls of the last minute were answered, ms since the epoch. */
	private recent: number[] = [];

	private polls = 0;

	private readonly inFlight: Record<Lane, number> = { urgent: 0, poll: 0 };

	private windowOpenedAt?: number;

	private refusals = 0;

	/** The share of polls was used up in this window, and nothing was refused in it. */
	private pollsHeld = false;

	private lastResetAt?: number;

	private ticking = false;

	constructor(
		private readonly clock: Clock = systemClock,
		private readonly random: () => number = Math.random,
	) {}

	/** Time until which all calls pause, ms since the epoch; 0 when none. */
	get pauseEndsAt(): number {
		return this.pausedUntil > this.clock.now() ? this.pausedUntil : 0;
	}

	/** Calls a minute that the account may make, as far as it is known; undefined while it is not. */
	get knownLimit(): number | undefined {
		return this.limitKnown ? this.limit : undefined;
	}

	/**
	 * Waits for the turn of a call. Resolves to `go`, or to `stopped` or `late` when the signal or the deadline (ms since the epoch) came first.
	 * After `go`, the call must be reported with `done`.
	 */
	async enter(
		lane: Lane,
		deadline: number,
		signal?: AbortSignal,
	): Promise<'go' | 'stopped' | 'late'> {
		if (signal?.aborted) return 'stopped';
		return await new Promise((resolve) => {
			const leave = () => this.dismiss(waiter, 'stopped');
			const settle = (turn: 'go' | 'stopped' | 'late') => {
				signal?.removeEventListener('abort', leave);
				resolve(turn);
			};
			const waiter: Waiter = { lane, deadline, start: () => settle('go'), give: settle };
			signal?.addEventListener('abort', leave, { once: true });
			this.queue[lane].push(waiter);
			this.pump();
			void this.tick();
		});
	}

	/** Reports the answer of a call that was let through; `status` 0 when none came. */
	done(lane: Lane, status: number, headers: Record<string, string>): void {
		this.inFlight[lane]--;
		if (status === 429) this.refused(headers);
		else if (status > 0) this.counted(lane, headers);
		this.pump();
	}

	private counted(lane: Lane, headers: Record<string, string>) {
		this.refusals = 0;
		this.used++;
		if (lane === 'poll') this.polls++;
		const now = this.clock.now();
		while (this.recent[0] < now - WINDOW_MS) this.recent.shift();
		this.recent.push(now);
		const remaining = remainingCalls(headers);
		if (remaining !== undefined) {
			const allowed = this.takenSince(now - WINDOW_MS) + remaining;
			if (remaining < allowed * LOW_SHARE) {
				this.limit = Math.max(this.limit ?? 0, allowed);
				this.limitKnown = true;
			} else if (this.limit !== undefined) this.limit = Math.max(this.limit, allowed);
		} else if (this.limit !== undefined && this.used > this.limit) this.limit = this.used;
	}

	/** Calls of a window that began at `from` at the latest: none from before the last reset. */
	private takenSince(from: number): number {
		const begin = Math.max(from, this.lastResetAt ?? 0);
		return this.recent.filter((at) => at >= begin).length;
	}

	private refused(headers: Record<string, string>) {
		const now = this.clock.now();
		const told = pauseAfter429(headers, now);
		if (this.pausedUntil > now) {
			// Calls that were under way together are refused together: one pause is enough.
			this.pausedUntil = Math.max(this.pausedUntil, now + (told ?? 0));
			return;
		}
		const backoff =
			Math.min(BACKOFF_FIRST_MS * 2 ** this.refusals, BACKOFF_LONGEST_MS) *
			(0.75 + 0.5 * this.random());
		// A reset that lies in the past again and again is none to go by.
		const pause = told === undefined || this.refusals > 0 ? Math.max(told ?? 0, backoff) : told;
		this.refusals++;
		this.pausedUntil = now + pause;
		const taken = this.takenSince(this.pausedUntil - WINDOW_MS - RESET_SLACK_MS);
		if (taken > 0 || this.limit === undefined) {
			this.limit = Math.max(LEAST_LIMIT, taken);
			this.limitKnown = taken >= LEAST_LIMIT;
		}
		this.pollsHeld = false;
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
		if (this.pollsHeld && this.limit !== undefined) this.limit = Math.ceil(this.limit * REGROWTH);
		this.pollsHeld = false;
		this.used = 0;
		this.polls = 0;
	}

	private pump() {
		const now = this.clock.now();
		if (now < this.pausedUntil) return;
		this.rollWindow(now);
		for (const lane of ['urgent', 'poll'] as const) {
			while (this.queue[lane].length > 0 && this.allows(lane)) {
				this.inFlight[lane]++;
				this.windowOpenedAt ??= now;
				this.queue[lane].shift()?.start();
			}
		}
	}

	private allows(lane: Lane): boolean {
		if (this.limit === undefined) return true;
		const underWay = this.inFlight.urgent + this.inFlight.poll;
		if (lane === 'poll' && this.polls + this.inFlight.poll >= Math.ceil(this.limit / 2)) {
			this.pollsHeld = true;
			return !this.limitKnown && underWay === 0;
		}
		// Within what the window is known to allow, together; beyond it, one at a time as a probe.
		return this.used + underWay < this.limit || underWay === 0;
	}

	private dismiss(waiter: Waiter, reason: 'stopped' | 'late') {
		this.queue[waiter.lane] = this.queue[waiter.lane].filter((other) => other !== waiter);
		waiter.give(reason);
	}

	/** Runs while anyone waits: wakes the queue after a pause, and lets go of those who are late. */
	private async tick(): Promise<void> {
		if (this.ticking) return;
		this.ticking = true;
		while (this.queue.urgent.length + this.queue.poll.length > 0) {
			const waiters = [...this.queue.urgent, ...this.queue.poll];
			const now = this.clock.now();
			for (const waiter of waiters) {
				if (now >= waiter.deadline) this.dismiss(waiter, 'late');
			}
			this.pump();
			if (this.queue.urgent.length + this.queue.poll.length > 0) await wait(this.clock, 100);
		}
		this.ticking = false;
	}
}

const gates = new Map<string, Gate>();

/** The process-wide gate of a credential and its origin. */
export function gateFor(key: string): Gate {
	let gate = gates.get(key);
	if (!gate) gates.set(key, (gate = new Gate()));
	return gate;
}
