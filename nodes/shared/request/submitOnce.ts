import { notSent, stopped } from '../base/failure';
import type { JsonBody } from '../inputs/json';
import { isOpen, type RequestRef } from '../journal/lifecycle';
import { submissions } from '../journal/submissions';
import { assertBalance } from '../run/balance';
import { CostLimit } from '../run/costLimit';
import type { Session } from '../run/session';
import { untilStopped } from '../run/untilStopped';
import { noAnswer, refusal, unusable } from '../service/answerErrors';
import { jsonOf } from '../service/answers';
import { SUBMIT_LIMIT_MS } from '../service/client';
import type { HttpAnswer } from '../service/http';
import type { Sent } from '../service/retry';
import { accept, foundRequest, search } from './acceptance';
import { likenessOf, type CreatingCall } from './creatingCall';
import { fingerprintOf } from './matchRows';
import { refFromSubmission, withAddresses } from './requestRef';
import {
	stillOpen,
	unknownOutcome,
	unknownOutcomeAdvice,
	whyLost,
	withContradictions,
} from './submissionErrors';
import { outcomeOf } from './submissionOutcome';

/**
 * The only place that sends a call which costs, after `nextStep` has said so. The order is a promise about money: journalled before it is sent,
 * journalled when it is accepted or lost, and never sent a second time here unless it certainly was not accepted.
 */

/**
 * Sends a call and journals each step. Returns what `read` takes from a success; when it takes nothing, the answer is unusable. When the answer
 * is lost, the request is looked for in the request history, and only its reference is returned.
 * @throws SegmindFailure when it was refused, or when it is unknown whether it was accepted
 */
export async function submitOnce<T extends { ref: RequestRef }>(
	session: Session,
	call: CreatingCall,
	read: (answer: HttpAnswer) => T | undefined,
): Promise<T | { ref: RequestRef }> {
	const { record } = call;
	const wasOpen = isOpen(record.entry);
	return await sendOnce(session, call, read).catch((error: unknown) => {
		// Not sent at all: what was given up for it is asked for again next time.
		if (record.entry.state === 'new' && record.entry.earlier) record.apply({ type: 'refused' });
		return Promise.reject(wasOpen && isOpen(record.entry) ? stillOpen(call, error) : error);
	});
}

/** `submitOnce` for a call that is answered with a reference. */
export async function submitForRef(session: Session, call: CreatingCall): Promise<RequestRef> {
	const { ref } = await submitOnce(session, call, (answer) => {
		const ref = refFromSubmission(jsonOf(answer));
		return ref ? { ref: withAddresses(ref, session.client.urls.baseUrl) } : undefined;
	});
	return ref;
}

async function sendOnce<T extends { ref: RequestRef }>(
	session: Session,
	call: CreatingCall,
	read: (answer: HttpAnswer) => T | undefined,
): Promise<T | { ref: RequestRef }> {
	const { client } = session;
	if (client.fatalFailure) throw notSent(client.fatalFailure);
	await assertBalance(session, call.minimumBalance);
	const { slug, maximumCost, publishedCost } = call;
	if (maximumCost !== undefined)
		call.reservation = await new CostLimit(session.context, client.clock, session.signal).reserve(
			slug,
			maximumCost,
			publishedCost,
		);
	const body = await call.makeBody().catch((error: unknown) => {
		// What is not sent costs nothing.
		call.reservation?.cancel();
		return Promise.reject(error);
	});
	call.sentBody = body.value;
	const unsent = client.fatalFailure
		? notSent(client.fatalFailure)
		: session.signal?.aborted
			? stopped()
			: undefined;
	if (unsent) {
		call.reservation?.cancel();
		throw unsent;
	}
	session.expectedCost += publishedCost ?? 0;
	return await untilStopped(session, sendAndJournal(session, call, body, read));
}

async function sendAndJournal<T extends { ref: RequestRef }>(
	session: Session,
	call: CreatingCall,
	body: JsonBody,
	read: (answer: HttpAnswer) => T | undefined,
): Promise<T | { ref: RequestRef }> {
	const { client } = session;
	const { record } = call;
	const fingerprint = fingerprintOf(body.value);
	const likeness = likenessOf(session, call, fingerprint);
	const sending = {
		current: undefined as ReturnType<typeof submissions.begin> | undefined,
		/** The try certainly was not accepted. */
		undo: () => {
			if (sending.current) submissions.settle(sending.current);
			sending.current = undefined;
			if (record.entry.state === 'sending') record.apply({ type: 'refused' });
		},
	};
	const makeCall = () => {
		const at = client.clock.now();
		if (record.entry.sendingId !== undefined) submissions.dropLost(record.entry.sendingId);
		sending.current = submissions.begin(likeness, at);
		const sendingId = sending.current.id;
		record.apply({ type: 'sending', at, sendingId, fingerprint, by: client.credential });
		return {
			method: 'POST' as const,
			url: call.url,
			headers: { 'content-type': 'application/json', accept: '*/*' },
			body: body.text,
			limitMs: call.callLimitMs ?? SUBMIT_LIMIT_MS,
		};
	};
	let sent: Sent | undefined;
	try {
		sent = await client.send(makeCall, {
			purpose: 'submission',
			deadline: client.clock.now() + call.patienceMs,
			finishWhenStopped: true,
			onNotAccepted: sending.undo,
		});
	} finally {
		// Stopped while it waited for the rate limiter: nothing of it is under way.
		if (sent === undefined) {
			sending.undo();
			call.reservation?.cancel();
		}
	}
	const outcome = outcomeOf(sent, call);
	if (outcome.kind === 'refused') {
		if (sent.kind === 'answer' && sending.current)
			submissions.refuse(sending.current, client.clock.now());
		sending.undo();
		call.reservation?.cancel();
		if (sent.kind !== 'answer') throw noAnswer(client, sent, call);
		throw client.remembering(withContradictions(refusal(client, sent.answer, call), session, call));
	}
	if (outcome.kind === 'answered') {
		const made = read(outcome.answer);
		if (made) {
			if (sending.current) submissions.settle(sending.current, made.ref.request_id);
			accept(session, call, made.ref);
			return made;
		}
	}
	call.reservation?.release();
	const lostAt = client.clock.now();
	record.apply({
		type: 'lost',
		at: lostAt,
		cause: outcome.kind === 'gateway' ? 'gateway' : 'connection',
	});
	if (sending.current) submissions.lose(sending.current, lostAt, outcome.kind === 'gateway');
	const found = call.slug === '' ? ({ kind: 'notSearched' } as const) : await search(session, call);
	if (found.kind === 'found') return { ref: foundRequest(session, call, found) };
	if (outcome.kind === 'answered')
		throw unusable(client, outcome.answer, call, 'unknown', unknownOutcomeAdvice(call, found));
	throw unknownOutcome(
		call,
		whyLost(session, call, sent),
		found,
		outcome.kind === 'gateway' ? outcome.status : undefined,
	);
}
