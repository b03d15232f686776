import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { callAccount } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { profileFields } from '../../../shared/account/profile';
import { forResourceOperation } from '../../../shared/descriptions/forOperation';
import { includeTokensField } from '../../account';

export const description: INodeProperties[] = forResourceOperation('session', 'getProfile', [
	includeTokensField,
]);

/** GET {accountUrl}/auth/profile (docs/service.md S380). One call a run, whatever the number of items. */
export async function execute(
	session: AccountSession,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const includeTokens = session.context.getNodeParameter('includeTokens', itemIndex) === true;
	const answer = await session.memoize(
		'profile',
		async () =>
			await callAccount(session, {
				method: 'GET',
				path: '/auth/profile',
				subject: 'reading the profile',
			}),
	);
	return { json: profileFields(answer, includeTokens) };
}
