import { wait } from '../base/clock';
import { SegmindFailure, stopped } from '../base/failure';
import type { RequestRef } from '../journal/lifecycle';
import { failureReason, hasResult, readAnswer, type Meaning, type Place } from '../service/answers';
import { noAnswer, refusal, unusable, type CallSubject } from '../service/answerErrors';
import { READ_LIMIT_MS, type Client } from '../service/client';
import type { Sent } from '../service/retry';
import type { HttpAnswer } from '../service/http';
import { readRecord } from '../service/history';
import { assertTrusted } from '../service/origins';
import type { RequestAnswer } from '../service/schemas';
import type { Expectations } from './expectations';
import { nextPollMs } from './pollSchedule';
import { resultUrl, statusUrl, withAddresses } from './requestRef';

/** Records live this long after submission, ms (docs/service.md S126). */
const RECORD_LIFETIME_MS = 3_600_000;
/** Unreadable answers in a row, over at least this time, end the waiting: a single one may come from a proxy. */
const UNREADABLE_LIMIT = 4;
const UNREADABLE_MS = 60_000;
/** A completed, paid result is asked for this long, ms, even when the time is up. */
export const RESULT_PATIENCE_MS = 60_000;
const RESULT_FIRST_MS = 1_000;
const RESULT_LONGEST_MS = 10_000;
/** A 404 is looked at again after these, ms, for a request that is known to have been accepted; a store may lag behind. */
const MISSING_MS = [2_000, 5_000, 10_000, 20_000, 40_000];
/** The same for an id that a person gave. */
const MISSING_GIVEN_MS = [2_000, 4_000];
/** The last look, when the time is up, may wait this long for its turn, ms. */
const LAST_LOOK_MS = 5_000;
/** From then on a status check goes before new submissions, ms after the last look and after acceptance: records live an hour. */
const LONG_UNSEEN_MS = 10 * 60_000;
const OLD_MS = 40 * 60_000;

/** What the waiting needs of a run or a poll. */
export interface WaitSession {
	client: Client;
	expectations: Expectations;
}

export interface Waiting {
	/** When the request was accepted, ms since the epoch; for a request that came from outside, now. */
	acceptedAt: number;
	/** True for a request that this execution, or an earlier try of it, had accepted. */
	isOwn: boolean;
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
	/** One of several requests of a run. */
	isBatch: boolean;
	/** Called with each new status word. */
	onStatus?: (word: string) => void;
}

export interface Completed {
	kind: 'completed';
	body: RequestAnswer;
	fromHistory?: true;
}

export interface Failed {
	kind: 'failed';
	/** '' when the service gave none. */
	reason: string;
	httpCode?: number;
}

/** The service has no record of it: `isOver` when its hour has passed, so that it has expired. */
export interface Missing {
	kind: 'missing';
	isOver: boolean;
	/** The request history could not be read either. */
	historyOutOfReach: boolean;
	/** The history has it as unfinished. */
	isUnderWay?: true;
}

export type Ended = Completed | Failed | Missing;
export type Awaited = Ended | { kind: 'timeout'; status: string };

/**
 * Waits until a request has ended, or the time is up.
 * @throws SegmindFailure when stopped, when the service refuses to tell, or when its answers stay unreadable; always with the request id
 */
export async function waitForRequest(
	session: WaitSession,
	request: RequestRef,
	waiting: Waiting,
): Promise<Awaited> {
	const { client } = session;
	const stopChecks = client.limiter.expectChecks();
	try {
		return await untilEnded(session, withAddresses(request, client.urls.baseUrl), waiting);
	} finally {
		stopChecks();
	}
}

