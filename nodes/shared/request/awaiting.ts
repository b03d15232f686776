import { wait } from '../base/clock';
import { CHARGE, SegmindFailure, stopped } from '../base/failure';
import { tell, type CallSession, type Session } from '../run/session';
import { requestAnswer, type RequestAnswer } from '../service/schemas';
import type { HttpAnswer } from '../service/http';
import { assertTrusted } from '../service/origins';
import { READ_TIMEOUT_MS, attempt, isPassing, sendUntilAnswered } from '../service/send';
import { jsonOf, noAnswer, refusal, unusable } from '../service/unusable';
import { recordOf } from '../service/history';
import { nextPollMs } from './pollSchedule';
import { resultUrl, statusUrl, type RequestRef } from './requestRef';
import { failureReason, stateOf, type RequestState } from './states';

/** Records live so long after submission, ms (service-facts section 4.5). */
const RECORD_LIFETIME_MS = 3_600_000;
/** So many unusable answers in a row end the waiting: one may be a proxy's hiccup. */
const UNUSABLE_LIMIT = 4;
/** A finished, paid result is fetched for at least so long, ms, even when the time-out is up. */
export const RESULT_PATIENCE_MS = 60_000;

export interface Waiting {
	itemIndex: number;
	/** When the request was accepted, ms since the epoch; for a request that came from outside, now. */
	acceptedAt: number;
	/** Counts from acceptance, or from the start of the try that resumed the request. */
	timeoutMs: number;
	/** 0 = adaptive. */
	pollIntervalMs: number;
	/** What the model is called in this run's expectations. */
	label: string;
	/** Published average latency, ms. */
	publishedMs?: number;
	/** Look at once instead of after the first interval: the request may be done already. */
	lookAtOnce: boolean;
}

export interface Failed {
	kind: 'failed';
	reason: string;
	httpCode?: number;
}

export type Awaited =
	| { kind: 'completed'; body: RequestAnswer; fromHistory?: true }
	| Failed
	| { kind: 'timeout'; status: string }
	/** 404 on all addresses and unknown to the history. */
	| { kind: 'gone' };

/** What one look at a request brought. */
export interface Looked {
	body: RequestAnswer;
	httpStatus: number;
	state: RequestState;
}

export type Look =
	| { kind: 'news'; httpStatus: number; body: RequestAnswer }
	| { kind: 'gone' }
	| { kind: 'unusable'; answer: HttpAnswer }
	/** A passing fault, or the deadline: look again later. */
	| { kind: 'nothing' };

/**
 * Waits until a request has ended, or the time is up.
 * @throws SegmindFailure when stopped, or when the service refuses to tell (bad key, foreign address, lasting nonsense); always with the request id
 */
export async function awaitRequest(
	session: Session,
	ref: RequestRef,
	waiting: Waiting,
): Promise<Awaited> {
	const { acceptedAt, label } = waiting;
	const startedAt = waiting.lookAtOnce ? session.clock.now() : acceptedAt;
	const recordEndsAt = acceptedAt + RECORD_LIFETIME_MS;
	// Past that hour one look tells what is left of it, and must not come too late.
	const deadline = Math.min(
		startedAt + waiting.timeoutMs,
		recordEndsAt > startedAt ? recordEndsAt : Infinity,
	);
	const leads = session.items.length > 1 && session.expectations.takeLead(label);
	const planned = leads ? { ...waiting, publishedMs: undefined } : waiting;
	let lastLookAt = waiting.lookAtOnce ? undefined : acceptedAt;
	let status = 'QUEUED';
	let unusableInARow = 0;
	for (;;) {
		if (lastLookAt !== undefined) await untilNextLook(session, planned, lastLookAt, deadline);
		if (session.signal?.aborted) throw stopped(ref.request_id);
		if (lastLookAt !== undefined && session.clock.now() >= deadline) {
			const kept = deadline < recordEndsAt ? undefined : await fromHistory(session, ref);
			return kept === undefined || kept.kind === 'gone' ? { kind: 'timeout', status } : kept;
		}
		const previousLookAt = lastLookAt ?? session.clock.now();
		lastLookAt = session.clock.now();
		const look = await lookAt(session, ref, deadline);
		if (look.kind === 'nothing') continue;
		if (look.kind === 'gone') return await fromHistory(session, ref);
		if (look.kind === 'unusable') {
			if (++unusableInARow >= UNUSABLE_LIMIT)
				throw unusable(session, look.answer, about(ref, 'status'), acceptedText());
			continue;
		}
		unusableInARow = 0;
		const word = look.body.status || status;
		if (word !== status) tell(session, waiting.itemIndex, `request ${ref.request_id} is ${word}`);
		status = word;
		const state = stateOf(look.httpStatus, look.body);
		if (state === 'failed') return failedAs(session, look);
		if (state === 'running') continue;
		// It ended somewhere between the last two looks.
		session.expectations.record(label, (previousLookAt + lastLookAt) / 2 - acceptedAt);
		const result = await fetchResult(
			session,
			ref,
			look.body,
			Math.max(deadline, session.clock.now() + RESULT_PATIENCE_MS),
		);
		if (result !== 'running') return result;
	}
}

