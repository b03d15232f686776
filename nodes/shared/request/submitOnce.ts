import type { IDataObject } from 'n8n-workflow';

import { SegmindFailure, notSent, stopped } from '../base/failure';
import { digest, stableJson } from '../base/hash';
import { oneLine } from '../base/readable';
import type { JsonBody } from '../inputs/json';
import type { ItemRecord } from '../journal/journal';
import {
	afterSearch,
	decide,
	isOpen,
	mayResubmit,
	type Cause,
	type Found,
	type KeptOutput,
	type Policy,
	type Refusal,
	type RequestRef,
} from '../journal/lifecycle';
import { submissions, type Likeness } from '../journal/submissions';
import { assertBalance } from '../run/balance';
import { CostLimit, type Reservation } from '../run/costLimit';
import { showProgress, type Session } from '../run/session';
import { untilStopped } from '../run/untilStopped';
import { isObject } from '../service/schemas';
import { jsonOf } from '../service/answers';
import { noAnswer, refusal, unusable, type CallSubject } from '../service/answerErrors';
import { SUBMIT_LIMIT_MS } from '../service/client';
import { mayBeCarriedOut, type Sent } from '../service/retry';
import { excerpt } from '../service/errorBody';
import { isSuccess, type HttpAnswer } from '../service/http';
import { fingerprintOf } from './matchRows';
import { findLost } from './findLost';
import { refFromId, refFromSubmission, withAddresses } from './requestRef';

/** A call of one item that starts something at the service. */
export interface CreatingCall {
	itemIndex: number;
	record: ItemRecord;
	url: string;
	/** In the user's words: "model 'x'". */
	subject: string;
	purpose: CallSubject['purpose'];
	/** Goes into every output of the request: `{model: slug}` or `{workflow: slug}`. */
	label: IDataObject;
	/** Slug, to look a lost submission up by; '' when the request history does not know such calls. */
	slug: string;
	/** The body, made only when it is really sent, since making it may upload files. */
	makeBody: () => Promise<JsonBody>;
	/** What is asked for, evaluated, files by content: the same value for the same request. Only needed in manual runs. */
	identity: () => Promise<unknown>;
	/** Limit of the call itself, ms. */
	callLimitMs?: number;
	/** Set where the call answers with the output itself (v1): the service then works on during the call. */
	isV1?: true;
	/** How long 429 and 503 may be waited out before acceptance, ms. */
	patienceMs: number;
	resubmitWhenUnknown: boolean;
	/** Least balance to start with, USD. */
	minimumBalance?: number;
	/** Most that this execution of the node may spend, USD; and what such a request costs on average, as published. */
	maximumCost?: number;
	publishedCost?: number;
	/** Its place in the count of costs, once it is sent. */
	reservation?: Reservation;
	/** What is known of the model and contradicts a body, a sentence each. */
	contradictions?: (body: Record<string, unknown>) => string[];
	/** The body that was sent by this execution. */
	sentBody?: Record<string, unknown>;
	/** Set for what is made outside the inference API: an endpoint, a training. */
	managed?: ManagedCall;
}

/** A call that no request history knows, and for which no rollback is promised. */
export interface ManagedCall {
	/** What its id is the id of: "endpoint". */
	idOf: string;
	/** Where a person sees whether it was made after all. */
	whereToLook: string;
}

/** What comes next for an item. */
export type Step =
	| { do: 'replay'; output: KeptOutput }
	| { do: 'resume'; request: RequestRef }
	| { do: 'send' };

export function policyOf(session: Session, call: CreatingCall): Policy {
	return {
		repeatable: false,
		searchable: call.slug !== '',
		resubmitWhenUnknown: call.resubmitWhenUnknown,
		maker: session.client.credential,
	};
}

/**
 * Decides what an item needs before anything is sent: its entry in the journal, what this process remembers, and, for a call that may have been
 * accepted, the request history.
 * @throws SegmindFailure when nothing may be sent and nothing can be asked for
 */
