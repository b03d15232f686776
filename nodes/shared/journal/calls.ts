import { systemClock, type Clock } from '../base/clock';
import type { LostCall, SentEntry } from './entry';

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
	/** It has its request, as its answer or the history shows; one that answered with the output may name no id. */
	accepted?: { requestId?: string };
}

/** What happens to a call, as far as the register of calls must know. */
export type RegisterNote =
	| { readonly note: 'begin'; readonly call: Pick<SentEntry, 'id' | 'at' | 'trace'> }
	| { readonly note: 'accept'; readonly id: string; readonly requestId?: string }
	| { readonly note: 'lose'; readonly call: SentEntry }
	| { readonly note: 'restore'; readonly call: LostCall }
	| { readonly note: 'forget'; readonly id: string };

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
		if (this.claims.has(requestId)) return;
		const now = this.clock.now();
		this.claims.set(requestId, now);
		for (const [id, at] of this.claims) {
			if (now - at < KEPT_MS && this.claims.size <= MOST) break;
			this.claims.delete(id);
			this.sinceMs = Math.max(this.sinceMs, at + LONGEST_MS);
		}
	}

	/** True for a request that belongs to somebody. */
	isClaimed(requestId: string | undefined): boolean {
		return requestId !== undefined && this.claims.has(requestId);
	}

	/** When this process first had to do with a request, ms since the epoch; undefined when it had not. */
	claimedAt(requestId: string): number | undefined {
		return this.claims.get(requestId);
	}

	/** Takes down what happens to a call. */
	note(happened: RegisterNote): void {
		switch (happened.note) {
			case 'begin':
				return this.begin(happened.call);
			case 'accept':
				return this.accept(happened, happened.requestId);
			case 'lose':
				return this.lose(happened.call);
			case 'restore':
				return void this.restore(happened.call);
			case 'forget':
				return this.forget(happened);
		}
	}

	/** A call is sent now. One that no history knows needs no watching. */
	begin({ id, at, trace }: Pick<SentEntry, 'id' | 'at' | 'trace'>): void {
		if (trace) this.keep({ id, likeness: trace.likeness, sentAt: at });
	}

	/** It has its request: no row of the history belongs to it any longer, and its request is nobody else's. */
	accept({ id }: Pick<Call, 'id'>, requestId?: string): void {
		const call = this.open.get(id);
		if (call) call.accepted = { requestId };
		if (requestId !== undefined) this.claim(requestId);
		this.open.delete(id);
	}

	/** Its answer was lost. */
	lose({ id, lostAt, runsUntil }: SentEntry): void {
		const call = this.open.get(id);
		if (call) Object.assign(call, { lostAt, runsUntil });
	}

	/** The lost call of an entry from an earlier attempt, unless this process knows it already, perhaps as still under way. */
	restore(lost: LostCall): void {
		if (!this.open.has(lost.id)) this.keep(callOf(lost));
	}

	/** The call of an entry, as this process knows it; it may be accepted later. */
	known(lost: LostCall): Call {
		return this.open.get(lost.id) ?? callOf(lost);
	}

	/** It was rejected, or is resent: no row of the history belongs to it any longer. */
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

function callOf({ id, at, trace: { likeness }, lostAt = at, runsUntil }: LostCall): Call {
	return { id, likeness, sentAt: at, lostAt, runsUntil };
}

/** Those of this process. */
export const calls = new Calls();