/** One look at a request without waiting for it: the status answer, or what the history says of an expired one. */
export async function lookOnce(session: Session, ref: RequestRef): Promise<Looked> {
	const url = statusUrl(ref) ?? resultUrl(ref);
	if (url === undefined) return await knownToHistoryOnly(session, ref);
	const sent = await sendUntilAnswered(
		session,
		{
			method: 'GET',
			url: assertTrusted(url, session.urls.baseUrl, ref.request_id),
			timeoutMs: READ_TIMEOUT_MS,
		},
		{ lane: 'poll', deadline: session.clock.now() + RESULT_PATIENCE_MS, requestId: ref.request_id },
	);
	if (sent.kind !== 'answer') throw noAnswer(session, sent, about(ref, 'status'));
	const look = readLook(sent.answer);
	if (look.kind === 'gone') return await knownToHistoryOnly(session, ref);
	if (look.kind === 'news') {
		const { body, httpStatus } = look;
		return { body, httpStatus, state: stateOf(httpStatus, body) };
	}
	throw look.kind === 'unusable'
		? unusable(session, look.answer, about(ref, 'status'), acceptedText())
		: refusal(session, sent.answer, about(ref, 'status'));
}

/** Fetches the result of a request whose status says COMPLETED; `running` when the result does not agree yet. */
export async function fetchResult(
	session: CallSession,
	ref: RequestRef,
	statusBody: RequestAnswer,
	deadline: number,
): Promise<Exclude<Awaited, { kind: 'timeout' }> | 'running'> {
	const url = resultUrl(ref);
	// The poll address answers with the result itself: a second call would bring the same.
	if (url === undefined || (url === statusUrl(ref) && statusBody.output !== undefined))
		return { kind: 'completed', body: statusBody };
	const sent = await sendUntilAnswered(
		session,
		{
			method: 'GET',
			url: assertTrusted(url, session.urls.baseUrl, ref.request_id),
			timeoutMs: READ_TIMEOUT_MS,
		},
		{ lane: 'urgent', deadline, requestId: ref.request_id },
	);
	if (sent.kind !== 'answer')
		throw finishedButUnread(noAnswer(session, sent, about(ref, 'result')));
	const look = readLook(sent.answer);
	if (look.kind === 'gone') return await fromHistory(session, ref);
	if (look.kind === 'unusable')
		throw finishedButUnread(unusable(session, look.answer, about(ref, 'result'), ''));
	if (look.kind === 'nothing')
		throw finishedButUnread(refusal(session, sent.answer, about(ref, 'result')));
	const state = stateOf(look.httpStatus, look.body);
	if (state === 'failed') throw contradicted(ref, failedAs(session, look));
	// An older record may carry its output without a status word.
	if (state === 'running' && look.body.status && look.body.output === undefined) return 'running';
	return { kind: 'completed', body: look.body };
}

async function untilNextLook(
	session: Session,
	waiting: Waiting,
	lastLookAt: number,
	deadline: number,
): Promise<void> {
	const random = Math.random();
	for (;;) {
		const expectedMs = session.expectations.expectedMs(waiting.label, waiting.publishedMs);
		const pollMs = nextPollMs({
			elapsedMs: lastLookAt - waiting.acceptedAt,
			expectedMs,
			fixedMs: waiting.pollIntervalMs,
			random,
		});
		const dueAt = Math.min(lastLookAt + pollMs, deadline);
		const left = dueAt - session.clock.now();
		if (left <= 0 || session.signal?.aborted) return;
		await wait(session.clock, left, {
			signal: session.signal,
			changed: session.expectations.changed(waiting.label),
		});
	}
}

