import { wait } from '../../base/clock';
import { stoppedFailure } from '../../errors/failures';
import { PARTS } from '../../errors/parts';
import type { RequestRef } from '../../journal/entry';
import type { Client } from '../../service/client';
import { retryAfterMs } from '../../service/rateLimiter';
import { checkStatus, readFailedRequest, type Check } from './check';
import { fetchResult, RESULT_PATIENCE_MS } from './fetchResult';
import { readHistoryOutcome, reconcileCompleted, type RequestOutcome } from './outcome';
import { unreadStatusFailure } from './outcomeErrors';
import { patienceFor, type Patience } from './patience';
import { acceptanceTimeOf, RECORD_LIFETIME_MS, withUrls } from './requestRef';
import { scheduleOf, type ScheduleSession } from './schedule';

/** The status of an accepted request before its first check. */
export const FIRST_STATUS = 'QUEUED';

/** How long the last status check, at the timeout, may wait for the rate limiter. */
const MAX_LAST_CHECK_WAIT_MS = 5_000;
/** Receives each new status. */
export interface StatusWatch {
	onStatus(status: string): void;
}

interface PollSettings {
	/** 0 = check once. Counts from acceptance for a new request, otherwise from the start of the polling. */
	timeoutMs: number;
	/** 0 = adaptive. */
	pollIntervalMs: number;
	/** Whether the request was accepted just now. Any other request may have ended already, so it's checked at once. */
	isNew?: boolean;
	/** The last known status from before this polling; undefined if none is known. */
	lastStatus?: string;
	/** Whether the service has reported COMPLETED before. */
	hasCompleted?: boolean;
}

/** What is known of a request that is being polled. Times in ms since the epoch. */
interface Polling {
	readonly client: Client;
	readonly ref: RequestRef;
	readonly endsAt: number;
	readonly patience: Patience;
	readonly watch?: StatusWatch;
	/** The last known status. */
	status?: string;
	hasCompleted: boolean;
	/** When to check again after a 404; undefined if the schedule decides. */
	againAt?: number;
	/** The service asked for no check before this time. */
	notBefore: number;
}

/**
 * Checks a request on an adaptive schedule until it has ended or the timeout has passed. The last check is at the timeout; the result of a completed
 * request may be fetched even later.
 * @throws SegmindFailure, always with the request ID, when stopped or if the status or the result can't be read
 */
export async function poll(
	session: ScheduleSession,
	request: RequestRef,
	settings: PollSettings,
	watch?: StatusWatch,
): Promise<RequestOutcome> {
	const { client } = session;
	const endPolling = client.limiter.expectChecks();
	try {
		return await pollUntilEnded(session, withUrls(request, client.urls.baseUrl), settings, watch);
	} finally {
		endPolling();
	}
}

async function pollUntilEnded(
	session: ScheduleSession,
	ref: RequestRef,
	{ timeoutMs, pollIntervalMs, isNew = false, lastStatus, hasCompleted = false }: PollSettings,
	watch?: StatusWatch,
): Promise<RequestOutcome> {
	const { client } = session;
	const { clock, limiter, signal } = client;
	const acceptedAt = acceptanceTimeOf(ref) ?? clock.now();
	const recordEndsAt = acceptedAt + RECORD_LIFETIME_MS;
	const startsAt = isNew ? acceptedAt : clock.now();
	const endsAt = Math.min(
		startsAt + timeoutMs,
		recordEndsAt > clock.now() ? recordEndsAt : Infinity,
	);
	const polling: Polling = {
		client,
		ref,
		endsAt,
		watch,
		hasCompleted,
		patience: patienceFor(ref, clock),
		status: hasCompleted ? 'COMPLETED' : lastStatus,
		notBefore: 0,
	};
	const schedule = scheduleOf(session, ref, pollIntervalMs);
	let lastCheckAt = isNew ? acceptedAt : undefined;
	for (;;) {
		const { againAt, notBefore } = polling;
		if (againAt === undefined && lastCheckAt !== undefined)
			await schedule.waitForNextCheck(lastCheckAt, endsAt);
		const nextAt = Math.min(Math.max(againAt ?? 0, notBefore), endsAt);
		await wait(clock, nextAt - clock.now(), { signal });
		if (signal?.aborted) throw stoppedFailure(ref.request_id);
		const at = clock.now();
		const isLast = at >= endsAt;
		const deadline = isLast ? at + MAX_LAST_CHECK_WAIT_MS : endsAt;
		// Otherwise, every item of a batch would wait in turn for a check that the rate limit doesn't allow.
		const isHopeless = isLast && limiter.pauseEndsAt > deadline;
		const check: Check = isHopeless
			? { kind: 'rateLimited' }
			: await checkStatus(client, ref, { deadline });
		// A request that had ended before its first check doesn't show how long it took.
		if (check.kind === 'completed' && lastCheckAt !== undefined)
			schedule.recordDuration(at - acceptedAt);
		// A check that the rate limit held back is still due.
		if (check.kind !== 'rateLimited') lastCheckAt = at;
		const outcome = await outcomeOf(polling, check, { at, isLast });
		if (outcome) return outcome;
		if (isLast) return await outcomeAtTimeout(polling, check, endsAt >= recordEndsAt);
	}
}

