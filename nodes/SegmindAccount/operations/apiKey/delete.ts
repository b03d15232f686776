import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { assertDone, callAccount } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { doOnce } from '../../../shared/request/doOnce';
import { maskedBody, maskKey, readKey } from '../../../shared/account/keys';
import { forResourceOperation } from '../../../shared/descriptions/forOperation';
import { apiKeyField } from '../../account';

const subject = 'deleting the API key';

export const description: INodeProperties[] = forResourceOperation('apiKey', 'delete', [
	apiKeyField,
]);

/** DELETE {accountUrl}/auth/delete-api-key with the key in the body (docs/service.md S389). */
export async function execute(
	session: AccountSession,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const key = readKey(session, itemIndex);
	return await doOnce(session, { itemIndex, subject }, async () => {
		const { body } = await callAccount(session, {
			method: 'DELETE',
			path: '/auth/delete-api-key',
			body: { api_key: key },
			subject,
			namesKey: true,
		});
		assertDone(session, body, subject, ['success', 'ok', 'deleted']);
		return { json: { ...maskedBody(body), api_key: maskKey(key), deleted: true } };
	});
}
