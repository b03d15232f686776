import type { SegmindFailure } from '../shared/base/failure';
import type { RequestRef } from '../shared/journal/entry';
import { conclude } from '../shared/request/poll/poll';
import { outcomeFailure } from '../shared/request/poll/outcomeErrors';
import type {
	CompletedRequest,
	FailedRequest,
	MissingRequest,
} from '../shared/request/poll/pollOutcome';
import { progressOf, interpretCheck } from '../shared/request/poll/interpretCheck';
import { withUrls } from '../shared/request/poll/requestRef';
import { checkStatus } from '../shared/request/poll/statusCheck';
import type { PollSession } from './pollSession';

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
 * @returns undefined if no call was made, because the deadline had passed
 * @throws SegmindFailure for a response that the next check would get again
 */
export async function checkRequest(
	{ client, endsAt }: PollSession,
	request: RequestRef,
): Promise<Outcome | undefined> {
	const ref = withUrls(request, client.urls.baseUrl);
	const check = await checkStatus(client, ref, { deadline: endsAt });
	if (check.kind === 'rateLimited') return undefined;
	const isMissing = check.kind === 'missing';
	const reading = interpretCheck(progressOf(), check, {
		at: client.clock.now(),
		isKnownAccepted: false,
		isLast: true,
	});
	const fetching = { deadline: endsAt, isKnownAccepted: false, isExpired: isMissing };
	const ended = await conclude(client, ref, check, reading, fetching);
	switch (ended?.kind) {
		case 'finished':
		case 'failed':
			return ended;
		case 'missing':
			// If it expired between the two calls, the next check can't find it.
			return isMissing ? outcomeOfMissing(ended, ref) : { kind: 'unclear' };
		case 'contradicted':
			throw outcomeFailure(ref, ended, { timeoutMs: 0, isKnownAccepted: false });
	}
	if (check.kind === 'running') return { kind: 'running', status: check.word };
	return check.kind === 'completed'
		? { kind: 'running', status: 'PROCESSING' }
		: { kind: 'unclear' };
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
