import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import { ACCOUNT_CAUSES } from '../errors/accountTable';
import { failureOf, notSentFailure, stoppedFailure } from '../errors/failures';
import { raceWithStop } from '../run/raceWithStop';
import { excerpt, reasonIn } from '../service/errorBody';
import {
	callService,
	callUsing,
	isSuccess,
	type CallEnds,
	type HttpCall,
	type HttpOutcome,
} from '../service/http';
import { joinUrl } from '../service/origins';
import {
	isTransient,
	mayHaveBeenCarriedOut,
	mayBeSentAgain,
	pauseBeforeRetry,
	callOutcomeOf,
} from '../service/retry';
import { isObject, parseJson } from '../service/schemas';
import { timeLimits } from '../service/timeLimits';
import { explainAccount, errorCodeOf } from './accountErrors';
import { SEGMIND_SESSION_API, type AccountSession } from './accountSession';

const CALL_TIMEOUT_MS = 30_000;
/** How long one call waits for the rate limit of five calls a minute (docs/service.md S221), or for an unreachable service. */
const MAX_WAIT_MS = 90_000;

interface AccountCall {
	/** A GET is repeated after faults. Other methods change the account and aren't repeated. */
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** The path below {accountUrl}. */
	path: string;
	body?: Record<string, unknown>;
	/** The action, in the user's words: "renaming the API key". */
	subject: string;
	/** Whether to send no Authorization header, because the user isn't signed in yet. */
	signedOut?: true;
	/** Whether to refresh the access token first, even if the stored one is valid. */
	refreshFirst?: true;
}

/** A successful response of the account API. */
interface AccountResponse {
	status: number;
	/** The parsed body, or its text if it isn't JSON. */
	body: unknown;
}

/** The last call of each credential, by the credential's ID. The next call waits for it. */
const lastCalls = new Map<string, Promise<unknown>>();

/**
 * Calls the account API. The calls of a credential are made one at a time across all executions of this process: four at once with an expired token
 * would refresh it four times (docs/n8n.md N121, N123).
 * @throws SegmindFailure for every response that isn't successful; `outcomeUnknown` if a change may have been made
 */
export async function callAccount(
	session: AccountSession,
	call: AccountCall,
): Promise<AccountResponse> {
	const { credential, signal } = session;
	const queuedCall = (lastCalls.get(credential.id) ?? Promise.resolve()).then(async () => {
		if (signal?.aborted) throw stoppedFailure();
		if (session.fatalFailure) throw notSentFailure(session.fatalFailure);
		const work = callWithRetries(session, call).then((outcome) =>
			readSuccess(session, call, outcome),
		);
		return await work.catch((error: unknown) => {
			// Set before this call ends, because the next call checks it first.
			if (error instanceof SegmindFailure && error.facts.fatal) session.fatalFailure = error.facts;
			return Promise.reject(error);
		});
	});
	lastCalls.set(
		credential.id,
		queuedCall.catch(() => undefined),
	);
	// `doOnce` records the outcome of a change, even after Stop.
	return call.method === 'GET' ? await raceWithStop(session, queuedCall) : await queuedCall;
}

/** Makes the call, again after refreshing a rejected token, and again as the retry rule allows. */
async function callWithRetries(session: AccountSession, call: AccountCall): Promise<HttpOutcome> {
	const { clock, signal } = session;
	const pauseRules = { clock, signal, random: Math.random, endsAt: clock.now() + MAX_WAIT_MS };
	for (let tries = 1; ; tries++) {
		let outcome = await callOnce(session, call, call.refreshFirst === true && tries === 1);
		if (isSessionRejected(outcome) && !session.tokens.isFresh && !call.signedOut)
			outcome = await callOnce(session, call, true);
		const callOutcome = callOutcomeOf(outcome);
		const mayRepeat =
			call.method === 'GET' ? isTransient(callOutcome) : mayBeSentAgain(callOutcome, tries);
		if (!mayRepeat || !(await pauseBeforeRetry(callOutcome, tries, pauseRules))) return outcome;
	}
}

function isSessionRejected(outcome: HttpOutcome): boolean {
	if ('fault' in outcome || outcome.response.status !== 401) return false;
	return errorCodeOf(401, parseJson(outcome.response.body.toString('utf8'))) === 'invalid_token';
}

async function callOnce(
	session: AccountSession,
	call: AccountCall,
	refresh: boolean,
): Promise<HttpOutcome> {
	const { context, clock, credential } = session;
	const { method, path, body } = call;
	const httpCall: HttpCall = {
		method,
		url: joinUrl(session.accountUrl, path),
		headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
		body: body && JSON.stringify(body),
		timeoutMs: CALL_TIMEOUT_MS,
	};
	// A call that changes the account goes on after the execution is stopped.
	const signal = method === 'GET' ? session.signal : undefined;
	const ends: CallEnds = { clock, limits: timeLimits, signal };
	if (call.signedOut) return await callUsing(context.helpers.httpRequest, httpCall, ends);
	// The credential is read for every call, because an earlier one may have refreshed the token. If `accessToken` is empty, n8n refreshes it (docs/n8n.md
	// N120), stores the new tokens and writes them into `data`.
	const stored = await context.getCredentials(SEGMIND_SESSION_API);
	const data: ICredentialDataDecryptedObject = { ...stored, ...(refresh && { accessToken: '' }) };
	const outcome = await callService(context, SEGMIND_SESSION_API, httpCall, ends, {
		credentialsDecrypted: { ...credential, type: SEGMIND_SESSION_API, data },
	});
	session.tokens = {
		accessToken: String(data.accessToken),
		refreshToken: String(data.refreshToken),
		isFresh: refresh || data.accessToken !== stored.accessToken,
		isRotated: data.refreshToken !== stored.refreshToken,
	};
	session.hide(data.accessToken, data.refreshToken);
	return outcome;
}

/** Returns the response if it's successful. @throws SegmindFailure otherwise */
function readSuccess(
	session: AccountSession,
	{ subject, method }: AccountCall,
	outcome: HttpOutcome,
): AccountResponse {
	if ('fault' in outcome) {
		const values = { subject, why: `: ${excerpt(outcome.fault.reason, session.redact)}` };
		throw outcome.fault.kind === 'lost' && method !== 'GET'
			? failureOf('unknownOutcome', ACCOUNT_CAUSES.unknown, values, { outcomeUnknown: true })
			: failureOf('noResponse', ACCOUNT_CAUSES.noResponse, values);
	}
	const { status } = outcome.response;
	const text = outcome.response.body.toString('utf8').trim();
	const body = parseJson(text) ?? text;
	if (isSuccess(status) && !reportsFailure(body)) return { status, body };
	const mayHaveBeenDone = mayHaveBeenCarriedOut(status) && method !== 'GET';
	throw new SegmindFailure(mayHaveBeenDone ? 'unknownOutcome' : 'rejected', {
		...explainAccount(status, body, subject, reasonIn(body, session.redact)),
		...(mayHaveBeenDone && { outcomeUnknown: true }),
	});
}

/** Whether the body of a 2xx response says that nothing was done. */
function reportsFailure(body: unknown): boolean {
	return isObject(body) && (Boolean(body.error) || body.success === false);
}

/** Returns the error for a successful response whose body can't be used. The body isn't quoted, because it may contain a key or a token. */
export function unusableResponseFailure(
	status: number,
	subject: string,
	mayHaveBeenDone?: true,
): SegmindFailure {
	const otherFacts = { httpCode: status, outcomeUnknown: mayHaveBeenDone };
	return failureOf('unreadable', ACCOUNT_CAUSES.unusable, { subject, status }, otherFacts);
}
