import type { HistorySays } from '../../base/failure';
import type { RequestRef } from '../../journal/entry';
import type { Finished } from '../../output/finishedRequest';
import type { InlineFile } from '../../output/inlineFiles';
import { failureReason } from '../../service/answers';
import type { Client } from '../../service/client';
import { readRecord, type HistoryAnswer } from '../../service/history';
import type { RequestAnswer } from '../../service/schemas';

/** The service keeps a record this long after submission, ms (docs/service.md S126). */
export const RECORD_LIFETIME_MS = 3_600_000;

/** It completed, and this is its result. */
export interface Completed {
	kind: 'finished';
	body: RequestAnswer;
	fromHistory?: true;
	/** What a v1 call responded with besides. */
	inOneCall?: Pick<Finished, 'output' | 'fromHeaders'> & { files: InlineFile[] };
}

/** FAILED, in the service's own words. */
export interface FailedRequest {
	kind: 'failed';
	/** '' if the service gave none. */
	reason: string;
	httpCode?: number;
	/** The status response. */
	body?: RequestAnswer;
}

/** COMPLETED is charged, FAILED isn't: the service said both. */
export interface Contradicted {
	kind: 'contradicted';
	reason: string;
	httpCode?: number;
}

/** What the request history shows of a request that the service has no record of. */
export type InHistory = Exclude<HistorySays, 'notSearched' | 'candidates'>;

/** The service has no record of it. `isExpired`: its hour has passed. */
export interface MissingRequest {
	kind: 'missing';
	isExpired: boolean;
	history: InHistory;
}

/** The timeout passed first. `status`: the last one seen; `why`: why the last check showed none. */
export interface TimedOut {
	kind: 'timeout';
	status: string;
	why?: string;
}

/** How a request ended, as far as the service says. */
export type Ended = Completed | FailedRequest | Contradicted | MissingRequest | TimedOut;

/** FAILED after COMPLETED is a contradiction, wherever it comes from. */
export function afterCompleted(
	ended: Completed | FailedRequest | MissingRequest,
	hasCompleted: boolean,
): Completed | FailedRequest | Contradicted | MissingRequest {
	if (ended.kind !== 'failed' || !hasCompleted) return ended;
	const { reason, httpCode } = ended;
	return { kind: 'contradicted', reason, httpCode };
}

/** The service has no record of it (any more): the request history may still have its file (docs/service.md S126). */
export async function fromHistory(
	client: Client,
	ref: RequestRef,
	isExpired: boolean,
): Promise<Completed | FailedRequest | MissingRequest> {
	const asked = await readRecord(client, ref.request_id);
	return endedIn(client, asked) ?? { kind: 'missing', isExpired, history: inHistory(asked) };
}

/** How a request ended, by its record in the history; undefined if it has none or doesn't say. */
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

/** What the history shows of a request that did not end in a way that `endedIn` gives. */
export function inHistory(asked: HistoryAnswer): InHistory {
	if (asked.kind === 'found') return asked.record.kind === 'running' ? 'unfinished' : 'withoutFile';
	return asked.kind === 'outOfReach' ? 'outOfReach' : 'none';
}
