import type { INodeProperties } from 'n8n-workflow';

import { callAccount } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { maskKey, readKey } from '../../../shared/account/keys';
import { showForResourceOperation } from '../../../shared/descriptions/forOperation';
import { readRequiredText } from '../../../shared/inputs/values';
import { apiKeyField } from './apiKeyField';

export const description: INodeProperties[] = showForResourceOperation('apiKey', 'rename', [
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
export async function execute(session: AccountSession, itemIndex: number) {
	const api_key = readKey(session, itemIndex);
	const name = readRequiredText(session.context, itemIndex, 'name', 'Name');
	await callAccount(session, {
		method: 'PUT',
		path: '/auth/rename-api-key',
		body: { api_key, name },
		subject: 'renaming the API key',
	});
	return { json: { api_key: maskKey(api_key), name } };
}
