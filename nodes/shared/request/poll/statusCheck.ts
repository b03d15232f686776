/**
 * One status check, and what its response means. FAILED counts only if the service itself reports it. A call that was cut short says nothing about
 * the request.
 */
import { stoppedFailure } from '../../errors/failures';
import { resultUrl, statusUrl, type RequestRef } from '../../journal/entry';
import { noResponseFailure, rejectionFailure } from '../../service/responseErrors';
import { retryAfterMs } from '../../service/rateLimitHeaders';
import {
	failureReason,
	hasResult,
	readResponse,
	type ResponseMeaning,
} from '../../service/responses';
import { READ_TIMEOUT_MS, type Client } from '../../service/client';
import { isSuccess, MAX_RESPONSE_BYTES, type HttpResponse } from '../../service/http';
import type { StatusResponse } from '../../service/schemas';
import type { FailedRequest } from './pollOutcome';
import { callSubjectOf, makeGetCall } from './requestRef';

/** What a status check found. */
export type StatusCheck =
	| Exclude<ResponseMeaning, { kind: 'unreadable' | 'rejected' | 'maybeFailed' | 'transient' }>
	/** `pauseMs`: how long the service asks to wait, if it does. */
	| { kind: 'transient'; pauseMs?: number }
	| { kind: 'unreadable'; response: HttpResponse }
	/** The rate limit didn't allow the check. */
	| { kind: 'rateLimited' };

interface CheckRules {
	/** The time until which the check may wait for the rate limiter, in ms since the epoch. */
	deadline: number;
	/** The time from which the check takes priority over submissions, in ms since the epoch. */
	urgentAt?: number;
	/** Timeout of the call. */
	timeoutMs?: number;
	/** Size limit of the result, if the URL responds with the result itself. */
	maxBytes?: number;
}

/**
 * Makes one status check, without repeating the call.
 * @throws SegmindFailure if the service rejects the check or can't be reached (a refused connection is transient), or when stopped
 */
export async function checkStatus(
	client: Client,
	ref: RequestRef,
	{ deadline, urgentAt, timeoutMs: limitMs = READ_TIMEOUT_MS, maxBytes }: CheckRules,
): Promise<StatusCheck> {
	const url = statusUrl(ref) ?? resultUrl(ref);
	if (url === undefined) return { kind: 'missing' };
	const limitBytes = isLight(ref, url) ? MAX_RESPONSE_BYTES.status : maxBytes;
	const sent = await client.callOnce(
		{ ...makeGetCall(client, url, ref, limitBytes), timeoutMs: limitMs },
		{
			priority: 'statusCheck',
			deadline,
			urgentAt,
			requestId: ref.request_id,
		},
	);
	// Stop ends a call the way a lost connection does. For a client with `endsAt`, the caller (`checkOnce`) checks for Stop itself.
	if (client.signal?.aborted && client.endsAt === undefined) throw stoppedFailure(ref.request_id);
	if (sent.kind === 'deadlinePassed' || (sent.kind === 'response' && sent.response.status === 429))
		return { kind: 'rateLimited' };
	if (sent.kind === 'lost') return { kind: 'transient' };
	if (sent.kind === 'unreachable') {
		if (sent.fault.kind === 'refused') return { kind: 'transient' };
		throw noResponseFailure(client, sent, callSubjectOf(ref, 'status'));
	}
	return await readStatus(client, ref, sent.response);
}

/** Returns what a status response means. Fetches the result if the status alone doesn't show it. */
export async function readStatus(
	client: Client,
	ref: RequestRef,
	response: HttpResponse,
): Promise<StatusCheck> {
	const meaning = readResponse(response, ref.request_id);
	switch (meaning.kind) {
		case 'rejected':
			throw client.rememberIfFatal(
				rejectionFailure(client, response, callSubjectOf(ref, 'status')),
			);
		case 'maybeFailed':
			return await confirmFailure(client, ref, response, meaning);
		case 'unreadable':
			return { kind: 'unreadable', response };
		case 'transient':
			return { kind: 'transient', pauseMs: retryAfterMs(response.headers, client.clock.now()) };
		default:
			return meaning;
	}
}

/** Treats a 422 without a status word as FAILED only if the result, at its own URL, reports a failure too: a gateway may have sent the 422. */
async function confirmFailure(
	client: Client,
	ref: RequestRef,
	response: HttpResponse,
	meaning: Extract<ResponseMeaning, { kind: 'maybeFailed' }>,
): Promise<StatusCheck> {
	const result = await readResultOnce(client, ref);
	if (result?.kind === 'failed' || result?.kind === 'maybeFailed')
		return { ...meaning, kind: 'failed' };
	return result?.kind === 'completed' && hasResult(result.body)
		? result
		: { kind: 'unreadable', response };
}

/** Reads why a request failed, from the status response or, if the reason isn't there, from the result (docs/service.md S120). */
export async function readFailedRequest(
	client: Client,
	ref: RequestRef,
	{ httpStatus, body }: { httpStatus: number; body: StatusResponse },
): Promise<FailedRequest> {
	let reason = failureReason(body, client.redact);
	if (reason === '') {
		const result = await readResultOnce(client, ref);
		if (result?.kind === 'failed' || result?.kind === 'maybeFailed')
			reason = failureReason(result.body, client.redact);
	}
	return {
		kind: 'failed',
		body,
		reason,
		httpCode: isSuccess(httpStatus) ? undefined : httpStatus,
	};
}

/** Makes one call for the result; undefined if it has no URL of its own, or there was no response. */
async function readResultOnce(
	client: Client,
	ref: RequestRef,
): Promise<ResponseMeaning | undefined> {
	const url = resultUrl(ref);
	if (url === undefined || url === statusUrl(ref)) return undefined;
	const sent = await client.callOnce(makeGetCall(client, url, ref), {
		priority: 'result',
		deadline: client.clock.now() + READ_TIMEOUT_MS,
		requestId: ref.request_id,
	});
	if (client.signal?.aborted) throw stoppedFailure(ref.request_id);
	return sent.kind === 'response' ? readResponse(sent.response, ref.request_id) : undefined;
}

/** Whether the URL is the light status URL, which returns only the status and never the result. */
function isLight(ref: RequestRef, url: string): boolean {
	return url === ref.status_url && url !== resultUrl(ref);
}
