import type { FailureFacts, SegmindFailure } from '../base/failure';
import { notSentFailure } from '../errors/failures';

/** Remembers the first failure that all later calls of a run would repeat (wrong key, no credits): items that aren't sent yet fail without a call. */
export class FatalFailure {
	facts?: FailureFacts;

	/**
	 * `requestId`: the request that would be checked.
	 * @throws SegmindFailure if an earlier call failed in a way in which every later one would
	 */
	assertNone(requestId?: string): void {
		if (this.facts) throw notSentFailure(this.facts, requestId);
	}

	/** Returns the failure, and remembers it if all later calls would repeat it. */
	remember(failure: SegmindFailure): SegmindFailure {
		if (failure.facts.fatal) this.facts ??= failure.facts;
		return failure;
	}
}
