import { canFetch, tracedCallOf, type Entry, type SentEntry } from '../../journal/entry';
import type { PollOutcome } from '../poll/pollOutcome';
import { FIRST_STATUS } from '../poll/interpretCheck';
import type { SearchResult } from '../search/searchResult';
import type { Generation } from './submission';
import type { Attempt, Next, Policy, Findings, State } from './state';

/**
 * Decides what to do next about an item's request. Pure, and the only function that decides this.
 *
 * - An accepted request is never forgotten and never sent again.
 * - A request that may have been accepted is resent if the request history was searched and the service's rule makes the earlier request free (a
 *   gateway responded), or if the user asked for a resend. The attempt that lost the response never resends the request.
 * - FAILED is final and free, so a later attempt sends a new request. An expired request is replaced only if the user asked for it.
 */
export function next(state: State, policy: Policy, findings: Findings): Next {
	const { entry } = state;
	switch (entry?.is) {
		case undefined:
			return { do: 'send' };
		case 'sent':
			return nextOfSent(entry, state.attempt, policy, findings.searchResult);
		case 'accepted':
			return nextOfAccepted(entry, state.attempt, policy, findings.outcome);
		case 'done':
			return nextOfDone(entry, state.attempt, policy, findings);
	}
}

function nextOfSent(
	entry: SentEntry,
	attempt: Attempt,
	policy: Policy,
	searchResult: SearchResult | undefined,
): Next {
	if (policy.isIdempotent) return { do: 'send' };
	const { sendAgainIfUnsure } = policy;
	if (entry.by !== policy.credential && !sendAgainIfUnsure)
		return { do: 'fail', why: { is: 'sentByAnother' } };
	const lost = tracedCallOf(entry);
	if (lost && !searchResult) return { do: 'search', lost };
	if (searchResult?.kind === 'one') return { do: 'adopt', id: entry.id, found: searchResult };
	const isFree =
		entry.gateway === true &&
		(searchResult?.kind === 'none' || (searchResult?.kind === 'unread' && searchResult.isLasting));
	const maySend = !hasSent(attempt) && searchResult?.kind !== 'underWay';
	return maySend && (sendAgainIfUnsure || isFree)
		? { do: 'send' }
		: { do: 'fail', why: { is: 'mayBeAccepted', entry, searchResult } };
}

function nextOfAccepted(
	entry: Extract<Entry, { is: 'accepted' | 'done' }>,
	attempt: Attempt,
	policy: Policy,
	outcome: PollOutcome | undefined,
): Next {
	const { id, ref } = entry;
	const { submission } = policy;
	const response = attempt.is === 'responded' ? attempt.response : undefined;
	if (submission?.responds === 'creation')
		return { do: 'deliver', from: 'creation', creation: submission, id, ref, response };
	if (!submission) return { do: 'fail', why: { is: 'outputLost' } };
	const generation = submission;
	if (response?.content) {
		const { content } = response;
		const { headers } = response.response;
		return { do: 'deliver', from: 'response', generation, id, ref, content, headers };
	}
	if (!ref) return { do: 'fail', why: { is: 'outputLost' } };
	if (!generation.waits)
		return { do: 'deliver', from: 'request', generation, ref, status: FIRST_STATUS };
	if (!outcome) return { do: 'poll', generation, ref, hasCompleted: entry.is === 'done' };
	if (outcome.kind === 'finished')
		return { do: 'deliver', from: 'result', generation, id, ref, result: outcome };
	if (outcome.kind === 'timeout' && returnsRequest(generation))
		return { do: 'deliver', from: 'request', generation, ref, status: outcome.status };
	const why =
		entry.is === 'accepted' && !hasSent(attempt) ? replacementReason(policy, outcome) : undefined;
	if (why) return { do: 'discardEntry', id, why };
	return { do: 'fail', why: { is: 'noResult', id, ref, outcome } };
}

/** Whether the unfinished request may become the item. Not for a v1 call, whose result can't be fetched later. */
function returnsRequest({ responds, presentation }: Generation): boolean {
	return responds === 'reference' && presentation.options.onTimeout === 'returnRequest';
}

/**
 * Returns why a new request may replace the earlier one; undefined if it may not. FAILED is final (docs/service.md S94). Expiry counts only if nothing
 * shows that the request completed.
 */
function replacementReason(
	{ sendAgainIfUnsure }: Policy,
	outcome: PollOutcome,
): 'failed' | 'expired' | undefined {
	if (outcome.kind === 'failed') return 'failed';
	if (outcome.kind !== 'missing' || !outcome.isExpired || !sendAgainIfUnsure) return undefined;
	return outcome.history === 'none' || outcome.history === 'unfinished' ? 'expired' : undefined;
}

function nextOfDone(
	entry: Extract<Entry, { is: 'done' }>,
	attempt: Attempt,
	policy: Policy,
	{ isOutputUsable, outcome }: Findings,
): Next {
	const { output, ref } = entry;
	if (!output) return nextOfAccepted(entry, attempt, policy, outcome);
	const isGone = outcome?.kind === 'missing';
	return isOutputUsable !== false || !canFetch(ref) || isGone
		? { do: 'deliver', from: 'kept', output }
		: nextOfAccepted(entry, attempt, policy, outcome);
}

/** Whether this attempt has sent a request that may have been accepted. */
export function hasSent(attempt: Attempt): boolean {
	return attempt.is !== 'none' && attempt.is !== 'prepared';
}
