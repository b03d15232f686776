import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { systemClock, type Clock } from '../base/clock';
import { SegmindFailure, type FailureFacts } from '../base/failure';
import { redact } from '../base/redact';
import { digest } from '../base/hash';
import { isObject, parseJson } from '../service/schemas';
import { reasonIn } from '../service/errorBody';
import { callWithoutCredential, type HttpAnswer } from '../service/http';
import { joinUrl, originOf } from '../service/origins';
import { pauseAfter429 } from '../service/rateLimitHeaders';
import { addressIsWrong, inMinutes, isAccountError, signInAgain } from './accountErrors';

const REFRESH_TIMEOUT_MS = 30_000;
const HOUR_MS = 3_600_000;
/** When a rate-limited refresh names no time: ten an hour means one every six minutes (specification, Limits). */
const PAUSE_UNTOLD_MS = 6 * 60_000;

/** Refresh tokens that were rate-limited, by digest: not asked again before then, by nodes, retries or the Test button. */
const paused = new Map<string, number>();

/**
 * POST {accountUrl}/auth/refresh-token (specification, Account). `request` is n8n's `helpers.httpRequest`.
 * Gives the credential's members that changed: `accessToken`, and `refreshToken` when the service rotated it.
 * @throws SegmindFailure whose message says everything (the Test button shows nothing else) and holds no token
 */
export async function renewTokens(
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
	const pausedUntil = paused.get(pauseKey) ?? 0;
	if (clock.now() < pausedUntil) throw failed(limited(pausedUntil, true));
	paused.delete(pauseKey);

	const outcome = await callWithoutCredential(request, {
		method: 'POST',
		url: joinUrl(accountUrl, '/auth/refresh-token'),
		headers: { authorization: `Bearer ${refreshToken}`, accept: 'application/json' },
		timeoutMs: REFRESH_TIMEOUT_MS,
	});
	if ('fault' in outcome) {
		throw failed({
			message: `The session could not be renewed, because no answer came from ${originOf(accountUrl)}: ${redact(outcome.fault.reason, [refreshToken])}`,
			description:
				'Check the network of the n8n host, and Account URL and Allowed Domains in the credential, then run it again.',
		});
	}
	const { answer } = outcome;
	const body = parseJson(answer.body.toString('utf8'));
	if (answer.status === 429) {
		const until =
			clock.now() + (pauseAfter429(answer.headers, clock.now(), HOUR_MS) ?? PAUSE_UNTOLD_MS);
		paused.set(pauseKey, until);
		throw failed(limited(until, false));
	}
	if (answer.status < 200 || answer.status >= 300) {
		// Cleaned before it is cut: half a token would not be recognised as one.
		const reason = reasonIn(
			parseJson(redact(answer.body.toString('utf8', 0, 20_000), [refreshToken])),
		);
		throw failed(refused(answer, body, reason, accountUrl, text('consoleUrl')));
	}
	const accessToken = isObject(body) ? body.access_token : undefined;
	if (typeof accessToken !== 'string' || accessToken === '') {
		// The body is not quoted: whatever it is, it may hold a token.
		throw failed({
			message: `The answer to the token refresh holds no access_token (HTTP ${answer.status})`,
			description: 'Check Account URL in the credential.',
			httpCode: answer.status,
		});
	}
	const rotated = isObject(body) ? body.refresh_token : undefined;
	return typeof rotated === 'string' && rotated !== ''
		? { accessToken, refreshToken: rotated }
		: { accessToken };
}

function limited(until: number, notAsked: boolean): FailureFacts {
	return {
		message: `The session could not be renewed: too many token refreshes (HTTP 429)`,
		description: `Ten refreshes an hour are allowed for a user. Try again at ${inMinutes(until)}.${notAsked ? ' Segmind was not asked again before that time.' : ''}`,
		httpCode: 429,
	};
}

function refused(
	{ status }: HttpAnswer,
	body: unknown,
	reason: string,
	accountUrl: string,
	consoleUrl: string,
): FailureFacts {
	const why = reason === '' ? '' : `: ${reason}`;
	if (status === 404 && !isAccountError(body)) return addressIsWrong(accountUrl, status);
	if (status === 400 || status === 401 || status === 403 || status === 422) {
		return {
			message: `The refresh token was not accepted (HTTP ${status})${why}`,
			description: `A refresh token lives for 30 days, and a newer one ends it. ${signInAgain(consoleUrl)}`,
			httpCode: status,
		};
	}
	return {
		message: `The session could not be renewed (HTTP ${status})${why}`,
		description:
			status >= 500
				? 'Run it again later.'
				: 'Check Account URL in the credential; redirects are not followed, because the refresh token would travel along.',
		httpCode: status,
	};
}

/** No later item of the run can do better, and none may try. */
function failed(facts: FailureFacts): SegmindFailure {
	const failure = new SegmindFailure({ ...facts, haltsRun: true });
	failure.message = `${facts.message}. ${facts.description}`;
	return failure;
}

/** The claims of a JWT that a client may read (specification, JWT claims), times also as ISO text; {} for anything else. */
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