export async function nextStep(session: Session, call: CreatingCall): Promise<Step> {
	const { record } = call;
	await takeOver(session, call);
	const policy = policyOf(session, call);
	const decision = decide(record.entry, policy);
	if (decision.do === 'refuse') throw refused(call, decision.why);
	if (decision.do === 'replay' || decision.do === 'resume') noteRequest(session, call);
	if (decision.do !== 'search') return decision;
	const found = await search(session, call);
	if (found.kind === 'found') return { do: 'resume', request: foundRequest(session, call, found) };
	if (afterSearch(record.entry, found, policy) === 'refuse')
		throw unknownOutcome(call, 'an earlier try got no answer after sending it', found);
	if (found.kind === 'outOfReach')
		session.hints.add(
			`Item ${call.itemIndex}: an earlier try may have been accepted, and the request history could not be read to make sure. It was sent again.`,
		);
	return { do: 'send' };
}

/** The error of a run names the requests of earlier tries too. */
function noteRequest({ requestIds }: Session, { itemIndex, record }: CreatingCall): void {
	const id = record.entry.request?.request_id ?? '';
	if (id !== '') requestIds.set(itemIndex, id);
}

/** A request that has ended without anything to keep makes room for another one. */
export function giveUp({ requestIds }: Session, { itemIndex, record }: CreatingCall): void {
	record.apply({ type: 'givenUp' });
	requestIds.delete(itemIndex);
}

/** True when a request that was resumed has failed or expired, and is now sent again. */
export function isResubmitted(session: Session, call: CreatingCall): boolean {
	return mayResubmit(call.record.entry, policyOf(session, call));
}

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

/** What became of this sending is known; of the one before it is not. */
function stillOpen({ subject }: CreatingCall, error: unknown): unknown {
	if (!(error instanceof SegmindFailure) || error.facts.outcomeUnknown) return error;
	const { facts } = error;
	return new SegmindFailure({
		...facts,
		description: `An earlier try of the request for ${subject} may have been accepted; whether it is charged is unknown. ${facts.advice}`,
		outcomeUnknown: true,
	});
}

async function sendOnce<T extends { ref: RequestRef }>(
	session: Session,
	call: CreatingCall,
	read: (answer: HttpAnswer) => T | undefined,
): Promise<T | { ref: RequestRef }> {
	const { client } = session;
	if (client.halt) throw notSent(client.halt);
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
		call.reservation?.free();
		return Promise.reject(error);
	});
	call.sentBody = body.value;
	const unsent = client.halt
		? notSent(client.halt)
		: session.signal?.aborted
			? stopped()
			: undefined;
	if (unsent) {
		call.reservation?.free();
		throw unsent;
	}
	session.expectedCost += publishedCost ?? 0;
	return await untilStopped(session, sendAndJournal(session, call, body, read));
}

/** `submitOnce` for a call that is answered with a reference. */
export async function submitForRef(session: Session, call: CreatingCall): Promise<RequestRef> {
	const { ref } = await submitOnce(session, call, (answer) => {
		const ref = refFromSubmission(jsonOf(answer));
		return ref ? { ref: withAddresses(ref, session.client.urls.baseUrl) } : undefined;
	});
	return ref;
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
			lane: 'submission',
			deadline: client.clock.now() + call.patienceMs,
			finishWhenStopped: true,
			onNotAccepted: sending.undo,
		});
	} finally {
		// Stopped while it waited for its turn or for a limit: nothing of it is under way.
		if (sent === undefined) {
			sending.undo();
			call.reservation?.free();
		}
	}
	const outcome = outcomeOf(sent, call);
	if (outcome.kind === 'refused') {
		if (sent.kind === 'answer' && sending.current)
			submissions.refuse(sending.current, client.clock.now());
		sending.undo();
		call.reservation?.free();
		if (sent.kind !== 'answer') throw noAnswer(client, sent, call);
		throw client.noting(withContradictions(refusal(client, sent.answer, call), session, call));
	}
	if (outcome.kind === 'answered') {
		const made = read(outcome.answer);
		if (made) {
			if (sending.current) submissions.settle(sending.current, made.ref.request_id);
			accept(session, call, made.ref);
			return made;
		}
	}
	call.reservation?.leave();
	const lostAt = client.clock.now();
	record.apply({
		type: 'lost',
		at: lostAt,
		cause: outcome.kind === 'gateway' ? 'gateway' : 'connection',
	});
	if (sending.current) submissions.lose(sending.current, lostAt, outcome.kind === 'gateway');
	const found: Found = call.slug === '' ? { kind: 'none' } : await search(session, call);
	if (found.kind === 'found') return { ref: foundRequest(session, call, found) };
	if (outcome.kind === 'answered')
		throw unusable(client, outcome.answer, call, 'unknown', whatNow(call, found));
	throw unknownOutcome(
		call,
		whyLost(session, call, sent),
		found,
		outcome.kind === 'gateway' ? outcome.status : undefined,
	);
}

