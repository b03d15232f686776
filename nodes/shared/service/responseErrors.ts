import { SegmindFailure, type FailureFacts, type Responder } from '../base/failure';
import type { Redact } from '../base/redact';
import { capitalize } from '../base/text';
import { unusable, type ErrorRow, type UnusableResponse } from '../errors/errorRows';
import { chargeOfRejected, explainStatus, failureFrom } from '../errors/failures';
import { say, whole, type Said } from '../errors/say';
import { namedCauseIn, STATUSES, type CallPurpose } from '../errors/statusTable';
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
	/** What was called, in the user's words: "model 'x'", "request z". */
	subject: string;
	/** The accepted request that the call is about, which goes on if the call fails. */
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
	const { status } = response;
	const responder = responderOf(response, about);
	const hasOtherMeaning = !isSuccess(response) && !meansTheSame(status);
	if (responder === 'webPage' && hasOtherMeaning) return webPageFailure(client, response, about);
	const mayBeFromProxy =
		responder === 'unknown' && hasOtherMeaning && !isAboutCredits(status, about);
	const { fatal, ...explained } = explainStatus({
		...about,
		status,
		reason: reasonOf(response, about, client.redact),
		mayBeFromProxy,
		namedCause: CAUSE_STATUSES.has(status) ? namedCauseIn(startOfBody(response)) : undefined,
	});
	// Another server's word about the key must not stop the other items.
	const isFatal = fatal && !mayBeFromProxy;
	return new SegmindFailure(status === 429 ? 'rateLimited' : 'rejected', {
		...explained,
		responder,
		...(responder === 'unknown' && { responseShape: responseShape(response) }),
		...(isFatal && { fatal }),
		...((mayBeFromProxy || isTransientStatus(status)) && { transient: true }),
	});
}

/** Statuses that mean the same whoever sends them: too slow, too large, too many calls, the service out of reach. */
const GATEWAY_STATUSES = new Set([408, 413, 429, 502, 503, 504]);

function meansTheSame(status: number): boolean {
	return GATEWAY_STATUSES.has(status) || isRedirect(status);
}

/** Calls that are charged. */
const PAID_PURPOSES = new Set<CallPurpose>(['submit', 'workflow', 'oneCall']);

/** Whether a rejection is about credits, whatever the response says (docs/service.md S192, S196). */
function isAboutCredits(status: number, { purpose }: CallSubject): boolean {
	return PAID_PURPOSES.has(purpose) && (status === 402 || status === 406);
}

/** The proxy that n8n uses wants a login. No server behind it sends this status. */
const PROXY_LOGIN = 407;

/** Returns who sent a response with an error status. Calls about a request count only the service's own form, because gateways use the other forms. */
function responderOf(response: HttpResponse, { purpose }: CallSubject): Responder {
	if (response.status === PROXY_LOGIN) return 'proxy';
	if (isWebPage(response)) return 'webPage';
	const isAboutRequest = purpose === 'status' || purpose === 'result';
	const isOwn = isAboutRequest ? isServicesOwnError(response) : hasErrorForm(response);
	return isOwn ? 'segmind' : 'unknown';
}

/** Statuses of errors whose body may name the cause. */
const CAUSE_STATUSES = new Set([400, 422, 500]);

function startOfBody({ body }: HttpResponse): string {
	return body.toString('utf8', 0, 20_000);
}

/** Returns the message in an error's body, or its beginning; of a redirect, where it leads. */
function reasonOf(
	{ status, headers, body }: HttpResponse,
	about: CallSubject,
	redactText: Redact,
): string {
	const target = isRedirect(status) ? originOf(headers.location ?? '') : undefined;
	// It's probably the one to enter.
	if (target !== undefined)
		return say`it leads to ${target}; if you trust this address, enter it in the credential${addressField(about)}`
			.said;
	const text = body.toString('utf8');
	const parsed = parseJson(text);
	if (isObject(parsed) && Object.keys(parsed).length === 0) return '';
	const reason = isObject(parsed) ? reasonIn(parsed, redactText) : '';
	return reason || excerpt(text, redactText);
}

/** Names the field of the credential with the address for these calls, if only one can be meant. */
function addressField({ purpose }: CallSubject): string {
	if (purpose === 'account' || purpose === 'apiKey') return ' as Account URL';
	return ['manage', 'read', 'upload'].includes(purpose) ? '' : ' as Base URL';
}

