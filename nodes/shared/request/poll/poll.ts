import { wait } from '../../base/clock';
import { CAUSES } from '../../errors/errorTable';
import { stoppedFailure } from '../../errors/failures';
import { PARTS } from '../../errors/parts';
import type { RequestRef } from '../../journal/entry';
import { unusableFailure } from '../../service/responseErrors';
import type { Client } from '../../service/client';
import {
	reconcileCompleted,
	readHistoryOutcome,
	RECORD_LIFETIME_MS,
	type PollOutcome,
} from './pollOutcome';
import { fetchResult, RESULT_PATIENCE_MS, type FetchSettings } from './fetchResult';
import { progressOf, interpretCheck, type CheckReading, type Progress } from './interpretCheck';
import { callSubjectOf, withUrls } from './requestRef';
import { scheduleOf, type Schedule, type ScheduleSession } from './schedule';
import { checkStatus, readFailedRequest, type StatusCheck } from './statusCheck';

/** How long the last status check, at the timeout, may wait for the rate limiter. */
const MAX_LAST_CHECK_WAIT_MS = 5_000;
/** This long after the last check, a status check takes priority over submissions. */
const URGENT_AFTER_CHECK_MS = 10 * 60_000;
/** This long after acceptance, a status check takes priority over submissions: the service keeps a record for only an hour. */
const URGENT_AFTER_ACCEPTANCE_MS = 40 * 60_000;

/** Receives each new status. */
export interface StatusWatch {
	onStatus(status: string): void;
}

interface PollSettings {
	/** When the request was accepted, in ms since the epoch; if that is unknown, now. */
	acceptedAt: number;
	/** Whether the request is known to have been accepted. */
	isKnownAccepted: boolean;
	/** Whether an earlier check showed COMPLETED. */
	hasCompleted?: boolean;
	/** Counts from acceptance; with `checkAtOnce`, from the start of the polling. */
	timeoutMs: number;
	/** 0 = adaptive. */
	pollIntervalMs: number;
	/** See `ScheduledRequest`. */
	durationKey: string;
	/** Size limit of the result. */
	maxBytes?: number;
	/** Check at once instead of after the first interval, because the request may have ended already. */
	checkAtOnce: boolean;
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
): Promise<PollOutcome> {
	const { client } = session;
	const endPolling = client.limiter.expectChecks();
	try {
		const ref = withUrls(request, client.urls.baseUrl);
		return await pollUntilEnded(client, ref, settings, scheduleOf(session, settings), watch);
	} finally {
		endPolling();
	}
}

async function pollUntilEnded(
	client: Client,
	ref: RequestRef,
	settings: PollSettings,
	schedule: Schedule,
	watch?: StatusWatch,
): Promise<PollOutcome> {
	const { clock, signal } = client;
	const { acceptedAt, isKnownAccepted } = settings;
	const endsAt = pollingEndOf(settings, clock.now());
	let progress = progressOf(settings.hasCompleted);
	let lastCheckAt = settings.checkAtOnce ? undefined : acceptedAt;
	let againAt: number | undefined;
	let notBefore = 0;
	const waitUntil = async (at: number) =>
		await wait(clock, Math.min(at, endsAt) - clock.now(), { signal });
	for (;;) {
		if (againAt !== undefined) await waitUntil(againAt);
		else if (lastCheckAt !== undefined) await schedule.waitForNextCheck(lastCheckAt, endsAt);
		await waitUntil(notBefore);
		if (signal?.aborted) throw stoppedFailure(ref.request_id);
		const at = clock.now();
		const isLast = at >= endsAt;
		const deadline = isLast ? at + MAX_LAST_CHECK_WAIT_MS : endsAt;
		// Otherwise, every item of a batch would wait in turn for a check that the rate limit doesn't allow.
		if (isLast && client.limiter.pauseEndsAt > deadline)
			return await outcomeAtTimeout(client, ref, { kind: 'rateLimited' }, progress, {
				acceptedAt,
				endsAt,
			});
		const check = await checkStatus(client, ref, {
			deadline,
			urgentAt: Math.min(
				(lastCheckAt ?? at) + URGENT_AFTER_CHECK_MS,
				acceptedAt + URGENT_AFTER_ACCEPTANCE_MS,
			),
			maxBytes: settings.maxBytes,
		});
		// A request that had ended before its first check doesn't show how long it took.
		if (check.kind === 'completed' && lastCheckAt !== undefined)
			schedule.recordDuration(at - acceptedAt);
		// A check that the rate limit held back is still due.
		if (check.kind !== 'rateLimited') lastCheckAt = at;
		if (check.kind === 'transient') notBefore = clock.now() + (check.pauseMs ?? 0);
		const reading = interpretCheck(progress, check, { at, isKnownAccepted, isLast });
		({ progress } = reading);
		({ againAt } = reading);
		const fetchSettings = fetchSettingsOf(settings, endsAt, client);
		const outcome = await conclude(client, ref, check, reading, fetchSettings, watch);
		if (outcome) return outcome;
		if (isLast) return await outcomeAtTimeout(client, ref, check, progress, { acceptedAt, endsAt });
	}
}

