import type { ICredentialDataDecryptedObject, IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { SegmindFailure } from '../base/failure';
import { CAUSES, type CallPurpose } from '../errors/errorTable';
import { failureOf, notSentFailure, stoppedFailure } from '../errors/failures';
import { doOnce, type Action } from '../manage/doOnce';
import { responseOf, responseOfChange } from '../manage/managedCalls';
import { PARTS } from '../errors/parts';
import { raceWithStop } from '../run/raceWithStop';
import { callService, callUsing } from '../service/http';
import { joinUrl } from '../service/origins';
import { rejectionFailure } from '../service/responseErrors';
import { jsonOf } from '../service/responses';
import {
	callOutcomeOf,
	isTransient,
	mayBeSentAgain,
	pauseBeforeRetry,
	type CallOutcome,
} from '../service/retry';
import { isObject } from '../service/schemas';
import { timeLimits } from '../service/timeLimits';
import { SEGMIND_SESSION_API, type AccountSession } from './accountSession';

const CALL_TIMEOUT_MS = 30_000;
/** How long one call waits for the rate limit of five calls a minute (docs/service.md S221), or for an unreachable service. */
const MAX_WAIT_MS = 90_000;

export interface AccountCall {
	/** A GET is repeated after faults. Other methods change the account and aren't repeated. */
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** The path below {accountUrl}. */
	path: string;
	body?: IDataObject;
	/** Whether to send no Authorization header, because the user isn't signed in yet. */
	signedOut?: true;
	/** Whether to refresh the access token first, even if the stored one is valid. */
	refreshFirst?: true;
}

/** A successful response of the account API. */
export interface AccountResponse {
	status: number;
	/** The parsed body, or its text if it isn't JSON. */
	body: unknown;
}

type About = Pick<Action, 'subject' | 'whenUnknown'>;

/** Reads from the account, once per run of the node. `subject`: the action in the user's words. @throws SegmindFailure unless it succeeds */
export async function readAccount(
	session: AccountSession,
	call: Pick<AccountCall, 'path' | 'refreshFirst'>,
	subject: string,
): Promise<AccountResponse> {
	return await session.memoize(call.path, async () => {
		const calling = callInTurn(session, { method: 'GET', ...call }, { subject });
		return await raceWithStop(session, calling);
	});
}

/**
 * Changes the account, once per execution, and finishes the call after Stop. `itemOf` makes the output.
 * @throws SegmindFailure unless it succeeds; with `outcomeUnknown` if it may have been carried out
 */
export async function changeAccount(
	session: AccountSession,
	action: Action,
	call: AccountCall,
	itemOf: (response: AccountResponse) => IDataObject,
): Promise<INodeExecutionData> {
	const request = action.whenUnknown === undefined ? undefined : call;
	return await doOnce(session, { ...action, request }, async () => ({
		json: itemOf(await callInTurn(session, call, action)),
	}));
}

/** The last call of each credential, by the credential's ID. The next call waits for it. */
const lastCalls = new Map<string, Promise<unknown>>();

/**
 * Makes a call after all earlier calls of its credential in this process: four at once with an expired token would refresh it four times
 * (docs/n8n.md N121, N123).
 * @throws SegmindFailure unless it succeeds, or if an earlier failure concerns this call too
 */
async function callInTurn(
	session: AccountSession,
	call: AccountCall,
	about: About,
): Promise<AccountResponse> {
	const { credential, signal } = session;
	const calling = (lastCalls.get(credential.id) ?? Promise.resolve()).then(async () => {
		if (signal?.aborted) throw stoppedFailure();
		if (session.fatalFailure) throw notSentFailure(session.fatalFailure);
		return readSuccess(session, call, about, await callWithRetries(session, call));
	});
	lastCalls.set(
		credential.id,
		calling.catch(() => undefined),
	);
	return await calling;
}

/** Makes the call, again after refreshing a rejected token, and again as the retry rule allows. */
async function callWithRetries(session: AccountSession, call: AccountCall): Promise<CallOutcome> {
	const { clock, signal } = session;
	const pauseRules = { clock, signal, random: Math.random, endsAt: clock.now() + MAX_WAIT_MS };
	for (let tries = 1; ; tries++) {
		let outcome = await callOnce(session, call, call.refreshFirst === true && tries === 1);
		if (isSessionRejected(outcome) && !session.tokens.isFresh && !call.signedOut)
			outcome = await callOnce(session, call, true);
		const mayRepeat = call.method === 'GET' ? isTransient(outcome) : mayBeSentAgain(outcome, tries);
		if (!mayRepeat || !(await pauseBeforeRetry(outcome, tries, pauseRules))) return outcome;
	}
}

function isSessionRejected(sent: CallOutcome): boolean {
	return sent.kind === 'response' && sent.response.status === 401 && !isAboutKey(sent);
}

/** Whether an error is about an API key in the body, and not about the session (docs/service.md S392). */
function isAboutKey(sent: CallOutcome): boolean {
	const body = sent.kind === 'response' ? jsonOf(sent.response) : undefined;
	return isObject(body) && body.error === 'invalid_api_key';
}

async function callOnce(
	session: AccountSession,
	{ method, path, body, signedOut }: AccountCall,
	refresh: boolean,
): Promise<CallOutcome> {
	const { context, clock, credential } = session;
	const httpCall = {
		method,
		url: joinUrl(session.accountUrl, path),
		headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
		body: body && JSON.stringify(body),
		timeoutMs: CALL_TIMEOUT_MS,
	};
	// A call that changes the account goes on after the execution is stopped.
	const ends = { clock, limits: timeLimits, signal: method === 'GET' ? session.signal : undefined };
	if (signedOut) return callOutcomeOf(await callUsing(context.helpers.httpRequest, httpCall, ends));
	// The credential is read for every call, because an earlier one may have refreshed the token. If `accessToken` is empty, n8n refreshes it (docs/n8n.md
	// N120), stores the new tokens and writes them into `data`.
	const stored = await context.getCredentials(SEGMIND_SESSION_API);
	const data: ICredentialDataDecryptedObject = { ...stored, ...(refresh && { accessToken: '' }) };
	const outcome = await callService(context, SEGMIND_SESSION_API, httpCall, ends, {
		credentialsDecrypted: { ...credential, type: SEGMIND_SESSION_API, data },
	}).catch((failure: SegmindFailure) => {
		throw session.rememberIfFatal(failure);
	});
	session.tokens = {
		accessToken: String(data.accessToken),
		refreshToken: String(data.refreshToken),
		isFresh: refresh || data.accessToken !== stored.accessToken,
	};
	session.hide(data.accessToken, data.refreshToken);
	return callOutcomeOf(outcome);
}

/** Returns the response of a call. @throws SegmindFailure unless it succeeded, or if its body contains an error */
function readSuccess(
	session: AccountSession,
	{ method }: AccountCall,
	{ subject, whenUnknown }: About,
	sent: CallOutcome,
): AccountResponse {
	const purpose: CallPurpose = isAboutKey(sent) ? 'apiKey' : 'account';
	const about = { purpose, subject };
	const response =
		method === 'GET'
			? responseOf(session, sent, about)
			: responseOfChange(session, sent, about, whenUnknown);
	const body = jsonOf(response) ?? response.body.toString('utf8').trim();
	if (isObject(body) && (Boolean(body.error) || body.success === false))
		throw rejectionFailure(session, response, about);
	return { status: response.status, body };
}

/**
 * Returns the error for a successful response whose body can't be used. The body isn't quoted, because it may contain a key or a token. `whenUnknown`:
 * where the user sees whether the call was carried out.
 */
export function unusableBodyFailure(
	{ status }: AccountResponse,
	{ subject, whenUnknown }: About,
): SegmindFailure {
	const values = { subject, status, why: PARTS.unknownForm, found: whenUnknown };
	return whenUnknown === undefined
		? failureOf('unreadable', CAUSES.unusable, values, { httpCode: status })
		: failureOf('unreadable', CAUSES.creationUnknown, values, { outcomeUnknown: true });
}
