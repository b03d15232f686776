import type { SegmindFailure } from '../../base/failure';
import { CAUSES } from '../../errors/errorTable';
import { notSent, stopped } from '../../errors/failures';
import type { JsonBody } from '../../inputs/json';
import { calls, type Call } from '../../journal/calls';
import type { Entry, Fingerprint, RequestRef, SentEntry } from '../../journal/entry';
import { assertBalance } from '../../run/balance';
import { CostLimit, type Reservation } from '../../run/costLimit';
import type { Session } from '../../run/session';
import { untilStopped } from '../../run/untilStopped';
import { noAnswer, refusal, unusable } from '../../service/answerErrors';
import { jsonOf } from '../../service/answers';
import { SUBMIT_LIMIT_MS } from '../../service/client';
import { LARGEST_ANSWER, type HttpAnswer, type HttpCall } from '../../service/http';
import type { Sent } from '../../service/retry';
import { fingerprintOf } from '../recover/fingerprint';
import { refFromSubmission, withAddresses } from '../result/requestRef';
import { accept, acceptFound } from './accept';
import { acceptanceIn, type Acceptance } from './acceptance';
import { search } from './nextStep';
import { evaluatedDigest, journalOf, likenessOf, type Submission } from './submission';
import {
	lossFacts,
	stillOpen,
	unknownOutcome,
	whyLost,
	withContradictions,
} from './submissionErrors';

/**
 * The only place that sends a call which costs, after `nextStep` has said so. The order is a promise about money: journalled before it is sent,
 * journalled when it is accepted or lost, and never sent a second time here unless it certainly was not accepted.
 */

/** An accepted submission. `made` is missing when the answer was lost and the request found in the history. */
export interface Submitted<T> {
	ref: RequestRef;
	made?: T;
	body: JsonBody;
	/** Its place in the count of costs. */
	reservation?: Reservation;
}

/** What a success says: the request's reference, and whatever else its reader needs. */
export interface Read<T> {
	ref: RequestRef;
	made?: T;
}

/**
 * Sends a call and journals each step. Returns what `read` takes from a success; when it takes nothing, the answer is unusable. When the answer
 * is lost, the request is looked for in the request history.
 * @throws SegmindFailure when it was refused, or when it is unknown whether it was accepted
 */
export async function submitOnce<T>(
	session: Session,
	submission: Submission,
	read: (answer: HttpAnswer) => Read<T> | undefined,
): Promise<Submitted<T>> {
	const before = journalOf(session, submission).entry;
	let reservation: Reservation | undefined;
	try {
		reservation = await reserve(session, submission);
		const body = await submission.makeBody();
		const evaluated = await evaluatedDigest(submission);
		assertMaySend(session);
		session.expectedCost += submission.publishedCost ?? 0;
		const sending = send(session, submission, { before, body, evaluated, read });
		return { ...(await untilStopped(session, sending)), body, reservation };
	} catch (error) {
		const after = journalOf(session, submission).entry;
		// What was refused or never sent costs nothing; of what may have been accepted nobody will report a cost.
		if (after === before || after === undefined) reservation?.cancel();
		else reservation?.release();
		throw before?.is === 'sent' && after?.is === 'sent' ? stillOpen(submission, error) : error;
	}
}

/** `submitOnce` for a call that is answered with a reference. */
export async function submitForRef(
	session: Session,
	submission: Submission,
): Promise<Submitted<undefined>> {
	return await submitOnce(session, submission, (answer) => {
		const ref = refFromSubmission(jsonOf(answer));
		// An id that belongs to another call came out of a cache: it is not this call's.
		return ref && calls.claimedAt(ref.request_id) === undefined
			? { ref: withAddresses(ref, session.client.urls.baseUrl) }
			: undefined;
	});
}

/** @throws SegmindFailure when a limit of balance or cost is reached */
async function reserve(
	session: Session,
	{ options: { minimumBalance, maximumCost }, publishedCost, slug = '' }: Submission,
): Promise<Reservation | undefined> {
	const { client, context, signal } = session;
	if (client.fatalFailure) throw notSent(client.fatalFailure);
	await assertBalance(session, minimumBalance);
	if (maximumCost === undefined) return undefined;
	const limit = new CostLimit(context, client.clock, signal);
	return await limit.reserve(slug, maximumCost, publishedCost);
}

function assertMaySend({ client, signal }: Session): void {
	if (client.fatalFailure) throw notSent(client.fatalFailure);
	if (signal?.aborted) throw stopped();
}

