import type { INodeProperties } from 'n8n-workflow';

import { callAccount, unusableResponseFailure } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { keyItem } from '../../../shared/account/keys';
import { showForResourceOperation } from '../../../shared/descriptions/forOperation';
import { textIn } from '../../../shared/inputs/values';
import { isObject } from '../../../shared/service/schemas';
import { doOnce } from '../../../shared/manage/doOnce';
import { readVerificationToken, verificationTokenField } from '../../verificationToken';

const subject = 'creating the API key';

export const description: INodeProperties[] = showForResourceOperation('apiKey', 'create', [
	{
		displayName: 'The output contains the full key. Store it safely.',
		name: 'createNotice',
		type: 'notice',
		default: '',
	},
	verificationTokenField,
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		description: 'Name of the key (optional)',
	},
	{
		displayName: 'Expiry Date',
		name: 'expiryDate',
		type: 'string',
		default: '',
		placeholder: 'e.g. 2027-12-31',
		description:
			"When the key expires. Leave it empty for a key that never expires. Segmind doesn't document the date format: an ISO date will most likely work. The text is sent as entered.",
	},
]);

/** POST {accountUrl}/auth/generate-api-key (docs/service.md S384). Journaled, so that a retry doesn't create a second key. */
export async function execute(session: AccountSession, itemIndex: number) {
	const token = readVerificationToken(session, itemIndex);
	const name = session.context.getNodeParameter('name', itemIndex) || undefined;
	const expiry_date = session.context.getNodeParameter('expiryDate', itemIndex) || undefined;
	const whenUnknown =
		'API Key: Get Many shows whether the key was created. If it was not, start the workflow again with a new verification token.';
	return await doOnce(session, { itemIndex, subject, whenUnknown }, async () => {
		const { status, body } = await callAccount(session, {
			method: 'POST',
			path: '/auth/generate-api-key',
			body: { token, name, expiry_date },
			subject,
		});
		if (!isObject(body) && !/^\w+$/.test(textIn(body)))
			throw unusableResponseFailure(status, subject, true);
		return { json: keyItem(body, true) };
	});
}
