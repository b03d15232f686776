import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { systemClock } from '../nodes/shared/base/clock';
import { SegmindFailure } from '../nodes/shared/base/failure';
import { redact } from '../nodes/shared/base/redact';
import { textOfMember } from '../nodes/shared/base/text';
import { unusable } from '../nodes/shared/errors/errorRows';
import { emptyInput, failureFrom } from '../nodes/shared/errors/failures';
import { say, whole } from '../nodes/shared/errors/say';
import { SIGN_IN_AGAIN } from '../nodes/shared/errors/statusTable';
import { readName } from '../nodes/shared/parameters/values';
import { ACCOUNT_URLS, addressesIn, joinUrl } from '../nodes/shared/service/addresses';
import { callUsing, isSuccess } from '../nodes/shared/service/http';
import { callFailure } from '../nodes/shared/service/responseErrors';
import { jsonOf } from '../nodes/shared/service/responses';
import { isObject } from '../nodes/shared/service/schemas';

const REFRESH_TIMEOUT_MS = 30_000;
const SUBJECT = 'refreshing the session';

/** n8n's `helpers.httpRequest`. */
type Request = (options: IHttpRequestOptions) => Promise<unknown>;

/**
 * Refreshes the session (docs/service.md S382). Returns the credential's new members.
 * @throws SegmindFailure that contains no token and is fatal, because all other items would fail in the same way. Its message includes the description,
 * because the credential's Test button shows only the message
 */
export async function refreshTokens(
	request: Request,
	credential: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	return await requestTokens(request, credential).catch(({ facts }: SegmindFailure) => {
		const failure = new SegmindFailure(facts.kind, { ...facts, fatal: true });
		failure.message = `${facts.message.replace(/\.$/, '')}. ${facts.description}`;
		throw failure;
	});
}

function readRefreshToken({ refreshToken }: ICredentialDataDecryptedObject): string {
	const field = { label: 'Refresh Token', isSecret: true };
	const token = readName(refreshToken, field);
	if (token === '') throw emptyInput(field.label, whole(SIGN_IN_AGAIN));
	return token;
}

async function requestTokens(
	request: Request,
	credential: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const oldToken = readRefreshToken(credential);
	const url = joinUrl(addressesIn(credential, ACCOUNT_URLS).accountUrl, '/auth/refresh-token');
	const headers = { authorization: `Bearer ${oldToken}`, accept: 'application/json' };
	const outcome = await callUsing(
		request,
		{ method: 'POST', url, headers, timeoutMs: REFRESH_TIMEOUT_MS },
		{ clock: systemClock },
	);
	const source = { redact: (text: string) => redact(text, [oldToken]) };
	const about = { purpose: 'account', subject: SUBJECT } as const;
	if (!isSuccess(outcome)) throw callFailure(source, outcome, about);
	const body = jsonOf(outcome);
	const members = isObject(body) ? body : {};
	const accessToken = textOfMember(members, 'access_token');
	// The service may replace the refresh token too.
	const refreshToken = textOfMember(members, 'refresh_token') || oldToken;
	if (accessToken !== '') return { accessToken, refreshToken };
	// The body isn't quoted, because it may contain a token.
	const { status } = outcome;
	const row = unusable({ subject: SUBJECT, status, why: say`it has no access_token` });
	throw failureFrom('unreadable', row, { httpCode: status });
}
