import { stopped } from '../../errors/failures';
import { resultUrl, statusUrl, type RequestRef } from '../../journal/entry';
import { noResponse, rejection } from '../../service/answerErrors';
import { failureReason, hasResult, readAnswer, type Meaning } from '../../service/answers';
import { READ_LIMIT_MS, type Client } from '../../service/client';
import { isSuccess, LARGEST_ANSWER, type HttpAnswer } from '../../service/http';
import type { RequestAnswer } from '../../service/schemas';
import type { FailedRequest } from './ended';
import { about, getCall } from './requestRef';

/**
 * One status check, and what its answer means. FAILED is believed only in the service's own words, and a call that was cut short says nothing
 * about the request.
 */

/** What a status check found. */
export type StatusCheck =
	| Exclude<Meaning, { kind: 'unreadable' | 'rejected' | 'maybeFailed' }>
	| { kind: 'unreadable'; answer: HttpAnswer }
	/** The rate limit did not allow it. */
	| { kind: 'late' };

interface CheckRules {
	/** Until when it may wait for the rate limiter, ms since the epoch. */
	deadline: number;
	/** From when on it goes before new submissions, ms since the epoch. */
	urgentAt?: number;
	/** Of the call, ms. */
	limitMs?: number;
	/** Largest result taken, bytes, if the URL carries it. */
	maxBytes?: number;
}

/**
 * One status check without a second try.
 * @throws SegmindFailure if the service rejects it, or when stopped
 */
export async function checkStatus(
	client: Client,
	ref: RequestRef,
	{ deadline, urgentAt, limitMs = READ_LIMIT_MS, maxBytes }: CheckRules,
): Promise<StatusCheck> {
	const url = statusUrl(ref) ?? resultUrl(ref);
	if (url === undefined) return { kind: 'missing' };
	const most = isLight(ref, url) ? LARGEST_ANSWER.status : maxBytes;
	const sent = await client.callOnce(
		{ ...getCall(client, url, ref, most), limitMs },
		{
			purpose: 'statusCheck',
			deadline,
			urgentAt,
			requestId: ref.request_id,
		},
	);
	// A call that Stop cut short looks like a lost connection. One cut short by the end of a poll was made all the same.
	if (client.signal?.aborted && client.endsAt === undefined) throw stopped(ref.request_id);
	if (sent.kind === 'late' || (sent.kind === 'answer' && sent.answer.status === 429))
		return { kind: 'late' };
	if (sent.kind === 'lost') return { kind: 'transient' };
	if (sent.kind === 'unreachable') {
		if (sent.fault.kind === 'refused') return { kind: 'transient' };
		throw noResponse(client, sent, about(ref, 'status'));
	}
	return await readStatus(client, ref, sent.answer);
}

/** What a status answer means, with the result asked where the status alone does not decide. */
export async function readStatus(
	client: Client,
	ref: RequestRef,
	answer: HttpAnswer,
): Promise<StatusCheck> {
	const meaning = readAnswer(answer, ref.request_id);
	switch (meaning.kind) {
		case 'rejected':
			throw client.remembering(rejection(client, answer, about(ref, 'status')));
		case 'maybeFailed':
			return await confirmFailure(client, ref, answer, meaning);
		case 'unreadable':
			return { kind: 'unreadable', answer };
		default:
			return meaning;
	}
}

/** 422 without a status word is FAILED only when the result, at an address of its own, answers likewise: a gateway may have made it. */
async function confirmFailure(
	client: Client,
	ref: RequestRef,
	answer: HttpAnswer,
	meaning: Extract<Meaning, { kind: 'maybeFailed' }>,
): Promise<StatusCheck> {
	const result = await askResult(client, ref);
	if (result?.kind === 'failed' || result?.kind === 'maybeFailed')
		return { ...meaning, kind: 'failed' };
	return result?.kind === 'completed' && hasResult(result.body)
		? result
		: { kind: 'unreadable', answer };
}

/** The reason of a failure stands in the status, or only in the result (docs/service.md S120). */
export async function failedWith(
	client: Client,
	ref: RequestRef,
	{ httpStatus, body }: { httpStatus: number; body: RequestAnswer },
): Promise<FailedRequest> {
	let reason = failureReason(body, client.redact);
	if (reason === '') {
		const result = await askResult(client, ref);
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

/** One call for the result; undefined when it has no address of its own, or no answer came. */
async function askResult(client: Client, ref: RequestRef): Promise<Meaning | undefined> {
	const url = resultUrl(ref);
	if (url === undefined || url === statusUrl(ref)) return undefined;
	const sent = await client.callOnce(getCall(client, url, ref), {
		purpose: 'result',
		deadline: client.clock.now() + READ_LIMIT_MS,
		requestId: ref.request_id,
	});
	if (client.signal?.aborted) throw stopped(ref.request_id);
	return sent.kind === 'answer' ? readAnswer(sent.answer, ref.request_id) : undefined;
}

/** Only the light status address says no more than a state. */
function isLight(ref: RequestRef, url: string): boolean {
	return url === ref.status_url && url !== resultUrl(ref);
}
