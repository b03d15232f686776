import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { systemClock } from '../nodes/shared/base/clock';
import type { SegmindFailure } from '../nodes/shared/base/failure';
import { redact } from '../nodes/shared/base/redact';
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
	const body = jsonOf(outcome) ?? outcome.body.toString('utf8');
	const accessToken = memberIn(body, ['access_token', 'accessToken', 'token']) || tokenText(body);
	// The service may replace the refresh token too.
	const refreshToken = memberIn(body, ['refresh_token', 'refreshToken']) || oldToken;
	if (accessToken !== '') return { accessToken, refreshToken, enteredAccessToken: '' };
	// The body isn't quoted, because it may contain a token.
	throw unusable(SUBJECT, say`it has no access token`, { httpCode: outcome.status });
}

/** Returns the first text under one of these names, at the top of a response or in its `data`; '' if there is none. Its form isn't published. */
function memberIn(body: unknown, names: string[]): string {
	const places = isObject(body) ? [body, body.data] : [];
	const values = places.flatMap((place) =>
		isObject(place) ? names.map((name) => place[name]) : [],
	);
	return values.map((value) => (typeof value === 'string' ? value.trim() : '')).find(Boolean) ?? '';
}

/** A JWT. */
const TOKEN = /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/;

/** Returns the token that is the whole response, or its `data`; '' for any other text, such as a web page. */
function tokenText(body: unknown): string {
	const value = isObject(body) ? body.data : body;
	const text = typeof value === 'string' ? value.trim() : '';
	return TOKEN.test(text) ? text : '';
}
