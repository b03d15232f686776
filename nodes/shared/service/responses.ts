import { isSuccess, type CallOutcome, type HttpResponse } from './http';
import { hasOtherValues, withoutCallDetails } from './otherValues';
import {
	isObject,
	parseJson,
	parseResult,
	REQUEST_MEMBERS,
	statusResponse,
	TEXT_MEMBERS,
	type StatusResponse,
} from './schemas';

/** Parses the JSON of a response; undefined if it isn't JSON. */
export function jsonOf(response: HttpResponse): unknown {
	return parseJson(response.body.toString('utf8'));
}

/** Members of an error that only the service itself uses (docs/service.md S203, S204). */
const OWN_ERROR_MEMBERS = ['error', 'error_message', 'html-message'];
/** Members of an error that gateways use, too. */
const SHARED_ERROR_MEMBERS = ['msg', 'message', 'detail'];

/** Whether an error has the service's own JSON form, which proxies and gateways don't use. */
export function isServicesOwnError(response: HttpResponse): boolean {
	return hasFilledMember(response, OWN_ERROR_MEMBERS);
}

/** Whether an error has a JSON form that the service uses. A gateway may use it, too. */
export function hasErrorForm(response: HttpResponse): boolean {
	return hasFilledMember(response, [...OWN_ERROR_MEMBERS, ...SHARED_ERROR_MEMBERS]);
}

function hasFilledMember(response: HttpResponse, names: string[]): boolean {
	const body = jsonOf(response);
	return isObject(body) && names.some((name) => (body[name] ?? '') !== '');
}

/**
 * Whether a response is a web page. The service itself sends one only for a wrong method (docs/service.md S195). JSON and plain texts are none, whatever
 * their content type.
 */
export function isWebPage({ headers, body }: HttpResponse): boolean {
	const start = body.toString('utf8', 0, 1_000);
	const isHtml = /^\s*text\/html\b/i.test(headers['content-type'] ?? '');
	return (isHtml ? /^\s*</ : /^\s*<(!doctype html|html|head|body)\b/i).test(start);
}

/** A response that reports FAILED. */
export interface FailedResponse {
	kind: 'failed';
	/** HTTP status, unless it's 2xx. */
	httpCode?: number;
	body: StatusResponse;
}

/** What a call about a request means, and its outcome. */
export type ResponseMeaning = { outcome: CallOutcome } & (
	| { kind: 'running'; word: string; body: StatusResponse }
	| { kind: 'completed'; body: StatusResponse }
	| FailedResponse
	/** The request can't be found, at least not now. `isReported`: Segmind itself says so, not a proxy. */
	| { kind: 'missing'; isReported: boolean }
	/** The response can't be understood: a proxy's page, an incomplete body. */
	| { kind: 'unreadable' }
	/** No response, 5xx and the like: check again. */
	| { kind: 'transient' }
	/** 429, or the rate limiter didn't allow the call in time. */
	| { kind: 'rateLimited' }
	/** Segmind itself says that the key is invalid or has no access, or that the URL redirects. */
	| { kind: 'rejected' }
);

/** Statuses after which checking again soon may help. */
const TRANSIENT_STATUSES = new Set([408, 425, 429]);
/** Statuses that reject the key. */
const REJECTED_STATUSES = new Set([401, 403]);

export type RequestState = 'running' | 'completed' | 'failed';

/**
 * Returns the state of a request according to a status word; case doesn't matter. Any other word than these, such as ERROR, means still running: treating
 * the request as failed could have it resent and charged twice. `isTrusted`: false for the word of an error response, which a gateway may have made.
 */
export function stateOf(word: string | null | undefined, isTrusted = true): RequestState {
	const upper = (word ?? '').trim().toUpperCase();
	if (upper === 'FAILED') return 'failed';
	const isCompleted =
		upper === 'COMPLETED' || (isTrusted && ['SUCCESS', 'SUCCEEDED'].includes(upper));
	return isCompleted ? 'completed' : 'running';
}

/**
 * Reads the outcome of a call about a request: the response's body first, its HTTP status second. Pure; the table is test/unit/responses.test.ts.
 *
 * - Under 2xx and 422 the status word decides. Under any other status it counts only if the body names this request, because a gateway may have made
 *   the response. A body that names another request says nothing about this one, whatever its status.
 * - The case of a status word doesn't matter. SUCCESS and SUCCEEDED mean COMPLETED under 2xx. An unknown word, and ERROR, mean still running.
 * - Without a status word, a 2xx that has a result is the result (docs/service.md S158). Before the request `hasCompleted`, members that may describe a
 *   running one, such as its place in a queue, are none.
 * - A rejection counts only in the service's own form: a firewall's 403 or a portal's redirect says nothing about the request.
 */
