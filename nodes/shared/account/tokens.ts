import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { systemClock } from '../base/clock';
import { SegmindFailure } from '../base/failure';
import { redact } from '../base/redact';
import { ACCOUNT_CAUSES } from '../errors/accountTable';
import { failureOf } from '../errors/failures';
import { ACCOUNT_URLS, addressesIn } from '../service/addresses';
import { excerpt, reasonIn } from '../service/errorBody';
import { callWithoutCredential, isSuccess } from '../service/http';
import { joinUrl } from '../service/origins';
import { isObject, parseJson } from '../service/schemas';
import { timeLimits } from '../service/timeLimits';
import { explainAccount } from './accountErrors';

const LIMIT_MS = 30_000;
const SUBJECT = 'refreshing the session';
/** All other items would fail in the same way. */
const FATAL = { fatal: true } as const;

/**
 * POST {accountUrl}/auth/refresh-token (docs/service.md S382). `request` is n8n's `helpers.httpRequest`.
 * Returns the credential's members that changed: `accessToken`, and `refreshToken` if the service replaced it.
 * @throws SegmindFailure without a token in it; its message is complete, because the Test button shows nothing else
 */
export async function refreshTokens(
	request: (options: IHttpRequestOptions) => Promise<unknown>,
	credential: ICredentialDataDecryptedObject,
): Promise<{ accessToken: string; refreshToken?: string }> {
	const refreshToken = String(credential.refreshToken ?? '').trim();
	if (refreshToken === '')
		throw withDescription(failureOf('rejected', ACCOUNT_CAUSES.noRefreshToken, {}, FATAL));
	const clean = (text: string) => redact(text, [refreshToken]);
	const outcome = await callWithoutCredential(
		request,
		{
			method: 'POST',
			url: joinUrl(addressesIn(credential, ACCOUNT_URLS).accountUrl, '/auth/refresh-token'),
			headers: { authorization: `Bearer ${refreshToken}`, accept: 'application/json' },
			timeoutMs: LIMIT_MS,
		},
		{ clock: systemClock, limits: timeLimits },
	);
	if ('fault' in outcome)
		throw withDescription(
			failureOf(
				'rejected',
				ACCOUNT_CAUSES.noRefresh,
				{ why: excerpt(outcome.fault.reason, clean) },
				FATAL,
			),
		);
	const { status } = outcome.response;
	const text = outcome.response.body.toString('utf8').trim();
	const body = parseJson(text) ?? text;
	if (!isSuccess(status))
		throw withDescription(
			new SegmindFailure('rejected', {
				...explainAccount(status, body, SUBJECT, reasonIn(body, clean)),
				...FATAL,
			}),
		);
	const tokens = tokensIn(body);
	if (tokens) return tokens;
	// The body isn't quoted, because it may contain a token.
	const known = { ...FATAL, httpCode: status };
	throw withDescription(failureOf('rejected', ACCOUNT_CAUSES.noAccessToken, { status }, known));
}

/** The tokens in a response of unpublished shape: at the top or under `data`, in either spelling, or the access token alone as text. */
function tokensIn(body: unknown): { accessToken: string; refreshToken?: string } | undefined {
	const members = isObject(body) && 'data' in body ? body.data : body;
	if (!isObject(members)) return isToken(members) ? { accessToken: members } : undefined;
	const accessToken = members.access_token ?? members.accessToken ?? members.token;
	const refreshToken = members.refresh_token ?? members.refreshToken;
	if (!isToken(accessToken)) return undefined;
	return isToken(refreshToken) ? { accessToken, refreshToken } : { accessToken };
}

/** Whether a text can be sent as a token, unlike a page or a sentence. */
function isToken(value: unknown): value is string {
	return typeof value === 'string' && /^[\w.~+/=-]{8,}$/.test(value);
}

/** The credential's Test button shows only the message. */
function withDescription(failure: SegmindFailure): SegmindFailure {
	failure.message = `${failure.message.replace(/\.$/, '')}. ${failure.facts.description}`;
	return failure;
}
