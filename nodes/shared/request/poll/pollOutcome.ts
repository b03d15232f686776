import type { HistoryFinding } from '../../base/failure';
import type { RequestRef } from '../../journal/entry';
import type { FinishedRequest } from '../../output/finishedRequest';
import type { InlineFile } from '../../output/inlineFiles';
import { failureReason } from '../../service/responses';
import type { Client } from '../../service/client';
import { readRecord, type HistoryLookup } from '../../service/history';
import type { StatusResponse } from '../../service/schemas';

/** How long after submission the service keeps a record of a request (docs/service.md S126). */
export const RECORD_LIFETIME_MS = 3_600_000;

/** The request completed; this is its result. */
export interface CompletedRequest {
	kind: 'finished';
	body: StatusResponse;
	fromHistory?: true;
	/** What else the response to a v1 call contains. */
	inOneCall?: Pick<FinishedRequest, 'output' | 'headerFields'> & { files: InlineFile[] };
}

/** The request failed, as the service reports. */
export interface FailedRequest {
	kind: 'failed';
	/** '' if the service reported none. */
	reason: string;
	httpCode?: number;
	/** The status response. */
	body?: StatusResponse;
}

/** The service reported both COMPLETED, which is charged, and FAILED, which isn't. */
export interface ContradictedRequest {
	kind: 'contradicted';
	reason: string;
	httpCode?: number;
}

/** What the request history shows of a request that the service has no record of. */
export type MissingFinding = Exclude<HistoryFinding, 'notSearched' | 'candidates'>;

/** The service has no record of the request. `isExpired`: an hour has passed since submission. */
export interface MissingRequest {
	kind: 'missing';
	isExpired: boolean;
	history: MissingFinding;
}

/** The timeout passed first. `status`: the last one seen; `why`: why the last check showed no status. */
export interface TimedOutRequest {
	kind: 'timeout';
	status: string;
	why?: string;
}

/** How a request ended, or that the timeout passed first. */
export type PollOutcome =
	| CompletedRequest
	| FailedRequest
	| ContradictedRequest
	| MissingRequest
	| TimedOutRequest;

/** Returns `contradicted` if a request that had completed is now reported as failed; otherwise `outcome`. */
export function reconcileCompleted(
	outcome: CompletedRequest | FailedRequest | MissingRequest,
	hasCompleted: boolean,
): CompletedRequest | FailedRequest | ContradictedRequest | MissingRequest {
	if (outcome.kind !== 'failed' || !hasCompleted) return outcome;
	const { reason, httpCode } = outcome;
	return { kind: 'contradicted', reason, httpCode };
}

/** Looks up a request that the service has no record of: the request history may still have its file (docs/service.md S126). */
export async function readHistoryOutcome(
	client: Client,
	ref: RequestRef,
	isExpired: boolean,
): Promise<CompletedRequest | FailedRequest | MissingRequest> {
	const lookup = await readRecord(client, ref.request_id);
	return (
		outcomeOfLookup(client, lookup) ?? {
			kind: 'missing',
			isExpired,
			history: missingFindingOf(lookup),
		}
	);
}

/** Returns how a request ended, according to its row of the history; undefined if there is no row, or the row doesn't show an end. */
export function outcomeOfLookup(
	client: Client,
	lookup: HistoryLookup,
): CompletedRequest | FailedRequest | undefined {
	if (lookup.kind !== 'found') return undefined;
	const { record } = lookup;
	if (record.kind === 'completed')
		return { kind: 'finished', body: record.response, fromHistory: true };
	if (record.kind === 'failed')
		return { kind: 'failed', reason: failureReason(record.response, client.redact) };
	return undefined;
}

/** Returns what the history shows of a request for which `outcomeOfLookup` returns undefined. */
export function missingFindingOf(lookup: HistoryLookup): MissingFinding {
	if (lookup.kind === 'found')
		return lookup.record.kind === 'running' ? 'unfinished' : 'completedWithoutFile';
	return lookup.kind === 'outOfReach' ? 'outOfReach' : 'none';
}
