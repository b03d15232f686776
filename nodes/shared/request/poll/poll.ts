import { wait } from '../../base/clock';
import { CAUSES } from '../../errors/errorTable';
import { stoppedFailure } from '../../errors/failures';
import { PARTS } from '../../errors/parts';
import type { RequestRef } from '../../journal/entry';
import { unusableFailure } from '../../service/responseErrors';
import type { Client } from '../../service/client';
import { afterCompleted, fromHistory, RECORD_LIFETIME_MS, type Ended } from './ended';
import { fetchResult, RESULT_PATIENCE_MS, type Fetching } from './fetchResult';
import { progressOf, read, type CheckReading, type Progress } from './reader';
import { about, withAddresses } from './requestRef';
import { scheduleOf, type Schedule, type ScheduleSession } from './schedule';
import { checkStatus, failedWith, type StatusCheck } from './statusCheck';

/** How long the last status check, at the timeout, may wait for the rate limiter, ms. */
export const LAST_CHECK_MS = 5_000;
/** A status check takes priority over submissions this long after the last check, or after acceptance, ms: the service keeps a record for an hour. */
const LONG_UNSEEN_MS = 10 * 60_000;
export const OLD_MS = 40 * 60_000;

/** Receives each new status. */
export interface StatusWatch {
	saw(word: string): void;
}

export interface Waiting {
	/** When the request was accepted, ms since the epoch; now, if nobody knows. */
	acceptedAt: number;
	/** Whether the request is known to have been accepted. */
	isOwn: boolean;
	/** Whether an earlier check showed COMPLETED. */
	hasCompleted?: boolean;
	/** Counts from acceptance, or from the start of the attempt that resumed the request. */
	timeoutMs: number;
	/** 0 = adaptive. */
	pollIntervalMs: number;
	/** Model or workflow: the schedule learns its usual time. */
	label: string;
	/** Largest result taken, bytes. */
	maxBytes?: number;
	/** Check at once instead of after the first interval, because the request may have ended already. */
	checkAtOnce: boolean;
}

/**
 * Checks a request on an adaptive schedule until it has ended or the timeout has passed. The last check is at the timeout; the result of a completed
 * request is fetched even later.
 * @throws SegmindFailure, always with the request ID, when stopped or if the status or the result can't be read
 */
export async function poll(
	session: ScheduleSession,
	request: RequestRef,
	waiting: Waiting,
	watch?: StatusWatch,
): Promise<Ended> {
	const { client } = session;
	const stopChecks = client.limiter.expectChecks();
	try {
		const ref = withAddresses(request, client.urls.baseUrl);
		return await untilEnded(client, ref, waiting, scheduleOf(session, waiting), watch);
	} finally {
		stopChecks();
	}
}

async function untilEnded(
	client: Client,
	ref: RequestRef,
	waiting: Waiting,
	schedule: Schedule,
	watch?: StatusWatch,
): Promise<Ended> {
	const { clock, signal } = client;
	const { acceptedAt, isOwn } = waiting;
	const endsAt = endOf(waiting, clock.now());
	let progress = progressOf(waiting.hasCompleted);
	let lastCheckAt = waiting.checkAtOnce ? undefined : acceptedAt;
	let againAt: number | undefined;
	let notBefore = 0;
	const waitUntil = async (at: number) =>
		await wait(clock, Math.min(at, endsAt) - clock.now(), { signal });
	for (;;) {
		if (againAt !== undefined) await waitUntil(againAt);
		else if (lastCheckAt !== undefined) await schedule.untilNextCheck(lastCheckAt, endsAt);
		await waitUntil(notBefore);
		if (signal?.aborted) throw stoppedFailure(ref.request_id);
		const at = clock.now();
		const isLast = at >= endsAt;
		const check = await checkStatus(client, ref, {
			deadline: isLast ? at + LAST_CHECK_MS : endsAt,
			urgentAt: Math.min((lastCheckAt ?? at) + LONG_UNSEEN_MS, acceptedAt + OLD_MS),
			maxBytes: waiting.maxBytes,
		});
		// A request that had ended before its first check doesn't show how long it took.
		if (check.kind === 'completed' && lastCheckAt !== undefined) schedule.finished(at - acceptedAt);
		// A check that the rate limit held back is still due.
		if (check.kind !== 'late') lastCheckAt = at;
		if (check.kind === 'transient') notBefore = clock.now() + (check.pauseMs ?? 0);
		const reading = read(progress, check, { at, isOwn, isLast });
		({ progress } = reading);
		({ againAt } = reading);
		const fetching = fetchingOf(waiting, endsAt, clock.now());
		const ended = await conclude(client, ref, check, reading, fetching, watch);
		if (ended) return ended;
		if (isLast) return await atTimeout(client, ref, check, progress, { acceptedAt, endsAt });
	}
}

/** When the polling ends, ms since the epoch: at the timeout, or when the service deletes the record, unless that was before the start. */
function endOf({ acceptedAt, checkAtOnce, timeoutMs }: Waiting, now: number): number {
	const startedAt = checkAtOnce ? now : acceptedAt;
	const recordEndsAt = acceptedAt + RECORD_LIFETIME_MS;
	return Math.min(startedAt + timeoutMs, recordEndsAt > startedAt ? recordEndsAt : Infinity);
}

function fetchingOf(
	{ acceptedAt, isOwn, maxBytes }: Waiting,
	endsAt: number,
	now: number,
): Fetching {
	return {
		deadline: Math.max(endsAt, now) + RESULT_PATIENCE_MS,
		isOwn,
		isExpired: now >= acceptedAt + RECORD_LIFETIME_MS,
		maxBytes,
	};
}

/** What to return when the timeout has passed. After the hour of the record only the request history can show the request. */
export async function atTimeout(
	client: Client,
	ref: RequestRef,
	{ kind }: StatusCheck,
	{ status, hasCompleted }: Progress,
	{ acceptedAt, endsAt }: { acceptedAt: number; endsAt: number },
): Promise<Ended> {
	const isRecordOver = endsAt >= acceptedAt + RECORD_LIFETIME_MS;
	const inHistory = isRecordOver ? await fromHistory(client, ref, true) : undefined;
	if (inHistory && inHistory.kind !== 'missing') return afterCompleted(inHistory, hasCompleted);
	const isSeen = kind === 'running' || kind === 'completed';
	return { kind: 'timeout', status, ...(!isSeen && { why: PARTS.noStatus }) };
}

/**
 * Acts on a status check. Returns how the request ended, or undefined if it has to be checked again. COMPLETED is reported before the result is read.
 * @throws SegmindFailure if the responses or the result stay unreadable
 */
export async function conclude(
	client: Client,
	ref: RequestRef,
	check: StatusCheck,
	{ progress, then, word }: CheckReading,
	fetching: Fetching,
	watch?: StatusWatch,
): Promise<Ended | undefined> {
	if (word !== undefined) watch?.saw(word);
	if (then === 'readHistory')
		return afterCompleted(
			await fromHistory(client, ref, fetching.isExpired),
			progress.hasCompleted,
		);
	if (then === 'readReason' && check.kind === 'failed')
		return afterCompleted(await failedWith(client, ref, check), progress.hasCompleted);
	if (then === 'fetchResult' && check.kind === 'completed')
		return await fetchResult(client, ref, check.body, fetching);
	if (then === 'giveUp' && check.kind === 'unreadable')
		throw unusableFailure(client, check.response, about(ref, 'status'), {
			row: CAUSES.unusableStatus,
		});
	return undefined;
}
