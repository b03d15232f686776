import { wait } from '../../base/clock';
import { stoppedFailure } from '../../errors/failures';
import { resultUrl, statusUrl, type RequestRef } from '../../journal/entry';
import type { Client } from '../../service/client';
import { reasonIn } from '../../service/errorBody';
import { hasResult } from '../../service/responses';
import type { StatusResponse } from '../../service/schemas';
import { callAbout, type Check } from './check';
import { readHistoryOutcome, reconcileCompleted, type RequestOutcome } from './outcome';
import { unreadResultFailure } from './outcomeErrors';
import type { Patience } from './patience';

/** How long the node tries to fetch a charged result, even after the timeout. */
export const RESULT_PATIENCE_MS = 60_000;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

interface ResultFetch {
	client: Client;
	ref: RequestRef;
	/** When the timeout passes, in ms since the epoch. */
	endsAt: number;
	patience: Patience;
}

/**
 * Fetches the result of a completed request. While the result is missing or unreadable, it's fetched again, because it was charged.
 * Returns undefined if the response says that the request is still running.
 * @throws SegmindFailure if the result can't be read, or when stopped
 */
export async function fetchResult(
	{ client, ref, endsAt, patience }: ResultFetch,
	statusBody: StatusResponse,
): Promise<RequestOutcome | undefined> {
	const { clock, signal } = client;
	// The status was read from a URL of this request, so there is one for the result, too.
	const url = resultUrl(ref)!;
	// The poll URL responds with the result itself, so a second call isn't needed.
	if (hasResult(statusBody) && url === statusUrl(ref))
		return { kind: 'completed', body: statusBody };
	const latestEnd = client.endsAt ?? Infinity;
	const deadline = Math.min(Math.max(endsAt, clock.now()) + RESULT_PATIENCE_MS, latestEnd);
	const rules = { priority: 'result', deadline, repeats: true } as const;
	for (let pause = MIN_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
		const check = await callAbout(client, ref, url, rules);
		const { outcome } = check;
		if (check.kind === 'completed' && hasResult(check.body))
			return { kind: 'completed', body: check.body };
		if (check.kind === 'running') return undefined;
		if (check.kind === 'failed') {
			const { httpCode, body } = check;
			return { kind: 'contradicted', reason: reasonIn(body, client.redact), httpCode };
		}
		const isTooLarge = outcome.kind === 'response' && outcome.exceededLimitBytes !== undefined;
		// A result that is too large now would be too large next time, too.
		if (!isUnclear(check) || isTooLarge)
			throw client.rememberIfFatal(unreadResultFailure(client, ref, outcome));
		const verdict = check.kind === 'missing' ? patience.noteMissing() : patience.noteUnreadable();
		const pauseMs = verdict.kind === 'again' ? (verdict.pauseMs ?? pause) : Infinity;
		if (clock.now() + pauseMs >= deadline) {
			if (check.kind !== 'missing') throw unreadResultFailure(client, ref, outcome);
			const ended = await readHistoryOutcome(client, ref, check.isReported);
			if (ended.kind === 'missing' && !ended.isReported)
				throw unreadResultFailure(client, ref, outcome);
			return reconcileCompleted(ended, true);
		}
		await wait(clock, pauseMs, { signal });
		if (signal?.aborted) throw stoppedFailure(ref.request_id);
	}
}

/** Whether another reading may show the result: it's missing or unreadable, or the response says COMPLETED without a result. */
function isUnclear({ kind }: Check): boolean {
	return ['missing', 'unreadable', 'completed'].includes(kind);
}
