import { wait } from '../../base/clock';
import { stoppedFailure } from '../../errors/failures';
import { resultUrl, statusUrl, type RequestRef } from '../../journal/entry';
import { resultOfRequest } from '../../output/result';
import type { Client } from '../../service/client';
import { reasonIn } from '../../service/errorBody';
import { hasResult } from '../../service/responses';
import type { StatusResponse } from '../../service/schemas';
import { callAbout } from './check';
import { readHistoryOutcome, reconcileCompleted, type RequestOutcome } from './outcome';
import { unreadResultFailure } from './outcomeErrors';

/** How long the node tries to fetch a charged result, even after the timeout. */
export const RESULT_PATIENCE_MS = 60_000;
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

interface ResultFetch {
	client: Client;
	ref: RequestRef;
	/** When the timeout passes, in ms since the epoch. */
	endsAt: number;
	/** The pauses after each 404 in a row, in ms. */
	missingPauses: readonly number[];
}

/**
 * Fetches the result of a completed request. While the result is missing or unreadable, it's fetched again, because it was charged.
 * Returns undefined if the response says that the request is still running.
 * @throws SegmindFailure if the result can't be read, or when stopped
 */
export async function fetchResult(
	{ client, ref, endsAt, missingPauses }: ResultFetch,
	statusBody: StatusResponse,
): Promise<RequestOutcome | undefined> {
	const { clock, signal } = client;
	// The status was read from a URL of this request, so there is one for the result, too.
	const url = resultUrl(ref)!;
	// The poll URL responds with the result itself, so a second call isn't needed.
	if (hasResult(statusBody) && url === statusUrl(ref)) return resultOfRequest(statusBody);
	const latestEnd = client.endsAt ?? Infinity;
	const deadline = Math.min(Math.max(endsAt, clock.now()) + RESULT_PATIENCE_MS, latestEnd);
	let [missingCount, patientUntil] = [0, deadline];
	for (let pause = MIN_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
		const rules = { priority: 'result', deadline, repeats: true } as const;
		const check = await callAbout(client, ref, url, rules);
		const { outcome } = check;
		if (check.kind === 'completed' && hasResult(check.body)) return resultOfRequest(check.body);
		if (check.kind === 'running') return undefined;
		if (check.kind === 'failed') {
			const { httpCode, body } = check;
			return { kind: 'contradicted', reason: reasonIn(body, client.redact), httpCode };
		}
		const isUnclear = ['missing', 'unreadable', 'completed'].includes(check.kind);
		// A result that is too large now would be too large next time, too.
		if (!isUnclear || (outcome.kind === 'response' && outcome.exceededLimitBytes))
			throw client.rememberIfFatal(unreadResultFailure(client, ref, outcome));
		let at = clock.now() + pause;
		if (check.kind === 'missing') {
			at = clock.now() + (missingPauses[missingCount++] ?? Infinity);
			if (at >= deadline) return reconcileCompleted(await readHistoryOutcome(client, ref), true);
		} else {
			// Unusable responses may never end.
			patientUntil = Math.min(patientUntil, clock.now() + RESULT_PATIENCE_MS);
			if (at >= patientUntil) throw unreadResultFailure(client, ref, outcome);
		}
		await wait(clock, at - clock.now(), { signal });
		if (signal?.aborted) throw stoppedFailure(ref.request_id);
	}
}
