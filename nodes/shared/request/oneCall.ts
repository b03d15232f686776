import { wait } from '../base/clock';
import { CAUSES, HISTORY_SAYS } from '../errors/errorTable';
import { failureOf, stopped } from '../errors/failures';
import { calls } from '../journal/calls';
import type { RequestRef } from '../journal/entry';
import { readV1, v1Headers, type V1Content } from '../output/v1Answer';
import { unusable } from '../service/answerErrors';
import { hasResult } from '../service/answers';
import type { Client } from '../service/client';
import { readRecord } from '../service/history';
import type { HttpAnswer } from '../service/http';
import { isRequestId } from '../service/schemas';
import { endedIn, inHistory, type Ended, type Completed } from './poll/ended';
import type { RequestRecord } from './record';
import { aboutSubmission, type Generation } from './submission';

/** POST {baseUrl}/v1/{model}: one call that answers with the output itself (docs/service.md S60). */

/** How often the history is asked for a request whose output is lost, ms. */
const HISTORY_EVERY_MS = 15_000;
/** A history that is out of reach, or does not show a request that was accepted, is asked again for this long, ms. */
const HISTORY_PATIENCE_MS = 60_000;

/** What such a call answered: neither for an answer that says nothing. */
export function readOneCall(answer: HttpAnswer): { content?: V1Content; requestId?: string } {
	const read = readV1(answer);
	// JSON that says a state or an error and holds nothing else is no output: what was charged may be in the history.
	const isEmpty = read?.kind === 'json' && !hasResult(read.body);
	const named = answer.headers['x-request-id'] ?? '';
	// One that belongs to another call is a proxy's.
	const isOwn = named !== '' && isRequestId(named) && !calls.isClaimed(named);
	return { content: isEmpty ? undefined : read, requestId: isOwn ? named : undefined };
}

/** The output of such a call. */
export function completedInOneCall(content: V1Content, headers: Record<string, string>): Completed {
	return {
		kind: 'finished',
		body: content.kind === 'json' ? content.body : {},
		inOneCall: {
			output: content.kind === 'text' ? content.text : undefined,
			fromHeaders: v1Headers(headers),
			files: content.kind === 'file' ? [content.file] : [],
		},
	};
}

/** How a request ended whose output did not come with its answer. @throws SegmindFailure when it still runs as the time is up */
export async function endInHistory(
	{ session, answered }: RequestRecord,
	generation: Generation,
	{ request_id: requestId }: RequestRef,
): Promise<Ended> {
	const { client } = session;
	const ended = await untilInHistory(client, requestId, generation.presentation.options.timeoutMs);
	if (!answered || ended.kind !== 'missing') return ended;
	throw unusable(
		client,
		answered.answer,
		{ ...aboutSubmission(generation), requestId },
		{
			row: CAUSES.unusableOutput,
			found: HISTORY_SAYS[ended.history],
			search: ended.history,
		},
	);
}

async function untilInHistory(
	client: Client,
	requestId: string,
	timeoutMs: number,
): Promise<Ended> {
	const { clock, signal } = client;
	const endsAt = clock.now() + timeoutMs;
	let patientUntil = clock.now() + HISTORY_PATIENCE_MS;
	for (;;) {
		const asked = await readRecord(client, requestId);
		const ended = endedIn(client, asked);
		if (ended) return ended;
		const now = clock.now();
		const history = inHistory(asked);
		if (history === 'unfinished') patientUntil = now + HISTORY_PATIENCE_MS;
		const next = now + HISTORY_EVERY_MS;
		if (next >= (history === 'unfinished' ? endsAt : Math.min(endsAt, patientUntil))) {
			// No record but the history's shows a v1 request, so that its hour does not count.
			if (history !== 'unfinished') return { kind: 'missing', isExpired: true, history };
			throw failureOf('timeUp', CAUSES.stillInHistory, {}, { requestId, status: 'PROCESSING' });
		}
		await wait(clock, HISTORY_EVERY_MS, { signal });
		if (signal?.aborted) throw stopped(requestId);
	}
}
