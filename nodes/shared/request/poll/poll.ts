import { wait } from '../../base/clock';
import { stoppedFailure } from '../../errors/failures';
import type { RequestRef } from '../../service/requestRef';
import type { Client } from '../../service/client';
import { retryAfterMs } from '../../service/rateLimiter';
import { reasonIn } from '../../service/errorBody';
import { readResponse, type FailedResponse } from '../../service/responses';
import type { StatusResponse } from '../../service/schemas';
import type { AcceptedRequest } from './acceptedRequest';
import { checkStatus, readFailedRequest, type Check } from './check';
import { fetchResult, RESULT_PATIENCE_MS } from './fetchResult';
import { readEndInHistory, reconcileCompleted, type RequestEnd } from './requestEnd';
import { unreadStatusFailure } from './endErrors';
import { countOddResponses, type OddResponses } from './oddResponses';
import { scheduleOf, type Schedule } from './schedule';

/** How long the last status check, at the timeout, may wait for the rate limiter. */
const MAX_LAST_CHECK_WAIT_MS = 5_000;

interface PollSettings {
	/** 0 = check once. Counts from acceptance for a new request, otherwise from the start of the polling. */
	timeoutMs: number;
	/** 0 = adaptive. */
	pollIntervalMs: number;
	/** Whether the request was accepted just now. Any other request may have ended already, so it's checked at once. */
	isNew?: boolean;
}

/** A request that is being polled, and what decides about the next check. Times in ms since the epoch. */
interface Polling {
	readonly client: Client;
	readonly request: AcceptedRequest;
	/** With the URLs to call. */
	ref: RequestRef;
	readonly acceptedAt: number;
	/** When the timeout passes, and the last check is made. */
	readonly endsAt: number;
	readonly schedule: Schedule;
	readonly oddResponses: OddResponses;
	/** When the last check was made; the acceptance of a new request counts as one. */
	lastCheckAt?: number;
	/** When to check again after a 404; undefined if the schedule decides. */
	againAt?: number;
	/** The service asked for no check before this time. */
	notBefore: number;
}

/**
 * Checks a request on an adaptive schedule until it has ended or the timeout has passed, and tells it what the service reports. The last check is at the
 * timeout; the result of a completed request may be fetched even later.
 * @throws SegmindFailure, always with the request ID, when stopped or if the status or the result can't be read
 */
export async function poll(
	client: Client,
	request: AcceptedRequest,
	settings: PollSettings,
): Promise<RequestEnd> {
	const endPolling = client.limiter.expectChecks();
	try {
		return await pollUntilEnded(startPolling(client, request, settings));
	} finally {
		endPolling();
	}
}

function startPolling(
	client: Client,
	request: AcceptedRequest,
	{ timeoutMs, pollIntervalMs, isNew = false }: PollSettings,
): Polling {
	const now = client.clock.now();
	const { ref, acceptedAt = now } = request;
	return {
		client,
		request,
		ref,
		acceptedAt,
		endsAt: (isNew ? acceptedAt : now) + timeoutMs,
		schedule: scheduleOf(client, request, pollIntervalMs),
		oddResponses: countOddResponses(request, client.clock),
		lastCheckAt: isNew ? acceptedAt : undefined,
		notBefore: 0,
	};
}

async function pollUntilEnded(polling: Polling): Promise<RequestEnd> {
	const { client, endsAt } = polling;
	const { clock, signal } = client;
	for (;;) {
		await waitForNextCheck(polling);
		if (signal?.aborted) throw stoppedFailure(polling.ref.request_id);
		const at = clock.now();
		const isLast = at >= endsAt;
		const check = isLast
			? await checkLast(polling)
			: await checkStatus(client, polling.ref, { deadline: endsAt });
		learnFrom(polling, check, at);
		const end = await endOf(polling, check, { at, isLast });
		if (end) return end;
		if (isLast) return endAtTimeout(client, check);
	}
}

/** Waits until the next check is due, but not beyond the end of the polling. Any request that isn't new may have ended, so it's checked at once. */
async function waitForNextCheck(polling: Polling): Promise<void> {
	const { client, endsAt, schedule, lastCheckAt, againAt, notBefore } = polling;
	const isScheduled = againAt === undefined && lastCheckAt !== undefined;
	if (isScheduled) await schedule.waitForNextCheck(lastCheckAt, endsAt);
	const nextAt = Math.min(Math.max(againAt ?? 0, notBefore), endsAt);
	await wait(client.clock, nextAt - client.clock.now(), { signal: client.signal });
}

