import { wait } from '../base/clock';
import { stopped } from '../base/failure';
import type { RequestRef } from '../journal/lifecycle';
import { unusable } from '../service/answerErrors';
import type { Client } from '../service/client';
import type { Expectations } from './expectations';
import { RESULT_PATIENCE_MS, fetchResult } from './fetchResult';
import { fromHistory } from './fromHistory';
import { MissingChecks } from './missingChecks';
import type { WaitOutcome } from './outcome';
import { nextPollMs } from './pollSchedule';
import { about } from './requestCalls';
import { withAddresses } from './requestRef';
import { checkStatus, failedWith } from './statusCheck';

/**
 * Waits for a request: status checks on an adaptive schedule until it has ended or the time is up. A single odd answer ends nothing, the last
 * check comes when the time is up, and what has COMPLETED is fetched even after that.
 */

/** Records live this long after submission, ms (docs/service.md S126). */
export const RECORD_LIFETIME_MS = 3_600_000;
/** Unreadable answers, and failures that nothing confirms, count only after this many in a row, over at least this time. */
const LASTING_LIMIT = 4;
const LASTING_MS = 60_000;
/** The last status check, when the time is up, may wait this long for the rate limiter, ms. */
const LAST_CHECK_MS = 5_000;
/** A status check goes before new submissions this long after the last one, or after acceptance, ms: records live an hour. */
const LONG_UNSEEN_MS = 10 * 60_000;
const OLD_MS = 40 * 60_000;

const ASK_AGAIN = 'A retry asks for it again and does not submit again.';

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
	/** Check at once instead of after the first interval: the request may be done already. */
	checkAtOnce: boolean;
	/** One of several requests of a run. */
	isBatch: boolean;
	/** Called with each new status word. */
	onStatus?: (word: string) => void;
}

/**
 * Waits until a request has ended, or the time is up.
 * @throws SegmindFailure when stopped, when the service refuses to say, or when its answers stay unreadable; always with the request id
 */
