import type { IDataObject } from 'n8n-workflow';

import { textOfMember } from '../shared/base/text';
import { choiceField, requiredText, switchField, textField } from '../shared/descriptions/fields';
import type { Operations } from '../shared/items/operations';
import { claimsIn, expiryOf } from '../shared/service/accessToken';
import { joinUrl } from '../shared/service/addresses';
import { isObject } from '../shared/service/schemas';
import type { Action } from '../shared/manage/doOnce';
import type { Item } from '../shared/run/item';
import { changeAccount, readAccount, type AccountRun } from './accountCalls';

export const verificationTokenField = textField(
	'verificationToken',
	'Verification Token',
	"The token that the console's sign-in page creates in your browser. Copy it from the browser's developer tools. Each token works once, so this can't run on a schedule. If you can't get a token, create keys in the console.",
	{ typeOptions: { password: true }, required: true },
);

/** Reads the verification token (docs/service.md S385), and hides it in every error text from now on. @throws SegmindFailure if it's empty */
export function readVerificationToken({ run, parameters }: Item<AccountRun>): string {
	const token = parameters.text(verificationTokenField.name);
	run.hide(token);
	return token;
}

const includeTokensField = switchField(
	'includeTokens',
	'Include Tokens',
	'Whether to include the access token and the refresh token in the output. Anyone who can see the execution can then act as this user.',
);

export const sessionOperations: Operations<AccountRun> = {
	/** GET {accountUrl}/auth/profile (docs/service.md S380). One call per run. */
	getProfile: {
		name: 'Get Profile',
		action: 'Get the profile',
		fields: [includeTokensField],
		output: {
			username: 'string',
			email: 'string',
			jti: 'string',
			identity: 'string',
			expires_at: 'string',
		},
		execute: async (item) => {
			const includesTokens = item.parameters.isOn('includeTokens');
			const call = { path: '/auth/profile', isUsable: isObject };
			const body = (await readAccount(item.run, call, 'reading the profile')) as IDataObject;
			// The output has only these two members, because others may be secrets.
			const username = textOfMember(body, 'username');
			const email = textOfMember(body, 'email');
			return { json: { username, email, ...tokenOutput(item.run, includesTokens) } };
		},
	},
	/**
	 * POST {accountUrl}/auth/refresh-token through the credential, so that n8n stores the tokens, then GET {accountUrl}/auth/profile, which
	 * proves that the new token works (docs/service.md S382). One refresh per run of the node.
	 */
	refresh: {
		name: 'Refresh',
		description:
			'Other operations do this automatically. Each refresh counts toward the limit of ten an hour.',
		action: 'Refresh the session',
		fields: [includeTokensField],
		output: { refreshed: 'boolean', jti: 'string', identity: 'string', expires_at: 'string' },
		execute: async (item) => {
			const includesTokens = item.parameters.isOn('includeTokens');
			const call = { path: '/auth/profile', refreshFirst: true } as const;
			await readAccount(item.run, call, 'refreshing the session');
			return { json: { refreshed: true, ...tokenOutput(item.run, includesTokens) } };
		},
	},
};

export const signIn: Operations<AccountRun> = {
	/** Returns the URL to open in a browser, without a call (docs/service.md S391). */
	getUrl: {
		name: 'Get URL',
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
		output: { provider: 'string', url: 'string' },
		execute: async ({ run, parameters }) => {
			const { accountUrl, consoleUrl } = run;
			const provider = parameters.choice('provider', ['azure', 'console', 'discord', 'google']);
			const url =
				provider === 'console'
					? joinUrl(consoleUrl, '/auth/login')
					: joinUrl(accountUrl, `/login/${provider}`);
			return { json: { provider, url } };
		},
	},
	/** POST {accountUrl}/auth/login/email/request without Authorization (docs/service.md S390). */
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
		output: { email: 'string', message: 'string' },
		execute: async (item) => {
			const email = item.parameters.text('email');
			const body = { email, token: readVerificationToken(item) };
			const action: Action = {
				subject: 'requesting the sign-in email',
				doneTwice: 'harmful',
				whereToLook:
					'Check the mailbox. If no email has arrived, start the workflow again with a new verification token.',
			};
			const path = '/auth/login/email/request';
			const call = {
				method: 'POST',
				path,
				body,
				signedOut: true,
				worksOnce: true,
				defaultReason: 'Failed to send login email',
			} as const;
			return await changeAccount(item, action, call, (sent) => {
				const message = isObject(sent) ? textOfMember(sent, 'message') : '';
				return { email, message: message || 'Check your email for the login link' };
			});
		},
	},
};

/** Returns the claims of the access token, its expiry as an ISO time, and perhaps the tokens. */
function tokenOutput({ tokens }: AccountRun, includesTokens: boolean): IDataObject {
	const { accessToken: access_token, refreshToken: refresh_token } = tokens;
	const expiresAt = new Date(expiryOf(access_token));
	const expires_at = Number.isNaN(expiresAt.getTime()) ? undefined : expiresAt.toISOString();
	const claims = { ...claimsIn(access_token), expires_at };
	return { ...claims, ...(includesTokens && { access_token, refresh_token }) };
}
