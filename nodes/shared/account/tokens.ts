import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { systemClock } from '../base/clock';
import { SegmindFailure, type Failing } from '../base/failure';
import { redact } from '../base/redact';
import { SIGN_IN_AGAIN } from '../errors/errorTable';
import { ACCOUNT_URLS, addressesIn } from '../service/addresses';
import { excerpt, reasonIn } from '../service/errorBody';
import { callWithoutCredential, isSuccess } from '../service/http';
import { joinUrl } from '../service/origins';
import { isObject, parseJson } from '../service/schemas';
import { timeLimits } from '../service/timeLimits';
import { explainAccount } from './accountErrors';

const LIMIT_MS = 30_000;
const SUBJECT = 'refreshing the session';

/**
 * POST {accountUrl}/auth/refresh-token (docs/service.md S382). `request` is n8n's `helpers.httpRequest`.
 * Gives the credential's members that changed: `accessToken`, and `refreshToken` when the service rotated it.
 * @throws SegmindFailure whose message says everything (the Test button shows nothing else) and holds no token
 */
export async function refreshTokens(
	request: (options: IHttpRequestOptions) => Promise<unknown>,
	credential: ICredentialDataDecryptedObject,
): Promise<{ accessToken: string; refreshToken?: string }> {
	const refreshToken = String(credential.refreshToken ?? '').trim();
	if (refreshToken === '')
		throw failed({
			message: 'The Segmind Session API credential has no refresh token',
			description: SIGN_IN_AGAIN,
		});
	const clean = (text: string) => redact(text, [refreshToken]);
	const outcome = await callWithoutCredential(
		request,
		{
			method: 'POST',
			url: joinUrl(addressesIn(credential, ACCOUNT_URLS).accountUrl, '/auth/refresh-token'),
			headers: { authorization: `Bearer ${refreshToken}`, accept: 'application/json' },
			limitMs: LIMIT_MS,
		},
		{ clock: systemClock, limits: timeLimits },
	);
	if ('fault' in outcome)
		throw failed({
			message: `No response from Segmind for ${SUBJECT}: ${excerpt(outcome.fault.reason, clean)}`,
			description:
				'Check the network of the n8n host, and Account URL and Allowed Domains in the credential.',
		});
	const { status } = outcome.answer;
	const text = outcome.answer.body.toString('utf8').trim();
	const body = parseJson(text) ?? text;
	if (!isSuccess(status))
		throw failed(explainAccount(status, body, SUBJECT, reasonIn(body, clean)));
	const tokens = tokensIn(body);
	if (tokens) return tokens;
	// The body is not quoted: whatever it is, it may hold a token.
	throw failed({
		message: `The response to the token refresh has no access_token (HTTP ${status})`,
		description:
			'Check Account URL in the credential. The attempt used one of ten refreshes an hour.',
		httpCode: status,
	});
}

/** The tokens in an answer whose shape is not published: at the top or under `data`, in either spelling, or the access token alone as text. */
function tokensIn(body: unknown): { accessToken: string; refreshToken?: string } | undefined {
	const members = isObject(body) && 'data' in body ? body.data : body;
	if (!isObject(members)) return isToken(members) ? { accessToken: members } : undefined;
	const accessToken = members.access_token ?? members.accessToken ?? members.token;
	const refreshToken = members.refresh_token ?? members.refreshToken;
	if (!isToken(accessToken)) return undefined;
	return isToken(refreshToken) ? { accessToken, refreshToken } : { accessToken };
}

/** A text that can be sent as a token; a page or a sentence cannot. */
function isToken(value: unknown): value is string {
	return typeof value === 'string' && /^[\w.~+/=-]{8,}$/.test(value);
}

/** No later item of the run can do better, and none may try. */
function failed(failing: Failing): SegmindFailure {
	const failure = new SegmindFailure('refused', { ...failing, fatal: true });
	failure.message = `${failure.message.replace(/\.$/, '')}. ${failure.facts.description}`;
	return failure;
}
