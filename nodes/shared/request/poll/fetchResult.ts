import { wait } from '../../base/clock';
import { stoppedFailure } from '../../errors/failures';
import { resultUrl, statusUrl, type RequestRef } from '../../journal/entry';
import { failureReason, hasResult, readResponse } from '../../service/responses';
import type { Client } from '../../service/client';
import type { StatusResponse } from '../../service/schemas';
import { isSuccess } from '../../service/http';
import {
	reconcileCompleted,
	readHistoryOutcome,
	type ContradictedRequest,
	type PollOutcome,
} from './pollOutcome';
import { unreadResultFailure } from './outcomeErrors';
import { missingPause } from './interpretCheck';
import { makeGetCall } from './requestRef';

/** How long the node tries to fetch a charged result, even after the timeout. */
export const RESULT_PATIENCE_MS = 60_000;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

export interface FetchSettings {
	/** The time until which the node tries to fetch the result, in ms since the epoch. */
	deadline: number;
	isKnownAccepted: boolean;
	/** Whether the hour has passed for which the service keeps the record. */
	isExpired: boolean;
	/** Size limit of the result. */
	maxBytes?: number;
}

/**
 * Fetches the result of a completed request. While the result is missing or unreadable, it's fetched again, because it was charged.
 * Returns undefined if the response says that the request is still running.
 * @throws SegmindFailure if the result can't be read
 */
export async function fetchResult(
	client: Client,
	ref: RequestRef,
	statusBody: StatusResponse,
	{ deadline, isKnownAccepted, isExpired, maxBytes }: FetchSettings,
): Promise<PollOutcome | undefined> {
	const { clock } = client;
	const url = resultUrl(ref);
	// The poll URL responds with the result itself, so a second call isn't needed.
	if (hasResult(statusBody) && (url === undefined || url === statusUrl(ref)))
		return { kind: 'finished', body: statusBody };
	if (url === undefined) throw unreadResultFailure(client, ref);
	let missingCount = 0;
	// An unusable response limits the time that is left, because such responses may never end.
	let endsAt = deadline;
	for (let pause = MIN_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
		const call = makeGetCall(client, url, ref, maxBytes);
		const rules = { priority: 'result', deadline, requestId: ref.request_id } as const;
		const sent = await client.read(call, rules);
		if (client.signal?.aborted) throw stoppedFailure(ref.request_id);
		if (sent.kind !== 'response') throw unreadResultFailure(client, ref, sent);
		const meaning = readResponse(sent.response, ref.request_id);
		switch (meaning.kind) {
			case 'completed':
				if (hasResult(meaning.body)) return { kind: 'finished', body: meaning.body };
				break;
			case 'running':
				return undefined;
			case 'failed':
			case 'maybeFailed':
				return contradictionOf(client, meaning);
			case 'rejected':
				throw client.rememberIfFatal(unreadResultFailure(client, ref, sent));
		}
		// The result would be too large next time, too.
		if (sent.response.exceededLimitBytes) throw unreadResultFailure(client, ref, sent);
		let at = clock.now() + pause;
		if (meaning.kind === 'missing') {
			at = clock.now() + (missingPause(isKnownAccepted, missingCount++) ?? Infinity);
			if (at >= endsAt)
				return reconcileCompleted(await readHistoryOutcome(client, ref, isExpired), true);
		} else {
			missingCount = 0;
			endsAt = Math.min(endsAt, clock.now() + RESULT_PATIENCE_MS);
			if (at >= endsAt) throw unreadResultFailure(client, ref, sent);
		}
		await wait(clock, at - clock.now(), { signal: client.signal });
		if (client.signal?.aborted) throw stoppedFailure(ref.request_id);
	}
}

function contradictionOf(
	client: Client,
	{ httpStatus, body }: { httpStatus: number; body: StatusResponse },
): ContradictedRequest {
	const httpCode = isSuccess(httpStatus) ? undefined : httpStatus;
	return { kind: 'contradicted', reason: failureReason(body, client.redact), httpCode };
}
