import type { IDataObject } from 'n8n-workflow';

import { dropUndefined, rawBody } from '../output/finished';
import { redact } from '../base/redact';
import { isObject } from '../service/schemas';
import { unusableAnswer, type AccountAnswer } from './accountCalls';
import { claimsOf } from './tokens';

/** Members that may carry a secret, whatever else the profile holds one day. */
const SECRET_MEMBER = /token|secret|password|cookie|session|api.?key/i;

/**
 * The session profile (specification, Session profile) without its tokens, and the claims of its access token; the tokens only when asked for.
 * @throws SegmindFailure when the answer is no object
 */
export function profileFields(profile: AccountAnswer, includeTokens: boolean): IDataObject {
	const { answer, body } = profile;
	if (!isObject(body))
		throw unusableAnswer(
			answer,
			'reading the profile',
			'Check Account URL in the Segmind Session API credential.',
		);
	const accessToken = textIn(body.access_token) ?? profile.accessToken;
	const refreshToken = textIn(body.refresh_token) ?? profile.refreshToken;
	return {
		...(withoutSecrets(rawBody(body)) as IDataObject),
		...claimsOf(accessToken),
		...(includeTokens
			? dropUndefined({
					access_token: accessToken,
					refresh_token: refreshToken === '' ? undefined : refreshToken,
				})
			: {}),
	};
}

/** What a refresh put into the credential: the claims of the new access token, and whether the refresh token was replaced. */
export function renewedFields(
	{ accessToken, refreshToken }: AccountAnswer,
	rotated: boolean,
	includeTokens: boolean,
): IDataObject {
	return {
		refreshed: true,
		refresh_token_rotated: rotated,
		...claimsOf(accessToken),
		...(includeTokens ? { access_token: accessToken, refresh_token: refreshToken } : {}),
	};
}

function textIn(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function withoutSecrets(value: unknown): unknown {
	if (typeof value === 'string') return redact(value);
	if (Array.isArray(value)) return value.map(withoutSecrets);
	if (!isObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value)
			.filter(([name]) => !SECRET_MEMBER.test(name))
			.map(([name, inner]) => [name, withoutSecrets(inner)]),
	);
}
