import { wait } from '../../base/clock';
import { stoppedFailure } from '../../errors/failures';
import { PARTS } from '../../errors/parts';
import type { RequestRef } from '../../journal/entry';
import type { Client } from '../../service/client';
import { conclude, type StatusWatch, atTimeout, LAST_CHECK_MS, OLD_MS, type Waiting } from './poll';
import { RECORD_LIFETIME_MS, type Ended } from './ended';
import { FIRST_STATUS, progressOf, read, type CheckReading } from './reader';
import { withAddresses } from './requestRef';
import type { ScheduleSession } from './schedule';
import { checkStatus, type StatusCheck } from './statusCheck';

/** Limits of a check that doesn't wait, ms: of its status check, and of all its calls together. */
const SHORT_CHECK_MS = 8_000;
const WHOLE_CHECK_MS = 15_000;

/**
 * Checks a request now, without waiting for its end. Only a 404 is checked again within the short limit.
 * @throws SegmindFailure when stopped, or if the service rejects the check
 */
export async function checkOnce(
	session: ScheduleSession,
	request: RequestRef,
	{ acceptedAt, maxBytes }: Pick<Waiting, 'acceptedAt' | 'maxBytes'>,
	watch: StatusWatch,
): Promise<Ended> {
	const startedAt = session.client.clock.now();
	const client = session.client.withEnd(startedAt + WHOLE_CHECK_MS);
	const { clock, signal, limiter } = client;
	// If the rate limit pauses longer than that, don't wait: every item of a batch would wait in turn.
	if (limiter.pauseEndsAt > startedAt + SHORT_CHECK_MS)
		return {
			kind: 'timeout',
			status: FIRST_STATUS,
			why: PARTS.rateLimited,
		};
	const ref = withAddresses(request, client.urls.baseUrl);
	const recordEndsAt = acceptedAt + RECORD_LIFETIME_MS;
	const endsAt = Math.min(
		startedAt + SHORT_CHECK_MS,
		recordEndsAt > startedAt ? recordEndsAt : Infinity,
	);
	const stopChecks = limiter.expectChecks();
	try {
		const { check, reading } = await untilKnown(client, ref, { acceptedAt, maxBytes, endsAt });
		const isExpired = clock.now() >= recordEndsAt;
		const fetching = { deadline: endsAt, isOwn: false, isExpired, maxBytes };
		const ended = await conclude(client, ref, check, reading, fetching, watch);
		if (ended) return ended;
		if (signal?.aborted) throw stoppedFailure(ref.request_id);
		const progress = { ...reading.progress, status: FIRST_STATUS };
		return await atTimeout(client, ref, check, progress, { acceptedAt, endsAt });
	} finally {
		stopChecks();
	}
}

/** Checks a request, and checks again while the service can't find it. */
async function untilKnown(
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
			deadline: isLast ? at + LAST_CHECK_MS : endsAt,
			urgentAt: acceptedAt + OLD_MS,
			limitMs: SHORT_CHECK_MS,
			maxBytes,
		});
		// Not as `isOwn`, whose 404 would be checked again for more than a minute.
		const reading = read(progress, check, { at, isOwn: false, isLast });
		if (reading.againAt === undefined) return { check, reading };
		({ progress } = reading);
		await wait(clock, Math.min(reading.againAt, endsAt) - clock.now(), { signal });
		if (signal?.aborted) throw stoppedFailure(ref.request_id);
	}
}
