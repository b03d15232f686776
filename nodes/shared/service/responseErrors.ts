import { SegmindFailure, type FailureFacts } from '../base/failure';
import { CAUSES, type CallPurpose, type ErrorRow } from '../errors/errorTable';
import { PARTS } from '../errors/parts';
import { explainStatus, failureOf, fill } from '../errors/failures';
import type { Client } from './client';
import { isTransient, type CallOutcome } from './retry';
import { excerpt, reasonIn } from './errorBody';
import type { HttpResponse } from './http';
import { isObject, parseJson } from './schemas';

/** What a call is about, for its error. */
export interface CallSubject {
	purpose: CallPurpose;
	/** What was called, in the user's words: "model 'x'", "request z". */
	subject: string;
	requestId?: string;
}

/** Returns the error for a response that isn't successful. */
export function rejectionFailure(
	client: Pick<Client, 'redact'>,
	response: HttpResponse,
	about: CallSubject,
): SegmindFailure {
	const body = response.body.toString('utf8');
	const parsed = parseJson(body);
	const reason =
		(isObject(parsed) ? reasonIn(parsed, client.redact) : '') || excerpt(body, client.redact);
	return new SegmindFailure(
		'rejected',
		explainStatus({ ...about, status: response.status, reason }),
	);
}

/** Returns the error for a call that got no response. After the deadline, it quotes the last 429 or 5xx. */
export function noResponseFailure(
	client: Pick<Client, 'redact'>,
	outcome: Exclude<CallOutcome, { kind: 'response' }>,
	{ subject, ...about }: CallSubject,
): SegmindFailure {
	if (outcome.kind === 'deadlinePassed' && outcome.response)
		return new SegmindFailure('rejected', {
			...rejectionFailure(client, outcome.response, { subject, ...about }).facts,
			transient: true,
		});
	const { requestId } = about;
	const fault = 'fault' in outcome ? outcome.fault : undefined;
	const why = fault ? `: ${excerpt(fault.reason, client.redact)}` : '';
	return failureOf(
		'noResponse',
		requestId === undefined ? CAUSES.noResponse : CAUSES.noResponseForRequest,
		{ subject, why },
		{
			requestId,
			...((outcome.kind === 'deadlinePassed' || isTransient(outcome)) && { transient: true }),
		},
	);
}

/** What the caller adds to the error for a response that can't be used: another row, the value of its `{found}`, and facts. */
interface UnusableDetails
	extends Partial<
		Pick<FailureFacts, 'charge' | 'outcomeUnknown' | 'search' | 'candidates' | 'retry'>
	> {
	row?: ErrorRow;
	found?: string;
}

/** Returns the error for a successful response whose body can't be used. Quotes its status and first 300 characters, or the size limit that it exceeds. */
export function unusableFailure(
	client: Pick<Client, 'redact'>,
	{ status, exceededLimitBytes: exceededLimitBytes, body }: HttpResponse,
	{ subject, requestId }: CallSubject,
	{ row = CAUSES.unusable, found, ...facts }: UnusableDetails = {},
): SegmindFailure {
	const why = exceededLimitBytes
		? fill(PARTS.tooLarge, { megabytes: exceededLimitBytes / 1_000_000 })
		: excerpt(body.toString('utf8'), client.redact) || PARTS.empty;
	const otherFacts = { ...facts, httpCode: status, requestId, transient: true as const };
	return failureOf('unreadable', row, { subject, status, why, found }, otherFacts);
}
