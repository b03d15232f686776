import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { wait } from '../base/clock';
import { SegmindFailure, notSent, stopped } from '../base/failure';
import { digest } from '../base/hash';
import { jsonOf } from '../service/answers';
import { excerpt, reasonIn } from '../service/errorBody';
import {
	callService,
	callWithoutCredential,
	isSuccess,
	type CallEnds,
	type HttpAnswer,
	type HttpCall,
	type HttpOutcome,
} from '../service/http';
import { joinUrl } from '../service/origins';
import { pauseAfter429 } from '../service/rateLimitHeaders';
import {
	backoffMs,
	isTransient,
	mayBeCarriedOut,
	mayBeSentAgain,
	sentFrom,
} from '../service/retry';
import { isObject } from '../service/schemas';
import { timeLimits } from '../service/timeLimits';
import { explainAccount, isAboutSession } from './accountErrors';
import { SEGMIND_SESSION_API, type AccountSession } from './accountSession';

const CALL_LIMIT_MS = 30_000;
/** How long one call waits out rate limits and a service that is away, ms; the limit is five calls a minute (docs/service.md S221). */
const PATIENCE_MS = 90_000;
const HOUR_MS = 3_600_000;
const LIMIT_BACKOFF_MS = 4_000;
/** A call that meets a refused connection, or a reading call that meets a fault, is tried at most this many times. */
const FAULT_TRIES = 4;
/** A new token that was never accepted is not replaced by another for this long, ms: only ten refreshes an hour are allowed. */
const UNPROVEN_MS = 10 * 60_000;

interface AccountCall {
	/** A GET reads, and is repeated after faults; anything else changes the account, and is not. */
	method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	/** Below {accountUrl}. */
	path: string;
	body?: Record<string, unknown>;
	/** What is asked for, in the user's words: "renaming the API key". */
	subject: string;
	namesKey?: boolean;
	/** What is said when a refusal gives no reason. */
	defaultReason?: string;
	/** Fetch a new access token before the call, whatever the stored one is worth. */
	refreshFirst?: boolean;
}

/** A good answer, and the tokens that were good for it. */
export interface AccountAnswer {
	answer: HttpAnswer;
	/** The parsed body; undefined when it is not JSON. */
	body: unknown;
	accessToken: string;
	refreshToken: string;
}

interface Attempt {
	outcome: HttpOutcome;
	accessToken: string;
	refreshToken: string;
}

/**
 * Calls the account API with the session's access token, when it is this call's turn. A token that is missing, or refused, is refreshed
 * once through n8n, which stores what comes back, a rotated refresh token too (docs/n8n.md N121, N123).
 * @throws SegmindFailure for every answer but a success; `outcomeUnknown` when a changing call may have been done
 */
export async function callAccount(
	session: AccountSession,
	call: AccountCall,
): Promise<AccountAnswer> {
	const work = async () => {
		let refreshFirst = call.refreshFirst === true;
		const attempt = await withRetries(session, call, async () => {
			const done = await attemptWithRefresh(session, call, refreshFirst);
			refreshFirst = false;
			return done;
		});
		const answer = goodAnswer(session, call, attempt.outcome, false);
		const { accessToken, refreshToken } = attempt;
		return { answer, body: jsonOf(answer), accessToken, refreshToken };
	};
	const exclusive = async () => {
		if (session.fatalFailure) throw notSent(session.fatalFailure);
		return await work().catch((error: unknown) => {
			// Set before the turn ends: the next call checks it first.
			if (error instanceof SegmindFailure && error.facts.fatal)
				session.fatalFailure ??= error.facts;
			return Promise.reject(error);
		});
	};
	return await session.mutex.run(exclusive, session.signal);
}

/** The same with no Authorization: the calls of someone who is not signed in yet. */
export async function callWithoutSession(
	session: AccountSession,
	call: AccountCall,
): Promise<{ answer: HttpAnswer; body: unknown }> {
	return await session.mutex.run(async () => {
		const { outcome } = await withRetries(session, call, async () => ({
			outcome: await callWithoutCredential(
				session.context.helpers.httpRequest,
				httpCall(session, call),
				endsOf(session, call),
			),
		}));
		const answer = goodAnswer(session, call, outcome, true);
		return { answer, body: jsonOf(answer) };
	}, session.signal);
}

async function attemptWithRefresh(
	session: AccountSession,
	call: AccountCall,
	refreshFirst: boolean,
): Promise<Attempt> {
	const stored = await session.readCredential();
	const first = await attemptWith(session, call, refreshFirst ? withoutToken(stored) : stored);
	const { outcome } = first;
	if (!('answer' in outcome) || !isAboutSession(outcome.answer.status, jsonOf(outcome.answer)))
		return first;
	if (isUnproven(session, first.accessToken)) return first;
	// Another process may have refreshed it meanwhile.
	const now = await session.readCredential();
	return await attemptWith(
		session,
		call,
		now.accessToken === stored.accessToken ? withoutToken(now) : now,
	);
}

function isUnproven({ mutex, clock }: AccountSession, accessToken: string): boolean {
	const { unproven } = mutex;
	return unproven?.token === digest(accessToken) && clock.now() - unproven.at < UNPROVEN_MS;
}

/** n8n runs the credential's preAuthentication for an empty access token, and stores and uses what that returns. */
function withoutToken(credential: ICredentialDataDecryptedObject): ICredentialDataDecryptedObject {
	return { ...credential, accessToken: '' };
}

