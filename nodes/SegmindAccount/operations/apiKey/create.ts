import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { callAccount, unusableAnswer } from '../../../shared/account/accountCalls';
import { requiredText } from '../../../shared/inputs/values';
import type { AccountSession } from '../../../shared/account/accountSession';
import { doOnce } from '../../../shared/request/doOnce';
import { keyItem } from '../../../shared/account/keys';
import { badInput } from '../../../shared/base/failure';
import { dropUndefined } from '../../../shared/output/finished';
import { isObject } from '../../../shared/service/schemas';
import { forResourceOperation } from '../../../shared/descriptions/forOperation';
import { VERIFICATION_ADVICE, verificationTokenField } from '../../account';

const subject = 'creating the API key';
const WHEN_UNKNOWN =
	'API Key: Get Many shows whether it was created. A retry does not create a second one; if it was not, start the workflow again with a new verification token.';

export const description: INodeProperties[] = forResourceOperation('apiKey', 'create', [
	{
		displayName:
			'A key can only be created by hand: Segmind asks for the verification token of its sign-in page, which a browser makes and which works once. A schedule cannot create keys. The output has the whole key: store it safely now.',
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
		description: 'Name of the key. Optional.',
	},
	{
		displayName: 'Expiry Date',
		name: 'expiryDate',
		type: 'string',
		default: '',
		placeholder: 'e.g. 2027-12-31',
		description:
			'When the key expires. Empty: never. Segmind does not publish the form it expects; an ISO date is most likely right, and the text is sent as entered.',
	},
]);

/** POST {accountUrl}/auth/generate-api-key (docs/service.md S384). */
export async function execute(
	session: AccountSession,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const token = requiredText(
		session.context,
		itemIndex,
		'verificationToken',
		'Verification Token',
		VERIFICATION_ADVICE,
	);
	session.hide(token);
	const name = String(session.context.getNodeParameter('name', itemIndex) ?? '').trim();
	const expiry = expiryDate(session.context.getNodeParameter('expiryDate', itemIndex));
	return await doOnce(session, { itemIndex, subject, whenUnknown: WHEN_UNKNOWN }, async () => {
		const { answer, body } = await callAccount(session, {
			method: 'POST',
			path: '/auth/generate-api-key',
			body: dropUndefined({ token, name: name || undefined, expiry_date: expiry }),
			subject,
		});
		const plain = answer.body.toString('utf8').trim();
		const created =
			isObject(body) || typeof body === 'string'
				? body
				: /^SG_\w+$/.test(plain)
					? plain
					: undefined;
		if (created === undefined || created === '')
			throw unusableAnswer(answer, subject, WHEN_UNKNOWN, true);
		return { json: keyItem(created, true) };
	});
}

/** Text as entered; a date of an expression as ISO text. */
function expiryDate(value: unknown): string | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === 'string') return value.trim() || undefined;
	const iso = (value as IDataObject).toISO ?? (value as IDataObject).toISOString;
	if (typeof iso === 'function') return String((iso as () => unknown).call(value));
	throw badInput(
		`Expiry Date is a ${Array.isArray(value) ? 'list' : typeof value}, but must be text or a date`,
		'Write it as 2027-12-31.',
	);
}