/** Returns the error for a web page. Whoever sent it may know nothing about the key, the slug or the inputs. */
function webPageFailure(
	{ redact }: Pick<Client, 'redact'>,
	{ status, body }: HttpResponse,
	about: CallSubject,
): SegmindFailure {
	const text = excerpt(body.toString('utf8'), redact);
	const row: ErrorRow = {
		what: say`${capitalize(about.subject)}: a web page answered instead of Segmind (HTTP ${status})${text && say`: '${whole(text)}'`}`,
		charge: chargeOfRejected(about.requestId),
		todo: say`${checkPage(about)}. Then run the node again.`,
	};
	return failureFrom('rejected', row, {
		httpCode: status,
		requestId: about.requestId,
		responder: 'webPage',
		transient: true,
	});
}

/** What to check after a web page. At another address of the console, the account API answers with one, too (docs/service.md S8, S9). */
export function checkPage({ purpose }: Pick<CallSubject, 'purpose'>): Said {
	const isAccount = purpose === 'account' || purpose === 'apiKey';
	return isAccount
		? say`Check Account URL in the Segmind Session API credential, and the proxy or firewall between n8n and Segmind`
		: say`Check the proxy or firewall between n8n and Segmind, and the addresses in the credential`;
}

function noResponseFailure(
	client: Pick<Client, 'redact'>,
	{ kind, reason }: NoResponse,
	about: CallSubject,
): SegmindFailure {
	const { subject, requestId } = about;
	if (kind === 'deadlinePassed') return rateLimitedFailure(about);
	const why = reason && say`: ${whole(excerpt(reason, client.redact))}`;
	const row: ErrorRow = {
		what: say`No response from Segmind for ${subject}${why}`,
		...(requestId === undefined ? CALL_UNANSWERED : CHECK_UNANSWERED),
	};
	const facts = { requestId, ...(kind !== 'unsent' && { transient: true as const }) };
	return failureFrom('noResponse', row, facts);
}

const CHECK_NETWORK = say`Check the network of the n8n host and the addresses in the credential`;

const CALL_UNANSWERED = {
	charge: 'none',
	todo: say`${CHECK_NETWORK}, then run the node again.`,
} as const;

/** For a call about an accepted request. */
const CHECK_UNANSWERED = {
	charge: 'chargedIfCompletes',
	todo: say`${CHECK_NETWORK}, then get the result by its request ID with Get Result, which sends no new request.`,
} as const;

/** Returns the error for a call that waited for the rate limit until its time was up. */
function rateLimitedFailure(about: CallSubject): SegmindFailure {
	const { what, todo } = STATUSES['429'];
	const row: ErrorRow = {
		what: say`${capitalize(about.subject)}: ${whole(what)}`,
		charge: chargeOfRejected(about.requestId),
		todo: whole(todo),
	};
	return failureFrom('rateLimited', row, { requestId: about.requestId, transient: true });
}

/** What the caller adds to the error for a response that can't be used: another row, and facts. */
interface UnusableDetails
	extends Partial<Pick<FailureFacts, 'outcomeUnknown' | 'search' | 'candidates'>> {
	row?: (response: UnusableResponse) => ErrorRow;
}

/** Returns the error for a response whose body can't be used. Says why: a web page, the size limit that it exceeds, or its first 300 characters. */
export function unusableFailure(
	client: Pick<Client, 'redact'>,
	response: HttpResponse,
	about: CallSubject,
	{ row = unusable, ...facts }: UnusableDetails = {},
): SegmindFailure {
	const { subject, requestId } = about;
	const { status } = response;
	return failureFrom(
		'unreadable',
		row({ subject, status, why: whyUnusable(client, response, about) }),
		{
			...facts,
			httpCode: status,
			responder: responderOf(response, about),
			responseShape: responseShape(response),
			requestId,
			transient: true,
		},
	);
}

function whyUnusable(
	{ redact }: Pick<Client, 'redact'>,
	response: HttpResponse,
	about: CallSubject,
): Said {
	const { exceededLimitBytes, body } = response;
	if (exceededLimitBytes) return say`it was larger than ${exceededLimitBytes / 1_000_000} MB`;
	const { what, todo } = STATUSES['407'];
	if (response.status === PROXY_LOGIN) return say`${whole(what)}. ${whole(todo)}`;
	if (isRedirect(response.status)) return whole(STATUSES['3xx'].what);
	const text = excerpt(body.toString('utf8'), redact);
	if (isWebPage(response))
		return say`a web page answered instead of Segmind: '${whole(text)}'. ${checkPage(about)}`;
	return whole(text || 'it was empty');
}