export async function waitForRequest(
	session: WaitSession,
	request: RequestRef,
	waiting: Waiting,
): Promise<WaitOutcome> {
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
): Promise<WaitOutcome> {
	const { client, expectations } = session;
	const { clock } = client;
	const { acceptedAt, label } = waiting;
	const startedAt = waiting.checkAtOnce ? clock.now() : acceptedAt;
	const recordEndsAt = acceptedAt + RECORD_LIFETIME_MS;
	// A wait that begins after that hour has its full time: the first checks will find the record gone.
	const deadline = Math.min(
		startedAt + waiting.timeoutMs,
		recordEndsAt > startedAt ? recordEndsAt : Infinity,
	);
	const isProbe = waiting.isBatch && expectations.claimProbe(label);
	const planned = isProbe ? { ...waiting, publishedMs: undefined } : waiting;
	const missing = new MissingChecks(waiting.isOwn);
	const unreadable = new LastingAnswers();
	const unconfirmed = new LastingAnswers();
	let lastCheckAt = waiting.checkAtOnce ? undefined : acceptedAt;
	let status = 'QUEUED';
	for (;;) {
		const missingAt = missing.takeNext();
		if (missingAt !== undefined)
			await wait(clock, Math.min(missingAt, deadline) - clock.now(), { signal: client.signal });
		else if (lastCheckAt !== undefined)
			await untilNextCheck(session, planned, lastCheckAt, deadline);
		if (client.signal?.aborted) throw stopped(ref.request_id);
		const previousCheckAt = lastCheckAt ?? clock.now();
		lastCheckAt = clock.now();
		// One last check is made when the time is up.
		const isLast = lastCheckAt >= deadline;
		const checked = await checkStatus(client, ref, {
			deadline: isLast ? lastCheckAt + LAST_CHECK_MS : deadline,
			urgentAt: Math.min(previousCheckAt + LONG_UNSEEN_MS, acceptedAt + OLD_MS),
		});
		const hasAnswer = checked.kind !== 'transient' && checked.kind !== 'late';
		if (hasAnswer && checked.kind !== 'missing') missing.reset();
		if (hasAnswer && checked.kind !== 'maybeFailed') unconfirmed.reset();
		if (hasAnswer && checked.kind !== 'maybeFailed' && checked.kind !== 'unreadable')
			unreadable.reset();
		switch (checked.kind) {
			case 'running':
				if (checked.word !== status) waiting.onStatus?.(checked.word);
				status = checked.word;
				break;
			case 'failed':
			case 'maybeFailed':
				if (checked.kind === 'maybeFailed' && !unconfirmed.isEnough(lastCheckAt)) break;
				waiting.onStatus?.('FAILED');
				return await failedWith(client, ref, checked);
			case 'completed': {
				waiting.onStatus?.('COMPLETED');
				// It ended somewhere between the last two checks.
				expectations.record(label, (previousCheckAt + lastCheckAt) / 2 - acceptedAt);
				const result = await fetchResult(client, ref, checked.body, {
					deadline: Math.max(deadline, clock.now()) + RESULT_PATIENCE_MS,
					isOwn: waiting.isOwn,
					isExpired: clock.now() >= recordEndsAt,
				});
				if (result !== 'running') return result;
				break;
			}
			case 'missing':
				if (!missing.checkAgain(lastCheckAt) || isLast)
					return await fromHistory(client, ref, clock.now() >= recordEndsAt);
				break;
			case 'unreadable':
				if (unreadable.isEnough(lastCheckAt))
					throw unusable(
						client,
						checked.answer,
						about(ref, 'status'),
						'acceptedIfCompletes',
						ASK_AGAIN,
					);
				break;
			case 'transient':
			case 'late':
				break;
		}
		if (!isLast) continue;
		// Its record is about to expire: only the history is left.
		const kept = deadline < recordEndsAt ? undefined : await fromHistory(client, ref, true);
		return kept === undefined || kept.kind === 'missing' ? { kind: 'timeout', status } : kept;
	}
}

/** Counts answers of one kind in a row: a single one may come from a proxy. */
class LastingAnswers {
	private count = 0;

	private since = 0;

	isEnough(now: number): boolean {
		if (this.count++ === 0) this.since = now;
		return this.count >= LASTING_LIMIT && now - this.since >= LASTING_MS;
	}

	reset(): void {
		this.count = 0;
	}
}

async function untilNextCheck(
	{ client, expectations }: WaitSession,
	waiting: Waiting,
	lastCheckAt: number,
	deadline: number,
): Promise<void> {
	const { clock, signal } = client;
	const random = client.random();
	for (;;) {
		const measuredMs = expectations.meanMs(waiting.label);
		const expectedMs = measuredMs ?? waiting.publishedMs;
		const pollMs = nextPollMs({
			elapsedMs: lastCheckAt - waiting.acceptedAt,
			expectedMs,
			isMeasured: measuredMs !== undefined,
			fixedMs: waiting.pollIntervalMs,
			random,
		});
		// Checks that the account's limit allows anyway come on top.
		const allowed =
			waiting.pollIntervalMs > 0
				? undefined
				: client.limiter.checkEveryMs(clock.now() - waiting.acceptedAt);
		// One that has run for as long as others of the run took has most likely ended: it does not wait for an even spread.
		const isDue = measuredMs !== undefined && clock.now() - waiting.acceptedAt >= measuredMs;
		const nextMs = allowed
			? Math.max(Math.min(pollMs, allowed.most), isDue ? 0 : allowed.least)
			: pollMs;
		const left = Math.min(lastCheckAt + nextMs, deadline) - clock.now();
		if (left <= 0 || signal?.aborted) return;
		await wait(clock, left, { signal, changed: expectations.changed(waiting.label) });
	}
}
