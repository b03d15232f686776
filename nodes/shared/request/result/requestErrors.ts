import type { SegmindFailure } from '../../base/failure';
import { CAUSES, HISTORY_SAYS, PARTS } from '../../errors/errorTable';
import { failureOf } from '../../errors/failures';
import type { RequestRef } from '../../journal/entry';
import type { Options } from '../../run/options';
import { noAnswer, refusal, unusable } from '../../service/answerErrors';
import { failureReason } from '../../service/answers';
import type { Client } from '../../service/client';
import { isSuccess } from '../../service/http';
import type { Sent } from '../../service/retry';
import type { RequestAnswer } from '../../service/schemas';
import type { Failed, Finished, Missing, Waited } from '../wait/outcome';
import { about } from './requestCalls';
import { resultUrl } from './requestRef';

/** The failures of a request that was accepted. */

/** @throws SegmindFailure unless the request completed. `isOwn`: it is known to have been accepted */
export function finishedOf(
	waited: Waited,
	ref: RequestRef,
	{ timeoutMs }: Options,
	isOwn: boolean,
): Finished {
	switch (waited.kind) {
		case 'finished':
			return waited;
		case 'missing':
			throw missing(ref, waited, isOwn);
		case 'failed':
			throw failedRequest(ref, waited);
		case 'timeUp': {
			const { status } = waited;
			const values = { state: status, seconds: timeoutMs / 1_000 };
			const known = { requestId: ref.request_id, status };
			throw failureOf('timeUp', CAUSES.stillRunning, values, known);
		}
	}
}

/** The failure of a request that FAILED. */
export function failedRequest(
	{ request_id: requestId }: RequestRef,
	{ reason, httpCode }: Failed,
): SegmindFailure {
	const { requestFailed } = CAUSES;
	const row = reason === '' ? { ...requestFailed, todo: requestFailed.silent } : requestFailed;
	const known = { requestId, httpCode, status: 'FAILED' };
	return failureOf('requestFailed', row, { why: reason || PARTS.noReason }, known);
}

/** The failure for a request that the service does not know. */
export function missing(
	{ request_id: requestId }: RequestRef,
	{ isExpired, history }: Omit<Missing, 'kind'>,
	isOwn: boolean,
): SegmindFailure {
	const known = { requestId, httpCode: 404, search: history };
	const values = { found: HISTORY_SAYS[history] };
	const isCompleted = history === 'withoutFile';
	if (isOwn && !isExpired)
		return failureOf('missing', CAUSES.missingNow, values, {
			...known,
			...(isCompleted && { charge: 'completed' }),
			transient: true,
		});
	if (isCompleted)
		return failureOf('missing', CAUSES.resultExpired, {}, { ...known, status: 'COMPLETED' });
	return failureOf('missing', CAUSES.missing, values, {
		...known,
		status: 'EXPIRED',
		...(history === 'outOfReach' && { transient: true }),
	});
}

/** COMPLETED is charged, FAILED is not: when the service says both, nothing may be sent again. */
export function contradicted(
	client: Client,
	{ request_id: requestId }: RequestRef,
	{ httpStatus, body }: { httpStatus: number; body: RequestAnswer },
): SegmindFailure {
	const why = failureReason(body, client.redact) || PARTS.noReason;
	const httpCode = isSuccess(httpStatus) ? undefined : httpStatus;
	const known = { requestId, httpCode, status: 'COMPLETED' };
	return failureOf('contradicted', CAUSES.contradicted, { why }, known);
}

/** It completed, and its result could not be read. `sent` is missing when there is no address to ask. */
export function resultUnread(client: Client, ref: RequestRef, sent?: Sent): SegmindFailure {
	const exceeds = sent?.kind === 'answer' ? sent.answer.exceeds : undefined;
	const facts = sent && resultFailure(client, ref, sent).facts;
	return failureOf(
		'unreadable',
		exceeds ? CAUSES.resultTooLarge : CAUSES.resultUnread,
		{
			why: facts?.message ?? PARTS.noAddress,
			megabytes: (exceeds ?? 0) / 1_000_000,
			address: resultUrl(ref),
		},
		{
			requestId: ref.request_id,
			httpCode: facts?.httpCode,
			fatal: exceeds ? undefined : facts?.fatal,
			status: 'COMPLETED',
			transient: true,
		},
	);
}

function resultFailure(client: Client, ref: RequestRef, sent: Sent): SegmindFailure {
	if (sent.kind !== 'answer') return noAnswer(client, sent, about(ref, 'result'));
	return isSuccess(sent.answer.status)
		? unusable(client, sent.answer, about(ref, 'result'))
		: refusal(client, sent.answer, about(ref, 'result'));
}