export function readResponse(
	outcome: CallOutcome,
	requestId: string,
	hasCompleted = false,
): ResponseMeaning {
	if (outcome.kind === 'deadlinePassed') return { kind: 'rateLimited', outcome };
	if (outcome.kind !== 'response') return { kind: 'transient', outcome };
	if (outcome.status === 429) return { kind: 'rateLimited', outcome };
	return meaningOfBody(outcome, requestId, hasCompleted) ?? meaningOfStatus(outcome);
}

/** Returns what the body says of the request; undefined if it says nothing. */
function meaningOfBody(
	outcome: HttpResponse,
	requestId: string,
	hasCompleted: boolean,
): ResponseMeaning | undefined {
	const body = statusResponse.safeParse(parseResult(outcome.body.toString('utf8'))).data;
	if (body === undefined) return undefined;
	const is2xx: boolean = isSuccess(outcome);
	const isOfService = is2xx || outcome.status === 422;
	if (isOfService && namesAnother(body, requestId)) return { kind: 'unreadable', outcome };
	const namesThis = requestId !== '' && body.request_id === requestId;
	if (body.status?.trim() && (isOfService || namesThis))
		return meaningOfWord(body, body.status, outcome);
	return is2xx && hasNonEmptyResult(body, hasCompleted)
		? { kind: 'completed', body, outcome }
		: undefined;
}

function meaningOfWord(body: StatusResponse, word: string, outcome: HttpResponse): ResponseMeaning {
	const is2xx: boolean = isSuccess(outcome);
	const state = stateOf(word, is2xx);
	if (state === 'running') return { kind: state, word, body, outcome };
	return { kind: state, ...(!is2xx && { httpCode: outcome.status }), body, outcome };
}

/** Returns what the HTTP status means if the body says nothing of the request. */
function meaningOfStatus(outcome: HttpResponse): ResponseMeaning {
	const { status } = outcome;
	if (status === 404) return { kind: 'missing', isReported: isServicesOwnError(outcome), outcome };
	const isRejection = REJECTED_STATUSES.has(status) || isRedirect(status);
	if (isRejection && isServicesOwnError(outcome)) return { kind: 'rejected', outcome };
	return { kind: isTransientStatus(status) ? 'transient' : 'unreadable', outcome };
}

/** Whether a response names another request, because a cache or a proxy mixed them up. Hyphens in IDs don't matter. */
function namesAnother({ request_id }: StatusResponse, requestId: string): boolean {
	const namedId = plainId(request_id ?? '');
	return namedId !== '' && requestId !== '' && namedId !== plainId(requestId);
}

function plainId(id: string): string {
	return id.trim().replaceAll('-', '').toLowerCase();
}

/** Whether a member of a response is a part of its output: it isn't null, and doesn't describe the request. */
function isResultMember(name: string, value: unknown): boolean {
	return !REQUEST_MEMBERS.has(name) && value !== null && value !== undefined;
}

/** Returns the parts of the output in a response that are beside the member `output`. A response may have a million members, so they're copied once. */
export function membersBesideOutput(body: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(body).filter(
			([name, value]) => name !== 'output' && isResultMember(name, value),
		),
	);
}

/** Whether a response of a completed request has an output, which may be empty. */
export function hasResult(body: Record<string, unknown>): boolean {
	return Object.keys(body).some((name) => isResultMember(name, body[name]));
}

/** Whether a response has an error in place of an output: an error without a file or a text beside it, or nothing but a message (docs/service.md S65). */
export function isOnlyError(body: Record<string, unknown>): boolean {
	const members = Object.entries(body).filter(([, value]) => hasOtherValues(value));
	if (members.length === 1 && ['message', 'msg', 'detail'].includes(members[0][0])) return true;
	const hasError = members.some(([name, value]) => /^error(_message)?$/.test(name) && value);
	return hasError && !members.some(([name, value]) => isOutputBesideError(name, value));
}

/** A code, a flag or details beside an error are no output. */
function isOutputBesideError(name: string, value: unknown): boolean {
	if (name === 'details' || !isResultMember(name, value)) return false;
	if (typeof value !== 'string') return typeof value === 'object';
	return (
		name === 'output' ||
		TEXT_MEMBERS.includes(name) ||
		value.length >= MIN_FILE_CHARS ||
		/^https?:/i.test(value)
	);
}

/** Base64 and data URLs are longer than a code. */
const MIN_FILE_CHARS = 64;

/** Whether a response without a status word has an output. Here an empty output doesn't count, because it doesn't show that the request completed. */
function hasNonEmptyResult(body: Record<string, unknown>, hasCompleted: boolean): boolean {
	const beside = membersBesideOutput(body);
	const made = hasCompleted ? beside : withoutCallDetails(beside);
	return hasOtherValues(body.output) || hasOtherValues(made);
}

/** Whether a call was redirected. No redirect is followed, because the key would be sent along. */
export function isRedirect(status: number): boolean {
	return status >= 300 && status < 400;
}

/** Whether a call that got this status may succeed later. */
export function isTransientStatus(status: number): boolean {
	return TRANSIENT_STATUSES.has(status) || status >= 500;
}
