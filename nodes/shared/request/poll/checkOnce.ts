import { wait } from '../../base/clock';
import { stoppedFailure } from '../../errors/failures';
import { PARTS } from '../../errors/parts';
import type { RequestRef } from '../../journal/entry';
import type { Client } from '../../service/client';
import {
	conclude,
	type StatusWatch,
	outcomeAtTimeout,
	MAX_LAST_CHECK_WAIT_MS,
	URGENT_AFTER_ACCEPTANCE_MS,
	type PollSettings,
} from './poll';
import { RECORD_LIFETIME_MS, type PollOutcome } from './pollOutcome';
import { FIRST_STATUS, progressOf, interpretCheck, type CheckReading } from './interpretCheck';
import { withUrls } from './requestRef';
import type { ScheduleSession } from './schedule';
import { checkStatus, type StatusCheck } from './statusCheck';

/** How long the status check may wait for the rate limiter, and its call for the response. */
const MAX_STATUS_CHECK_MS = 8_000;
/** How long all calls together may take: the status check, the result and the request history. */
const MAX_ALL_CALLS_MS = 15_000;

/**
 * Checks a request now, without waiting for its end. After a 404 it checks again, within `MAX_STATUS_CHECK_MS`.
 * @throws SegmindFailure when stopped, or if the service rejects the check
 */
export async function checkOnce(
	session: ScheduleSession,
	request: RequestRef,
	{ acceptedAt, maxBytes }: Pick<PollSettings, 'acceptedAt' | 'maxBytes'>,
	watch: StatusWatch,
): Promise<PollOutcome> {
	const startedAt = session.client.clock.now();
	const client = session.client.withEnd(startedAt + MAX_ALL_CALLS_MS);
	const { clock, signal, limiter } = client;
	// Don't wait if the rate limiter pauses for longer than the check may take: every item of a batch would wait in turn.
	if (limiter.pauseEndsAt > startedAt + MAX_STATUS_CHECK_MS)
		return {
			kind: 'timeout',
			status: FIRST_STATUS,
			why: PARTS.rateLimited,
		};
	const ref = withUrls(request, client.urls.baseUrl);
	const recordEndsAt = acceptedAt + RECORD_LIFETIME_MS;
	const endsAt = Math.min(
		startedAt + MAX_STATUS_CHECK_MS,
		recordEndsAt > startedAt ? recordEndsAt : Infinity,
	);
	const endPolling = limiter.expectChecks();
	try {
		const { check, reading } = await checkUntilFound(client, ref, { acceptedAt, maxBytes, endsAt });
		const isExpired = clock.now() >= recordEndsAt;
		const fetchSettings = { deadline: endsAt, isKnownAccepted: false, isExpired, maxBytes };
		const outcome = await conclude(client, ref, check, reading, fetchSettings, watch);
		if (outcome) return outcome;
		if (signal?.aborted) throw stoppedFailure(ref.request_id);
		const progress = { ...reading.progress, status: FIRST_STATUS };
		return await outcomeAtTimeout(client, ref, check, progress, { acceptedAt, endsAt });
	} finally {
		endPolling();
	}
}

/** Checks a request, and checks again while the service can't find it. */
async function checkUntilFound(
	client: Client,
	ref: RequestRef,
	{ acceptedAt, maxBytes, endsAt }: { acceptedAt: number; maxBytes?: number; endsAt: number },
): Promise<{ check: StatusCheck; reading: CheckReading }> {
	const { clock, signal } = client;
	let progress = progressOf();
	for (;;) {
		const at = clock.now();
		const isLast = at >= endsAt;
		const check = await checkStatus(client, ref, {
			deadline: isLast ? at + MAX_LAST_CHECK_WAIT_MS : endsAt,
			urgentAt: acceptedAt + URGENT_AFTER_ACCEPTANCE_MS,
			timeoutMs: MAX_STATUS_CHECK_MS,
			maxBytes,
		});
		// With `isKnownAccepted`, the checks after a 404 would take more than a minute.
		const reading = interpretCheck(progress, check, { at, isKnownAccepted: false, isLast });
		if (reading.againAt === undefined) return { check, reading };
		({ progress } = reading);
		await wait(clock, Math.min(reading.againAt, endsAt) - clock.now(), { signal });
		if (signal?.aborted) throw stoppedFailure(ref.request_id);
	}
}
