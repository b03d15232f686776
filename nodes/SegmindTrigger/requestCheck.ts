import type { SegmindFailure } from '../shared/base/failure';
import type { RequestRef } from '../shared/journal/entry';
import type {
	CompletedRequest,
	FailedRequest,
	MissingRequest,
} from '../shared/request/poll/outcome';
import { outcomeFailure } from '../shared/request/poll/outcomeErrors';
import { poll } from '../shared/request/poll/poll';
import { timeLeft, type PollSession } from './pollSession';

/** How a request ended; no later check finds anything else. */
export type EndedOutcome = CompletedRequest | FailedRequest | { kind: 'expired' };

/** The outcome of checking one request. */
export type Outcome =
	| EndedOutcome
	| { kind: 'running'; status: string }
	/** This check got no usable response. */
	| { kind: 'unclear'; problem?: SegmindFailure };

/**
 * Checks the status of one request, and fetches the result if it has completed.
 * @returns undefined if the poll's time is over
 * @throws SegmindFailure for a response that the next check would get again
 */
export async function checkRequest(
	session: PollSession,
	request: RequestRef,
): Promise<Outcome | undefined> {
	const ended = await poll(session, request, { timeoutMs: 0, pollIntervalMs: 0 }).catch(
		(error: unknown) => {
			if (timeLeft(session) <= 0) return undefined;
			throw error;
		},
	);
	switch (ended?.kind) {
		case 'missing':
			return outcomeOfMissing(ended, request);
		case 'contradicted':
			throw outcomeFailure(request, ended, 0);
		case 'timeout':
			return ended.why ? { kind: 'unclear' } : { kind: 'running', status: ended.status };
		default:
			return ended;
	}
}

/** Returns what a 404 means: the request has expired, unless the history still has it. An unreachable history proves nothing. */
function outcomeOfMissing({ history }: MissingRequest, { request_id }: RequestRef): Outcome {
	switch (history) {
		case 'none':
			return { kind: 'expired' };
		case 'unfinished':
			return { kind: 'running', status: 'PENDING' };
		case 'completedWithoutFile':
			// The output has expired with the request, so only its completion can be reported.
			return { kind: 'finished', body: { status: 'COMPLETED', request_id }, fromHistory: true };
		default:
			return { kind: 'unclear' };
	}
}
