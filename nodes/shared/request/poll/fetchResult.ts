import { wait } from '../../base/clock';
import { stoppedFailure } from '../../errors/failures';
import { resultUrl, statusUrl, type RequestRef } from '../../journal/entry';
import { failureReason, hasResult, readResponse } from '../../service/responses';
import type { Client } from '../../service/client';
import type { StatusResponse } from '../../service/schemas';
import { isSuccess } from '../../service/http';
import { afterCompleted, fromHistory, type Contradicted, type Ended } from './ended';
import { resultUnread } from './endErrors';
import { missingPause } from './reader';
import { getCall } from './requestRef';

/** How long the node tries to fetch a charged result, ms, even after the timeout. */
export const RESULT_PATIENCE_MS = 60_000;
const RESULT_FIRST_MS = 1_000;
const RESULT_LONGEST_MS = 10_000;

export interface Fetching {
	/** Until when the result is fetched, ms since the epoch. */
	deadline: number;
	isOwn: boolean;
	/** The hour of its record has passed. */
	isExpired: boolean;
	/** Largest result taken, bytes. */
	maxBytes?: number;
}

/**
 * Fetches the result of a completed request. While the result is empty, missing or unreadable, it's fetched again, because it was charged. Undefined
 * if the result says that the request is still running.
 * @throws SegmindFailure if the result can't be read
 */
export async function fetchResult(
	client: Client,
	ref: RequestRef,
	statusBody: StatusResponse,
	{ deadline, isOwn, isExpired, maxBytes }: Fetching,
): Promise<Ended | undefined> {
	const { clock } = client;
	const url = resultUrl(ref);
	// The poll URL responds with the result itself, so a second call isn't needed.
	if (hasResult(statusBody) && (url === undefined || url === statusUrl(ref)))
		return { kind: 'finished', body: statusBody };
	if (url === undefined) throw resultUnread(client, ref);
	let missing = 0;
	// A shorter limit for responses that can't be used: they may never end.
	let endsAt = deadline;
	for (let pause = RESULT_FIRST_MS; ; pause = Math.min(pause * 2, RESULT_LONGEST_MS)) {
		const call = getCall(client, url, ref, maxBytes);
		const rules = { priority: 'result', deadline, requestId: ref.request_id } as const;
		const sent = await client.read(call, rules);
		if (client.signal?.aborted) throw stoppedFailure(ref.request_id);
		if (sent.kind !== 'response') throw resultUnread(client, ref, sent);
		const meaning = readResponse(sent.response, ref.request_id);
		switch (meaning.kind) {
			case 'completed':
				if (hasResult(meaning.body)) return { kind: 'finished', body: meaning.body };
				break;
			case 'running':
				return undefined;
			case 'failed':
			case 'maybeFailed':
				return contradicted(client, meaning);
			case 'rejected':
				throw client.rememberIfFatal(resultUnread(client, ref, sent));
		}
		// It would be too large next time, too.
		if (sent.response.exceededBytes) throw resultUnread(client, ref, sent);
		let at = clock.now() + pause;
		if (meaning.kind === 'missing') {
			at = clock.now() + (missingPause(isOwn, missing++) ?? Infinity);
			if (at >= endsAt) return afterCompleted(await fromHistory(client, ref, isExpired), true);
		} else {
			missing = 0;
			endsAt = Math.min(endsAt, clock.now() + RESULT_PATIENCE_MS);
			if (at >= endsAt) throw resultUnread(client, ref, sent);
		}
		await wait(clock, at - clock.now(), { signal: client.signal });
		if (client.signal?.aborted) throw stoppedFailure(ref.request_id);
	}
}

function contradicted(
	client: Client,
	{ httpStatus, body }: { httpStatus: number; body: StatusResponse },
): Contradicted {
	const httpCode = isSuccess(httpStatus) ? undefined : httpStatus;
	return { kind: 'contradicted', reason: failureReason(body, client.redact), httpCode };
}
