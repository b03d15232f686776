import { wait } from '../../base/clock';
import { CAUSES } from '../../errors/errorTable';
import { stopped } from '../../errors/failures';
import type { RequestRef } from '../../journal/entry';
import { unusable } from '../../service/answerErrors';
import type { Client } from '../../service/client';
import type { HttpAnswer } from '../../service/http';
import { fromHistory, type Ended, type Polled } from './ended';
import { RESULT_PATIENCE_MS, fetchResult, type Fetching } from './fetchResult';
import { about, withAddresses } from './requestRef';
import { MissingChecks, scheduleOf, type Schedule, type ScheduleSession } from './schedule';
import { checkStatus, failedWith, type StatusAnswer } from './statusCheck';

/**
 * Waits for a request: status checks on an adaptive schedule until it has ended or the time is up. A single odd answer ends nothing, the last
 * check comes when the time is up, and what has COMPLETED is fetched even after that.
 */

/** What is known of a request that was accepted, and no check has shown yet. */
const FIRST_STATUS = 'QUEUED';
/** Records live this long after submission, ms (docs/service.md S126). */
export const RECORD_LIFETIME_MS = 3_600_000;
/** The last status check, when the time is up, may wait this long for the rate limiter, ms. */
const LAST_CHECK_MS = 5_000;
/** Answers that cannot be read end the waiting after this many in a row, over at least this time, ms: a single one may come from a proxy. */
const MOST_UNREADABLE = 4;
const UNREADABLE_MS = 60_000;
/** A status check goes before new submissions this long after the last one, or after acceptance, ms: records live an hour. */
const LONG_UNSEEN_MS = 10 * 60_000;
const OLD_MS = 40 * 60_000;

export interface Waiting {
	/** When the request was accepted, ms since the epoch; for a request of which nobody says so, now. */
	acceptedAt: number;
	/** True for a request that is known to have been accepted. */
	isOwn: boolean;
	/** Counts from acceptance, or from the start of the try that resumed the request. */
	timeoutMs: number;
	/** 0 = adaptive. */
	pollIntervalMs: number;
	/** Model or workflow: what its schedule learns from. */
	label: string;
	/** Largest result taken, bytes. */
	maxBytes?: number;
	/** Check at once instead of after the first interval: the request may be done already. */
	checkAtOnce: boolean;
}

/** Who is told of each new status word. */
export interface StatusWatch {
	saw(word: string): void;
}

/**
 * Waits until a request has ended, or the time is up.
 * @throws SegmindFailure when stopped, when the service refuses to say, or when its answers stay unreadable; always with the request id
 */
export async function poll(
	session: ScheduleSession,
	request: RequestRef,
	waiting: Waiting,
	watch?: StatusWatch,
): Promise<Polled> {
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
): Promise<Polled> {
	const { clock, signal } = client;
	const { acceptedAt, checkAtOnce, timeoutMs } = waiting;
	const startedAt = checkAtOnce ? clock.now() : acceptedAt;
	const recordEndsAt = acceptedAt + RECORD_LIFETIME_MS;
	// A wait that begins after that hour has its full time: the first checks will find the record gone.
	const deadline = Math.min(
		startedAt + timeoutMs,
		recordEndsAt > startedAt ? recordEndsAt : Infinity,
	);
	const answers = new AnswersInARow(client, ref, waiting, deadline, schedule, watch);
	let lastCheckAt = checkAtOnce ? undefined : acceptedAt;
	for (;;) {
		const { missingAt } = answers;
		if (missingAt !== undefined)
			await wait(clock, Math.min(missingAt, deadline) - clock.now(), { signal });
		else if (lastCheckAt !== undefined) await schedule.untilNextCheck(lastCheckAt, deadline);
		if (signal?.aborted) throw stopped(ref.request_id);
		const checkAt = clock.now();
		// One last check is made when the time is up.
		const isLast = checkAt >= deadline;
		const checked = await checkStatus(client, ref, {
			deadline: isLast ? checkAt + LAST_CHECK_MS : deadline,
			urgentAt: Math.min((lastCheckAt ?? checkAt) + LONG_UNSEEN_MS, acceptedAt + OLD_MS),
			maxBytes: waiting.maxBytes,
		});
		// One that the limit did not allow is due still: the rate limiter lets it through when it can.
		if (checked.kind !== 'late') lastCheckAt = checkAt;
		const ended = await answers.take(checked, checkAt, isLast);
		if (ended) return ended;
		if (!isLast) continue;
		const kept = await lastResort(client, ref, deadline, recordEndsAt);
		return kept ?? { kind: 'timeUp', status: answers.status, why: whyUnseen(checked) };
	}
}

