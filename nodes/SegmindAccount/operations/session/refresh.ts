import type { INodeProperties } from 'n8n-workflow';

import { callAccount } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { showForResourceOperation } from '../../../shared/descriptions/forOperation';
import { includeTokensField, tokenOutput } from './tokenOutput';

export const description: INodeProperties[] = showForResourceOperation('session', 'refresh', [
	includeTokensField,
]);

/**
 * POST {accountUrl}/auth/refresh-token through the credential, so that n8n stores the tokens, then GET {accountUrl}/auth/profile, which
 * proves that the new token works (docs/service.md S382). One refresh per run of the node.
 */
export async function execute(session: AccountSession, itemIndex: number) {
	await session.memoize(
		'refresh',
		async () =>
			await callAccount(session, {
				method: 'GET',
				path: '/auth/profile',
				subject: 'refreshing the session',
				refreshFirst: true,
			}),
	);
	return {
		json: {
			refreshed: true,
			refresh_token_rotated: session.tokens.isRotated,
			...tokenOutput(session, itemIndex),
		},
	};
}