/** One look at a request without a second try. @throws SegmindFailure when the service refuses to tell */
export async function lookAt(
	session: CallSession,
	ref: RequestRef,
	deadline: number,
): Promise<Look> {
	const url = statusUrl(ref) ?? resultUrl(ref);
	if (url === undefined) return { kind: 'gone' };
	const sent = await attempt(
		session,
		{
			method: 'GET',
			url: assertTrusted(url, session.urls.baseUrl, ref.request_id),
			timeoutMs: READ_TIMEOUT_MS,
		},
		{ lane: 'poll', deadline, requestId: ref.request_id },
	);
	// A call that Stop cut short looks like a lost connection.
	if (session.signal?.aborted) throw stopped(ref.request_id);
	if (sent.kind === 'late' || isPassing(sent)) return { kind: 'nothing' };
	if (sent.kind !== 'answer') throw noAnswer(session, sent, about(ref, 'status'));
	const look = readLook(sent.answer);
	if (look.kind !== 'nothing') return look;
	const failure = refusal(session, sent.answer, about(ref, 'status'));
	if (failure.facts.haltsRun) session.halt ??= failure.facts;
	throw failure;
}

/** Sorts an answer about a request; `nothing` means a refusal. */
function readLook(answer: HttpAnswer): Look {
	if (answer.status === 404) return { kind: 'gone' };
	const body = requestAnswer.safeParse(jsonOf(answer));
	if (answer.status === 422)
		return {
			kind: 'news',
			httpStatus: 422,
			body: body.success ? body.data : { error: answer.body.toString('utf8', 0, 2_000) },
		};
	if (answer.status !== 200) return { kind: 'nothing' };
	return body.success
		? { kind: 'news', httpStatus: 200, body: body.data }
		: { kind: 'unusable', answer };
}

/** The record has expired or is unknown: the request history may still have its file (service-facts section 4.5). */
async function fromHistory(
	session: CallSession,
	ref: RequestRef,
): Promise<Exclude<Awaited, { kind: 'timeout' }>> {
	const record = await recordOf(session, ref.request_id);
	if (record?.kind === 'completed')
		return { kind: 'completed', body: record.answer, fromHistory: true };
	if (record?.kind === 'failed')
		return { kind: 'failed', reason: session.redact(failureReason(record.answer)) };
	return { kind: 'gone' };
}

async function knownToHistoryOnly(session: Session, ref: RequestRef): Promise<Looked> {
	const record = await recordOf(session, ref.request_id);
	if (record === undefined || record.kind === 'running') throw gone(ref);
	return { body: record.answer, httpStatus: 200, state: record.kind };
}

/** The failure for a request whose record is gone everywhere. */
export function gone(ref: RequestRef): SegmindFailure {
	return new SegmindFailure({
		message: `Request ${ref.request_id} is not known to the service: it has expired, or it belongs to another account or is a workflow run`,
		description:
			'Segmind keeps the record of a request for one hour after submission; it was looked for in the request history too. If it completed, it was charged and its file may still be found in the console (files are kept for 7 days). For a workflow run, give the poll_url that Submit returned instead of the bare ID.',
		httpCode: 404,
		requestId: ref.request_id,
		status: 'EXPIRED',
	});
}

function about(ref: RequestRef, purpose: 'status' | 'result') {
	return { purpose, subject: `request ${ref.request_id}`, requestId: ref.request_id };
}

function acceptedText(): string {
	return `The request was accepted; ${CHARGE.ifCompletes.toLowerCase()} A retry asks for it again and does not submit again.`;
}

/** The outcome of an answer that says FAILED. */
export function failedAs(
	session: CallSession,
	told: { httpStatus: number; body: RequestAnswer },
): Failed {
	return {
		kind: 'failed',
		reason: session.redact(failureReason(told.body)),
		httpCode: told.httpStatus === 200 ? undefined : told.httpStatus,
	};
}

/** COMPLETED is charged, FAILED is not: when the service says both, nothing may be bought again. */
function contradicted(ref: RequestRef, { reason, httpCode }: Failed): SegmindFailure {
	return new SegmindFailure({
		message: `Request ${ref.request_id} completed, but its result says that it failed: ${reason}`,
		description:
			'Whether it was charged is unknown. A retry asks for the result again and does not submit again; the request history in the Segmind console shows what it cost.',
		httpCode,
		requestId: ref.request_id,
		status: 'COMPLETED',
	});
}

function finishedButUnread(failure: SegmindFailure): SegmindFailure {
	return new SegmindFailure({
		...failure.facts,
		status: 'COMPLETED',
		description: `The request completed and was charged, but its result could not be read. A retry fetches it and does not submit again; Get Result with its request ID does the same for one hour after submission.`,
	});
}