/** Why a check did not show how the request is. */
function whyUnseen({ kind }: StatusAnswer): string | undefined {
	const isSeen = kind === 'running' || kind === 'completed';
	return isSeen ? undefined : 'the service could not answer';
}

/** Reads the answers of the checks of a request, one after the other: some count only when they last. */
class AnswersInARow {
	/** When it is asked for again because the service does not know it, ms since the epoch. */
	missingAt?: number;

	/** The last word that was seen. */
	status = FIRST_STATUS;

	/** When those in a row came that could not be read, ms since the epoch. */
	private unreadableAt: number[] = [];

	private readonly missing: MissingChecks;

	constructor(
		private readonly client: Client,
		private readonly ref: RequestRef,
		private readonly waiting: Waiting,
		private readonly deadline: number,
		private readonly schedule: Schedule,
		private readonly watch?: StatusWatch,
	) {
		this.missing = new MissingChecks(waiting.isOwn);
	}

	/** How the request ended, by this answer and those before; undefined when it must be checked again. `isLast`: the time is up. */
	async take(checked: StatusAnswer, at: number, isLast: boolean): Promise<Ended | undefined> {
		const { client, ref, waiting, watch } = this;
		this.missingAt = undefined;
		this.resetBut(checked.kind);
		if (checked.kind === 'running') {
			if (checked.word !== this.status) watch?.saw(checked.word);
			this.status = checked.word;
		}
		if (checked.kind === 'unreadable') this.assertNotForGood(checked.answer, at);
		if (checked.kind === 'completed') this.schedule.finished(at - waiting.acceptedAt);
		if (checked.kind === 'missing') this.missingAt = this.missing.next(at);
		if (this.missingAt !== undefined && !isLast) return undefined;
		const now = client.clock.now();
		return await endedBy(client, ref, checked, watch, {
			deadline: Math.max(this.deadline, now) + RESULT_PATIENCE_MS,
			isOwn: waiting.isOwn,
			isExpired: now >= waiting.acceptedAt + RECORD_LIFETIME_MS,
			maxBytes: waiting.maxBytes,
		});
	}

	/** Only answers that say something end a row. */
	private resetBut(kind: StatusAnswer['kind']): void {
		if (kind === 'transient' || kind === 'late') return;
		if (kind !== 'missing') this.missing.reset();
		if (kind !== 'unreadable') this.unreadableAt = [];
	}

	private assertNotForGood(answer: HttpAnswer, at: number): void {
		const { client, ref, unreadableAt } = this;
		unreadableAt.push(at);
		if (unreadableAt.length < MOST_UNREADABLE || at - unreadableAt[0] < UNREADABLE_MS) return;
		throw unusable(client, answer, about(ref, 'status'), { row: CAUSES.unusableStatus });
	}
}

/** How a request ended, by one answer; undefined while it runs, and when the answer does not say. */
async function endedBy(
	client: Client,
	ref: RequestRef,
	checked: StatusAnswer,
	watch: StatusWatch | undefined,
	fetching: Fetching,
): Promise<Ended | undefined> {
	switch (checked.kind) {
		case 'missing':
			return await fromHistory(client, ref, fetching.isExpired);
		case 'failed':
			watch?.saw('FAILED');
			return await failedWith(client, ref, checked);
		case 'completed': {
			watch?.saw('COMPLETED');
			const result = await fetchResult(client, ref, checked.body, fetching);
			return result === 'running' ? undefined : result;
		}
		default:
			return undefined;
	}
}

