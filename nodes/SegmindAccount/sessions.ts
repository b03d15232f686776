import type { IDataObject } from 'n8n-workflow';

import { callAccount, unusableResponseFailure } from '../shared/account/accountCalls';
import type { AccountSession } from '../shared/account/accountSession';
import { numberIn, textOfMember } from '../shared/base/text';
import { CAUSES } from '../shared/errors/errorTable';
import { choiceField, requiredText, switchField } from '../shared/descriptions/fields';
import type { Operations } from '../shared/descriptions/operations';
import { readChoice, readRequiredText } from '../shared/inputs/values';
import { doOnce } from '../shared/manage/doOnce';
import { joinUrl } from '../shared/service/origins';
import { isObject, parseJson } from '../shared/service/schemas';
import { readVerificationToken, verificationTokenField } from './verificationToken';

const includeTokensField = switchField(
	'includeTokens',
	'Include Tokens',
	'Whether to include the access token and the refresh token in the output. Anyone who can see the execution can then act as this user.',
);

export const session: Operations<AccountSession> = {
	/** GET {accountUrl}/auth/profile (docs/service.md S380). One call per run. */
	getProfile: {
		name: 'Get Profile',
		action: 'Get the profile',
		fields: [includeTokensField],
		execute: async (account, itemIndex) => {
			const { status, body } = await fetchProfile(account, 'reading the profile');
			if (!isObject(body)) throw unusableResponseFailure(status, 'reading the profile');
			// The output has only these two members, because others may be secrets.
			const [username, email] = [textOfMember(body, 'username'), textOfMember(body, 'email')];
			return { json: { username, email, ...tokenOutput(account, itemIndex) } };
		},
	},
	/**
	 * POST {accountUrl}/auth/refresh-token through the credential, so that n8n stores the tokens, then GET {accountUrl}/auth/profile, which
	 * proves that the new token works (docs/service.md S382). One refresh per run of the node.
	 */
	refresh: {
		name: 'Refresh Session',
		description:
			'Other operations do this automatically. Each refresh counts toward the limit of ten an hour.',
		action: 'Refresh the session',
		fields: [includeTokensField],
		execute: async (account, itemIndex) => {
			await fetchProfile(account, 'refreshing the session', true);
			const refresh_token_rotated = account.tokens.isRotated;
			const tokens = tokenOutput(account, itemIndex);
			return { json: { refreshed: true, refresh_token_rotated, ...tokens } };
		},
	},
};

export const signIn: Operations<AccountSession> = {
	/** Returns the URL to open in a browser, without a call (docs/service.md S391). */
	getUrl: {
		name: 'Get Sign-In URL',
		description: 'Get the URL of the sign-in page, without calling the API',
		action: 'Get the sign-in URL',
		fields: [
			choiceField(
				'provider',
				'Provider',
				'The provider to sign in with',
				[
					['console', 'Console', 'The sign-in page, which offers all providers'],
					['discord', 'Discord'],
					['google', 'Google'],
					['azure', 'Microsoft'],
				],
				'console',
			),
		],
		execute: async ({ context, accountUrl, consoleUrl }, itemIndex) => {
			const given = context.getNodeParameter('provider', itemIndex);
			const provider = readChoice(given, 'Provider', ['azure', 'console', 'discord', 'google']);
			const url =
				provider === 'console'
					? joinUrl(consoleUrl, '/auth/login')
					: joinUrl(accountUrl, `/login/${provider}`);
			return { json: { provider, url } };
		},
	},
	/** POST {accountUrl}/auth/login/email/request without Authorization (docs/service.md S390). Journaled, because the verification token works only once. */
	requestEmailLink: {
		name: 'Request Email Link',
		description:
			'Requires a verification token, which only the sign-in page in your browser can create',
		action: 'Request a sign-in link by email',
		fields: [
			requiredText(
				'email',
				'Email',
				'The address to send the link to. The link works once.',
				'name@email.com',
			),
			verificationTokenField,
		],
		execute: async (account, itemIndex) => {
			const subject = 'requesting the sign-in email';
			const email = readRequiredText(account.context, itemIndex, 'email', 'Email');
			const token = readVerificationToken(account, itemIndex);
			const whenUnknown =
				'Check the mailbox. If no email has arrived, start the workflow again with a new verification token.';
			const request = { email, token };
			const whenStopped = CAUSES.stoppedAccount;
			const action = { itemIndex, subject, whenUnknown, request, whenStopped };
			return await doOnce(account, action, async () => {
				const { body } = await callAccount(account, {
					method: 'POST',
					path: '/auth/login/email/request',
					body: request,
					subject,
					signedOut: true,
				});
				const ownMessage = isObject(body) ? textOfMember(body, 'message') : '';
				return { json: { email, message: ownMessage || 'Check your email for the login link' } };
			});
		},
	},
};

/** Fetches the profile, once per run. */
async function fetchProfile(account: AccountSession, subject: string, refreshFirst?: true) {
	const call = { method: 'GET', path: '/auth/profile', subject, refreshFirst } as const;
	return await account.memoize('profile', async () => await callAccount(account, call));
}

/** Returns the claims of the access token and, if the item asks for them, the tokens. */
function tokenOutput({ context, tokens }: AccountSession, itemIndex: number): IDataObject {
	const { accessToken: access_token, refreshToken: refresh_token } = tokens;
	const includesTokens = context.getNodeParameter('includeTokens', itemIndex) === true;
	return { ...claimsOf(access_token), ...(includesTokens && { access_token, refresh_token }) };
}

/** Returns the claims of a JWT that clients may read (docs/service.md S381), and its expiry as an ISO time; {} if the token isn't a JWT. */
function claimsOf(token: string): IDataObject {
	const payload = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
	if (!isObject(payload)) return {};
	const { jti, identity, iat, nbf, exp } = payload as IDataObject;
	const expiresAt = new Date((numberIn(exp) ?? NaN) * 1_000);
	const hasExpiry = !Number.isNaN(expiresAt.getTime());
	return {
		jti,
		identity,
		iat,
		nbf,
		exp,
		...(hasExpiry && { expires_at: expiresAt.toISOString() }),
	};
}