/** Makes the check at the timeout, if the rate limit allows it soon: otherwise, the items of a batch would wait for theirs one after the other. */
async function checkLast({ client, ref }: Polling): Promise<Check> {
	const deadline = client.clock.now() + MAX_LAST_CHECK_WAIT_MS;
	if (client.limiter.pauseEndsAt > deadline)
		return readResponse({ kind: 'deadlinePassed', reason: '' }, ref.request_id);
	return await checkStatus(client, ref, { deadline });
}

/** Notes when the check was made, which URL answered and, if the check saw the end, how long the request took. */
function learnFrom(polling: Polling, { kind, ref }: Check, at: number): void {
	const { schedule, acceptedAt, lastCheckAt } = polling;
	if (ref) polling.ref = ref;
	// A request that had ended before its first check doesn't show how long it took.
	if (kind === 'completed' && lastCheckAt !== undefined) schedule.learnDuration(at - acceptedAt);
	// A check that the rate limit held back is still due.
	if (kind !== 'rateLimited') polling.lastCheckAt = at;
}

/**
 * Returns how the request ended; undefined if it hasn't. A single odd response doesn't end the polling, and a transient fault doesn't end a series of odd
 * responses. `at`: when the check was made; `isLast`: no other check follows.
 * @throws SegmindFailure if the responses or the result stay unreadable
 */
async function endOf(
	polling: Polling,
	check: Check,
	{ at, isLast }: { at: number; isLast: boolean },
): Promise<RequestEnd | undefined> {
	const { client, request, ref, oddResponses } = polling;
	polling.againAt = undefined;
	switch (check.kind) {
		case 'rateLimited':
			return undefined;
		case 'transient':
			polling.notBefore = requestedPauseEnd(check, client.clock.now());
			return undefined;
		case 'running':
			oddResponses.noteClear();
			request.statusSeen(check.word);
			return undefined;
		case 'completed':
			return await resultOf(polling, check.body);
		case 'failed':
			return await failureOfRequest(polling, check);
		case 'missing': {
			const verdict = oddResponses.noteMissing();
			if (verdict.kind === 'giveUp' || isLast)
				return await lookUpMissing(polling, check.isReported);
			polling.againAt = at + (verdict.pauseMs ?? 0);
			return undefined;
		}
		default:
			if (oddResponses.noteUnreadable().kind === 'again') return undefined;
			throw unreadStatusFailure(client, ref, check);
	}
}

/** Returns until when a faulty response asks for no other check, in ms since the epoch. */
function requestedPauseEnd({ outcome }: Check, now: number): number {
	const headers = outcome.kind === 'response' ? outcome.headers : {};
	return now + (retryAfterMs(headers, now) ?? 0);
}

async function resultOf(polling: Polling, body: StatusResponse): Promise<RequestEnd | undefined> {
	const { request, oddResponses } = polling;
	oddResponses.noteClear();
	// Without a status word, only the result shows whether the request has completed.
	if (body.status?.trim()) request.statusSeen('COMPLETED');
	return await fetchResult(polling, body);
}

async function failureOfRequest(polling: Polling, failed: FailedResponse): Promise<RequestEnd> {
	const { client, request, ref } = polling;
	request.statusSeen('FAILED');
	const deadline = client.clock.now() + RESULT_PATIENCE_MS;
	const end = await readFailedRequest(client, ref, failed, deadline);
	return reconcileCompleted(end, request.hasCompleted);
}

async function lookUpMissing(polling: Polling, isReported: boolean): Promise<RequestEnd> {
	const { client, request } = polling;
	const end = await readEndInHistory(client, request, isReported);
	return reconcileCompleted(end, request.hasCompleted);
}

function endAtTimeout({ redact }: Client, check: Check): RequestEnd {
	const reason = check.kind === 'running' ? reasonIn(check.body, redact) : '';
	return { kind: 'unfinished', why: whyUnread(check), reason };
}

/** Returns why a check showed no status; undefined if it did. */
function whyUnread({ kind }: Check): string | undefined {
	if (kind === 'running' || kind === 'completed') return undefined;
	return kind === 'rateLimited'
		? "the account's rate limit is used up"
		: "Segmind didn't report it";
}