/** A check that does not wait must not hold a worker, ms: its status check, and all its calls together. */
const SHORT_CHECK_MS = 8_000;
const WHOLE_CHECK_MS = 15_000;

/**
 * Checks a request now and does not wait for its end; only a 404 is asked about again in that short time.
 * @throws SegmindFailure when stopped, or when the service refuses to say
 */
export async function checkOnce(
	session: ScheduleSession,
	request: RequestRef,
	{ acceptedAt, maxBytes }: Pick<Waiting, 'acceptedAt' | 'maxBytes'>,
	watch: StatusWatch,
): Promise<Polled> {
	const startedAt = session.client.clock.now();
	const client = session.client.until(startedAt + WHOLE_CHECK_MS);
	const unseen = { kind: 'timeUp', status: FIRST_STATUS } as const;
	// What is held back for longer is not waited for: all items of a batch would, one after the other.
	if (client.limiter.pauseEndsAt > startedAt + SHORT_CHECK_MS)
		return { ...unseen, why: 'the rate limit of the account is used up' };
	const ref = withAddresses(request, client.urls.baseUrl);
	const recordEndsAt = acceptedAt + RECORD_LIFETIME_MS;
	const endsAt = recordEndsAt > startedAt ? recordEndsAt : Infinity;
	const deadline = Math.min(startedAt + SHORT_CHECK_MS, endsAt);
	const stopChecks = client.limiter.expectChecks();
	try {
		const checked = await untilKnown(client, ref, { acceptedAt, maxBytes }, deadline);
		if (checked.kind === 'running' && checked.word !== FIRST_STATUS) watch.saw(checked.word);
		const isExpired = client.clock.now() >= recordEndsAt;
		// It is asked for as one that a person gave: what is known to be there is left unfinished soon.
		const fetching = { deadline, isOwn: false, isExpired, maxBytes };
		const ended = await endedBy(client, ref, checked, watch, fetching);
		if (ended) return ended;
		if (client.signal?.aborted) throw stopped(ref.request_id);
		const kept = await lastResort(client, ref, deadline, recordEndsAt);
		return kept ?? { ...unseen, why: whyUnseen(checked) };
	} finally {
		stopChecks();
	}
}

/** Of a request whose record is about to expire only the history is left. */
async function lastResort(
	client: Client,
	ref: RequestRef,
	deadline: number,
	recordEndsAt: number,
): Promise<Ended | undefined> {
	if (deadline < recordEndsAt) return undefined;
	const kept = await fromHistory(client, ref, true);
	return kept.kind === 'missing' ? undefined : kept;
}

/** Asks for a request, and again as long as the service does not know it. */
async function untilKnown(
	client: Client,
	ref: RequestRef,
	{ acceptedAt, maxBytes }: Pick<Waiting, 'acceptedAt' | 'maxBytes'>,
	deadline: number,
): Promise<StatusAnswer> {
	const { clock, signal } = client;
	const missing = new MissingChecks(false);
	for (;;) {
		const at = clock.now();
		const isLast = at >= deadline;
		const checked = await checkStatus(client, ref, {
			deadline: isLast ? at + LAST_CHECK_MS : deadline,
			urgentAt: acceptedAt + OLD_MS,
			limitMs: SHORT_CHECK_MS,
			maxBytes,
		});
		const nextAt = missing.next(at);
		if (checked.kind !== 'missing' || isLast || nextAt === undefined) return checked;
		await wait(clock, Math.min(nextAt, deadline) - clock.now(), { signal });
		if (signal?.aborted) throw stopped(ref.request_id);
	}
}