interface Sending<T> {
	/** What an earlier try left: it counts again when this one certainly was not accepted. */
	before: Entry | undefined;
	body: JsonBody;
	evaluated: string;
	read: (answer: HttpAnswer) => Read<T> | undefined;
}

async function send<T>(
	session: Session,
	submission: Submission,
	{ before, body, evaluated, read }: Sending<T>,
): Promise<Read<T>> {
	const { client } = session;
	const journal = journalOf(session, submission);
	const fingerprint = fingerprintOf(body.value);
	const underWay: { call?: Call } = {};
	const undo = () => {
		const { call } = underWay;
		if (!call) return;
		calls.settle(call);
		if (journal.entry?.id === call.id) journal.write(before);
		underWay.call = undefined;
	};
	const makeCall = (): HttpCall => {
		// No row of the history belongs to what is sent again.
		if (before?.is === 'sent') calls.forget(before);
		underWay.call = calls.begin(likenessOf(submission, fingerprint));
		journal.write(sentEntry(session, submission, underWay.call, { fingerprint, evaluated }));
		return {
			method: 'POST',
			url: submission.url,
			headers: { 'content-type': 'application/json', accept: '*/*' },
			body: body.text,
			limitMs: submission.worksForMs ?? SUBMIT_LIMIT_MS,
			maxBytes:
				submission.worksForMs === undefined ? LARGEST_ANSWER.submission : LARGEST_ANSWER.output,
		};
	};
	const sent = await client
		.send(makeCall, {
			purpose: 'submission',
			deadline: client.clock.now() + submission.options.timeoutMs,
			finishWhenStopped: true,
			onNotAccepted: undo,
		})
		.catch((error: unknown) => {
			// Stopped while it waited for the rate limiter: nothing of it is under way.
			undo();
			return Promise.reject(error);
		});
	const acceptance = acceptanceIn(sent, submission);
	if (acceptance.kind === 'refused') {
		undo();
		throw refusedBy(session, submission, sent, body);
	}
	// Whatever was answered or lost had been sent.
	const call = underWay.call as Call;
	const done = acceptance.kind === 'answered' ? read(acceptance.answer) : undefined;
	if (!done) return { ref: await recover(session, submission, call, { sent, acceptance }) };
	calls.settle(call, done.ref.request_id);
	return { ...done, ref: accept(session, submission, done.ref) };
}

function sentEntry(
	{ journal }: Session,
	{ worksForMs }: Submission,
	{ id, sentAt }: Call,
	more: { fingerprint: Fingerprint; evaluated: string },
): SentEntry {
	const runsUntil = worksForMs === undefined ? undefined : sentAt + worksForMs;
	return { is: 'sent', id, at: sentAt, by: journal.credential, runsUntil, ...more };
}

function refusedBy(
	session: Session,
	submission: Submission,
	sent: Sent,
	body: JsonBody,
): SegmindFailure {
	const { client } = session;
	if (sent.kind !== 'answer') return noAnswer(client, sent, submission);
	const failure = refusal(client, sent.answer, submission);
	return client.remembering(withContradictions(failure, session, submission, body));
}

/** The answer is lost, or says nothing: the request is looked for in the request history. @throws SegmindFailure when it is not found for certain */
async function recover(
	session: Session,
	submission: Submission,
	call: Call,
	{ sent, acceptance }: { sent: Sent; acceptance: Acceptance },
): Promise<RequestRef> {
	const { client } = session;
	const journal = journalOf(session, submission);
	const lostAt = client.clock.now();
	const entry: SentEntry = {
		...(journal.entry as SentEntry),
		lostAt,
		...(acceptance.kind === 'gateway' && { gateway: true as const }),
		// The service itself has answered: it no longer works on it.
		...(acceptance.kind === 'answered' && { runsUntil: undefined }),
	};
	journal.write(entry);
	calls.lose(call, lostAt, entry.runsUntil);
	const searched =
		submission.slug === undefined ? undefined : await search(session, submission, entry);
	if (searched?.kind === 'one') return acceptFound(session, submission, searched.requestId);
	const status = acceptance.kind === 'gateway' ? acceptance.status : undefined;
	if (acceptance.kind !== 'answered')
		throw unknownOutcome(submission, entry, whyLost(session, submission, sent), searched, status);
	throw unusable(client, acceptance.answer, submission, {
		row: CAUSES.unusableOutput,
		charge: 'unknown',
		...lossFacts(submission, entry, searched),
	});
}
