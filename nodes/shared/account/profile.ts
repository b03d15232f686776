import type { IDataObject } from 'n8n-workflow';

import { dropUndefined } from '../output/finished';
import { redact } from '../base/redact';
import { isObject } from '../service/schemas';
import { unusableAnswer, type AccountAnswer } from './accountCalls';
import { claimsOf } from './tokens';

/** What is shown of a profile: whatever else it holds one day may be a secret. */
const KNOWN_MEMBERS = ['username', 'email'];

/**
 * The user in the session profile (docs/service.md S380) and the claims of its access token; the tokens only when asked for.
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
		...knownMembers(body),
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
export function refreshedFields(
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

function knownMembers(body: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		KNOWN_MEMBERS.flatMap((name) => {
			const value = body[name];
			return typeof value === 'string' || typeof value === 'number'
				? [[name, redact(String(value))]]
				: [];
		}),
	);
}
