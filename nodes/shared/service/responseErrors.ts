import { SegmindFailure, type FailureFacts } from '../base/failure';
import { CAUSES, type CallPurpose, type ErrorRow } from '../errors/errorTable';
import { PARTS } from '../errors/parts';
import { explainStatus, failureOf, fill } from '../errors/failures';
import type { Client } from './client';
import { excerpt, reasonIn } from './errorBody';
import { isSuccess, type CallOutcome, type HttpResponse } from './http';
import type { NoResponse } from './networkFault';
import { isTransientStatus } from './responses';
import { isObject, parseJson } from './schemas';

/** What a call is about, for its error. */
export interface CallSubject {
	purpose: CallPurpose;
	/** What was called, in the user's words: "model 'x'", "request z". */
	subject: string;
	requestId?: string;
}

/** Returns the error for a call that failed, or whose response can't be used. */
export function callFailure(
	client: Pick<Client, 'redact'>,
	outcome: CallOutcome,
	about: CallSubject,
): SegmindFailure {
	if (outcome.kind !== 'response') return noResponseFailure(client, outcome, about);
	return isSuccess(outcome)
		? unusableFailure(client, outcome, about)
		: rejectionFailure(client, outcome, about);
}

/** Returns the error for a response that reports one. */
export function rejectionFailure(
	client: Pick<Client, 'redact'>,
	response: HttpResponse,
	about: CallSubject,
): SegmindFailure {
	const body = response.body.toString('utf8');
	const parsed = parseJson(body);
	const reason =
		(isObject(parsed) ? reasonIn(parsed, client.redact) : '') || excerpt(body, client.redact);
	const { status } = response;
	return new SegmindFailure('rejected', {
		...explainStatus({ ...about, status, reason }),
		...(isTransientStatus(status) && { transient: true }),
	});
}

function noResponseFailure(
	client: Pick<Client, 'redact'>,
	{ kind, reason }: NoResponse,
	{ subject, requestId }: CallSubject,
): SegmindFailure {
	const row = requestId === undefined ? CAUSES.noResponse : CAUSES.noResponseForRequest;
	const why = reason && `: ${excerpt(reason, client.redact)}`;
	const facts = { requestId, ...(kind !== 'notSent' && { transient: true as const }) };
	return failureOf('noResponse', row, { subject, why }, facts);
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
	{ status, exceededLimitBytes, body }: HttpResponse,
	{ subject, requestId }: CallSubject,
	{ row = CAUSES.unusable, found, ...facts }: UnusableDetails = {},
): SegmindFailure {
	const why = exceededLimitBytes
		? fill(PARTS.tooLarge, { megabytes: exceededLimitBytes / 1_000_000 })
		: excerpt(body.toString('utf8'), client.redact) || PARTS.empty;
	const otherFacts = { ...facts, httpCode: status, requestId, transient: true as const };
	return failureOf('unreadable', row, { subject, status, why, found }, otherFacts);
}
