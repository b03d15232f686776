import { CHARGE, SegmindFailure } from '../base/failure';
import type { CallSession } from '../run/session';
import { isObject, parseJson } from './schemas';
import { excerpt, reasonIn } from './errorBody';
import type { HttpAnswer } from './http';
import { isPassing, type Sent } from './send';
import { explainStatus, type CallPurpose } from './statusMessages';

/** The JSON of an answer; undefined when it is none. */
export function jsonOf(answer: HttpAnswer): unknown {
	return parseJson(answer.body.toString('utf8'));
}

export interface CallSubject {
	purpose: CallPurpose;
	/** In the user's words: "model 'x'", "request z". */
	subject: string;
	requestId?: string;
}

/** The failure for an answer that is not a success. */
export function refusal(
	session: CallSession,
	answer: HttpAnswer,
	about: CallSubject,
): SegmindFailure {
	const body = answer.body.toString('utf8', 0, 20_000);
	const parsed = parseJson(body);
	const reason = session.redact(
		isObject(parsed) ? reasonIn(parsed) || excerpt(body) : excerpt(body),
	);
	return new SegmindFailure(explainStatus({ ...about, status: answer.status, reason }));
}

/** The failure for a reading call that brought no answer. */
export function noAnswer(
	session: CallSession,
	sent: Exclude<Sent, { kind: 'answer' }>,
	about: CallSubject,
): SegmindFailure {
	if (sent.kind === 'late' && sent.answer)
		return new SegmindFailure({
			...refusal(session, sent.answer, about).facts,
			passing: true,
		});
	const fault = 'fault' in sent ? sent.fault : undefined;
	const why = fault ? `: ${session.redact(excerpt(fault.reason))}` : '';
	const accepted = about.requestId !== undefined;
	return new SegmindFailure({
		message: `No answer from Segmind for ${about.subject}${why}`,
		description: `${accepted ? `The request was accepted; ${CHARGE.ifCompletes.toLowerCase()}` : CHARGE.none} Check the network of the n8n host and the addresses in the credential, then run it again.`,
		requestId: about.requestId,
		...(sent.kind === 'late' || isPassing(sent) ? { passing: true as const } : {}),
	});
}

/** The failure for a success whose body cannot be used: status and the first 300 characters. */
export function unusable(
	session: CallSession,
	answer: HttpAnswer,
	about: CallSubject,
	consequence: string,
): SegmindFailure {
	const body = session.redact(excerpt(answer.body.toString('utf8', 0, 20_000)));
	return new SegmindFailure({
		message: `Segmind's answer for ${about.subject} could not be used (HTTP ${answer.status}): ${body === '' ? 'it was empty' : body}`,
		description: consequence,
		httpCode: answer.status,
		requestId: about.requestId,
		passing: true,
	});
}
