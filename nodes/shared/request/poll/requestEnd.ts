import { resultOfHistory, type Result } from '../../output/result';
import { reasonIn } from '../../service/errorBody';
import type { Client } from '../../service/client';
import { readHistoryRow, type MissingFinding } from '../../service/history';
import type { StatusResponse } from '../../service/schemas';
import type { AcceptedRequest } from './acceptedRequest';

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
interface ContradictedRequest {
	kind: 'contradicted';
	reason: string;
	httpCode?: number;
}

/**
 * The request can't be found. `isReported`: Segmind itself says so. `isLive`: Segmind must have a record, because the request was accepted less than an
 * hour ago.
 */
export interface MissingRequest {
	kind: 'missing';
	isReported: boolean;
	isLive: boolean;
	history: MissingFinding;
}

/** The timeout passed first. `why`: why the last check showed no status, if it didn't; `reason`: the error in the response of the last check, or ''. */
export interface UnfinishedRequest {
	kind: 'unfinished';
	why?: string;
	reason?: string;
}

/** How a request ended, with its result if it completed, or that the timeout passed first. */
export type RequestEnd =
	| Result
	| FailedRequest
	| ContradictedRequest
	| MissingRequest
	| UnfinishedRequest;

/** Returns `contradicted` if a request that had completed is now reported as failed; otherwise `end`. */
export function reconcileCompleted(end: RequestEnd, hasCompleted: boolean): RequestEnd {
	if (end.kind !== 'failed' || !hasCompleted) return end;
	const { reason, httpCode } = end;
	return { kind: 'contradicted', reason, httpCode };
}

/**
 * Looks up a request that got a 404: the request history may still have its file (docs/service.md S126). `isReported`: whether the 404 is Segmind's own.
 */
export async function readEndInHistory(
	client: Client,
	request: AcceptedRequest,
	isReported: boolean,
): Promise<Result | FailedRequest | MissingRequest> {
	const found = await readHistoryRow(client, request.ref.request_id);
	if (typeof found === 'string')
		return {
			kind: 'missing',
			isReported,
			isLive: request.isStillKept(client.clock),
			history: found,
		};
	return found.status === 'FAILED'
		? { kind: 'failed', reason: reasonIn(found, client.redact) }
		: resultOfHistory(found);
}
