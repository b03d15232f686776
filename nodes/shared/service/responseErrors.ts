import type { Responder, SegmindFailure } from '../base/failure';
import { capitalize } from '../base/text';
import { chargeOfFailedCall, failureFrom, unusable, type FailureText } from '../errors/failures';
import { say, whole, type Said } from '../errors/say';
import {
	isPaid,
	namedCauseIn,
	rowOfStatus,
	STATUSES,
	type CallPurpose,
	type StatusRow,
} from '../errors/statusTable';
import { originOf } from './addresses';
import type { Client } from './client';
import { excerpt, reasonIn } from './errorBody';
import { isSuccess, type CallOutcome, type HttpResponse } from './http';
import type { NoResponse } from './networkFault';
import {
	hasErrorForm,
	isRedirect,
	isServicesOwnError,
	isTransientStatus,
	isWebPage,
} from './responses';
import { responseShape } from './responseShape';
import { isObject, parseJson } from './schemas';

/** What a call is about, for its error. */
export interface CallSubject {
	purpose: CallPurpose;
	/** What may fail, in the user's words: "the request for model 'x'", "creating the API key". */
	subject: string;
	/** The accepted request that the call is about, which goes on if the call fails. */
	requestId?: string;
}

/** Knows the secrets of a run. */
type Redactor = Pick<Client, 'redact'>;

/** Returns the error for a call that failed, or whose response can't be used. */
export function callFailure(
	client: Redactor,
	outcome: CallOutcome,
	about: CallSubject,
): SegmindFailure {
	if (outcome.kind !== 'response') return noResponseFailure(client, outcome, about);
	return isSuccess(outcome)
		? unusableFailure(client, outcome, about)
		: rejectionFailure(client, outcome, about);
}

/** Returns the error for a response that reports one. Quotes the service's message. Only HTTP 200 is charged (docs/service.md S40). */
export function rejectionFailure(
	client: Redactor,
	response: HttpResponse,
	about: CallSubject,
): SegmindFailure {
	const { status } = response;
	const responder = responderOf(response, about);
	const isOfOther = !isSuccess(response) && !meansTheSame(status);
	const isPage = responder === 'webPage' && isOfOther;
	const mayBeFromProxy = responder === 'unknown' && isOfOther && !isAboutCredits(status, about);
	const row = isPage ? pageRow(about) : rowOf(response, about);
	const { what, next, fatal } = mayBeFromProxy ? orProxy(row) : row;
	const reason = reasonOf(response, client);
	return failureFrom(status === 429 ? 'rateLimited' : 'rejected', {
		what: say`${capitalize(about.subject)} failed: ${whole(what)} (HTTP ${status})${reason && say`: '${whole(reason)}'`}`,
		charge: chargeOfFailedCall(about.requestId),
		next: whole(next),
		reason: isPage ? undefined : reason,
		httpCode: status,
		requestId: about.requestId,
		responder,
		...(responder === 'unknown' && { responseShape: responseShape(response) }),
		...(fatal && { fatal }),
		...((isPage || mayBeFromProxy || isTransientStatus(status)) && { transient: true }),
	});
}

/** Adds that a proxy may have sent the response. Another server's word about the key must not stop the other items. */
function orProxy({ what, next }: StatusRow): StatusRow {
	return {
		what: `${what}, or a proxy between n8n and Segmind answered`,
		next: `${next.replace(/\.$/, '')}, or check that proxy.`,
	};
}

/** Statuses that mean the same whoever sends them: too slow, too large, too many calls, the service out of reach. */
const GATEWAY_STATUSES = new Set([408, 413, 429, 502, 503, 504]);

function meansTheSame(status: number): boolean {
	return GATEWAY_STATUSES.has(status) || isRedirect(status);
}

/** Whether a rejection is about credits, whatever the response says (docs/service.md S192, S196). */
function isAboutCredits(status: number, { purpose }: CallSubject): boolean {
	return isPaid(purpose) && (status === 402 || status === 406);
}

