import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { SegmindFailure } from '../base/failure';
import { ACCOUNT_CAUSES } from '../errors/accountTable';
import { CAUSES } from '../errors/errorTable';
import { failureOf, notSent, stopped } from '../errors/failures';
import { untilStopped } from '../run/untilStopped';
import { excerpt, reasonIn } from '../service/errorBody';
import {
	callService,
	callWithoutCredential,
	isSuccess,
	type CallEnds,
	type HttpCall,
	type HttpOutcome,
} from '../service/http';
import { joinUrl } from '../service/origins';
import {
	isTransient,
	mayBeCarriedOut,
	mayBeSentAgain,
	pauseBeforeRetry,
	sentFrom,
} from '../service/retry';
import { isObject, parseJson } from '../service/schemas';
import { timeLimits } from '../service/timeLimits';
import { explainAccount, refusalOf } from './accountErrors';
import { SEGMIND_SESSION_API, type AccountSession } from './accountSession';

const CALL_LIMIT_MS = 30_000;
/** How long one call waits out rate limits and a service that is away, ms; the limit is five calls a minute (docs/service.md S221). */
const PATIENCE_MS = 90_000;

interface AccountCall {
	/** A GET reads, and is repeated after faults; anything else changes the account, and is not. */
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** Below {accountUrl}. */
	path: string;
	body?: Record<string, unknown>;
	/** What is asked for, in the user's words: "renaming the API key". */
	subject: string;
	/** Send no Authorization: the call of someone who is not signed in yet. */
	signedOut?: true;
	/** Fetch a new access token before the call, whatever the stored one is worth. */
	refreshFirst?: true;
}

/** A good answer. */
interface AccountResponse {
	status: number;
	/** The parsed body, or its text when it is not JSON. */
	body: unknown;
}

/** The last call of each credential. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Calls the account API when it is this call's turn. The calls of a credential go one at a time, in all executions of this process: four at
 * once with an expired token would refresh it four times (docs/n8n.md N121, N123).
 * @throws SegmindFailure for every answer but a success; `outcomeUnknown` when a changing call may have been done
 */
export async function callAccount(
	session: AccountSession,
	call: AccountCall,
): Promise<AccountResponse> {
	const { credential, signal } = session;
	const mine = (turns.get(credential.id) ?? Promise.resolve()).then(async () => {
		if (signal?.aborted) throw stopped();
		if (session.fatalFailure) throw notSent(session.fatalFailure);
		const work = withRetries(session, call).then((outcome) => successOf(session, call, outcome));
		return await work.catch((error: unknown) => {
			// Set before the turn ends: the next call looks at it first.
			if (error instanceof SegmindFailure && error.facts.fatal) session.fatalFailure = error.facts;
			return Promise.reject(error);
		});
	});
	turns.set(
		credential.id,
		mine.catch(() => undefined),
	);
	return await untilStopped(session, mine, CAUSES.stoppedAccount);
}

/** Refreshes a token that is refused, once, and waits out what the retry rule lets be repeated. */
async function withRetries(session: AccountSession, call: AccountCall): Promise<HttpOutcome> {
	const { clock, signal } = session;
	const pausing = { clock, signal, random: Math.random, endsAt: clock.now() + PATIENCE_MS };
	for (let tries = 1; ; tries++) {
		let outcome = await attempt(session, call, call.refreshFirst === true && tries === 1);
		if (isSessionRefused(outcome) && !session.tokens.isFresh && !call.signedOut)
			outcome = await attempt(session, call, true);
		const sent = sentFrom(outcome);
		const mayRepeat = call.method === 'GET' ? isTransient(sent) : mayBeSentAgain(sent, tries);
		if (!mayRepeat || !(await pauseBeforeRetry(sent, tries, pausing))) return outcome;
	}
}

function isSessionRefused(outcome: HttpOutcome): boolean {
	if ('fault' in outcome || outcome.response.status !== 401) return false;
	return refusalOf(401, parseJson(outcome.response.body.toString('utf8'))) === 'invalid_token';
}

async function attempt(
	session: AccountSession,
	call: AccountCall,
	refresh: boolean,
): Promise<HttpOutcome> {
	const { context, clock, credential } = session;
	const { method, path, body } = call;
	const http: HttpCall = {
		method,
		url: joinUrl(session.accountUrl, path),
		headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
		body: body && JSON.stringify(body),
		limitMs: CALL_LIMIT_MS,
	};
	// What changes the account is let finish when the execution is stopped.
	const signal = method === 'GET' ? session.signal : undefined;
	const ends: CallEnds = { clock, limits: timeLimits, signal };
	if (call.signedOut) return await callWithoutCredential(context.helpers.httpRequest, http, ends);
	// As it is stored now: an earlier call may have refreshed it. n8n fetches an access token that is empty, stores it, and writes it in here.
	const stored = await context.getCredentials(SEGMIND_SESSION_API);
	const data: ICredentialDataDecryptedObject = { ...stored, ...(refresh && { accessToken: '' }) };
	const outcome = await callService(context, SEGMIND_SESSION_API, http, ends, {
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

function successOf(
	session: AccountSession,
	{ subject, method }: AccountCall,
	outcome: HttpOutcome,
): AccountResponse {
	if ('fault' in outcome) {
		const values = { subject, why: `: ${excerpt(outcome.fault.reason, session.redact)}` };
		throw outcome.fault.kind === 'lost' && method !== 'GET'
			? failureOf('unknownOutcome', ACCOUNT_CAUSES.unknown, values, { outcomeUnknown: true })
			: failureOf('noResponse', CAUSES.noResponse, values);
	}
	const { status } = outcome.response;
	const text = outcome.response.body.toString('utf8').trim();
	const body = parseJson(text) ?? text;
	if (isSuccess(status) && !saysItFailed(body)) return { status, body };
	const mayBeDone = mayBeCarriedOut(status) && method !== 'GET';
	throw new SegmindFailure(mayBeDone ? 'unknownOutcome' : 'rejected', {
		...explainAccount(status, body, subject, reasonIn(body, session.redact)),
		...(mayBeDone && { outcomeUnknown: true }),
	});
}

/** True for a body that says of itself, under 2xx, that nothing was done. */
function saysItFailed(body: unknown): boolean {
	return isObject(body) && (Boolean(body.error) || body.success === false);
}

/** The failure for a success whose body cannot be used. It is not quoted: it may hold a key or a token. */
export function unusableResponse(
	status: number,
	subject: string,
	mayBeDone?: true,
): SegmindFailure {
	const known = { httpCode: status, outcomeUnknown: mayBeDone };
	return failureOf('unreadable', ACCOUNT_CAUSES.unusable, { subject, status }, known);
}