/** Returns when polling ends, in ms since the epoch: at the timeout, or when the service deletes the record, unless polling starts after that. */
function pollingEndOf({ acceptedAt, checkAtOnce, timeoutMs }: PollSettings, now: number): number {
	const startedAt = checkAtOnce ? now : acceptedAt;
	const recordEndsAt = acceptedAt + RECORD_LIFETIME_MS;
	return Math.min(startedAt + timeoutMs, recordEndsAt > startedAt ? recordEndsAt : Infinity);
}

function fetchSettingsOf(
	{ acceptedAt, isKnownAccepted, maxBytes }: PollSettings,
	endsAt: number,
	client: Client,
): FetchSettings {
	const now = client.clock.now();
	return {
		deadline: Math.min(Math.max(endsAt, now) + RESULT_PATIENCE_MS, client.endsAt ?? Infinity),
		isKnownAccepted,
		isExpired: now >= acceptedAt + RECORD_LIFETIME_MS,
		maxBytes,
	};
}

/** Returns the outcome when the timeout has passed. If the service has deleted the record by then, only the request history can show the request. */
async function outcomeAtTimeout(
	client: Client,
	ref: RequestRef,
	{ kind }: StatusCheck,
	{ status, hasCompleted }: Progress,
	{ acceptedAt, endsAt }: { acceptedAt: number; endsAt: number },
): Promise<PollOutcome> {
	const isExpired = endsAt >= acceptedAt + RECORD_LIFETIME_MS;
	const inHistory = isExpired ? await readHistoryOutcome(client, ref, true) : undefined;
	if (inHistory && inHistory.kind !== 'missing') return reconcileCompleted(inHistory, hasCompleted);
	const hasShownStatus = kind === 'running' || kind === 'completed';
	return { kind: 'timeout', status, ...(!hasShownStatus && { why: PARTS.noStatus }) };
}

/**
 * Acts on a status check. Returns how the request ended, or undefined if it has to be checked again. Calls `watch` for COMPLETED before it reads the result.
 * @throws SegmindFailure if the responses or the result stay unreadable
 */
export async function conclude(
	client: Client,
	ref: RequestRef,
	check: StatusCheck,
	{ progress, nextStep, newStatus }: CheckReading,
	fetchSettings: FetchSettings,
	watch?: StatusWatch,
): Promise<PollOutcome | undefined> {
	if (newStatus !== undefined) watch?.onStatus(newStatus);
	if (nextStep === 'readHistory')
		return reconcileCompleted(
			await readHistoryOutcome(client, ref, fetchSettings.isExpired),
			progress.hasCompleted,
		);
	if (nextStep === 'readReason' && check.kind === 'failed')
		return reconcileCompleted(await readFailedRequest(client, ref, check), progress.hasCompleted);
	if (nextStep === 'fetchResult' && check.kind === 'completed')
		return await fetchResult(client, ref, check.body, fetchSettings);
	if (nextStep === 'giveUp' && check.kind === 'unreadable')
		throw unusableFailure(client, check.response, callSubjectOf(ref, 'status'), {
			row: CAUSES.unusableStatus,
		});
	return undefined;
}
