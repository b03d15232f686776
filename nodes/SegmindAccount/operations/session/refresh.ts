import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { callAccount } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { refreshedFields } from '../../../shared/account/profile';
import { forResourceOperation } from '../../../shared/descriptions/forOperation';
import { includeTokensField } from '../../account';

export const description: INodeProperties[] = forResourceOperation('session', 'refresh', [
	{
		displayName:
			'Other operations refresh the session by themselves. Each refresh spends one of ten an hour; it is done once a run, whatever the number of items.',
		name: 'refreshNotice',
		type: 'notice',
		default: '',
	},
	includeTokensField,
]);

/**
 * POST {accountUrl}/auth/refresh-token through the credential, so that n8n stores the tokens, then GET {accountUrl}/auth/profile, which
 * proves that the new one is good (docs/service.md S382).
 */
export async function execute(
	session: AccountSession,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const includeTokens = session.context.getNodeParameter('includeTokens', itemIndex) === true;
	const renewed = await session.memoize('refresh', async () => {
		const before = String((await session.readCredential()).refreshToken ?? '');
		const answer = await callAccount(session, {
			method: 'GET',
			path: '/auth/profile',
			subject: 'refreshing the session',
			refreshFirst: true,
		});
		return { answer, rotated: answer.refreshToken !== before };
	});
	return { json: refreshedFields(renewed.answer, renewed.rotated, includeTokens) };
}
