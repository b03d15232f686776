import { redact, type Redact } from '../base/redact';
import { reasonIn } from './errorBody';
import { isSuccess, type HttpResponse } from './http';
import { isObject, parseJson, statusResponse, type StatusResponse } from './schemas';

/** The JSON of an answer; undefined when it is none. */
export function jsonOf(response: HttpResponse): unknown {
	return parseJson(response.body.toString('utf8'));
}

/** Members of an error that only the service itself writes (docs/service.md S203, S204); gateways too write a `message`. */
const OWN_ERROR_MEMBERS = ['error', 'error_message', 'html-message'];

/** True for an error in the service's own JSON form. */
export function isServicesOwnError(response: HttpResponse): boolean {
	const body = jsonOf(response);
	return isObject(body) && OWN_ERROR_MEMBERS.some((name) => (body[name] ?? '') !== '');
}

/** What an answer about a request means. */
export type Meaning =
	| { kind: 'running'; word: string; body: StatusResponse }
	| { kind: 'completed'; body: StatusResponse }
	| { kind: 'failed'; httpStatus: number; body: StatusResponse }
	/** 422 with an error but no status word: failed only when the result answers likewise. */
	| { kind: 'maybeFailed'; httpStatus: number; body: StatusResponse }
	/** The service does not know the request, at least not now. */
	| { kind: 'missing' }
	/** Nothing that could be understood: a gateway's page, a cut body. */
	| { kind: 'unreadable' }
	/** 429, 5xx and the like: ask again. */
	| { kind: 'transient' }
	/** The key is not good for it, or the address sends it elsewhere. */
	| { kind: 'rejected' };

/** States in which asking again soon may help although the body says nothing. */
const TRANSIENT = new Set([408, 425, 429]);
const REJECTED = new Set([401, 403]);

type RequestState = 'running' | 'completed' | 'failed';
/**
 * What a status word means in a 2xx response, in any other response, and in a row of the request history. Any other word means still running. ERROR is
 * final only in a row: in a response anyone on the way may have written it, and a request that failed is resent, so it could be charged twice.
 */
const STATES: Record<string, Record<'success' | 'error' | 'row', RequestState>> = {
	COMPLETED: { success: 'completed', error: 'completed', row: 'completed' },
	SUCCESS: { success: 'completed', error: 'running', row: 'completed' },
	SUCCEEDED: { success: 'completed', error: 'running', row: 'completed' },
	FAILED: { success: 'failed', error: 'failed', row: 'failed' },
	ERROR: { success: 'running', error: 'running', row: 'failed' },
};

function stateFor(
	word: string | null | undefined,
	source: 'success' | 'error' | 'row',
): RequestState {
	const upper = (word ?? '').trim().toUpperCase();
	return Object.hasOwn(STATES, upper) ? STATES[upper][source] : 'running';
}

/**
 * Reads an answer about a request: its body first, its HTTP status second. Pure; the table is test/unit/responses.test.ts.
 *
 * - Under 2xx and 422 the status word decides. Under any other status only when the body names the request that was asked for: anybody on the
 *   way may have made that answer. A body that names another request says nothing about this one, whatever its status.
 * - Words are read in any case. SUCCESS and SUCCEEDED count as COMPLETED under 2xx; a word we do not know, ERROR too, means still running.
 * - Without a word, a 2xx that carries a result is the result (older workflow pages).
 */
export function readResponse(response: HttpResponse, requestId: string): Meaning {
	const { status } = response;
	const is2xx = isSuccess(status);
	const parsed = statusResponse.safeParse(jsonOf(response));
	const body = parsed.success ? parsed.data : undefined;
	if (body && namesAnother(body, requestId) && (is2xx || status === 422))
		return { kind: 'unreadable' };
	const word = (body?.status ?? '').trim().toUpperCase();
	const decides = is2xx || status === 422 || (requestId !== '' && body?.request_id === requestId);
	if (body && word !== '' && decides) return byStatus(word, body, status, is2xx);
	if (is2xx && body && carriesResult(body)) return { kind: 'completed', body };
	if (status === 422 && body && reasonIn(body) !== '')
		return { kind: 'maybeFailed', httpStatus: status, body };
	if (status === 404) return { kind: 'missing' };
	// A redirect is not followed, since the key would be sent along.
	if (REJECTED.has(status) || (status >= 300 && status < 400)) return { kind: 'rejected' };
	if (isTransientStatus(status)) return { kind: 'transient' };
	return { kind: 'unreadable' };
}

/** True for the answer of a request that is not the one asked for: a cache or a proxy mixed them up. An id may come with or without hyphens. */
function namesAnother({ request_id }: StatusResponse, requestId: string): boolean {
	const named = plainId(request_id ?? '');
	return named !== '' && requestId !== '' && named !== plainId(requestId);
}

function plainId(id: string): string {
	return id.trim().replaceAll('-', '').toLowerCase();
}

function byStatus(word: string, body: StatusResponse, httpStatus: number, is2xx: boolean): Meaning {
	const state = stateFor(word, is2xx ? 'success' : 'error');
	if (state === 'failed') return { kind: 'failed', httpStatus, body };
	if (state === 'completed') return { kind: 'completed', body };
	return { kind: 'running', word: body.status ?? word, body };
}

/** Members of an answer that are about the request, not what it made. */
const NOT_RESULT = new Set([
	'request_id',
	'id',
	'status',
	'poll_url',
	'status_url',
	'response_url',
	'message',
	'msg',
	'metrics',
	'timings',
	'seed',
	'cost',
	'remaining_credits',
	'infer_time',
	'interTime',
	'inference_time',
	'prompt',
	'error',
	'error_message',
	'error_description',
	'detail',
	'model',
	'workflow',
]);

/** What an answer made: its members beyond ids, addresses, figures and errors that are not null. */
export function resultMembers(body: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(
		Object.entries(body).filter(
			([name, value]) => !NOT_RESULT.has(name) && value !== null && value !== undefined,
		),
	);
}

/** True when a finished answer carries what was made; an output that is present and empty is an answer too. */
export function hasResult(body: Record<string, unknown>): boolean {
	return Object.keys(resultMembers(body)).length > 0;
}

/** The same for an answer without a status word, where an empty output says nothing. */
function carriesResult(body: Record<string, unknown>): boolean {
	return Object.values(resultMembers(body)).some((value) => !isEmpty(value));
}

/** True when all that a finished answer made is empty. */
export function isEmptyResult(body: Record<string, unknown>): boolean {
	return Object.values(resultMembers(body)).every(isEmpty);
}

function isEmpty(value: unknown): boolean {
	if (typeof value === 'string') return value.trim() === '';
	if (Array.isArray(value)) return value.length === 0;
	return isObject(value) && Object.keys(value).length === 0;
}

/** What became of a request, by the word of a row of the request history. */
export function stateOf(word: string | null | undefined): RequestState {
	return stateFor(word, 'row');
}

/** The reason of a failed request in the service's words; '' when it gave none. `clean`: the session's `redact`. */
export function failureReason(response: StatusResponse, clean: Redact = redact): string {
	const { error, error_message, message, msg, detail } = response;
	return reasonIn({ error, error_message, message, msg, detail }, clean);
}

/** True for an answer that a later call may well get past. */
export function isTransientStatus(status: number): boolean {
	return TRANSIENT.has(status) || status >= 500;
}
