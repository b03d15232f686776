import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { systemClock } from '../base/clock';
import { SegmindFailure } from '../base/failure';
import { redact } from '../base/redact';
import { ACCOUNT_CAUSES } from '../errors/accountTable';
import { failureOf } from '../errors/failures';
import { ACCOUNT_URLS, addressesIn } from '../service/addresses';
import { excerpt, reasonIn } from '../service/errorBody';
import { callUsing, isSuccess } from '../service/http';
import { joinUrl } from '../service/origins';
import { isObject, parseJson } from '../service/schemas';
import { timeLimits } from '../service/timeLimits';
import { explainAccount } from './accountErrors';

const REFRESH_TIMEOUT_MS = 30_000;
const SUBJECT = 'refreshing the session';
/** Without a token, all other items would fail in the same way. */
const FATAL = { fatal: true } as const;

/**
 * Refreshes the session (docs/service.md S382). `request` is n8n's `helpers.httpRequest`. Returns the credential's members that changed:
 * `accessToken`, and `refreshToken` if the service replaced it.
 * @throws SegmindFailure that contains no token. Its message includes the description, because the Test button shows only the message
 */
export async function refreshTokens(
	request: (options: IHttpRequestOptions) => Promise<unknown>,
	credential: ICredentialDataDecryptedObject,
): Promise<{ accessToken: string; refreshToken?: string }> {
	const refreshToken = String(credential.refreshToken ?? '').trim();
	if (refreshToken === '')
		throw withDescription(failureOf('rejected', ACCOUNT_CAUSES.noRefreshToken, {}, FATAL));
	const redactText = (text: string) => redact(text, [refreshToken]);
	const outcome = await callUsing(
		request,
		{
			method: 'POST',
			url: joinUrl(addressesIn(credential, ACCOUNT_URLS).accountUrl, '/auth/refresh-token'),
			headers: { authorization: `Bearer ${refreshToken}`, accept: 'application/json' },
			timeoutMs: REFRESH_TIMEOUT_MS,
		},
		{ clock: systemClock, limits: timeLimits },
	);
	if ('fault' in outcome)
		throw withDescription(
			failureOf(
				'rejected',
				ACCOUNT_CAUSES.noRefresh,
				{ why: excerpt(outcome.fault.reason, redactText) },
				FATAL,
			),
		);
	const { status } = outcome.response;
	const text = outcome.response.body.toString('utf8').trim();
	const body = parseJson(text) ?? text;
	if (!isSuccess(status))
		throw withDescription(
			new SegmindFailure('rejected', {
				...explainAccount(status, body, SUBJECT, reasonIn(body, redactText)),
				...FATAL,
			}),
		);
	const tokens = tokensIn(body);
	if (tokens) return tokens;
	// The body isn't quoted, because it may contain a token.
	const otherFacts = { ...FATAL, httpCode: status };
	throw withDescription(
		failureOf('rejected', ACCOUNT_CAUSES.noAccessToken, { status }, otherFacts),
	);
}

/** Finds the tokens in a response of unpublished shape: at the top or under `data`, in either spelling, or only the access token, as text. */
function tokensIn(body: unknown): { accessToken: string; refreshToken?: string } | undefined {
	const members = isObject(body) && 'data' in body ? body.data : body;
	if (!isObject(members)) return isToken(members) ? { accessToken: members } : undefined;
	const accessToken = members.access_token ?? members.accessToken ?? members.token;
	const refreshToken = members.refresh_token ?? members.refreshToken;
	if (!isToken(accessToken)) return undefined;
	return isToken(refreshToken) ? { accessToken, refreshToken } : { accessToken };
}

/** Whether a value looks like a token, unlike an HTML page or a sentence. */
function isToken(value: unknown): value is string {
	return typeof value === 'string' && /^[\w.~+/=-]{8,}$/.test(value);
}

/** Adds the description to the message, because the credential's Test button shows only the message. */
function withDescription(failure: SegmindFailure): SegmindFailure {
	failure.message = `${failure.message.replace(/\.$/, '')}. ${failure.facts.description}`;
	return failure;
}