async function attemptWith(
	session: AccountSession,
	call: AccountCall,
	credential: ICredentialDataDecryptedObject,
): Promise<Attempt> {
	const data = { ...credential };
	const { id, name } = session.node.credentials?.[SEGMIND_SESSION_API] ?? { id: null, name: '' };
	const outcome = await callService(
		session.context,
		SEGMIND_SESSION_API,
		httpCall(session, call),
		endsOf(session, call),
		// n8n writes a refreshed token into `data`.
		{ credentialsDecrypted: { id: id ?? '', name, type: SEGMIND_SESSION_API, data } },
	);
	const accessToken = String(data.accessToken ?? '');
	const refreshToken = String(data.refreshToken ?? '');
	session.hide(accessToken, refreshToken);
	const { mutex, clock } = session;
	if (accessToken !== credential.accessToken)
		mutex.unproven = { token: digest(accessToken), at: clock.now() };
	if ('answer' in outcome && outcome.answer.status < 400) delete mutex.unproven;
	return { outcome, accessToken, refreshToken };
}

function httpCall(session: AccountSession, { method, path, body }: AccountCall): HttpCall {
	return {
		method,
		url: joinUrl(session.accountUrl, path),
		headers: {
			accept: 'application/json',
			...(body === undefined ? {} : { 'content-type': 'application/json' }),
		},
		body: body === undefined ? undefined : JSON.stringify(body),
		limitMs: CALL_LIMIT_MS,
	};
}

/** What changes the account is let finish when the execution is stopped. */
function endsOf({ clock, signal }: AccountSession, { method }: AccountCall): CallEnds {
	return { clock, limits: timeLimits, signal: method === 'GET' ? signal : undefined };
}

/** Waits out what the retry rule lets be repeated. The limit is a few calls a minute, so that a 429 is waited for until its window ends. */
async function withRetries<T extends { outcome: HttpOutcome }>(
	session: AccountSession,
	call: AccountCall,
	attempt: () => Promise<T>,
): Promise<T> {
	const { clock, signal } = session;
	const deadline = clock.now() + PATIENCE_MS;
	for (let tries = 1; ; tries++) {
		const done = await attempt();
		if (signal?.aborted && 'fault' in done.outcome) throw stopped();
		const sent = sentFrom(done.outcome);
		const now = clock.now();
		const limited = sent.kind === 'answer' && sent.answer.status === 429 ? sent.answer : undefined;
		const mayRepeat = call.method === 'GET' ? isTransient(sent) : mayBeSentAgain(sent, tries);
		if (!mayRepeat || (!limited && tries >= FAULT_TRIES)) return done;
		const window =
			limited && (pauseAfter429(limited.headers, now, HOUR_MS) ?? LIMIT_BACKOFF_MS * tries);
		const pause = Math.max(backoffMs(sent, tries, now, Math.random, HOUR_MS), window ?? 0);
		if (now + pause >= deadline) return done;
		await wait(clock, pause, { signal });
		if (signal?.aborted) throw stopped();
	}
}

function goodAnswer(
	session: AccountSession,
	call: AccountCall,
	outcome: HttpOutcome,
	signedOut: boolean,
): HttpAnswer {
	const { subject, namesKey, defaultReason = '' } = call;
	if ('fault' in outcome) {
		const mayBeDone = outcome.fault.kind === 'lost' && call.method !== 'GET';
		throw new SegmindFailure({
			message: `No answer from Segmind for ${subject}: ${excerpt(outcome.fault.reason, session.redact)}`,
			description: `${mayBeDone ? 'It may have been done: look at the account before you run it again.' : 'Nothing was changed.'} Check the network of the n8n host and Account URL in the credential.`,
			...(mayBeDone ? { outcomeUnknown: true as const } : {}),
		});
	}
	const { answer } = outcome;
	const { status } = answer;
	if (isSuccess(status)) return answer;
	const body = jsonOf(answer);
	const now = session.clock.now();
	const pause = status === 429 ? pauseAfter429(answer.headers, now, HOUR_MS) : undefined;
	const facts = explainAccount({
		status,
		body,
		reason:
			(body === undefined
				? excerpt(answer.body.toString('utf8'), session.redact)
				: reasonIn(body, session.redact)) || defaultReason,
		subject,
		namesKey,
		signedOut,
		retryAt: pause === undefined ? undefined : now + pause,
		accountUrl: session.accountUrl,
		consoleUrl: session.consoleUrl,
	});
	const mayBeDone = mayBeCarriedOut(status) && call.method !== 'GET';
	throw new SegmindFailure(mayBeDone ? { ...facts, outcomeUnknown: true } : facts);
}

/** True for a body that says of itself, under 2xx, that nothing was done. */
export function reportsFailure(body: unknown, flags = ['success', 'ok']): boolean {
	if (!isObject(body)) return false;
	return flags.some((name) => /^(false|0)$/i.test(String(body[name]))) || Boolean(body.error);
}

/** @throws SegmindFailure when the answer says of itself that nothing was done; `subject` as in the call */
export function assertDone(
	session: AccountSession,
	body: unknown,
	subject: string,
	flags?: string[],
): void {
	if (!reportsFailure(body, flags)) return;
	const reason = reasonIn(body, session.redact);
	throw new SegmindFailure({
		message: `Segmind answered that ${subject} failed${reason === '' ? '' : `: ${reason}`}`,
		description: 'Look at the keys of the account with API Key: Get Many, then run it again.',
	});
}

/** The failure for a success whose body cannot be used. It is not quoted: it may hold a key or a token. */
export function unusableAnswer(
	{ status }: HttpAnswer,
	subject: string,
	consequence: string,
	mayBeDone = false,
): SegmindFailure {
	return new SegmindFailure({
		message: `Segmind's answer for ${subject} could not be used (HTTP ${status})`,
		description: consequence,
		httpCode: status,
		...(mayBeDone ? { outcomeUnknown: true as const } : {}),
	});
}
