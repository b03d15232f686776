/** The errors of accepted requests. */
import type { SegmindFailure } from '../../base/failure';
import { CAUSES } from '../../errors/errorTable';
import { HISTORY_SAYS, PARTS } from '../../errors/parts';
import { failureOf } from '../../errors/failures';
import { resultUrl, type RequestRef } from '../../journal/entry';
import { callFailure, unusableFailure } from '../../service/responseErrors';
import type { Client } from '../../service/client';
import type { CallOutcome } from '../../service/http';
import type { Check } from './check';
import type { Result } from '../../output/result';
import type { RequestOutcome, FailedRequest, MissingRequest } from './outcome';
import { callSubjectOf } from './requestRef';

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
			const facts = { requestId, httpCode, status: 'COMPLETED' };
			return failureOf('contradicted', CAUSES.contradicted, values, facts);
		}
		case 'missing':
			return missingFailure(ref, outcome);
		case 'timeout': {
			const { status } = outcome;
			const values = { state: status, seconds: timeoutMs / 1_000 };
			return failureOf('timedOut', CAUSES.stillRunning, values, { requestId, status });
		}
	}
}

function failedStatusFailure(
	{ request_id: requestId }: RequestRef,
	{ reason, httpCode }: FailedRequest,
): SegmindFailure {
	const { requestFailed } = CAUSES;
	const row =
		reason === '' ? { ...requestFailed, todo: requestFailed.todoWithoutReason } : requestFailed;
	const facts = { requestId, httpCode, status: 'FAILED' };
	return failureOf('requestFailed', row, { why: reason || PARTS.noReason }, facts);
}

/** Returns the error of a request that the service can't find. */
export function missingFailure(
	{ request_id: requestId }: RequestRef,
	{ isLive, history }: Omit<MissingRequest, 'kind'>,
): SegmindFailure {
	const facts = { requestId, httpCode: 404, search: history };
	const values = { found: HISTORY_SAYS[history] };
	const isCompleted = history === 'completedWithoutFile';
	if (isLive)
		return failureOf('missing', CAUSES.missingNow, values, {
			...facts,
			...(isCompleted && { charge: 'completed' }),
			transient: true,
		});
	if (isCompleted)
		return failureOf('missing', CAUSES.resultExpired, {}, { ...facts, status: 'COMPLETED' });
	return failureOf('missing', CAUSES.missing, values, {
		...facts,
		status: 'EXPIRED',
		...(history === 'outOfReach' && { transient: true }),
	});
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
			fatal: exceededLimitBytes ? undefined : facts.fatal,
			status: 'COMPLETED',
			transient: true,
		},
	);
}
