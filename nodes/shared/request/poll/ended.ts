import type { HistorySays, SegmindFailure } from '../../base/failure';
import { CAUSES, HISTORY_SAYS, PARTS } from '../../errors/errorTable';
import { failureOf } from '../../errors/failures';
import type { RequestRef } from '../../journal/entry';
import type { Finished } from '../../output/finishedRequest';
import type { InlineFile } from '../../output/inlineFiles';
import type { Options } from '../../run/options';
import { noAnswer, refusal, unusable } from '../../service/answerErrors';
import { failureReason } from '../../service/answers';
import type { Client } from '../../service/client';
import { readRecord, type HistoryAnswer } from '../../service/history';
import { isSuccess } from '../../service/http';
import type { Sent } from '../../service/retry';
import type { RequestAnswer } from '../../service/schemas';
import { about, resultUrl } from './requestRef';

/** It completed, and this is its result. */
export interface Completed {
	kind: 'finished';
	body: RequestAnswer;
	fromHistory?: true;
	/** What a v1 call answered beside. */
	inOneCall?: Pick<Finished, 'output' | 'fromHeaders'> & { files: InlineFile[] };
}

/** FAILED, in the service's own words. */
export interface FailedRequest {
	kind: 'failed';
	/** '' when the service gave none. */
	reason: string;
	httpCode?: number;
}

/** What the request history says of a request that the service has no record of. */
export type InHistory = Exclude<HistorySays, 'notSearched' | 'candidates'>;

/** The service has no record of it: `isExpired` when its hour has passed. */
export interface MissingRequest {
	kind: 'missing';
	isExpired: boolean;
	history: InHistory;
}

/** How a request ended, as far as the service says. */
export type Ended = Completed | FailedRequest | MissingRequest;

/** The same of one that was polled; `status` is the last word that was seen, `why` why the last check showed none. */
export type Polled = Ended | { kind: 'timeUp'; status: string; why?: string };

/** The service has no record (any more): the request history may still have its file (docs/service.md S126). */
export async function fromHistory(
	client: Client,
	ref: RequestRef,
	isExpired: boolean,
): Promise<Ended> {
	const asked = await readRecord(client, ref.request_id);
	return endedIn(client, asked) ?? { kind: 'missing', isExpired, history: inHistory(asked) };
}

/** What the history says of a request that did not end in a way that `endedIn` gives. */
export function inHistory(asked: HistoryAnswer): InHistory {
	if (asked.kind === 'found') return asked.record.kind === 'running' ? 'unfinished' : 'withoutFile';
	return asked.kind === 'outOfReach' ? 'outOfReach' : 'none';
}

/** How a request ended, by its record in the history; undefined when it has none or does not say. */
export function endedIn(
	client: Client,
	asked: HistoryAnswer,
): Completed | FailedRequest | undefined {
	if (asked.kind !== 'found') return undefined;
	const { record } = asked;
	if (record.kind === 'completed')
		return { kind: 'finished', body: record.answer, fromHistory: true };
	if (record.kind === 'failed')
		return { kind: 'failed', reason: failureReason(record.answer, client.redact) };
	return undefined;
}

/** @throws SegmindFailure unless the request completed. `isOwn`: it is known to have been accepted */
export function finishedOf(
	ended: Polled,
	ref: RequestRef,
	{ timeoutMs }: Options,
	isOwn: boolean,
): Completed {
	switch (ended.kind) {
		case 'finished':
			return ended;
		case 'missing':
			throw missing(ref, ended, isOwn);
		case 'failed':
			throw failedRequest(ref, ended);
		case 'timeUp': {
			const { status } = ended;
			const values = { state: status, seconds: timeoutMs / 1_000 };
			const known = { requestId: ref.request_id, status };
			throw failureOf('timeUp', CAUSES.stillRunning, values, known);
		}
	}
}

/** The failure of a request that FAILED. */
export function failedRequest(
	{ request_id: requestId }: RequestRef,
	{ reason, httpCode }: FailedRequest,
): SegmindFailure {
	const { requestFailed } = CAUSES;
	const row = reason === '' ? { ...requestFailed, todo: requestFailed.silent } : requestFailed;
	const known = { requestId, httpCode, status: 'FAILED' };
	return failureOf('requestFailed', row, { why: reason || PARTS.noReason }, known);
}

/** The failure for a request that the service does not know. */
export function missing(
	{ request_id: requestId }: RequestRef,
	{ isExpired, history }: Omit<MissingRequest, 'kind'>,
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
