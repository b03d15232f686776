import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { systemClock, type Clock } from '../base/clock';
import { SegmindFailure, type Failing } from '../base/failure';
import { redact, type Redact } from '../base/redact';
import { digest } from '../base/hash';
import { isObject, parseJson } from '../service/schemas';
import { excerpt, reasonIn } from '../service/errorBody';
import { callWithoutCredential, isSuccess, type HttpAnswer } from '../service/http';
import { timeLimits } from '../service/timeLimits';
import { joinUrl, originOf } from '../service/origins';
import { pauseAfter429 } from '../service/rateLimitHeaders';
import { addressIsWrong, inMinutes, isAccountError, signInAgain } from './accountErrors';

const REFRESH_LIMIT_MS = 30_000;
const HOUR_MS = 3_600_000;
/** When a rate-limited refresh names no time: ten an hour means one every six minutes (docs/service.md S224). */
const DEFAULT_REFRESH_PAUSE_MS = 6 * 60_000;

/** After an answer that could not be read, ms: asking again would only spend another of the ten. */
const UNREADABLE_REFRESH_PAUSE_MS = 10 * 60_000;

/** Refreshes that are not asked for again before then, by digest of the token: not by nodes, retries or the Test button. */
const paused = new Map<string, { until: number; facts: Failing & { description: string } }>();

/**
 * POST {accountUrl}/auth/refresh-token (docs/service.md S382). `request` is n8n's `helpers.httpRequest`.
 * Gives the credential's members that changed: `accessToken`, and `refreshToken` when the service rotated it.
 * @throws SegmindFailure whose message says everything (the Test button shows nothing else) and holds no token
 */
export async function refreshTokens(
	request: (options: IHttpRequestOptions) => Promise<unknown>,
	credential: ICredentialDataDecryptedObject,
	clock: Clock = systemClock,
): Promise<{ accessToken: string; refreshToken?: string }> {
	const text = (name: string) => String(credential[name] ?? '').trim();
	const refreshToken = text('refreshToken');
	const accountUrl = text('accountUrl');
	if (refreshToken === '') {
		throw failed({
			message: 'The Segmind Session API credential has no refresh token',
			description: `Nothing was sent. ${signInAgain(text('consoleUrl'))}`,
		});
	}
	if (originOf(accountUrl) === undefined) throw failed(addressIsWrong(accountUrl));
	const pauseKey = digest(`${accountUrl}|${refreshToken}`);
	const pause = paused.get(pauseKey);
	if (pause !== undefined && clock.now() < pause.until)
		throw failed({
			...pause.facts,
			description: `${pause.facts.description} Segmind was not asked again before that time.`,
		});
	paused.delete(pauseKey);

	const clean: Redact = (words) => redact(words, [refreshToken]);
	const outcome = await callWithoutCredential(
		request,
		{
			method: 'POST',
			url: joinUrl(accountUrl, '/auth/refresh-token'),
			headers: { authorization: `Bearer ${refreshToken}`, accept: 'application/json' },
			limitMs: REFRESH_LIMIT_MS,
		},
		{ clock, limits: timeLimits },
	);
	if ('fault' in outcome) {
		throw failed({
			message: `The session could not be refreshed, because no answer came from ${originOf(accountUrl)}: ${excerpt(outcome.fault.reason, clean)}`,
			description:
				'Check the network of the n8n host, and Account URL and Allowed Domains in the credential, then run it again.',
		});
	}
	const { answer } = outcome;
	const body = parseJson(answer.body.toString('utf8'));
	if (answer.status === 429) {
		const until =
			clock.now() +
			(pauseAfter429(answer.headers, clock.now(), HOUR_MS) ?? DEFAULT_REFRESH_PAUSE_MS);
		paused.set(pauseKey, { until, facts: limited(until) });
		throw failed(limited(until));
	}
	if (!isSuccess(answer.status)) {
		throw failed(refused(answer, body, reasonIn(body, clean), accountUrl, text('consoleUrl')));
	}
	const tokens = tokensIn(body ?? answer.body.toString('utf8'));
	if (tokens === undefined) {
		const until = clock.now() + UNREADABLE_REFRESH_PAUSE_MS;
		// The body is not quoted: whatever it is, it may hold a token.
		const facts: Failing & { description: string } = {
			message: `The answer to the token refresh holds no access_token (HTTP ${answer.status})`,
			description: `Check Account URL in the credential. The attempt used one of ten refreshes an hour; this refresh token can be tried again at ${inMinutes(until)}.`,
			httpCode: answer.status,
		};
		paused.set(pauseKey, { until, facts });
		throw failed(facts);
	}
	return tokens;
}

