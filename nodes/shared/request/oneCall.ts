/** POST {baseUrl}/v1/{model}: one call that responds with the output itself (docs/service.md S60). */
import { wait } from '../base/clock';
import { stoppedFailure } from '../errors/failures';
import { callRegister } from '../journal/calls';
import type { RequestRef } from '../journal/entry';
import { readV1, v1Headers, type V1Content } from '../output/v1Response';
import { hasResult } from '../service/responses';
import type { Client } from '../service/client';
import { readRecord as lookUpInHistory } from '../service/history';
import type { HttpResponse } from '../service/http';
import { isRequestId } from '../service/schemas';
import {
	reconcileCompleted,
	outcomeOfLookup,
	missingFindingOf,
	type CompletedRequest,
	type PollOutcome,
} from './poll/pollOutcome';

/** How often the request history is read for a request whose output was lost. */
const HISTORY_INTERVAL_MS = 15_000;
/** How long reading is repeated while the history is unreachable or doesn't show the accepted request. */
const HISTORY_PATIENCE_MS = 60_000;

/** Reads the output and the request ID from the response to a v1 call; each is undefined if the response has none. */
export function readOneCall(response: HttpResponse): { content?: V1Content; requestId?: string } {
	const read = readV1(response);
	// JSON with only a status or an error isn't an output; the history may show the request.
	const isEmpty = read?.kind === 'json' && !hasResult(read.body);
	const headerId = response.headers['x-request-id'] ?? '';
	// If another call already has this ID, a proxy has returned a stored response.
	const isOwn = headerId !== '' && isRequestId(headerId) && !callRegister.isClaimed(headerId);
	return { content: isEmpty ? undefined : read, requestId: isOwn ? headerId : undefined };
}

/** Returns the outcome of a v1 call whose response holds the output. */
export function outcomeOfOneCall(
	content: V1Content,
	headers: Record<string, string>,
): CompletedRequest {
	return {
		kind: 'finished',
		body: content.kind === 'json' ? content.body : {},
		inOneCall: {
			output: content.kind === 'text' ? content.text : undefined,
			headerFields: v1Headers(headers),
			files: content.kind === 'file' ? [content.file] : [],
		},
	};
}

/** Polls the request history for a v1 request whose response had no output: nothing else shows how it ended. */
export async function pollHistory(
	client: Client,
	{ request_id: requestId }: RequestRef,
	{ timeoutMs, hasCompleted }: { timeoutMs: number; hasCompleted: boolean },
): Promise<PollOutcome> {
	const { clock, signal } = client;
	const endsAt = clock.now() + timeoutMs;
	let patientUntil = clock.now() + HISTORY_PATIENCE_MS;
	for (;;) {
		const lookup = await lookUpInHistory(client, requestId);
		const outcome = outcomeOfLookup(client, lookup);
		if (outcome) return reconcileCompleted(outcome, hasCompleted);
		const now = clock.now();
		const finding = missingFindingOf(lookup);
		const isRunning = finding === 'unfinished';
		if (isRunning) patientUntil = now + HISTORY_PATIENCE_MS;
		if (now + HISTORY_INTERVAL_MS >= (isRunning ? endsAt : Math.min(endsAt, patientUntil)))
			return isRunning
				? { kind: 'timeout', status: 'PROCESSING' }
				: { kind: 'missing', isExpired: true, history: finding };
		await wait(clock, HISTORY_INTERVAL_MS, { signal });
		if (signal?.aborted) throw stoppedFailure(requestId);
	}
}