async function untilEnded(
	session: WaitSession,
	ref: RequestRef,
	waiting: Waiting,
): Promise<Awaited> {
	const { client, expectations } = session;
	const { clock } = client;
	const { acceptedAt, label } = waiting;
	const startedAt = waiting.lookAtOnce ? clock.now() : acceptedAt;
	const recordEndsAt = acceptedAt + RECORD_LIFETIME_MS;
	// Past that hour one look tells what is left of it.
	const deadline = Math.min(
		startedAt + waiting.timeoutMs,
		recordEndsAt > startedAt ? recordEndsAt : Infinity,
	);
	const leads = waiting.isBatch && expectations.takeLead(label);
	const planned = leads ? { ...waiting, publishedMs: undefined } : waiting;
	const missing = new MissingLooks(waiting.isOwn ? MISSING_MS : MISSING_GIVEN_MS);
	const unreadable = new UnreadableLooks();
	let lastLookAt = waiting.lookAtOnce ? undefined : acceptedAt;
	let status = 'QUEUED';
	for (;;) {
		if (missing.nextAt !== undefined) await untilMoment(client, Math.min(missing.nextAt, deadline));
		else if (lastLookAt !== undefined) await untilNextLook(session, planned, lastLookAt, deadline);
		if (client.signal?.aborted) throw stopped(ref.request_id);
		const previousLookAt = lastLookAt ?? clock.now();
		lastLookAt = clock.now();
		// One last look is taken when the time is up.
		const isLast = lastLookAt >= deadline;
		const look = await checkStatus(client, ref, {
			deadline: isLast ? lastLookAt + LAST_LOOK_MS : deadline,
			urgentAt: Math.min(previousLookAt + LONG_UNSEEN_MS, acceptedAt + OLD_MS),
		});
		const hasAnswer = look.kind !== 'passing' && look.kind !== 'late';
		if (hasAnswer && look.kind !== 'missing') missing.reset();
		if (hasAnswer && look.kind !== 'unreadable') unreadable.reset();
		switch (look.kind) {
			case 'running':
				if (look.word !== status) waiting.onStatus?.(look.word);
				status = look.word;
				break;
			case 'failed':
				waiting.onStatus?.('FAILED');
				return await failedWith(client, ref, look);
			case 'completed': {
				waiting.onStatus?.('COMPLETED');
				// It ended somewhere between the last two looks.
				expectations.record(label, (previousLookAt + lastLookAt) / 2 - acceptedAt);
				const result = await fetchResult(client, ref, look.body, {
					deadline: Math.max(deadline, clock.now()) + RESULT_PATIENCE_MS,
					isOwn: waiting.isOwn,
					isOver: clock.now() >= recordEndsAt,
				});
				if (result !== 'running') return result;
				break;
			}
			case 'missing':
				if (!missing.lookAgain(lastLookAt) || isLast)
					return await fromHistory(client, ref, clock.now() >= recordEndsAt);
				break;
			case 'unreadable':
				if (unreadable.isEnough(lastLookAt))
					throw unusable(
						client,
						look.answer,
						about(ref, 'status'),
						'acceptedIfCompletes',
						ASK_AGAIN,
					);
				break;
			case 'passing':
			case 'late':
				break;
		}
		if (!isLast) continue;
		// Its record is about to go: what the history has is all there will be.
		const kept = deadline < recordEndsAt ? undefined : await fromHistory(client, ref, true);
		return kept === undefined || kept.kind === 'missing' ? { kind: 'timeout', status } : kept;
	}
}

/** Plans when a request that the service does not know is looked at again. */
class MissingLooks {
	nextAt?: number;

	private looks = 0;

	constructor(private readonly plan: readonly number[]) {}

	/** False when it was looked at often enough. */
	lookAgain(now: number): boolean {
		const pause = this.plan[this.looks++];
		this.nextAt = pause === undefined ? undefined : now + pause;
		return pause !== undefined;
	}

	reset(): void {
		this.looks = 0;
		this.nextAt = undefined;
	}
}

class UnreadableLooks {
	private count = 0;

	private since = 0;

	isEnough(now: number): boolean {
		if (this.count++ === 0) this.since = now;
		return this.count >= UNREADABLE_LIMIT && now - this.since >= UNREADABLE_MS;
	}

	reset(): void {
		this.count = 0;
	}
}

async function untilMoment({ clock, signal }: Client, at: number): Promise<void> {
	await wait(clock, at - clock.now(), { signal });
}

