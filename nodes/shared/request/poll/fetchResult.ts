import { wait } from '../../base/clock';
import { stopped } from '../../errors/failures';
import type { RequestRef } from '../../journal/entry';
import { hasResult, readAnswer } from '../../service/answers';
import type { Client } from '../../service/client';
import type { RequestAnswer } from '../../service/schemas';
import { contradicted, fromHistory, resultUnread, type Ended } from './ended';
import { MissingChecks } from './schedule';
import { getCall, resultUrl, statusUrl } from './requestRef';

/** A completed, paid result is asked for this long, ms, even when the time is up. */
export const RESULT_PATIENCE_MS = 60_000;
const RESULT_FIRST_MS = 1_000;
const RESULT_LONGEST_MS = 10_000;

export interface Fetching {
	/** Until when the result is asked for, ms since the epoch. */
	deadline: number;
	isOwn: boolean;
	/** The hour of its record has passed. */
	isExpired: boolean;
	/** Largest result taken, bytes. */
	maxBytes?: number;
}

/**
 * Fetches the result of a request whose status says COMPLETED; asks again while it is empty, missing or unreadable, since it is paid for.
 * `running` when the result says that it runs still.
 * @throws SegmindFailure when it stays unread, or when it contradicts the status
 */
export async function fetchResult(
	client: Client,
	ref: RequestRef,
	statusBody: RequestAnswer,
	{ deadline, isOwn, isExpired, maxBytes }: Fetching,
): Promise<Ended | 'running'> {
	const { clock } = client;
	const url = resultUrl(ref);
	// The poll address answers with the result itself: a second call would bring the same.
	if (hasResult(statusBody) && (url === undefined || url === statusUrl(ref)))
		return { kind: 'finished', body: statusBody };
	if (url === undefined) throw resultUnread(client, ref);
	const missing = new MissingChecks(isOwn);
	// What answers, but with nothing that could be used, may do so for ever.
	let endsAt = deadline;
	for (let pause = RESULT_FIRST_MS; ; pause = Math.min(pause * 2, RESULT_LONGEST_MS)) {
		const sent = await client.read(getCall(client, url, ref, maxBytes), {
			purpose: 'result',
			deadline,
			requestId: ref.request_id,
		});
		if (client.signal?.aborted) throw stopped(ref.request_id);
		if (sent.kind !== 'answer') throw resultUnread(client, ref, sent);
		const meaning = readAnswer(sent.answer, ref.request_id);
		if (meaning.kind === 'completed' && hasResult(meaning.body))
			return { kind: 'finished', body: meaning.body };
		if (meaning.kind === 'running') return 'running';
		if (meaning.kind === 'failed' || meaning.kind === 'maybeFailed')
			throw contradicted(client, ref, meaning);
		if (meaning.kind === 'refused') throw client.remembering(resultUnread(client, ref, sent));
		// It will be as large next time.
		if (sent.answer.exceeds) throw resultUnread(client, ref, sent);
		let at = clock.now() + pause;
		if (meaning.kind === 'missing') {
			at = missing.next(clock.now()) ?? Infinity;
			if (at >= endsAt) return await fromHistory(client, ref, isExpired);
		} else {
			missing.reset();
			endsAt = Math.min(endsAt, clock.now() + RESULT_PATIENCE_MS);
			if (at >= endsAt) throw resultUnread(client, ref, sent);
		}
		await wait(clock, at - clock.now(), { signal: client.signal });
		if (client.signal?.aborted) throw stopped(ref.request_id);
	}
}