/** Returns who sent a response with an error status. Calls about a request count only the service's own form, because gateways use the other forms. */
function responderOf(response: HttpResponse, { purpose }: CallSubject): Responder {
	// The proxy that n8n uses wants a login. No server behind it sends this status.
	if (response.status === 407) return 'proxy';
	if (isWebPage(response)) return 'webPage';
	const isAboutRequest = purpose === 'status' || purpose === 'result';
	const isOwn = isAboutRequest ? isServicesOwnError(response) : hasErrorForm(response);
	return isOwn ? 'segmind' : 'unknown';
}

/** Statuses of errors whose body may name the cause. */
const CAUSE_STATUSES = new Set([400, 422, 500]);

/** Returns the row for an error status. That of a redirect names the address to which it leads, because it's probably the one to enter. */
function rowOf({ status, headers, body }: HttpResponse, { purpose }: CallSubject): StatusRow {
	const start = CAUSE_STATUSES.has(status) ? body.toString('utf8', 0, 20_000) : '';
	const row = namedCauseIn(start) ?? rowOfStatus(status, purpose);
	const target = isRedirect(status) ? originOf(headers.location ?? '') : undefined;
	if (target === undefined) return row;
	const { said } = say`If you trust ${target}, enter it in the credential.`;
	return { ...row, next: said };
}

/** Whoever sent a web page may know nothing about the key, the slug or the inputs. */
function pageRow(about: CallSubject): StatusRow {
	return { what: 'a web page answered instead of Segmind', next: checkPage(about).said };
}

export const CHECK_PROXY = say`Check the proxy or firewall between n8n and Segmind, and the addresses in the credential.`;

/** What to check after a web page. At another address of the console, the account API answers with one, too (docs/service.md S8, S9). */
export function checkPage({ purpose }: Pick<CallSubject, 'purpose'>): Said {
	const isAccount = purpose === 'account' || purpose === 'apiKey';
	return isAccount
		? say`Check Account URL in the Segmind Session API credential, and the proxy or firewall between n8n and Segmind.`
		: CHECK_PROXY;
}

/** Returns the message in an error's body, or its beginning; of a redirect, nothing. */
function reasonOf({ status, body }: HttpResponse, { redact }: Redactor): string {
	if (isRedirect(status)) return '';
	const text = body.toString('utf8');
	const parsed = parseJson(text);
	if (isObject(parsed) && Object.keys(parsed).length === 0) return '';
	const reason = isObject(parsed) ? reasonIn(parsed, redact) : '';
	return reason || excerpt(text, redact);
}

function noResponseFailure(
	{ redact }: Redactor,
	{ kind, reason }: NoResponse,
	about: CallSubject,
): SegmindFailure {
	const { subject, requestId } = about;
	const known = { charge: chargeOfFailedCall(requestId), requestId };
	if (kind === 'deadlinePassed') {
		const { what, next } = STATUSES['429'];
		return failureFrom('rateLimited', {
			...known,
			what: say`${capitalize(subject)} failed: ${whole(what)}`,
			next: whole(next),
			transient: true,
		});
	}
	return failureFrom('noResponse', {
		...known,
		what: say`${capitalize(subject)} got no response from Segmind${reason && say`: ${whole(excerpt(reason, redact))}`}`,
		next: say`Check the network of the n8n host and the addresses in the credential.`,
		...(kind !== 'unsent' && { transient: true }),
	});
}

/**
 * Returns the error for a successful response whose body can't be used: a web page, one that exceeds the size limit, or anything else, of which it quotes at
 * most 300 characters. `more`: what the caller knows better.
 */
export function unusableFailure(
	{ redact }: Redactor,
	response: HttpResponse,
	about: CallSubject,
	more: Partial<FailureText> = {},
): SegmindFailure {
	const { status, exceededLimitBytes, body } = response;
	const text = excerpt(body.toString('utf8'), redact);
	const page = isWebPage(response) ? 'a web page answered instead of Segmind: ' : '';
	const content = text === '' ? say`it was empty` : say`${page}'${whole(text)}'`;
	const why = exceededLimitBytes
		? say`it was larger than ${exceededLimitBytes / 1_000_000} MB`
		: content;
	return unusable(about.subject, say`${why} (HTTP ${status})`, {
		charge: chargeOfFailedCall(about.requestId),
		...(page !== '' && { next: checkPage(about) }),
		...more,
		httpCode: status,
		responder: responderOf(response, about),
		responseShape: responseShape(response),
		requestId: about.requestId,
		transient: true,
	});
}