async function untilNextLook(
	{ client, expectations }: WaitSession,
	waiting: Waiting,
	lastLookAt: number,
	deadline: number,
): Promise<void> {
	const { clock, signal } = client;
	const random = client.random();
	for (;;) {
		const measuredMs = expectations.expectedMs(waiting.label);
		const expectedMs = measuredMs ?? waiting.publishedMs;
		const pollMs = nextPollMs({
			elapsedMs: lastLookAt - waiting.acceptedAt,
			expectedMs,
			isMeasured: measuredMs !== undefined,
			fixedMs: waiting.pollIntervalMs,
			random,
		});
		// Looks that the account's limit pays for anyway come on top.
		const paid =
			waiting.pollIntervalMs > 0
				? undefined
				: client.limiter.lookEveryMs(clock.now() - waiting.acceptedAt);
		// One that has run for as long as others of the run took has most likely ended: it does not wait for an even spread.
		const isDue = measuredMs !== undefined && clock.now() - waiting.acceptedAt >= measuredMs;
		const nextMs = paid ? Math.max(Math.min(pollMs, paid.most), isDue ? 0 : paid.least) : pollMs;
		const left = Math.min(lastLookAt + nextMs, deadline) - clock.now();
		if (left <= 0 || signal?.aborted) return;
		await wait(clock, left, { signal, changed: expectations.changed(waiting.label) });
	}
}

export type Look =
	| Exclude<Meaning, { kind: 'unreadable' } | { kind: 'maybeFailed' } | { kind: 'refused' }>
	| { kind: 'unreadable'; answer: HttpAnswer }
	/** Its turn did not come in time: no call was made. */
	| { kind: 'late' };

export interface StatusCheck {
	/** Until when its turn is waited for, ms since the epoch. */
	deadline: number;
	/** From when on it goes before new submissions, ms since the epoch. */
	urgentAt?: number;
	/** Of the call, ms. */
	limitMs?: number;
}

/**
 * One status check without a second try.
 * @throws SegmindFailure when the service refuses to tell, or when stopped
 */
export async function checkStatus(
	client: Client,
	ref: RequestRef,
	{ deadline, urgentAt, limitMs = READ_LIMIT_MS }: StatusCheck,
): Promise<Look> {
	const url = statusUrl(ref) ?? resultUrl(ref);
	if (url === undefined) return { kind: 'missing' };
	const sent = await client.attempt(
		{ ...get(client, url, ref), limitMs },
		{
			lane: 'statusCheck',
			deadline,
			urgentAt,
			requestId: ref.request_id,
		},
	);
	// A call that Stop cut short looks like a lost connection. One cut short by the end of a poll was made all the same.
	if (client.signal?.aborted && client.endsAt === undefined) throw stopped(ref.request_id);
	if (sent.kind === 'late') return { kind: 'late' };
	if (sent.kind === 'lost') return { kind: 'passing' };
	if (sent.kind === 'unreachable') {
		if (sent.fault.kind === 'refused') return { kind: 'passing' };
		throw noAnswer(client, sent, about(ref, 'status'));
	}
	return await lookFrom(client, ref, sent.answer, placeOf(ref, url));
}

/** What a status answer means, with the result asked where the status alone does not decide. */
export async function lookFrom(
	client: Client,
	ref: RequestRef,
	answer: HttpAnswer,
	place: Place,
): Promise<Look> {
	const meaning = readAnswer(answer, ref.request_id, place);
	switch (meaning.kind) {
		case 'refused':
			throw client.noting(refusal(client, answer, about(ref, 'status')));
		case 'maybeFailed':
			return await confirmFailure(client, ref, answer, meaning);
		case 'unreadable':
			return { kind: 'unreadable', answer };
		default:
			return meaning;
	}
}

/** 422 without a status word is FAILED only when the result answers likewise: a gateway may have made it. */
async function confirmFailure(
	client: Client,
	ref: RequestRef,
	answer: HttpAnswer,
	{ httpStatus, body }: Extract<Meaning, { kind: 'maybeFailed' }>,
): Promise<Look> {
	const result = await askResult(client, ref);
	if (result?.kind === 'failed' || result?.kind === 'maybeFailed')
		return { kind: 'failed', httpStatus, body };
	return result?.kind === 'completed' && hasResult(result.body)
		? result
		: { kind: 'unreadable', answer };
}

