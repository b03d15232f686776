import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { CHARGE, SegmindFailure, badInput, notSent } from '../base/failure';
import { rawBody } from '../output/finished';
import type { Session } from '../run/session';
import { untilStopped } from '../run/untilStopped';
import { firstList, isObject } from '../service/schemas';
import { excerpt } from '../service/errorBody';
import type { HttpAnswer, HttpCall } from '../service/http';
import { originOf } from '../service/origins';
import { READ_TIMEOUT_MS, SUBMIT_TIMEOUT_MS, sendOnce, sendUntilAnswered } from '../service/send';
import { jsonOf, noAnswer, refusal, unusable, type CallSubject } from '../service/unusable';
import { entryOf, keptOutput } from './generation';
import { isServerFault } from './submission';

/** Calls that manage endpoints and fine-tunes (specification, Dedicated endpoints and Fine-tuning). Their answers are hardly published. */

/** 429, 503 and, for reading calls, any passing fault are waited out so long, ms. */
const PATIENCE_MS = 120_000;

type ManagingCall = Omit<HttpCall, 'timeoutMs' | 'finishWhenStopped'>;

/** A call that changes nothing. @throws SegmindFailure unless it succeeds */
export async function readManaged(
	session: Session,
	call: ManagingCall,
	subject: string,
): Promise<HttpAnswer> {
	const about: CallSubject = { purpose: 'manage', subject };
	if (session.halt) throw notSent(session.halt);
	const sent = await sendUntilAnswered(
		session,
		{ ...call, timeoutMs: READ_TIMEOUT_MS },
		{ lane: 'urgent', deadline: session.clock.now() + PATIENCE_MS },
	);
	if (sent.kind !== 'answer') throw noAnswer(session, sent, about);
	return successful(session, sent.answer, about);
}

/**
 * A call that changes something and buys nothing: sent again only after 429, 503 or a refused connection.
 * @throws SegmindFailure unless it succeeds; with `outcomeUnknown` when it may have been carried out
 */
export async function changeManaged(
	session: Session,
	call: ManagingCall,
	subject: string,
): Promise<HttpAnswer> {
	const about: CallSubject = { purpose: 'manage', subject };
	if (session.halt) throw notSent(session.halt);
	const sent = await untilStopped(
		session,
		sendOnce(session, async () => ({ ...call, timeoutMs: SUBMIT_TIMEOUT_MS }), {
			lane: 'urgent',
			deadline: session.clock.now() + PATIENCE_MS,
		}),
		'The change may have been made or not. Look at its state first; sending the same change again does no harm.',
	);
	if (sent.kind === 'unknown')
		throw new SegmindFailure({
			message: `No answer came for ${subject}, because ${session.redact(excerpt(sent.fault.reason))}`,
			description:
				'The change may have been made or not. Look at its state first; sending the same change again does no harm.',
			outcomeUnknown: true,
		});
	if (sent.kind !== 'answer') throw noAnswer(session, sent, about);
	return successful(session, sent.answer, about);
}

function successful(session: Session, answer: HttpAnswer, about: CallSubject): HttpAnswer {
	if (answer.status >= 200 && answer.status < 300) return answer;
	const failure = refusal(session, answer, about);
	if (failure.facts.haltsRun) session.halt ??= failure.facts;
	throw failure;
}

/** The items of a list answer: an array, or the first list inside an object; one item each (service-facts section 12). */
export function listedItems(
	session: Session,
	answer: HttpAnswer,
	subject: string,
): INodeExecutionData[] {
	const body = jsonOf(answer);
	if (!Array.isArray(body) && !isObject(body))
		throw unusable(session, answer, { purpose: 'manage', subject }, CHARGE.none);
	return firstList(body).map((entry) => ({
		json: isObject(entry) ? rawBody(entry) : { value: entry as IDataObject['value'] },
	}));
}

/**
 * An answer of unpublished shape as item: what is known already, then the answer. `done` says in one word that it was done, unless the
 * answer carries an error of its own. Never only a `message`, which n8n would take for a failed item (platform fact 13).
 */
export function answeredItem(
	known: IDataObject,
	done: string,
	answer: HttpAnswer,
): INodeExecutionData {
	const body = jsonOf(answer);
	const members = isObject(body) ? rawBody(body) : undefined;
	const failed = isObject(body) && (Boolean(body.error) || /^false$/i.test(String(body.success)));
	const text = answer.body.toString('utf8').trim();
	return {
		json: {
			...known,
			...(failed ? {} : { [done]: true }),
			...(members ?? (text === '' ? {} : { answer: (body ?? text) as IDataObject['answer'] })),
		},
	};
}

/**
 * What an earlier try bought and put out; undefined when nothing was. Its id goes into the errors of this run as well, as if it had been
 * bought now.
 */
export async function boughtBefore(
	session: Session,
	itemIndex: number,
): Promise<INodeExecutionData | undefined> {
	const entry = entryOf(session, itemIndex);
	const id = entry.request?.request_id ?? '';
	if (id !== '') session.requestIds.set(itemIndex, id);
	return await keptOutput(session, entry);
}

/** Does a change once in an execution: a retry puts out what the earlier try did. */
export async function onceDone(
	session: Session,
	itemIndex: number,
	change: (sentBefore: boolean) => Promise<INodeExecutionData>,
): Promise<INodeExecutionData> {
	const entry = entryOf(session, itemIndex);
	if (entry.output) return { json: entry.output.json };
	const sentBefore = entry.state === 'sending';
	entry.state = 'sending';
	const item = await change(sentBefore).catch((error: unknown) => {
		if (!mayHaveHappened(error)) session.journal.renew(entry);
		throw error;
	});
	session.journal.finish(entry, item);
	return item;
}

function mayHaveHappened(error: unknown): boolean {
	return (
		error instanceof SegmindFailure &&
		(error.facts.outcomeUnknown === true || isServerFault(error.facts.httpCode ?? 0))
	);
}

/** An address of the credential, by its field name there. @throws SegmindFailure before any call when it is none */
export function baseOf(address: string, field: string): string {
	if (originOf(address) === undefined)
		throw badInput(
			`${field} in the credential is not an http(s) address`,
			'Correct it in the Segmind API credential.',
		);
	return address;
}
