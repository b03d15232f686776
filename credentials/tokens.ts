import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { systemClock } from '../nodes/shared/base/clock';
import type { SegmindFailure } from '../nodes/shared/base/failure';
import { redact } from '../nodes/shared/base/redact';
import { textOfMember } from '../nodes/shared/base/text';
import { emptyInput, unusable } from '../nodes/shared/errors/failures';
import { say, whole } from '../nodes/shared/errors/say';
import { SIGN_IN_AGAIN } from '../nodes/shared/errors/statusTable';
import { readName } from '../nodes/shared/parameters/values';
import { accessTokenIn } from '../nodes/shared/service/accessToken';
import {
	ACCOUNT_URLS,
	addressesIn,
	assertAddresses,
	joinUrl,
} from '../nodes/shared/service/addresses';
import { callUsing, isSuccess } from '../nodes/shared/service/http';
import { callFailure } from '../nodes/shared/service/responseErrors';
import { jsonOf } from '../nodes/shared/service/responses';
import { isObject } from '../nodes/shared/service/schemas';
import { USER_AGENT } from '../nodes/shared/service/userAgent';

const REFRESH_TIMEOUT_MS = 15_000;
const SUBJECT = 'refreshing the session';

/** n8n's `helpers.httpRequest`. */
type Request = (options: IHttpRequestOptions) => Promise<unknown>;

/**
 * Returns the credential's new members: for its first call the token that the user entered, and otherwise those of a refresh (docs/service.md S382).
 * @throws SegmindFailure that contains no token and is fatal, because all other items would fail in the same way. Its message includes the description,
 * because the credential's Test button shows only the message
 */
export async function renewTokens(
	request: Request,
	credential: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const entered = accessTokenIn(credential);
	// A token was rejected only if n8n has one.
	if (credential.accessToken === '' && entered !== '') return { accessToken: entered };
	return await requestTokens(request, credential).catch((error: SegmindFailure) => {
		const failure = error.with({ fatal: true });
		failure.message = `${failure.message.replace(/\.$/, '')}. ${failure.facts.description}`;
		throw failure;
	});
}

function readRefreshToken({ refreshToken }: ICredentialDataDecryptedObject): string {
	const token = readName(refreshToken, 'Refresh Token');
	if (token === '') throw emptyInput('Refresh Token', whole(SIGN_IN_AGAIN));
	return token;
}

async function requestTokens(
	request: Request,
	credential: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const oldToken = readRefreshToken(credential);
	const { accountUrl } = assertAddresses(addressesIn(credential, ACCOUNT_URLS));
	const url = joinUrl(accountUrl, '/auth/refresh-token');
	const headers = {
		...USER_AGENT,
		authorization: `Bearer ${oldToken}`,
		accept: 'application/json',
	};
	const outcome = await callUsing(
		request,
		{ method: 'POST', url, headers, timeoutMs: REFRESH_TIMEOUT_MS },
		{ clock: systemClock },
	);
	const source = { redact: (text: string) => redact(text, [oldToken]) };
	const about = { purpose: 'account', subject: SUBJECT } as const;
	if (!isSuccess(outcome)) throw callFailure(source, outcome, about);
	const body = jsonOf(outcome);
	const tokens = isObject(body) ? body : {};
	const accessToken = textOfMember(tokens, 'access_token');
	// The service may replace the refresh token too.
	const refreshToken = textOfMember(tokens, 'refresh_token') || oldToken;
	if (accessToken !== '') return { accessToken, refreshToken, enteredAccessToken: '' };
	// The body isn't quoted, because it may contain a token.
	throw unusable(SUBJECT, say`it has no access token`, { httpCode: outcome.status });
}
