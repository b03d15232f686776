import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { assertDone, callAccount } from '../../../shared/account/accountCalls';
import { requiredText } from '../../../shared/inputs/values';
import type { AccountSession } from '../../../shared/account/accountSession';
import { doOnce } from '../../../shared/request/doOnce';
import { maskedBody, maskKey, readKey } from '../../../shared/account/keys';
import { forResourceOperation } from '../../../shared/descriptions/forOperation';
import { apiKeyField } from '../../account';

const subject = 'renaming the API key';

export const description: INodeProperties[] = forResourceOperation('apiKey', 'rename', [
	apiKeyField,
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		description: 'The new name',
	},
]);

/** PUT {accountUrl}/auth/rename-api-key (docs/service.md S386). */
export async function execute(
	session: AccountSession,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const key = readKey(session, itemIndex);
	const name = requiredText(
		session.context,
		itemIndex,
		'name',
		'Name',
		'Give the key its new name.',
	);
	return await doOnce(session, { itemIndex, subject }, async () => {
		const { body } = await callAccount(session, {
			method: 'PUT',
			path: '/auth/rename-api-key',
			body: { api_key: key, name },
			subject,
			namesKey: true,
		});
		assertDone(session, body, subject);
		return { json: { ...maskedBody(body), api_key: maskKey(key), name } };
	});
}