/** Statuses of a refusal that a parameter may have caused. */
const ABOUT_PARAMETERS = new Set([400, 406, 422, 500]);

/** Adds what is known of the model and contradicts what was sent: the service's own words often name no parameter. */
export function withContradictions(
	failure: SegmindFailure,
	session: Session,
	{ sentBody, contradictions }: CreatingCall,
): SegmindFailure {
	const { facts } = failure;
	const isAboutThem =
		facts.status === 'FAILED' ||
		(facts.httpCode !== undefined && ABOUT_PARAMETERS.has(facts.httpCode));
	const found = isAboutThem && sentBody ? (contradictions?.(sentBody) ?? []) : [];
	if (found.length === 0) return failure;
	return new SegmindFailure({
		...facts,
		description: `${facts.description} What was sent contradicts what is known of the model: ${session.client.redact(found.join(' '))}`,
	});
}

type Outcome =
	| { kind: 'answered'; answer: HttpAnswer }
	/** Free: by the service's own words, or never sent. */
	| { kind: 'refused' }
	| { kind: Extract<Cause, 'connection'> }
	| { kind: Extract<Cause, 'gateway'>; status: number };

/** What an answer to a creating call says about its acceptance. */
function outcomeOf(sent: Sent, { managed }: CreatingCall): Outcome {
	if (sent.kind === 'lost') return { kind: 'connection' };
	if (sent.kind !== 'answer') return { kind: 'refused' };
	const { answer } = sent;
	const { status } = answer;
	if (isSuccess(status)) return { kind: 'answered', answer };
	if (GATEWAY_GAVE_UP.has(status)) return { kind: 'gateway', status };
	// The service's own JSON under 500 says that it did not take it. What manages an endpoint or a training promises nothing of the kind.
	const isOwnWord = isObject(jsonOf(answer)) && managed === undefined;
	if (mayBeCarriedOut(status) && !isOwnWord) return { kind: 'gateway', status };
	return { kind: 'refused' };
}

/** Answers of something between us and the service: it may have handed the call on. By the published rule no 4xx or 5xx is charged. */
const GATEWAY_GAVE_UP = new Set([408, 499, 502, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530]);

function likenessOf(
	session: Session,
	{ url }: CreatingCall,
	fingerprint: Record<string, string>,
): Likeness {
	const alike = digest(stableJson([url, fingerprint]));
	return { alike, key: digest(stableJson([session.client.credential.id, alike])) };
}

async function search(session: Session, call: CreatingCall): Promise<Found> {
	const { entry } = call.record;
	const looking = findLost(session.client, {
		entry,
		model: call.slug,
		likeness: likenessOf(session, call, entry.fingerprint ?? {}),
		runsForMs: call.isV1 ? (call.callLimitMs ?? SUBMIT_LIMIT_MS) : undefined,
	});
	return await looking.catch((error: unknown) => {
		const isStop = error instanceof SegmindFailure && error.facts.stopped;
		return Promise.reject(isStop ? stoppedUnsure() : error);
	});
}

function stoppedUnsure(): SegmindFailure {
	return new SegmindFailure({
		message: 'The execution was stopped while an earlier try of this item was being looked for',
		charge: 'unknown',
		advice: 'The request history in the Segmind console shows it if it was accepted.',
		stopped: true,
		outcomeUnknown: true,
	});
}

function foundRequest(
	session: Session,
	call: CreatingCall,
	{ requestId }: { requestId: string },
): RequestRef {
	const ref = refFromId(requestId, session.client.urls.baseUrl);
	accept(session, call, ref);
	return ref;
}

