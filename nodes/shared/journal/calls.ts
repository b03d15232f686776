import { systemClock, type Clock } from '../base/clock';
import type { TracedCall, SentEntry } from './entry';

/** A call of this process that is under way, or whose response was lost. Times in ms since the epoch. */
export interface Call {
	readonly id: string;
	/** Digest of URL and body: equal calls are interchangeable, whichever credential sends them. */
	readonly likeness: string;
	readonly sentAt: number;
	/** When the node stopped waiting for the response; undefined while the call is under way. */
	lostAt?: number;
	/** The time until which the service may still work on a call whose response was lost (v1). */
	runsUntil?: number;
	/** Set when the response or the request history shows that the call was accepted. A response that holds the output may name no ID. */
	accepted?: { requestId?: string };
}

/** How long an ID or a call is kept: the request history is searched within minutes of a lost response. */
const MAX_AGE_MS = 2 * 3_600_000;
/** The longest time a request may run. A row's time may be the end of its request, so the row of a dropped ID can be this much later than the claim. */
const MAX_REQUEST_MS = 3_600_000;
/** At most this many IDs are kept; the oldest are dropped first. */
const MAX_CLAIMS = 50_000;

/**
 * The register of calls: what this process knows across items, nodes and executions. It knows which request IDs are claimed, which calls are under
 * way, and which responses were lost. So it can tell whether a row of the request history may belong to another item.
 */
export class CallRegister {
	/** Claimed request IDs, and when they were claimed first. */
	private readonly claims = new Map<string, number>();

	/** The calls that are under way or lost, by ID. */
	private readonly openCalls = new Map<string, Call>();

	private knownSinceMs: number;

	constructor(private readonly clock: Clock = systemClock) {
		this.knownSinceMs = clock.now();
	}

	/** The register has every ID that this process received after this time (ms since the epoch). It may have dropped older ones. */
	get knownSince(): number {
		return this.knownSinceMs;
	}

	/** Reserves a request for one item, so that no other item adopts it. */
	claim(requestId: string): void {
		if (this.claims.has(requestId)) return;
		const now = this.clock.now();
		this.claims.set(requestId, now);
		for (const [id, at] of this.claims) {
			if (now - at < MAX_AGE_MS && this.claims.size <= MAX_CLAIMS) break;
			this.claims.delete(id);
			this.knownSinceMs = Math.max(this.knownSinceMs, at + MAX_REQUEST_MS);
		}
	}

	/** Whether a request belongs to an item of this process. */
	isClaimed(requestId: string | undefined): boolean {
		return requestId !== undefined && this.claims.has(requestId);
	}

	/** Returns when this process first claimed a request, in ms since the epoch; undefined if it hasn't. */
	claimedAt(requestId: string): number | undefined {
		return this.claims.get(requestId);
	}

	/** Registers a call that is sent now. Ignores a call that the request history doesn't list. */
	begin({ id, at, trace }: Pick<SentEntry, 'id' | 'at' | 'trace'>): void {
		if (trace) this.keep({ id, likeness: trace.likeness, sentAt: at });
	}

	/** Records that a call was accepted: no row of the history is matched with it any more, and no other item may adopt its request. */
	accept({ id }: Pick<Call, 'id'>, requestId?: string): void {
		const call = this.openCalls.get(id);
		if (call) call.accepted = { requestId };
		if (requestId !== undefined) this.claim(requestId);
		this.openCalls.delete(id);
	}

	/** Records that the response to a call was lost. */
	lose({ id, lostAt, runsUntil }: SentEntry): void {
		const call = this.openCalls.get(id);
		if (call) Object.assign(call, { lostAt, runsUntil });
	}

	/** Adds the lost call of an earlier attempt, unless this register still has the call: then it may still be under way. */
	restore(lost: TracedCall): void {
		if (!this.openCalls.has(lost.id)) this.keep(callOf(lost));
	}

	/** Returns the call of an entry. If this process registered the call, it's the registered object, which a late response may still change. */
	findCall(lost: TracedCall): Call {
		return this.openCalls.get(lost.id) ?? callOf(lost);
	}

	/** Forgets a call that was rejected or is resent: no row of the history is matched with it any more. */
	forget({ id }: Pick<Call, 'id'>): void {
		this.openCalls.delete(id);
	}

	/** Returns equal calls whose responses were lost, in the order in which they were sent. */
	findLostCalls(likeness: string): Call[] {
		return [...this.openCalls.values()]
			.filter((call) => call.likeness === likeness && call.lostAt !== undefined)
			.sort((one, other) => one.sentAt - other.sentAt);
	}

	/** Whether an equal call still waits for its response. */
	isUnderWay(likeness: string): boolean {
		return [...this.openCalls.values()].some(
			(call) => call.likeness === likeness && call.lostAt === undefined,
		);
	}

	/** Adds a call, and drops calls that are too old: otherwise, a call that is never looked up again would stay forever. */
	private keep(call: Call): Call {
		for (const { id, sentAt } of this.openCalls.values()) {
			if (this.clock.now() - sentAt < MAX_AGE_MS) break;
			this.openCalls.delete(id);
		}
		this.openCalls.set(call.id, call);
		return call;
	}
}

function callOf({ id, at, trace: { likeness }, lostAt = at, runsUntil }: TracedCall): Call {
	return { id, likeness, sentAt: at, lostAt, runsUntil };
}

/** The one register of this process. */
export const callRegister = new CallRegister();
