import type { IDataObject } from 'n8n-workflow';

import { textOfMember } from '../shared/base/text';
import type { Operations } from '../shared/items/operations';
import { isObject, parseJson } from '../shared/service/schemas';
import { readAccount, type AccountItem, type AccountRun } from './accountCalls';

export const session: Operations<AccountItem> = {
	/** GET {accountUrl}/auth/profile (docs/service.md S380). One call per run. */
	getProfile: {
		name: 'Get Profile',
		action: 'Get the profile',
		output: {
			username: 'string',
			email: 'string',
			jti: 'string',
			identity: 'string',
			expires_at: 'string',
		},
		execute: async ({ run }) => {
			const call = { path: '/auth/profile', isUsable: isObject };
			const body = (await readAccount(run, call, 'reading the profile')) as IDataObject;
			// The output has only these two members, because others may be secrets.
			const username = textOfMember(body, 'username');
			const email = textOfMember(body, 'email');
			return { json: { username, email, ...tokenOutput(run) } };
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
		output: { refreshed: 'boolean', jti: 'string', identity: 'string', expires_at: 'string' },
		execute: async ({ run }) => {
			const call = { path: '/auth/profile', refreshFirst: true } as const;
			await readAccount(run, call, 'refreshing the session');
			return { json: { refreshed: true, ...tokenOutput(run) } };
		},
	},
};

/** Returns the claims of the access token (docs/service.md S381), and its expiry as an ISO time; none if it isn't a JWT. */
function tokenOutput({ access }: AccountRun): IDataObject {
	const [, payload = ''] = access.token.split('.');
	const claims = parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
	if (!isObject(claims)) return {};
	const { jti, identity, iat, nbf, exp } = claims as IDataObject;
	const expiresAt = new Date(Number(exp) * 1_000);
	const expires_at = Number.isNaN(expiresAt.getTime()) ? undefined : expiresAt.toISOString();
	return { jti, identity, iat, nbf, exp, expires_at };
}
