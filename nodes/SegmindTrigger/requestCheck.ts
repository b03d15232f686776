import type { RequestRef } from '../shared/journal/entry';
import { fromHistory } from '../shared/request/poll/ended';
import { fetchResult } from '../shared/request/poll/fetchResult';
import { withAddresses } from '../shared/request/poll/requestRef';
import type { Completed, Ended, FailedRequest } from '../shared/request/poll/ended';
import { checkStatus, failedWith } from '../shared/request/poll/statusCheck';
import type { SegmindFailure } from '../shared/base/failure';
import type { RequestAnswer } from '../shared/service/schemas';
import type { PollSession } from './pollSession';

/** How a request ended: no later check can find anything else. */
export type EndedOutcome =
	| Completed
	/** `body` is the status answer. */
	| (FailedRequest & { body?: RequestAnswer })
	| { kind: 'expired' };

/** What a check of one request found. */
export type Outcome =
	| EndedOutcome
	| { kind: 'running'; status: string }
	/** The service gave no usable answer this time. */
	| { kind: 'unclear'; problem?: SegmindFailure };

/**
 * Checks the status of one request, and fetches the result when it has completed.
 * @returns undefined when no call was made, because the time was up
 * @throws SegmindFailure for an answer that the next check would get again
 */
export async function checkRequest(
	{ client, endsAt }: PollSession,
	given: RequestRef,
): Promise<Outcome | undefined> {
	const ref = withAddresses(given, client.urls.baseUrl);
	const check = await checkStatus(client, ref, { deadline: endsAt });
	switch (check.kind) {
		case 'late':
			return undefined;
		case 'missing':
			return outcomeOf(await fromHistory(client, ref, true), ref);
		case 'running':
			return { kind: 'running', status: check.word };
		case 'failed':
			return { ...(await failedWith(client, ref, check)), body: check.body };
		case 'completed': {
			const fetching = { deadline: endsAt, isOwn: false, isExpired: false };
			const result = await fetchResult(client, ref, check.body, fetching);
			if (result === 'running') return { kind: 'running', status: 'PROCESSING' };
			// It expired between the two calls: the next check finds it missing.
			return result.kind === 'missing' ? { kind: 'unclear' } : result;
		}
		default:
			return { kind: 'unclear' };
	}
}

/** What a 404 means: the request has expired, unless the history still has it. A history that cannot be reached says neither. */
function outcomeOf(ended: Ended, { request_id }: RequestRef): Outcome {
	if (ended.kind !== 'missing') return ended;
	switch (ended.history) {
		case 'none':
			return { kind: 'expired' };
		case 'unfinished':
			return { kind: 'running', status: 'PENDING' };
		case 'withoutFile':
			// The text has expired with the request; all that is left to report is that it completed.
			return { kind: 'finished', body: { status: 'COMPLETED', request_id }, fromHistory: true };
		default:
			return { kind: 'unclear' };
	}
}
