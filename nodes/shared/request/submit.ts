import type { SegmindFailure } from '../base/failure';
import { digest, stableJson } from '../base/hash';
import { wrongValues } from '../catalogue/contradictions';
import { metadataOf } from '../catalogue/modelList';
import { notSent, stopped } from '../errors/failures';
import type { JsonBody } from '../inputs/json';
import { makeBody } from '../inputs/readInputs';
import { calls } from '../journal/calls';
import type { RequestRef } from '../journal/entry';
import { assertBalance } from '../run/balance';
import { CostLimit, type Reservation } from '../run/costLimit';
import type { Session } from '../run/session';
import { untilStopped } from '../run/untilStopped';
import { noAnswer, refusal } from '../service/answerErrors';
import { isServicesOwnError, jsonOf } from '../service/answers';
import { SUBMIT_LIMIT_MS, type Client } from '../service/client';
import { isSuccess, LARGEST_ANSWER, type HttpAnswer } from '../service/http';
import { GATEWAY_GAVE_UP, mayBeCarriedOut, type Sent } from '../service/retry';
import { readOneCall } from './oneCall';
import { refFromSubmission, withAddresses } from './poll/requestRef';
import type { RequestRecord } from './record';
import { fingerprintOf } from './search/matchRows';
import {
	aboutSubmission,
	evaluatedDigest,
	type Answered,
	type Loss,
	type PreparedRequest,
	type Submission,
} from './submission';
import { withContradictions } from './submissionErrors';

/** The only place that sends a call which costs, after `decide` has said so. */

/** Longest limit of a call that answers with the output itself, ms: timers end at once when they are set for more than 24 days. */
const LONGEST_CALL_MS = 3_600_000;

/**
 * Sends a request: its record then says that it was accepted, or that its answer was lost. It is never sent a second time here unless it certainly
 * was not accepted.
 * @throws SegmindFailure when it was refused, or must not be sent
 */
export async function submit(record: RequestRecord): Promise<void> {
	const { session, submission } = record;
	record.reservation = await reserve(session, submission);
	record.prepared = await prepare(session, submission);
	assertMaySend(session);
	if (submission.answers !== 'creation') session.expectedCost += submission.publishedCost ?? 0;
	await untilStopped(session, transmit(record, record.prepared));
}

/** @throws SegmindFailure when a limit of balance or cost is reached */
async function reserve(session: Session, submission: Submission): Promise<Reservation | undefined> {
	const { client, context, signal } = session;
	const { minimumBalance, maximumCost } = submission.presentation.options;
	if (client.fatalFailure) throw notSent(client.fatalFailure);
	await assertBalance(session, minimumBalance);
	if (maximumCost === undefined || submission.answers === 'creation') return undefined;
	const limit = new CostLimit(context, client.clock, signal);
	return await limit.reserve(submission.slug, maximumCost, submission.publishedCost);
}

/** Makes the call; uploads its files. */
async function prepare(session: Session, submission: Submission): Promise<PreparedRequest> {
	const { url, answers, presentation } = submission;
	const body = await makeBody(session, submission.inputs);
	hintAtWrongValues(session, submission, body);
	const isOneCall = answers === 'output';
	const worksForMs = isOneCall
		? Math.min(presentation.options.timeoutMs, LONGEST_CALL_MS)
		: undefined;
	const fingerprint = fingerprintOf(body.value);
	const likeness = digest(stableJson([url, fingerprint]));
	return {
		body,
		evaluated: await evaluatedDigest(session, submission),
		trace: answers === 'creation' ? undefined : { likeness, fingerprint },
		worksForMs,
		call: {
			method: 'POST',
			url,
			headers: { 'content-type': 'application/json', accept: '*/*' },
			body: body.text,
			limitMs: worksForMs ?? SUBMIT_LIMIT_MS,
			maxBytes: isOneCall ? LARGEST_ANSWER.output : LARGEST_ANSWER.submission,
		},
	};
}

