import { SegmindFailure, notSent } from '../base/failure';
import type { Session } from '../run/session';
import { untilStopped } from '../run/untilStopped';
import { READ_LIMIT_MS, SUBMIT_LIMIT_MS } from '../service/client';
import { excerpt } from '../service/errorBody';
import { isSuccess, type HttpAnswer, type HttpCall } from '../service/http';
import { noAnswer, refusal, type CallSubject } from '../service/answerErrors';
import { mayBeCarriedOut } from '../service/retry';

/** Calls that manage endpoints and fine-tunes (docs/service.md). Their answers are hardly published. */

/** 429, 503 and, for reading calls, any transient fault are waited out this long, ms. */
const PATIENCE_MS = 120_000;

type ManagedCall = Omit<HttpCall, 'limitMs'>;

/** A call that changes nothing. @throws SegmindFailure unless it succeeds */
export async function readManaged(
	{ client }: Session,
	call: ManagedCall,
	subject: string,
): Promise<HttpAnswer> {
	const about: CallSubject = { purpose: 'manage', subject };
	if (client.fatalFailure) throw notSent(client.fatalFailure);
	const sent = await client.read(
		{ ...call, limitMs: READ_LIMIT_MS },
		{ purpose: 'result', deadline: client.clock.now() + PATIENCE_MS },
	);
	if (sent.kind !== 'answer') throw noAnswer(client, sent, about);
	return successful({ client }, sent.answer, about);
}

/**
 * A call that changes something and makes nothing new: sent again only after 429, 503 or a refused connection.
 * @throws SegmindFailure unless it succeeds; with `outcomeUnknown` when it may have been carried out
 */
export async function changeManaged(
	session: Session,
	call: ManagedCall,
	subject: string,
): Promise<HttpAnswer> {
	const { client } = session;
	const about: CallSubject = { purpose: 'manage', subject };
	if (client.fatalFailure) throw notSent(client.fatalFailure);
	const sent = await untilStopped(
		session,
		client.send(() => ({ ...call, limitMs: SUBMIT_LIMIT_MS }), {
			purpose: 'submission',
			deadline: client.clock.now() + PATIENCE_MS,
			finishWhenStopped: true,
		}),
		MAY_BE_MADE,
	);
	if (sent.kind === 'lost')
		throw new SegmindFailure({
			message: `No answer came for ${subject}, because ${excerpt(sent.fault.reason, client.redact)}`,
			description: MAY_BE_MADE,
			outcomeUnknown: true,
		});
	if (sent.kind !== 'answer') throw noAnswer(client, sent, about);
	const { status } = sent.answer;
	if (mayBeCarriedOut(status))
		throw new SegmindFailure({
			message: refusal(client, sent.answer, about).message,
			description: MAY_BE_MADE,
			httpCode: status,
			outcomeUnknown: true,
		});
	return successful(session, sent.answer, about);
}

const MAY_BE_MADE =
	'The change may have been made or not. Look at its state first; sending the same change again does no harm.';

function successful(
	{ client }: Pick<Session, 'client'>,
	answer: HttpAnswer,
	about: CallSubject,
): HttpAnswer {
	if (isSuccess(answer.status)) return answer;
	throw client.remembering(refusal(client, answer, about));
}