/** One call to the result address; undefined when there is none or no answer came. */
async function askResult(client: Client, ref: RequestRef): Promise<Meaning | undefined> {
	const url = resultUrl(ref);
	if (url === undefined) return undefined;
	const sent = await client.attempt(get(client, url, ref), {
		lane: 'result',
		deadline: client.clock.now() + READ_LIMIT_MS,
		requestId: ref.request_id,
	});
	if (client.signal?.aborted) throw stopped(ref.request_id);
	return sent.kind === 'answer' ? readAnswer(sent.answer, ref.request_id, 'result') : undefined;
}

/** The reason of a failure stands in the status, or only in the result (docs/service.md S120). */
export async function failedWith(
	client: Client,
	ref: RequestRef,
	{ httpStatus, body }: { httpStatus: number; body: RequestAnswer },
): Promise<Failed> {
	let reason = failureReason(body);
	if (reason === '' && resultUrl(ref) !== statusUrl(ref)) {
		const result = await askResult(client, ref);
		if (result?.kind === 'failed' || result?.kind === 'maybeFailed')
			reason = failureReason(result.body);
	}
	return {
		kind: 'failed',
		reason: client.redact(reason),
		httpCode: httpStatus >= 200 && httpStatus < 300 ? undefined : httpStatus,
	};
}

export interface Fetching {
	/** Until when the result is asked for, ms since the epoch. */
	deadline: number;
	isOwn: boolean;
	/** The hour of its record has passed. */
	isOver: boolean;
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
	{ deadline, isOwn, isOver }: Fetching,
): Promise<Ended | 'running'> {
	const { clock } = client;
	const url = resultUrl(ref);
	// The poll address answers with the result itself: a second call would bring the same.
	if (hasResult(statusBody) && (url === undefined || url === statusUrl(ref)))
		return { kind: 'completed', body: statusBody };
	if (url === undefined) throw completedButUnread(ref, 'no address of its result is known');
	const missing = new MissingLooks(isOwn ? MISSING_MS : MISSING_GIVEN_MS);
	// What answers, but with nothing that could be used, may do so for ever.
	let endsAt = deadline;
	for (let pause = RESULT_FIRST_MS; ; pause = Math.min(pause * 2, RESULT_LONGEST_MS)) {
		const sent = await client.read(get(client, url, ref), {
			lane: 'result',
			deadline,
			requestId: ref.request_id,
		});
		if (client.signal?.aborted) throw stopped(ref.request_id);
		if (sent.kind !== 'answer') throw unreadAfter(client, ref, sent);
		const meaning = readAnswer(sent.answer, ref.request_id, 'result');
		if (meaning.kind === 'completed' && hasResult(meaning.body))
			return { kind: 'completed', body: meaning.body };
		if (meaning.kind === 'running') return 'running';
		if (meaning.kind === 'failed' || meaning.kind === 'maybeFailed')
			throw contradicted(client, ref, meaning);
		if (meaning.kind === 'refused') throw client.noting(unreadAfter(client, ref, sent));
		if (meaning.kind === 'missing') {
			if (!missing.lookAgain(clock.now())) return await fromHistory(client, ref, isOver);
		} else {
			missing.reset();
			endsAt = Math.min(endsAt, clock.now() + RESULT_PATIENCE_MS);
		}
		const at = missing.nextAt ?? clock.now() + pause;
		if (at >= endsAt) {
			if (meaning.kind === 'missing') return await fromHistory(client, ref, isOver);
			throw unreadAfter(client, ref, sent);
		}
		await untilMoment(client, at);
		if (client.signal?.aborted) throw stopped(ref.request_id);
	}
}

/** The service has no record (any more): the request history may still have its file (docs/service.md S126). */
export async function fromHistory(
	client: Client,
	ref: RequestRef,
	isOver: boolean,
): Promise<Ended> {
	const asked = await readRecord(client, ref.request_id);
	if (asked.kind === 'found') {
		const { record } = asked;
		if (record.kind === 'completed')
			return { kind: 'completed', body: record.answer, fromHistory: true };
		if (record.kind === 'failed')
			return { kind: 'failed', reason: client.redact(failureReason(record.answer)) };
	}
	const isUnderWay =
		asked.kind === 'found' && asked.record.kind === 'running' && !asked.record.completed;
	return {
		kind: 'missing',
		isOver,
		historyOutOfReach: asked.kind === 'outOfReach',
		...(isUnderWay && { isUnderWay }),
	};
}

