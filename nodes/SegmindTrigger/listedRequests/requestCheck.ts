import type { SegmindFailure } from '../../shared/base/failure';
import type { RequestRef } from '../../shared/journal/lifecycle';
import { fetchResult } from '../../shared/request/fetchResult';
import { withAddresses } from '../../shared/request/requestRef';
import { checkStatus, failedWith } from '../../shared/request/statusCheck';
import { readRecord } from '../../shared/service/history';
import type { RequestAnswer } from '../../shared/service/schemas';
import type { PollSession } from '../pollSession';

/** What a check of one request found. */
export type Outcome =
	| { kind: 'completed'; body: RequestAnswer; fromHistory?: true }
	| { kind: 'failed'; body: RequestAnswer }
	| { kind: 'expired' }
	| { kind: 'running'; status: string }
	/** The service gave no usable answer this time. */
	| { kind: 'unclear'; problem?: SegmindFailure };

/** A request with what its check found. */
export interface Checked {
	ref: RequestRef;
	outcome: Outcome;
}

/** True when no later check can find anything else. */
export function hasEnded({ kind }: Outcome): boolean {
	return kind === 'completed' || kind === 'failed' || kind === 'expired';
}

/**
 * Checks the status of one request, and fetches the result when it has completed.
 * @param until no status check is begun after this, ms since the epoch
 * @returns undefined when no call was made, because the time was up
 * @throws SegmindFailure for an answer that the next check would get again
 */
export async function checkRequest(
	session: PollSession,
	given: RequestRef,
	until: number,
): Promise<Outcome | undefined> {
	const { client, endsAt } = session;
	const ref = withAddresses(given, client.urls.baseUrl);
	const check = await checkStatus(client, ref, { deadline: until });
	switch (check.kind) {
		case 'late':
			return undefined;
		case 'transient':
		case 'unreadable':
		case 'maybeFailed':
			return { kind: 'unclear' };
		case 'missing':
			return await fromHistory(session, ref);
		case 'running':
			return { kind: 'running', status: check.word };
		case 'failed': {
			const { reason } = await failedWith(client, ref, check);
			return { kind: 'failed', body: { ...check.body, error: reason || undefined } };
		}
		case 'completed': {
			const fetching = { deadline: endsAt, isOwn: false, isExpired: false };
			const result = await fetchResult(client, ref, check.body, fetching);
			if (result === 'running') return { kind: 'running', status: 'PROCESSING' };
			// It expired between the two calls: the next check finds it missing and asks the history.
			if (result.kind === 'missing') return { kind: 'unclear' };
			return result.kind === 'completed'
				? result
				: { kind: 'failed', body: { status: 'FAILED', error: result.reason } };
		}
	}
}

/** What a 404 means: the request has expired, unless the history still has it. A history that cannot be reached says neither. */
async function fromHistory(session: PollSession, ref: RequestRef): Promise<Outcome> {
	const asked = await readRecord(session.client, ref.request_id);
	if (asked.kind !== 'found')
		return asked.kind === 'unknown' ? { kind: 'expired' } : { kind: 'unclear' };
	const { record } = asked;
	switch (record.kind) {
		case 'running':
			return { kind: 'running', status: 'PENDING' };
		case 'completedWithoutFile': {
			// The text of the result has expired with the request; all that is left to report is that it completed.
			const body = { status: 'COMPLETED', request_id: ref.request_id };
			return { kind: 'completed', body, fromHistory: true };
		}
		case 'completed':
			return { kind: 'completed', body: record.answer, fromHistory: true };
		case 'failed':
			return { kind: 'failed', body: record.answer };
	}
}
