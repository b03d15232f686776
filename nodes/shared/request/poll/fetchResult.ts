import { wait } from '../../base/clock';
import type { Redact } from '../../base/redact';
import { stoppedFailure } from '../../errors/failures';
import { resultUrl, statusUrl, type RequestRef } from '../../service/requestRef';
import { resultOfRequest } from '../../output/result';
import type { Client } from '../../service/client';
import { reasonIn } from '../../service/errorBody';
import { hasResult, type ResponseMeaning } from '../../service/responses';
import type { StatusResponse } from '../../service/schemas';
import { askAbout } from './check';
import { readEndInHistory, reconcileCompleted, type RequestEnd } from './requestEnd';
import { unreadResultFailure } from './endErrors';
import type { AcceptedRequest } from './acceptedRequest';
import type { OddResponses } from './oddResponses';

/** How long the node tries to fetch a charged result, even after the timeout. */
export const RESULT_PATIENCE_MS = 60_000;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

interface ResultFetch {
	client: Client;
	request: AcceptedRequest;
	/** With the URLs to call. */
	ref: RequestRef;
	/** When the timeout passes, in ms since the epoch. */
	endsAt: number;
	oddResponses: OddResponses;
}

/**
 * Fetches the result of a completed request; returns undefined if it's still running after all. While the result is missing or unreadable, it's fetched
 * again, because it was charged.
 * @throws SegmindFailure if the result can't be read, or when stopped
 */
export async function fetchResult(
	fetching: ResultFetch,
	statusBody: StatusResponse,
): Promise<RequestEnd | undefined> {
	const { client, ref, endsAt, oddResponses } = fetching;
	const { clock, signal } = client;
	// The status was read from a URL of this request, so there is one for the result, too.
	const url = resultUrl(ref)!;
	// The poll URL responds with the result itself, so a second call isn't needed.
	if (hasResult(statusBody) && url === statusUrl(ref)) return resultOfRequest(statusBody);
	const latestEnd = client.endsAt ?? Infinity;
	const deadline = Math.min(Math.max(endsAt, clock.now()) + RESULT_PATIENCE_MS, latestEnd);
	const rules = { priority: 'result', deadline, repeats: true } as const;
	for (let pause = MIN_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
		const check = await askAbout(client, ref, url, rules);
		if (check.kind === 'running') {
			fetching.request.statusSeen(check.word);
			return undefined;
		}
		const end = resultIn(check, client.redact);
		if (end) return end;
		// A result that is too large now would be too large next time, too.
		if (!mayBecomeClear(check))
			throw client.fatal.remember(unreadResultFailure(client, ref, check));
		const verdict =
			check.kind === 'missing' ? oddResponses.noteMissing() : oddResponses.noteUnreadable();
		if (verdict.kind === 'giveUp') return await endUnread(fetching, check);
		const nextAt = clock.now() + (verdict.pauseMs ?? pause);
		if (nextAt >= deadline) return await endUnread(fetching, check);
		await wait(clock, nextAt - clock.now(), { signal });
		if (signal?.aborted) throw stoppedFailure(ref.request_id);
	}
}

/** Returns what a response clearly shows: the result, or that the request failed although it had completed. */
function resultIn(check: ResponseMeaning, redactText: Redact): RequestEnd | undefined {
	if (check.kind === 'completed' && hasResult(check.body)) return resultOfRequest(check.body);
	if (check.kind !== 'failed') return undefined;
	const { httpCode, body } = check;
	return { kind: 'contradicted', reason: reasonIn(body, redactText), httpCode };
}

/** Whether another reading may show the result: it's missing or unreadable, or the response says COMPLETED without a result. */
function mayBecomeClear({ kind, outcome }: ResponseMeaning): boolean {
	if (outcome.kind === 'response' && outcome.exceededLimitBytes !== undefined) return false;
	return kind === 'missing' || kind === 'unreadable' || kind === 'completed';
}

/** Ends the reading of a result. If Segmind itself doesn't find it any more, the request history may have it. @throws SegmindFailure otherwise */
async function endUnread(
	{ client, request, ref }: ResultFetch,
	check: ResponseMeaning,
): Promise<RequestEnd> {
	if (check.kind !== 'missing') throw unreadResultFailure(client, ref, check);
	const found = await readEndInHistory(client, request, check.isReported);
	if (found.kind === 'missing' && !found.isReported) throw unreadResultFailure(client, ref, check);
	return reconcileCompleted(found, true);
}
