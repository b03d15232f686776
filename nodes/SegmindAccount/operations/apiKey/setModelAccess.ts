import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { callAccount } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { changeOnce } from '../../../shared/account/changes';
import { maskedBody, maskKey, readKey } from '../../../shared/account/keys';
import { badInput } from '../../../shared/base/failure';
import { isObject, parseJson } from '../../../shared/service/schemas';
import { apiKeyField, forAccount } from '../../account';

const subject = 'setting the model access of the API key';

export const description: INodeProperties[] = forAccount('apiKey', 'setModelAccess', [
	apiKeyField,
	{
		displayName: 'Model Access Mode',
		name: 'modelAccessMode',
		type: 'options',
		options: [
			{
				name: 'Clear',
				value: 'clear',
				description: 'Lift the restriction: every model is allowed',
			},
			{ name: 'Set', value: 'set', description: 'Restrict the key as written below' },
		],
		default: 'set',
		description: 'Whether to restrict the key or to lift its restriction',
	},
	{
		displayName: 'Model Access',
		name: 'modelAccess',
		type: 'json',
		default: '',
		required: true,
		placeholder: 'e.g. ["nano-banana", "flux-dev"]',
		description:
			'The restriction, as JSON. Segmind does not publish its form; set one in the console and look at it with Get Many. It is sent as written.',
		displayOptions: { show: { modelAccessMode: ['set'] } },
	},
]);

/** PUT {accountUrl}/auth/api-key-model-access (specification, Account, rules 1 and 2). */
export async function execute(
	session: AccountSession,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const key = readKey(session, itemIndex);
	const access = readAccess(session, itemIndex);
	const item = await changeOnce(session, { itemIndex, subject }, async () => {
		const { answer, body } = await callAccount(session, {
			method: 'PUT',
			path: '/auth/api-key-model-access',
			body: { api_key: key, model_access: access },
			subject,
			namesKey: true,
		});
		const purged = isObject(body) ? body.cache_purged : undefined;
		const live = answer.status !== 202 && purged !== false;
		return { json: { ...maskedBody(body), api_key: maskKey(key), live } };
	});
	if (item.json.live === false)
		session.hints.add(
			`Item ${itemIndex}: the model access of the API key is saved but not live yet. Segmind goes on with the previous one until the key is next authenticated afresh.`,
		);
	return item;
}

/** Null clears the restriction; an omitted value cannot be sent. */
function readAccess(session: AccountSession, itemIndex: number): unknown {
	const { context } = session;
	if (context.getNodeParameter('modelAccessMode', itemIndex) === 'clear') return null;
	const given: unknown = context.getNodeParameter('modelAccess', itemIndex, '');
	const text = typeof given === 'string' ? given.trim() : undefined;
	if (text === '')
		throw badInput(
			'Model Access is empty',
			'Write the restriction as JSON, or choose the mode Clear to lift it.',
		);
	const access = text === undefined ? given : parseJson(text);
	if (access === null)
		throw badInput(
			'Model Access is null, which would lift the restriction',
			'Choose the mode Clear if that is meant.',
		);
	if (access === undefined)
		throw badInput('Model Access is not valid JSON', 'Check quotes, commas and brackets.');
	return access;
}
