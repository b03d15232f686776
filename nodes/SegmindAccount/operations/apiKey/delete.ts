import type { INodeProperties } from 'n8n-workflow';

import { callAccount } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { maskKey, readKey } from '../../../shared/account/keys';
import { showForResourceOperation } from '../../../shared/descriptions/forOperation';
import { doOnce } from '../../../shared/manage/doOnce';
import { apiKeyField } from './apiKeyField';

const subject = 'deleting the API key';

export const description: INodeProperties[] = showForResourceOperation('apiKey', 'delete', [
	apiKeyField,
]);

/** DELETE {accountUrl}/auth/delete-api-key with the key in the body (docs/service.md S389). Journaled, because a second call would not find the key. */
export async function execute(session: AccountSession, itemIndex: number) {
	const api_key = readKey(session, itemIndex);
	return await doOnce(session, { itemIndex, subject }, async () => {
		await callAccount(session, {
			method: 'DELETE',
			path: '/auth/delete-api-key',
			body: { api_key },
			subject,
		});
		return { json: { api_key: maskKey(api_key), deleted: true } };
	});
}