/** Values that the model is known not to take are sent as they are; who watches in the editor is told. */
function hintAtWrongValues(session: Session, submission: Submission, { value }: JsonBody): void {
	if (!session.isManual || submission.answers === 'creation' || submission.isWorkflow) return;
	const metadata = metadataOf(submission.slug, session.client.urls.endpointAdminUrl);
	for (const said of wrongValues(value, metadata))
		session.hints.add(`${session.redact(said)} It was sent as it is.`);
}

function assertMaySend({ client, signal }: Session): void {
	if (client.fatalFailure) throw notSent(client.fatalFailure);
	if (signal?.aborted) throw stopped();
}

/** Runs on after Stop, so that the id of what was sent is known. */
async function transmit(record: RequestRecord, prepared: PreparedRequest): Promise<void> {
	const { session, submission } = record;
	const { client } = session;
	const sent = await client.send(prepared.call, {
		purpose: 'submission',
		deadline: client.clock.now() + submission.presentation.options.timeoutMs,
		finishWhenStopped: true,
		attempts: record,
	});
	const acceptance = acceptanceIn(sent, submission);
	if (acceptance.kind === 'refused') {
		record.notAccepted();
		throw refusedBy(session, submission, sent, prepared.body);
	}
	if (acceptance.kind === 'lost') return record.lose(acceptance.loss);
	const { answer } = acceptance;
	const success = readSuccess(client, submission, answer);
	if (success) record.accept(success.ref, success.answered);
	else record.lose({ by: 'unusableAnswer', answer });
}

function refusedBy(
	session: Session,
	submission: Submission,
	sent: Sent,
	body: JsonBody,
): SegmindFailure {
	const { client } = session;
	const about = aboutSubmission(submission);
	if (sent.kind !== 'answer') return noAnswer(client, sent, about);
	const failure = refusal(client, sent.answer, about);
	return client.remembering(withContradictions(failure, session, submission, body));
}

/** What is known of a call's acceptance after it was sent. */
export type Acceptance =
	| { kind: 'answered'; answer: HttpAnswer }
	/** Free: by the service's own words, or never sent. */
	| { kind: 'refused' }
	| { kind: 'lost'; loss: Loss };

/** What an answer to a creating call says about its acceptance. By the published rule no 4xx or 5xx is charged (docs/service.md S40). */
export function acceptanceIn(sent: Sent, { answers }: Pick<Submission, 'answers'>): Acceptance {
	if (sent.kind === 'lost') return { kind: 'lost', loss: { by: 'connection', fault: sent.fault } };
	if (sent.kind !== 'answer') return { kind: 'refused' };
	const { answer } = sent;
	const { status } = answer;
	if (isSuccess(status)) return { kind: 'answered', answer };
	// What did not end within its size says nothing.
	if (answer.exceeds !== undefined) return { kind: 'lost', loss: { by: 'connection', answer } };
	if (!mayBeCarriedOut(status)) return { kind: 'refused' };
	// Under 500 the service's own words say that it did not take it. What manages an endpoint or a training promises nothing of the kind.
	const isOwnWord =
		!GATEWAY_GAVE_UP.has(status) && answers !== 'creation' && isServicesOwnError(answer);
	return isOwnWord ? { kind: 'refused' } : { kind: 'lost', loss: { by: 'gateway', answer } };
}

/** What a success says of the request; without a `ref` it named no id. Undefined when it says nothing that could be used. */
export function readSuccess(
	{ urls }: Client,
	submission: Submission,
	answer: HttpAnswer,
): { ref?: RequestRef; answered: Answered } | undefined {
	switch (submission.answers) {
		case 'reference': {
			const ref = refFromSubmission(jsonOf(answer));
			// An id that belongs to another call came out of a cache: it is not this call's.
			if (!ref || calls.isClaimed(ref.request_id)) return undefined;
			return { ref: withAddresses(ref, urls.baseUrl), answered: { answer } };
		}
		case 'output': {
			const { content, requestId } = readOneCall(answer);
			const ref = requestId === undefined ? undefined : { request_id: requestId };
			return (content ?? ref) && { ref, answered: { answer, content } };
		}
		case 'creation': {
			const said = submission.read(answer);
			const ref = said?.id === undefined ? undefined : { request_id: said.id };
			return said && { ref, answered: { answer } };
		}
	}
}