/**
 * The tokens in the answer to a refresh, whose shape is not published: at the top or under `data`, in either spelling, or the access token
 * alone as text. Undefined when there is no access token.
 */
function tokensIn(body: unknown): { accessToken: string; refreshToken?: string } | undefined {
	if (typeof body === 'string') {
		const accessToken = tokenText(body);
		return accessToken === undefined ? undefined : { accessToken };
	}
	if (!isObject(body)) return undefined;
	for (const members of [body, body.data]) {
		if (typeof members === 'string') return tokensIn(members);
		if (!isObject(members)) continue;
		const accessToken = firstToken(members, ['access_token', 'accessToken', 'token']);
		if (accessToken === undefined) continue;
		const refreshToken = firstToken(members, ['refresh_token', 'refreshToken']);
		return refreshToken === undefined ? { accessToken } : { accessToken, refreshToken };
	}
	return undefined;
}

function firstToken(
	members: Record<string, unknown>,
	names: readonly string[],
): string | undefined {
	return names.map((name) => tokenText(members[name])).find((token) => token !== undefined);
}

/** A text that can be sent as a token; a page or a sentence cannot. */
function tokenText(value: unknown): string | undefined {
	const text = typeof value === 'string' ? value.trim() : '';
	return /^[\w.~+/=-]{8,}$/.test(text) ? text : undefined;
}

function limited(until: number): Failing & { description: string } {
	return {
		message: `The session could not be refreshed: too many token refreshes (HTTP 429)`,
		description: `Ten refreshes an hour are allowed for a user. Try again at ${inMinutes(until)}.`,
		httpCode: 429,
	};
}

function refused(
	{ status }: HttpAnswer,
	body: unknown,
	reason: string,
	accountUrl: string,
	consoleUrl: string,
): Failing & { description: string } {
	const why = reason === '' ? '' : `: ${reason}`;
	if (status === 404 && !isAccountError(body)) return addressIsWrong(accountUrl, status);
	if (status === 400 || status === 401 || status === 403 || status === 422) {
		return {
			message: `The refresh token was not accepted (HTTP ${status})${why}`,
			description: `A refresh token is valid for 30 days, or until a newer one replaces it. ${signInAgain(consoleUrl)}`,
			httpCode: status,
		};
	}
	return {
		message: `The session could not be refreshed (HTTP ${status})${why}`,
		description:
			status >= 500
				? 'Run it again later.'
				: 'Check Account URL in the credential; redirects are not followed, because the refresh token would be sent along.',
		httpCode: status,
	};
}

/** No later item of the run can do better, and none may try. */
function failed(facts: Failing & { description: string }): SegmindFailure {
	const failure = new SegmindFailure({ ...facts, fatal: true });
	failure.message = `${facts.message}. ${facts.description}`;
	return failure;
}

/** The claims of a JWT that a client may read (docs/service.md S381), times also as ISO text; {} for anything else. */
export function claimsOf(token: unknown): IDataObject {
	const payload = typeof token === 'string' ? token.split('.')[1] : undefined;
	const claims =
		payload === undefined
			? undefined
			: parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
	if (!isObject(claims)) return {};
	const found: IDataObject = {};
	for (const name of ['jti', 'identity', 'iat', 'nbf', 'exp'])
		if (claims[name] !== undefined) found[name] = claims[name] as IDataObject[string];
	for (const [name, claim] of [
		['issued_at', claims.iat],
		['not_before', claims.nbf],
		['expires_at', claims.exp],
	] as const) {
		const at = typeof claim === 'number' ? new Date(claim * 1_000) : undefined;
		if (at !== undefined && !Number.isNaN(at.getTime())) found[name] = at.toISOString();
	}
	return found;
}