/**
 * Returns how the request ended, or undefined if it has to be checked again. A single odd response doesn't end the polling, and a transient fault
 * doesn't end a series of odd responses. `at`: when the check was made; `isLast`: no other check follows.
 * @throws SegmindFailure if the responses or the result stay unreadable
 */
async function outcomeOf(
	polling: Polling,
	check: Check,
	{ at, isLast }: { at: number; isLast: boolean },
): Promise<RequestOutcome | undefined> {
	const { client, ref, patience, watch } = polling;
	polling.againAt = undefined;
	if (check.kind === 'rateLimited') return undefined;
	if (check.kind === 'transient') {
		const headers = check.outcome?.kind === 'response' ? check.outcome.headers : {};
		const now = client.clock.now();
		polling.notBefore = now + (retryAfterMs(headers, now) ?? 0);
		return undefined;
	}
	switch (check.kind) {
		case 'running':
			patience.noteClear();
			if (check.word !== polling.status) watch?.onStatus(check.word);
			// COMPLETED is charged, whatever is seen later.
			if (!polling.hasCompleted) polling.status = check.word;
			return undefined;
		case 'completed':
			patience.noteClear();
			// Without a status word, only the result shows whether the request has completed.
			if (check.body.status?.trim()) {
				polling.hasCompleted = true;
				polling.status = 'COMPLETED';
				watch?.onStatus('COMPLETED');
			}
			return await fetchResult(polling, check.body);
		case 'failed': {
			watch?.onStatus('FAILED');
			const deadline = client.clock.now() + RESULT_PATIENCE_MS;
			const failed = await readFailedRequest(client, ref, check, deadline);
			return reconcileCompleted(failed, polling.hasCompleted);
		}
		case 'missing': {
			const verdict = patience.noteMissing();
			if (verdict.kind === 'again' && !isLast) {
				polling.againAt = at + (verdict.pauseMs ?? 0);
				return undefined;
			}
			const ended = await readHistoryOutcome(client, ref, check.isReported);
			return reconcileCompleted(ended, polling.hasCompleted);
		}
		default:
			if (patience.noteUnreadable().kind === 'again') return undefined;
			throw unreadStatusFailure(client, ref, check);
	}
}

/** Returns the outcome when the timeout has passed. If the service has deleted the record by then, only the request history can show the request. */
async function outcomeAtTimeout(
	{ client, ref, status, hasCompleted }: Polling,
	check: Check,
	isExpired: boolean,
): Promise<RequestOutcome> {
	const inHistory = isExpired ? await readHistoryOutcome(client, ref, true) : undefined;
	if (inHistory && inHistory.kind !== 'missing') return reconcileCompleted(inHistory, hasCompleted);
	return { kind: 'timeout', status, why: whyUnread(check) };
}

/** Returns why a check showed no status; undefined if it did. */
function whyUnread({ kind }: Check): string | undefined {
	if (kind === 'running' || kind === 'completed') return undefined;
	return kind === 'rateLimited' ? PARTS.rateLimited : PARTS.noStatus;
}
