/** The errors of accepted requests. */
import type { FailureFacts, SegmindFailure } from '../../base/failure';
import { CAUSES, RESUMES } from '../../errors/errorTable';
import { HISTORY_SAYS, PARTS } from '../../errors/parts';
import { failureFrom, failureOf } from '../../errors/failures';
import { callSubjectOf, resultUrl, type RequestRef } from '../../service/requestRef';
import { callFailure, unusableFailure } from '../../service/responseErrors';
import type { Client } from '../../service/client';
import type { CallOutcome } from '../../service/http';
import type { Check } from './check';
import type { Result } from '../../output/result';
import type { MissingFinding } from '../../service/history';
import type { FailedRequest, MissingRequest, RequestOutcome, TimedOutRequest } from './outcome';

/** Returns the error of a request that ended without a result, or hasn't ended yet. `timeoutMs`: how long the node waited. */
export function outcomeFailure(
	ref: RequestRef,
	outcome: Exclude<RequestOutcome, Result>,
	timeoutMs: number,
): SegmindFailure {
	const requestId = ref.request_id;
	switch (outcome.kind) {
		case 'failed':
			return failedStatusFailure(ref, outcome);
		case 'contradicted': {
			const { reason, httpCode } = outcome;
			const values = { why: reason || PARTS.noReason };
			const facts = { requestId, httpCode, reason, status: 'COMPLETED' };
			return failureOf('contradicted', CAUSES.contradicted, values, facts);
		}
		case 'missing':
			return missingFailure(ref, outcome);
		case 'timeout':
			return timeoutFailure(ref, outcome, timeoutMs / 1_000);
	}
}

const GET_RESULT =
	'To get the result, use Get Result with the request ID within one hour of submission.';
const KEEPS_WAITING =
	'A retry keeps waiting for this request instead of sending a new one, unless you change the inputs.';

/** Returns the error of a request that hadn't ended when the timeout passed. Says only what is known of it. */
function timeoutFailure(
	{ request_id: requestId }: RequestRef,
	{ status, why }: TimedOutRequest,
	seconds: number,
): SegmindFailure {
	const facts = { requestId, status };
	if (status?.toUpperCase() === 'COMPLETED') {
		const row = {
			what: `Request ${requestId} completed, but its result could not be read within ${seconds} s: ${why ?? PARTS.noResult}`,
			charge: 'completed',
			todo: GET_RESULT,
			retry: KEEPS_WAITING,
		} as const;
		return failureFrom('timedOut', row, facts);
	}
	if (why === undefined) {
		const row = {
			what: `Request ${requestId} was still ${status} after ${seconds} s`,
			charge: 'ifCompletes',
			todo: `It is still running on Segmind. ${GET_RESULT} For slow models, increase the option Timeout (Seconds).`,
			retry: KEEPS_WAITING,
		} as const;
		return failureFrom('timedOut', row, facts);
	}
	const known = status === undefined ? '' : ` Its last known status is ${status}.`;
	const row = {
		what: `The status of request ${requestId} could not be read when ${seconds} s had passed: ${why}`,
		charge: 'chargedIfCompletes',
		todo: `${GET_RESULT}${known}`,
		retry: KEEPS_WAITING,
	} as const;
	return failureFrom('timedOut', row, { ...facts, isStatusOld: true });
}

function failedStatusFailure(
	{ request_id: requestId }: RequestRef,
	{ reason, httpCode }: FailedRequest,
): SegmindFailure {
	const { requestFailed } = CAUSES;
	const row =
		reason === '' ? { ...requestFailed, todo: requestFailed.todoWithoutReason } : requestFailed;
	const facts = { requestId, httpCode, reason, status: 'FAILED' };
	return failureOf('requestFailed', row, { why: reason || PARTS.noReason }, facts);
}

/** Returns the error of a request that can't be found. */
export function missingFailure(
	{ request_id: requestId }: RequestRef,
	{ isReported, isLive, history }: Omit<MissingRequest, 'kind'>,
): SegmindFailure {
	const isCompleted = history === 'completedWithoutFile';
	const completion = { charge: 'completed', status: 'COMPLETED' } as const;
	const facts = { requestId, httpCode: 404, search: history, ...(isCompleted && completion) };
	const values = { found: HISTORY_SAYS[history] };
	if (!isReported) return unreportedFailure(facts);
	if (isLive) return failureOf('missing', CAUSES.missingNow, values, { ...facts, transient: true });
	if (isCompleted) return failureOf('missing', CAUSES.resultExpired, {}, facts);
	return failureOf('missing', CAUSES.missing, values, {
		...facts,
		status: 'EXPIRED',
		...(history === 'outOfReach' && { transient: true }),
	});
}

/** Returns the error of a request that somebody else than Segmind couldn't find: a proxy, or another server. It says nothing about the request. */
function unreportedFailure(
	facts: Pick<FailureFacts, 'requestId' | 'httpCode' | 'charge' | 'status'> & {
		search: MissingFinding;
	},
): SegmindFailure {
	const { requestId, search } = facts;
	const row = {
		what: `The status of request ${requestId} could not be read: the response (HTTP 404) isn't from Segmind`,
		charge: 'chargedIfCompletes',
		todo: `${HISTORY_SAYS[search]} Check the proxy or firewall between n8n and Segmind, and the addresses in the credential. Then get the result by its request ID with Get Result.`,
		retry: RESUMES,
	} as const;
	return failureFrom('unreadable', row, { ...facts, responder: 'unknown', transient: true });
}

/** Returns the error of a request whose status can't be read. */
export function unreadStatusFailure(
	client: Client,
	ref: RequestRef,
	{ kind, outcome = { kind: 'deadlinePassed', reason: '' } }: Check,
): SegmindFailure {
	const about = callSubjectOf(ref, 'status');
	if (outcome.kind === 'response' && kind === 'unreadable')
		return unusableFailure(client, outcome, about, { row: CAUSES.unusableStatus });
	return callFailure(client, outcome, about);
}

/** Returns the error of a completed request whose result could not be read. `outcome`: of the last call for it. */
export function unreadResultFailure(
	client: Client,
	ref: RequestRef,
	outcome: CallOutcome,
): SegmindFailure {
	const exceededLimitBytes = outcome.kind === 'response' ? outcome.exceededLimitBytes : undefined;
	const { facts } = callFailure(client, outcome, callSubjectOf(ref, 'result'));
	return failureOf(
		'unreadable',
		exceededLimitBytes ? CAUSES.resultTooLarge : CAUSES.resultUnread,
		{
			why: facts.message,
			megabytes: (exceededLimitBytes ?? 0) / 1_000_000,
			address: resultUrl(ref),
		},
		{
			requestId: ref.request_id,
			httpCode: facts.httpCode,
			responder: facts.responder,
			fatal: exceededLimitBytes ? undefined : facts.fatal,
			status: 'COMPLETED',
			transient: true,
		},
	);
}
