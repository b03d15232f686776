import { wait } from '../../base/clock';
import { CAUSES } from '../../errors/errorTable';
import { stopped } from '../../errors/failures';
import type { RequestRef } from '../../journal/entry';
import { unusable } from '../../service/answerErrors';
import type { Client } from '../../service/client';
import type { RequestAnswer } from '../../service/schemas';
import { fromHistory } from '../recover/fromHistory';
import { RESULT_PATIENCE_MS, fetchResult } from '../result/fetchResult';
import { about } from '../result/requestCalls';
import { withAddresses } from '../result/requestRef';
import { MissingChecks } from './missingChecks';
import type { Ended, Waited } from './outcome';
import { scheduleOf, type Schedule, type ScheduleSession } from './schedule';
import { checkStatus, failedWith, type CheckedStatus } from './statusCheck';

/**
 * Waits for a request: status checks on an adaptive schedule until it has ended or the time is up. A single odd answer ends nothing, the last
 * check comes when the time is up, and what has COMPLETED is fetched even after that.
 */

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
	/** Check at once instead of after the first interval: the request may be done already. */
	checkAtOnce: boolean;
	/** Only one check is made, `timeoutMs` long, and a 404 asked about again in that time. */
	isOneCheck?: true;
	/** Called with each new status word. */
	onStatus?: (word: string) => void;
}

/**
 * Waits until a request has ended, or the time is up.
 * @throws SegmindFailure when stopped, when the service refuses to say, or when its answers stay unreadable; always with the request id
 */
export async function waitFor(
	session: ScheduleSession,
	request: RequestRef,
	waiting: Waiting,
): Promise<Waited> {
	const { client } = session;
	const stopChecks = client.limiter.expectChecks();
	try {
		const ref = withAddresses(request, client.urls.baseUrl);
		return await untilEnded(client, ref, waiting, scheduleOf(session, waiting));
	} finally {
		stopChecks();
	}
}

async function untilEnded(
	client: Client,
	ref: RequestRef,
	waiting: Waiting,
	schedule: Schedule,
): Promise<Waited> {
	const { clock, signal } = client;
	const { acceptedAt, checkAtOnce, timeoutMs, isOneCheck } = waiting;
	const startedAt = checkAtOnce ? clock.now() : acceptedAt;
	const recordEndsAt = acceptedAt + RECORD_LIFETIME_MS;
	// A wait that begins after that hour has its full time: the first checks will find the record gone.
	const deadline = Math.min(
		startedAt + timeoutMs,
		recordEndsAt > startedAt ? recordEndsAt : Infinity,
	);
	const answers = new AnswersInARow(client, ref, waiting, deadline, schedule);
	let lastCheckAt = checkAtOnce ? undefined : acceptedAt;
	for (;;) {
		const missingAt = answers.missing.takeNext();
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
			limitMs: isOneCheck && timeoutMs,
		});
		// One that the limit did not allow is due still: the rate limiter lets it through when it can.
		if (checked.kind !== 'late') lastCheckAt = checkAt;
		const ended = await answers.take(checked, checkAt, isLast);
		if (ended) return ended;
		if (isOneCheck && signal?.aborted) throw stopped(ref.request_id);
		if (isOneCheck ? checked.kind === 'missing' : !isLast) continue;
		// Its record is about to expire: only the history is left.
		const kept = deadline < recordEndsAt ? undefined : await fromHistory(client, ref, true);
		return kept === undefined || kept.kind === 'missing'
			? { kind: 'timeUp', status: answers.status, why: whyUnseen(checked) }
			: kept;
	}
}

/** Why a check did not show how the request is. */
function whyUnseen({ kind }: CheckedStatus): string | undefined {
	const isSeen = kind === 'running' || kind === 'completed';
	return isSeen ? undefined : 'the service could not answer';
}

/** Reads the answers of the checks of a request, one after the other: some count only when they last. */
class AnswersInARow {
	readonly missing: MissingChecks;

	/** The last word that was seen. */
	status = 'QUEUED';

	/** When those in a row came that could not be read, ms since the epoch. */
	private unreadableAt: number[] = [];

	constructor(
		private readonly client: Client,
		private readonly ref: RequestRef,
		private readonly waiting: Waiting,
		private readonly deadline: number,
		private readonly schedule: Schedule,
	) {
		this.missing = new MissingChecks(waiting.isOwn);
	}

	/** How the request ended, by this answer and those before; undefined when it must be checked again. `isLast`: the time is up. */
	async take(checked: CheckedStatus, at: number, isLast: boolean): Promise<Ended | undefined> {
		const { client, ref, waiting } = this;
		this.resetBut(checked.kind);
		switch (checked.kind) {
			case 'running':
				if (checked.word !== this.status) waiting.onStatus?.(checked.word);
				this.status = checked.word;
				return undefined;
			case 'failed':
				waiting.onStatus?.('FAILED');
				return await failedWith(client, ref, checked);
			case 'completed':
				waiting.onStatus?.('COMPLETED');
				this.schedule.finished(at - waiting.acceptedAt);
				return await this.result(checked.body);
			case 'missing':
				if (this.missing.checkAgain(at) && !isLast) return undefined;
				return await fromHistory(client, ref, this.isExpired());
			case 'unreadable':
				this.unreadableAt.push(at);
				if (this.unreadableAt.length < MOST_UNREADABLE || at - this.unreadableAt[0] < UNREADABLE_MS)
					return undefined;
				throw unusable(client, checked.answer, about(ref, 'status'), {
					row: CAUSES.unusableStatus,
				});
			case 'transient':
			case 'late':
				return undefined;
		}
	}

	/** Only answers that say something end a row. */
	private resetBut(kind: CheckedStatus['kind']): void {
		if (kind === 'transient' || kind === 'late') return;
		if (kind !== 'missing') this.missing.reset();
		if (kind !== 'unreadable') this.unreadableAt = [];
	}

	private async result(statusBody: RequestAnswer): Promise<Ended | undefined> {
		const { client, ref, waiting, deadline } = this;
		const now = client.clock.now();
		const result = await fetchResult(client, ref, statusBody, {
			deadline: waiting.isOneCheck ? deadline : Math.max(deadline, now) + RESULT_PATIENCE_MS,
			isOwn: waiting.isOwn,
			isExpired: this.isExpired(),
		});
		return result === 'running' ? undefined : result;
	}

	private isExpired(): boolean {
		return this.client.clock.now() >= this.waiting.acceptedAt + RECORD_LIFETIME_MS;
	}
}
