import { CAUSES } from '../errors/errorTable';
import { failureOf, notSent } from '../errors/failures';
import type { Session } from '../run/session';
import { untilStopped } from '../run/untilStopped';
import { READ_LIMIT_MS, SUBMIT_LIMIT_MS } from '../service/client';
import { isSuccess, type HttpAnswer, type HttpCall } from '../service/http';
import { noResponse, rejection, type CallSubject } from '../service/answerErrors';
import { mayBeCarriedOut } from '../service/retry';

/** Calls that manage endpoints and fine-tunes (docs/service.md). Their answers are hardly published. */

/** 429, 503 and, for reading calls, any transient fault are waited out this long, ms. */
const PATIENCE_MS = 120_000;

type ManagedCall = Omit<HttpCall, 'limitMs'>;

/** A call that changes nothing. @throws SegmindFailure unless it succeeds */
export async function readManaged(
	{ client }: Pick<Session, 'client'>,
	call: ManagedCall,
	subject: string,
): Promise<HttpAnswer> {
	const about: CallSubject = { purpose: 'manage', subject };
	if (client.fatalFailure) throw notSent(client.fatalFailure);
	const sent = await client.read(
		{ ...call, limitMs: READ_LIMIT_MS },
		{ purpose: 'result', deadline: client.clock.now() + PATIENCE_MS },
	);
	if (sent.kind !== 'answer') throw noResponse(client, sent, about);
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
		CAUSES.stoppedChanging,
	);
	if (sent.kind !== 'answer' && sent.kind !== 'lost') throw noResponse(client, sent, about);
	if (sent.kind === 'answer' && !mayBeCarriedOut(sent.answer.status))
		return successful(session, sent.answer, about);
	const { message: why, httpCode } = (
		sent.kind === 'lost' ? noResponse(client, sent, about) : rejection(client, sent.answer, about)
	).facts;
	const known = { httpCode, outcomeUnknown: true } as const;
	throw failureOf('unknownOutcome', CAUSES.changeUnknown, { why }, known);
}

function successful(
	{ client }: Pick<Session, 'client'>,
	answer: HttpAnswer,
	about: CallSubject,
): HttpAnswer {
	if (isSuccess(answer.status)) return answer;
	throw client.remembering(rejection(client, answer, about));
}
