import { SegmindFailure, type Charge } from '../base/failure';
import type { Client } from './client';
import { isTransient, type Sent } from './retry';
import { excerpt, reasonIn } from './errorBody';
import type { HttpAnswer } from './http';
import { isObject, parseJson } from './schemas';
import { explainStatus, type CallPurpose } from './statusMessages';

export interface CallSubject {
	purpose: CallPurpose;
	/** In the user's words: "model 'x'", "request z". */
	subject: string;
	requestId?: string;
}

/** The failure for an answer that is not a success. */
export function refusal(client: Client, answer: HttpAnswer, about: CallSubject): SegmindFailure {
	const body = answer.body.toString('utf8');
	const parsed = parseJson(body);
	const reason =
		(isObject(parsed) ? reasonIn(parsed, client.redact) : '') || excerpt(body, client.redact);
	return new SegmindFailure(explainStatus({ ...about, status: answer.status, reason }));
}

/** The failure for a reading call that brought no answer. */
export function noAnswer(
	client: Client,
	sent: Exclude<Sent, { kind: 'answer' }>,
	about: CallSubject,
): SegmindFailure {
	if (sent.kind === 'late' && sent.answer)
		return new SegmindFailure({
			...refusal(client, sent.answer, about).facts,
			transient: true,
		});
	const fault = 'fault' in sent ? sent.fault : undefined;
	const why = fault ? `: ${excerpt(fault.reason, client.redact)}` : '';
	return new SegmindFailure({
		message: `No answer from Segmind for ${about.subject}${why}`,
		charge: about.requestId === undefined ? 'none' : 'acceptedIfCompletes',
		advice: `Check the network of the n8n host and the addresses in the credential, then ${about.requestId === undefined ? 'run it again' : 'retry, or fetch the request by its ID with Get Result: nothing is sent again'}.`,
		requestId: about.requestId,
		...(sent.kind === 'late' || isTransient(sent) ? { transient: true as const } : {}),
	});
}

/** The failure for a success whose body cannot be used: status and the first 300 characters. */
export function unusable(
	client: Client,
	answer: HttpAnswer,
	about: CallSubject,
	charge: Charge,
	advice = 'Run it again.',
): SegmindFailure {
	const body = excerpt(answer.body.toString('utf8'), client.redact);
	return new SegmindFailure({
		message: `Segmind's answer for ${about.subject} could not be used (HTTP ${answer.status}): ${body === '' ? 'it was empty' : body}`,
		charge,
		advice,
		httpCode: answer.status,
		requestId: about.requestId,
		transient: true,
	});
}