/** Journals and logs an accepted request. The id stands in the message itself: n8n prints no metadata (docs/n8n.md N153). */
function accept(
	session: Session,
	{ record, itemIndex, subject, managed }: CreatingCall,
	request: RequestRef,
): void {
	record.apply({
		type: 'accepted',
		at: session.client.clock.now(),
		request,
		by: session.client.credential,
	});
	if (request.request_id === '') return;
	const named = `${managed?.idOf ?? 'request'} ${request.request_id}`;
	session.requestIds.set(itemIndex, request.request_id);
	session.context.logger.info(
		oneLine(
			`Segmind accepted ${named} for ${session.client.redact(subject)} (execution ${session.context.getExecutionId()}, node "${session.node.name}", item ${itemIndex})`,
		),
	);
	showProgress(session, itemIndex, `${named} accepted`);
}

/** In the editor, "Execute step" goes on with what an earlier run of the step was accepted for and did not deliver. */
async function takeOver(session: Session, call: CreatingCall): Promise<void> {
	if (!session.isManual) return;
	const evaluated = digest(stableJson([call.url, await call.identity()]));
	const left = call.record.takeOver(evaluated);
	if (left.length > 0)
		session.hints.add(
			`Item ${call.itemIndex}: an earlier run of this step was accepted as ${left.map((id) => `request ${id}`).join(', ')} with other inputs and did not deliver it. The operation Get Result fetches it by this ID.`,
		);
}

function refused(call: CreatingCall, why: Refusal): SegmindFailure {
	const { entry } = call.record;
	switch (why) {
		case 'mayBeAccepted':
			return unknownOutcome(call, 'an earlier try got no answer after sending it', {
				kind: 'none',
			});
		case 'madeByAnother':
			return new SegmindFailure({
				message: `The request for ${call.subject} may have been accepted by an earlier try, with the credential '${entry.by?.name ?? ''}'`,
				charge: 'unknown',
				advice: `Whether it was can only be seen with that credential: choose it again and retry, or look at the request history of its account. Turn on the option Resubmit When Unknown to send it again with this one.`,
				outcomeUnknown: true,
			});
		case 'outputLost':
			return outputLost();
	}
}

/** It was charged, and there is nothing left to ask for. */
export function outputLost(): SegmindFailure {
	return new SegmindFailure({
		message:
			'An earlier try completed and was charged, but its output could not be kept and it carried no request ID',
		charge: 'completed',
		advice:
			'Look for it in the request history of the Segmind console. To make another one, change an input slightly or run the workflow again; API Version v2 keeps an address instead.',
	});
}

function whyLost({ client }: Session, call: CreatingCall, sent: Sent): string {
	if (sent.kind === 'lost')
		return `no answer came, because ${excerpt(sent.fault.reason, client.redact)}`;
	return sent.kind === 'answer' ? refusal(client, sent.answer, call).message : 'no answer came';
}

function unknownOutcome(
	call: CreatingCall,
	why: string,
	found: Exclude<Found, { kind: 'found' }>,
	httpCode?: number,
): SegmindFailure {
	return new SegmindFailure({
		message: `The request for ${call.subject} may have been accepted: ${why}`,
		charge: 'unknown',
		advice: whatNow(call, found),
		httpCode,
		outcomeUnknown: true,
	});
}

/** What was done to find out, and what a retry will do. Only what is true of this call. */
function whatNow(
	{ managed, record }: CreatingCall,
	found: Exclude<Found, { kind: 'found' }>,
): string {
	const looked = managed
		? `${managed.whereToLook.charAt(0).toUpperCase()}${managed.whereToLook.slice(1)}.`
		: searched(found);
	if (found.kind === 'ambiguous')
		return `${looked} Nothing is sent again, so that nothing is paid twice; a changed input makes another request.`;
	if (record.entry.cause === 'gateway' && !managed)
		return `${looked} A retry looks there once more, and sends it again only when it is not there.`;
	return `${looked} A retry does not send it again, so that nothing is paid twice; turn on the option Resubmit When Unknown to send it again.`;
}

function searched(found: Exclude<Found, { kind: 'found' }>): string {
	switch (found.kind) {
		case 'none':
			return 'It was looked for in the request history and not found there.';
		case 'outOfReach':
			return 'The request history, which would show it, could not be read.';
		case 'ambiguous':
			return `The request history shows requests that may be this one or another's: ${found.candidates
				.slice(0, 10)
				.join(', ')}. Get Result fetches each by its ID.`;
	}
}
