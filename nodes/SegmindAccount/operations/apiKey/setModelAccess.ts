import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { assertDone, callAccount } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { doOnce } from '../../../shared/request/doOnce';
import { maskedBody, maskKey, readKey } from '../../../shared/account/keys';
import { badInput } from '../../../shared/base/failure';
import { parseJson } from '../../../shared/service/schemas';
import { forResourceOperation } from '../../../shared/descriptions/forOperation';
import { apiKeyField } from '../../account';

const subject = 'setting the model access of the API key';

export const description: INodeProperties[] = forResourceOperation('apiKey', 'setModelAccess', [
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

/** PUT {accountUrl}/auth/api-key-model-access (docs/service.md S387, S388). */
export async function execute(
	session: AccountSession,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const key = readKey(session, itemIndex);
	const access = readAccess(session, itemIndex);
	const item = await doOnce(session, { itemIndex, subject }, async () => {
		const { answer, body } = await callAccount(session, {
			method: 'PUT',
			path: '/auth/api-key-model-access',
			body: { api_key: key, model_access: access },
			subject,
			namesKey: true,
		});
		assertDone(session, body, subject);
		const live = isLive(answer.status, body ?? answer.body.toString('utf8'));
		return { json: { ...maskedBody(body), api_key: maskKey(key), live } };
	});
	if (item.json.live === false)
		session.hints.add(
			`Item ${itemIndex}: the model access of the API key is saved but not live yet. Until then Segmind goes by the previous one: run Set Model Access again later and look at live.`,
		);
	return item;
}

/**
 * Whether the gateway serves the new policy (specification, Account, rule 2): only when the flag says so, or under exactly 200 when there
 * is none. The flag may be text, and stand deeper in the body.
 */
function isLive(status: number, body: unknown): boolean {
	const flag = purgedIn(body, 0);
	return flag === undefined ? status === 200 : flag;
}

function purgedIn(value: unknown, depth: number): boolean | undefined {
	if (typeof value === 'string') {
		const [, word] = /cache_?purged\W{1,5}(\w+)/i.exec(value) ?? [];
		return word === undefined ? undefined : /^true$/i.test(word);
	}
	if (depth > 4 || typeof value !== 'object' || value === null) return undefined;
	const members = Object.entries(value);
	const own = members.find(([name]) => /^cache_?purged$/i.test(name));
	if (own) return /^\s*(true|1)\s*$/i.test(String(own[1]));
	return members.map(([, inner]) => purgedIn(inner, depth + 1)).find((flag) => flag !== undefined);
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
