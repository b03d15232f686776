import { SegmindFailure } from '../../shared/base/failure';
import type { RequestRef } from '../../shared/journal/lifecycle';
import type { PollSession } from '../pollSession';
import { checkRequest, hasEnded, type Checked, type Outcome } from './requestCheck';

/** Requests checked at the same time. */
const CHECKS_AT_ONCE = 10;
/** After this many unclear checks in a row, the service is left alone until the next poll. */
const MOST_UNCLEAR_IN_A_ROW = 10;

/**
 * Checks requests in order, several at the same time, until the time is up.
 * @param timeMs how long further checks are begun
 * @param enough stops after this many that have ended
 * @returns `checked` in the order of `refs` and without a gap, so it may be shorter; `refused` when the service refuses every call, as for
 *   a wrong key
 */
export async function checkRequests(
	session: PollSession,
	refs: RequestRef[],
	timeMs: number,
	enough = Infinity,
): Promise<{ checked: Checked[]; refused?: SegmindFailure }> {
	const until = session.clock.now() + timeMs;
	const checked: Checked[] = [];
	let next = 0;
	let consecutiveUnclear = 0;
	let ended = 0;
	let refused: SegmindFailure | undefined;
	const worker = async () => {
		while (next < refs.length && session.clock.now() < until && !refused && ended < enough) {
			if (consecutiveUnclear >= MOST_UNCLEAR_IN_A_ROW) return;
			const index = next++;
			const outcome = await checkRequest(session, refs[index], until).catch(unclear);
			// The time was up before the call: this request was not checked.
			if (outcome === undefined) return;
			checked[index] = { ref: refs[index], outcome };
			consecutiveUnclear = outcome.kind === 'unclear' ? consecutiveUnclear + 1 : 0;
			if (hasEnded(outcome)) ended++;
			if (outcome.kind === 'unclear' && outcome.problem && concernsAll(outcome.problem))
				refused ??= outcome.problem;
		}
	};
	await Promise.all(Array.from({ length: Math.min(CHECKS_AT_ONCE, refs.length) }, worker));
	const gap = Array.from(checked).findIndex((one) => one === undefined);
	return { checked: gap === -1 ? checked : checked.slice(0, gap), refused };
}

/** Undefined when the time was up during the call. */
function unclear(error: unknown): Outcome | undefined {
	if (!(error instanceof SegmindFailure)) throw error;
	return error.facts.stopped ? undefined : { kind: 'unclear', problem: error };
}

/** A refused key or the like: every other request would get the same answer. */
function concernsAll({ facts }: SegmindFailure): boolean {
	return facts.fatal === true || facts.httpCode === 401;
}