function get(client: Client, url: string, ref: RequestRef) {
	return {
		method: 'GET' as const,
		url: assertTrusted(url, client.urls.baseUrl, ref.request_id),
		limitMs: READ_LIMIT_MS,
	};
}

/** Only the light status address says no more than a state. */
function placeOf(ref: RequestRef, url: string): Place {
	return url === ref.status_url && url !== resultUrl(ref) ? 'status' : 'result';
}

export function about(ref: RequestRef, purpose: 'status' | 'result'): CallSubject {
	return { purpose, subject: `request ${ref.request_id}`, requestId: ref.request_id };
}

const ASK_AGAIN = 'A retry asks for it again and does not submit again.';

/** COMPLETED is charged, FAILED is not: when the service says both, nothing may be sent again. */
function contradicted(
	client: Client,
	ref: RequestRef,
	{ httpStatus, body }: { httpStatus: number; body: RequestAnswer },
): SegmindFailure {
	const reason = client.redact(failureReason(body)) || 'it gave no reason';
	return new SegmindFailure({
		message: `Request ${ref.request_id} completed, but its result says that it failed: ${reason}`,
		description:
			'Whether it was charged is unknown. A retry asks for the result again and does not submit again; the request history in the Segmind console shows what it cost.',
		httpCode: httpStatus >= 200 && httpStatus < 300 ? undefined : httpStatus,
		requestId: ref.request_id,
		status: 'COMPLETED',
	});
}

function unreadAfter(client: Client, ref: RequestRef, sent: Sent): SegmindFailure {
	const failure =
		sent.kind !== 'answer'
			? noAnswer(client, sent, about(ref, 'result'))
			: sent.answer.status >= 200 && sent.answer.status < 300
				? unusable(client, sent.answer, about(ref, 'result'), 'completed')
				: refusal(client, sent.answer, about(ref, 'result'));
	return completedButUnread(ref, failure.facts.message, failure.facts);
}

function completedButUnread(
	{ request_id }: RequestRef,
	message: string,
	facts: { httpCode?: number; haltsRun?: true } = {},
): SegmindFailure {
	return new SegmindFailure({
		message: message.includes(request_id)
			? message
			: `Request ${request_id} completed, but ${message}`,
		charge: 'completed',
		advice: `Its result could not be read. A retry fetches it and does not submit again; Get Result with its request ID does the same for one hour after submission.`,
		httpCode: facts.httpCode,
		haltsRun: facts.haltsRun,
		requestId: request_id,
		status: 'COMPLETED',
		passing: true,
	});
}

/** The failure for a request that the service does not know. `madeBy`: the credential that made it, when it is not the one in use. */
export function missing(
	{ request_id }: RequestRef,
	{ isOver, historyOutOfReach }: Omit<Missing, 'kind'>,
	isOwn: boolean,
	madeBy?: string,
): SegmindFailure {
	const history = historyOutOfReach
		? 'The request history, which may still have its file, could not be read.'
		: 'The request history does not have it either.';
	if (madeBy !== undefined)
		return new SegmindFailure({
			message: `Request ${request_id} was made with the credential '${madeBy}' and is not known to the account of this one`,
			charge: 'acceptedIfCompletes',
			advice: `Choose that credential again and retry, or fetch it with Get Result and that credential. It is not submitted again.`,
			httpCode: 404,
			requestId: request_id,
		});
	if (isOwn && !isOver)
		return new SegmindFailure({
			message: `Request ${request_id} is not known to the service now, although it was accepted`,
			charge: 'acceptedIfCompletes',
			advice: `${history} A retry asks for it again and does not submit again.`,
			httpCode: 404,
			requestId: request_id,
			passing: true,
		});
	return new SegmindFailure({
		message: `Request ${request_id} is not known to the service: it has expired, or it belongs to another account or is a workflow run`,
		description: `Segmind keeps the record of a request for one hour after submission. ${history} If it completed, it was charged and its file may still be found in the console (files are kept for 7 days). For a workflow run, give the poll_url that Submit returned instead of the bare ID.`,
		httpCode: 404,
		requestId: request_id,
		status: 'EXPIRED',
		...(historyOutOfReach ? { passing: true as const } : {}),
	});
}
