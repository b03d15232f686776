import { systemClock, type Clock } from '../base/clock';

/** A call that this process has sent. Times in ms since the epoch. */
interface Call {
	readonly id: string;
	/** Digest of slug and body: equal calls are interchangeable, whichever credential sends them. */
	readonly callDigest: string;
	readonly sentAt: number;
	/** Whether the node has stopped waiting for the response; until then, the call is under way. */
	isLost?: true;
	/** Set when the response or the request history shows that the call was accepted. A response that holds the output may name no ID. */
	accepted?: { requestId?: string };
}

/** A request that belongs to an item of this process. Times in ms since the epoch. */
interface Claim {
	readonly claimedAt: number;
	readonly acceptedAt: number;
}

/** How long an ID or a call is kept: the request history is searched within minutes of a lost response. */
const MAX_AGE_MS = 2 * 3_600_000;

/**
 * The register of calls: what this process knows across items, nodes and executions. It knows which request IDs are claimed, which calls are under
 * way, and which responses were lost. So it can tell whether a row of the request history may belong to another item.
 */
export class CallRegister {
	/** By request ID, the first claim first. */
	private readonly claims = new Map<string, Claim>();

	/** By the ID of the call, oldest first. */
	private readonly calls = new Map<string, Call>();

	constructor(private readonly clock: Clock = systemClock) {}

	/** Reserves a request for one item, so that no other item adopts it. `acceptedAt`: when Segmind accepted it, or a little later. */
	claim(requestId: string, acceptedAt: number): void {
		if (this.claims.has(requestId)) return;
		const now = this.clock.now();
		this.claims.set(requestId, { claimedAt: now, acceptedAt });
		for (const [id, { claimedAt }] of this.claims) {
			if (now - claimedAt < MAX_AGE_MS) break;
			this.claims.delete(id);
		}
	}

	/** Whether a request belongs to an item of this process. */
	isClaimed(requestId: string): boolean {
		return this.claims.has(requestId);
	}

	/** Returns when a claimed request was accepted, in ms since the epoch; undefined if no item of this process has claimed it. */
	acceptedAt(requestId: string): number | undefined {
		return this.claims.get(requestId)?.acceptedAt;
	}

	/** Registers a call that is sent now. */
	begin(id: string, callDigest: string): void {
		const sentAt = this.clock.now();
		this.calls.set(id, { id, callDigest, sentAt });
		for (const call of this.calls.values()) {
			if (sentAt - call.sentAt < MAX_AGE_MS) break;
			this.calls.delete(call.id);
		}
	}

	/** Records that a call was accepted, and claims its request. */
	accept(id: string, requestId: string | undefined, acceptedAt: number): void {
		const call = this.calls.get(id);
		if (call) call.accepted = { requestId };
		if (requestId !== undefined) this.claim(requestId, acceptedAt);
	}

	/** Records that the response to a call was lost. */
	lose(id: string): void {
		const call = this.calls.get(id);
		if (call) call.isLost = true;
	}

	/** Forgets a call that was rejected: no row of the history is matched with it. */
	forget(id: string): void {
		this.calls.delete(id);
	}

	/** Returns the call with this ID; undefined if another process sent it, or it's too old. A late response may still change the object. */
	find(id: string): Call | undefined {
		return this.calls.get(id);
	}

	/** Counts the equal calls whose responses were lost. */
	countLost(callDigest: string): number {
		return this.openCalls(callDigest).filter(({ isLost }) => isLost).length;
	}

	/** Whether an equal call still waits for its response. */
	isUnderWay(callDigest: string): boolean {
		return this.openCalls(callDigest).some(({ isLost }) => !isLost);
	}

	private openCalls(callDigest: string): Call[] {
		return [...this.calls.values()].filter(
			(call) => call.callDigest === callDigest && !call.accepted,
		);
	}
}

/** The one register of this process. */
export const callRegister = new CallRegister();
