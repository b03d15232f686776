import { SegmindFailure, type FailureFacts } from '../base/failure';
import { CAUSES, type CallPurpose, type Row } from '../errors/errorTable';
import { PARTS } from '../errors/parts';
import { explainStatus, failureOf, fill } from '../errors/failures';
import type { Client } from './client';
import { isTransient, type CallOutcome } from './retry';
import { excerpt, reasonIn } from './errorBody';
import type { HttpResponse } from './http';
import { isObject, parseJson } from './schemas';

export interface CallSubject {
	purpose: CallPurpose;
	/** In the user's words: "model 'x'", "request z". */
	subject: string;
	requestId?: string;
}

/** The error for a response that isn't successful. */
export function rejectionFailure(
	client: Client,
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

/** The error for a reading call without a response. */
export function noResponseFailure(
	client: Client,
	sent: Exclude<CallOutcome, { kind: 'response' }>,
	{ subject, ...about }: CallSubject,
): SegmindFailure {
	if (sent.kind === 'late' && sent.response)
		return new SegmindFailure('rejected', {
			...rejectionFailure(client, sent.response, { subject, ...about }).facts,
			transient: true,
		});
	const { requestId } = about;
	const fault = 'fault' in sent ? sent.fault : undefined;
	const why = fault ? `: ${excerpt(fault.reason, client.redact)}` : '';
	return failureOf(
		'noResponse',
		requestId === undefined ? CAUSES.noResponse : CAUSES.noResponseForRequest,
		{ subject, why },
		{ requestId, ...((sent.kind === 'late' || isTransient(sent)) && { transient: true }) },
	);
}

/** More about a successful response that can't be used: the row of its error, the values for it, and facts. */
interface Unusable
	extends Partial<
		Pick<FailureFacts, 'charge' | 'outcomeUnknown' | 'search' | 'candidates' | 'retry'>
	> {
	row?: Row;
	found?: string;
}

/** The error for a successful response whose body can't be used: with its status and first 300 characters, or its size limit. */
export function unusableFailure(
	client: Client,
	{ status, exceededBytes: exceeds, body }: HttpResponse,
	{ subject, requestId }: CallSubject,
	{ row = CAUSES.unusable, found, ...facts }: Unusable = {},
): SegmindFailure {
	const why = exceeds
		? fill(PARTS.tooLarge, { megabytes: exceeds / 1_000_000 })
		: excerpt(body.toString('utf8'), client.redact) || PARTS.empty;
	const known = { ...facts, httpCode: status, requestId, transient: true as const };
	return failureOf('unreadable', row, { subject, status, why, found }, known);
}
