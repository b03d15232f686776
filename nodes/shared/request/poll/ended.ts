import type { HistoryFinding } from '../../base/failure';
import type { RequestRef } from '../../journal/entry';
import type { Finished } from '../../output/finishedRequest';
import type { InlineFile } from '../../output/inlineFiles';
import { failureReason } from '../../service/responses';
import type { Client } from '../../service/client';
import { readRecord, type HistoryLookup } from '../../service/history';
import type { StatusResponse } from '../../service/schemas';

/** The service keeps a record this long after submission, ms (docs/service.md S126). */
export const RECORD_LIFETIME_MS = 3_600_000;

/** The request completed; this is its result. */
export interface Completed {
	kind: 'finished';
	body: StatusResponse;
	fromHistory?: true;
	/** More that the response to a v1 call holds. */
	inOneCall?: Pick<Finished, 'output' | 'headerFields'> & { files: InlineFile[] };
}

/** The request failed, as the service reports. */
export interface FailedRequest {
	kind: 'failed';
	/** '' if the service gave none. */
	reason: string;
	httpCode?: number;
	/** The status response. */
	body?: StatusResponse;
}

/** The service reported both COMPLETED, which is charged, and FAILED, which isn't. */
export interface Contradicted {
	kind: 'contradicted';
	reason: string;
	httpCode?: number;
}

/** What the request history shows of a request that the service has no record of. */
export type InHistory = Exclude<HistoryFinding, 'notSearched' | 'candidates'>;

/** The service has no record of the request. `isExpired`: an hour has passed since submission. */
export interface MissingRequest {
	kind: 'missing';
	isExpired: boolean;
	history: InHistory;
}

/** The timeout passed first. `status`: the last one seen; `why`: why the last check showed no status. */
export interface TimedOut {
	kind: 'timeout';
	status: string;
	why?: string;
}

/** How a request ended. */
export type Ended = Completed | FailedRequest | Contradicted | MissingRequest | TimedOut;

/** FAILED after COMPLETED is a contradiction, whichever call reported it. */
export function afterCompleted(
	ended: Completed | FailedRequest | MissingRequest,
	hasCompleted: boolean,
): Completed | FailedRequest | Contradicted | MissingRequest {
	if (ended.kind !== 'failed' || !hasCompleted) return ended;
	const { reason, httpCode } = ended;
	return { kind: 'contradicted', reason, httpCode };
}

/** For a request that the service has no record of: the request history may still have its file (docs/service.md S126). */
export async function fromHistory(
	client: Client,
	ref: RequestRef,
	isExpired: boolean,
): Promise<Completed | FailedRequest | MissingRequest> {
	const asked = await readRecord(client, ref.request_id);
	return endedIn(client, asked) ?? { kind: 'missing', isExpired, history: inHistory(asked) };
}

/** How a request ended, by its row of the history; undefined if there is no row or it doesn't say. */
export function endedIn(
	client: Client,
	asked: HistoryLookup,
): Completed | FailedRequest | undefined {
	if (asked.kind !== 'found') return undefined;
	const { record } = asked;
	if (record.kind === 'completed')
		return { kind: 'finished', body: record.response, fromHistory: true };
	if (record.kind === 'failed')
		return { kind: 'failed', reason: failureReason(record.response, client.redact) };
	return undefined;
}

/** What the history shows of a request for which `endedIn` returns undefined. */
export function inHistory(asked: HistoryLookup): InHistory {
	if (asked.kind === 'found') return asked.record.kind === 'running' ? 'unfinished' : 'withoutFile';
	return asked.kind === 'outOfReach' ? 'outOfReach' : 'none';
}
