import { randomUUID } from 'node:crypto';

import { systemClock, type Clock } from '../base/clock';

/** A call of this process that is under way, or whose answer was lost. Times in ms since the epoch. */
export interface Call {
	readonly id: string;
	/** Digest of address and body: equal calls are interchangeable, whichever credential sends them. */
	readonly likeness: string;
	readonly sentAt: number;
	/** When its answer was given up; undefined while it is under way. */
	lostAt?: number;
	/** Until when the service may work on a lost one (v1). */
	runsUntil?: number;
	/** The request that its answer, or the history, showed for it. */
	requestId?: string;
}

/** An id or a call is remembered this long, ms: the request history is searched within minutes of a loss. */
const KEPT_MS = 2 * 3_600_000;
/** A request may run this long, ms, and its row may tell when it ended. */
const LONGEST_MS = 3_600_000;
/** Most ids kept; the oldest go first. */
const MOST = 50_000;

/**
 * What this process knows of calls and requests, across items, nodes and executions: which ids belong to somebody, which calls are under way,
 * and whose answers were lost. It decides whether a row of the request history can be anybody's but ours.
 */
export class Calls {
	/** Ids that were accepted or given out, and when first. */
	private readonly claims = new Map<string, number>();

	/** Under way or lost, by id. */
	private readonly open = new Map<string, Call>();

	private sinceMs: number;

	constructor(private readonly clock: Clock = systemClock) {
		this.sinceMs = clock.now();
	}

	/** From when on every id that this process accepted is known, ms since the epoch. */
	get since(): number {
		return this.sinceMs;
	}

	/** Notes that a request belongs to somebody. */
	claim(requestId: string): void {
		if (requestId === '' || this.claims.has(requestId)) return;
		const now = this.clock.now();
		this.claims.set(requestId, now);
		for (const [id, at] of this.claims) {
			if (now - at < KEPT_MS && this.claims.size <= MOST) break;
			this.claims.delete(id);
			this.sinceMs = Math.max(this.sinceMs, at + LONGEST_MS);
		}
	}

	/** When this process first had to do with a request, ms since the epoch; undefined when it had not. */
	claimedAt(requestId: string): number | undefined {
		return this.claims.get(requestId);
	}

	/** A call is sent now. */
	begin(likeness: string): Call {
		return this.keep({ id: randomUUID(), likeness, sentAt: this.clock.now() });
	}

	/** It was answered; with the id of its request when it was accepted. */
	settle(call: Call, requestId?: string): void {
		call.requestId = requestId;
		this.forget(call);
	}

	/** Its answer was lost. */
	lose(call: Call, lostAt: number, runsUntil?: number): void {
		Object.assign(call, { lostAt, runsUntil });
	}

	/** The lost call of an entry: the one this process made, perhaps still under way, or this one from now on. */
	restore(call: Call): Call {
		return this.open.get(call.id) ?? this.keep(call);
	}

	/** It has its request, or is sent again: no row of the history belongs to it any longer. */
	forget({ id }: Pick<Call, 'id'>): void {
		this.open.delete(id);
	}

	/** Equal calls whose answers were lost, in order of sending. */
	lost(likeness: string): Call[] {
		return [...this.open.values()]
			.filter((call) => call.likeness === likeness && call.lostAt !== undefined)
			.sort((one, other) => one.sentAt - other.sentAt);
	}

	/** True when an equal call waits for its answer. */
	isUnderWay(likeness: string): boolean {
		return [...this.open.values()].some(
			(call) => call.likeness === likeness && call.lostAt === undefined,
		);
	}

	/** Keeps it, and forgets what is too old: calls that nobody looks for again would stay for good. */
	private keep(call: Call): Call {
		for (const { id, sentAt } of this.open.values()) {
			if (this.clock.now() - sentAt < KEPT_MS) break;
			this.open.delete(id);
		}
		this.open.set(call.id, call);
		return call;
	}
}

/** Those of this process. */
export const calls = new Calls();
