/** The errors of accepted requests. */
import { SegmindFailure } from '../../base/failure';
import { lowerFirst } from '../../base/text';
import { BEFORE_EXPIRY, failureFrom } from '../../errors/failures';
import { say, whole, type Said } from '../../errors/say';
import { namedCauseIn } from '../../errors/statusTable';
import type { Result } from '../../output/result';
import type { Client } from '../../service/client';
import { callSubjectOf, resultUrl, type RequestRef } from '../../service/requestRef';
import { callFailure, CHECK_PROXY } from '../../service/responseErrors';
import type { ResponseMeaning } from '../../service/responses';
import type { AcceptedRequest } from './acceptedRequest';
import type { MissingRequest, RequestEnd, UnfinishedRequest } from './requestEnd';

/** Returns the error of a request that ended without a result, or hasn't ended after `timeoutMs`. */
export function endFailure(
	request: AcceptedRequest,
	end: Exclude<RequestEnd, Result>,
	timeoutMs: number,
): SegmindFailure {
	const requestId = request.ref.request_id;
	switch (end.kind) {
		case 'failed':
			return failureFrom('requestFailed', {
				what: say`The request failed${reasonText(end.reason)}`,
				charge: 'none',
				next: whole(
					namedCauseIn(end.reason)?.next ?? 'Correct the inputs, then run the node again.',
				),
				reason: end.reason,
				requestId,
				httpCode: end.httpCode,
				status: 'FAILED',
			});
		case 'contradicted':
			return failureFrom('contradicted', {
				what: say`The request completed, but its result says that it failed${reasonText(end.reason)}`,
				charge: 'perhaps',
				next: say`The request history in the Segmind console shows what it cost.`,
				reason: end.reason,
				requestId,
				httpCode: end.httpCode,
				status: 'COMPLETED',
			});
		case 'missing':
			return missingFailure(request.ref, end);
		case 'unfinished':
			return timeoutFailure(request, end, timeoutMs / 1_000);
	}
}

/** `reason`: Segmind's message, bounded; '' if there is none. */
function reasonText(reason: string): Said {
	return reason === '' ? say`, and Segmind gave no reason` : say`: '${whole(reason)}'`;
}

/** Returns the error of a request that hadn't ended when the timeout passed. Says only what is known of it. */
function timeoutFailure(
	{ ref: { request_id: requestId }, status, hasCompleted: isCompleted }: AcceptedRequest,
	{ why, reason = '' }: UnfinishedRequest,
	seconds: number,
): SegmindFailure {
	const known = { requestId, status, charge: isCompleted ? 'completed' : 'ifCompletes' } as const;
	if (!isCompleted && why === undefined)
		return failureFrom('timedOut', {
			...known,
			what: say`The request still had the status ${status ?? 'unknown'} after ${seconds} s${reason && reasonText(reason)}`,
			next: say`For slow models, increase the option Timeout (Seconds).`,
		});
	const unread = isCompleted
		? 'The request completed, but its result'
		: 'The status of the request';
	return failureFrom('timedOut', {
		...known,
		what: say`${unread} could not be read within ${seconds} s: ${whole(why ?? 'Segmind did not return it')}`,
		next: BEFORE_EXPIRY,
		...(!isCompleted && { isStatusOld: true }),
	});
}

/** Returns the error of a request that can't be found. */
export function missingFailure(
	ref: RequestRef,
	{ isReported, isLive, history }: Omit<MissingRequest, 'kind'>,
): SegmindFailure {
	const isCompleted = history === 'completedWithoutFile';
	const known = {
		requestId: ref.request_id,
		httpCode: 404,
		search: history,
		charge: isCompleted ? 'completed' : 'ifCompletes',
		...(isCompleted && { status: 'COMPLETED' }),
	} as const;
	// A proxy, or another server: it says nothing about the request.
	if (!isReported)
		return failureFrom('unreadable', {
			...known,
			what: say`The status of the request could not be read: the response (HTTP 404) isn't from Segmind`,
			next: CHECK_PROXY,
			responder: 'unknown',
			transient: true,
		});
	if (isLive)
		return failureFrom('missing', {
			...known,
			what: say`Segmind accepted the request, but cannot find it at the moment`,
			next: say`Check the credential: only the account that sent a request can see it.`,
			transient: true,
		});
	if (isCompleted)
		return failureFrom('missing', {
			...known,
			what: say`The request completed, but its result has expired`,
			retry: 'neverResends',
			next: say`To send a new request, change an input of the node that sent it, or run the workflow again.`,
		});
	return failureFrom('missing', {
		...known,
		what: say`The request was not found: it has expired, its ID is wrong, or it belongs to another account or a workflow`,
		charge: 'perhaps',
		retry: 'neverResends',
		next: say`Look for its file in the Segmind console: a new execution is charged again.`,
		status: 'EXPIRED',
		...(history === 'outOfReach' && { transient: true }),
	});
}

/** Returns the error of a request whose status can't be read. */
export function unreadStatusFailure(
	client: Client,
	ref: RequestRef,
	{ kind, outcome }: ResponseMeaning,
): SegmindFailure {
	const about = callSubjectOf(ref, 'status');
	const failure = callFailure(client, outcome, about);
	if (kind !== 'unreadable') return failure;
	return new SegmindFailure('unreadable', { ...failure.facts, fatal: undefined, transient: true });
}

/** Returns the error of a completed request whose result could not be read, as the last call for it shows. */
export function unreadResultFailure(
	client: Client,
	ref: RequestRef,
	{ kind, outcome }: ResponseMeaning,
): SegmindFailure {
	const { facts } = callFailure(client, outcome, callSubjectOf(ref, 'result'));
	const { httpCode, responder, fatal } = facts;
	const limit = outcome.kind === 'response' ? outcome.exceededLimitBytes : undefined;
	const url = resultUrl(ref) ?? 'its URL';
	return failureFrom('unreadable', {
		what: limit
			? say`The request completed, but its result is larger than ${limit / 1_000_000} MB`
			: say`The request completed, but ${whole(lowerFirst(facts.message))}`,
		charge: 'completed',
		...(limit && { retry: 'neverResends' }),
		next: limit
			? say`Download it with the HTTP Request node and this credential from ${whole(url)} within one hour of submission.`
			: whole(facts.next),
		requestId: ref.request_id,
		httpCode,
		responder,
		responseShape: facts.responseShape,
		...(!limit && fatal && { fatal }),
		status: 'COMPLETED',
		...(!limit && kind !== 'rejected' && { transient: true }),
	});
}
