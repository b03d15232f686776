import type { INodeProperties } from 'n8n-workflow';

import { callAccount } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { maskKey, readKey } from '../../../shared/account/keys';
import { showForResourceOperation } from '../../../shared/descriptions/forOperation';
import { badInput, fill } from '../../../shared/errors/failures';
import { HINTS } from '../../../shared/errors/hintTable';
import { INPUTS } from '../../../shared/errors/inputTable';
import { parseJson } from '../../../shared/service/schemas';
import { apiKeyField } from './apiKeyField';

export const description: INodeProperties[] = showForResourceOperation('apiKey', 'setModelAccess', [
	apiKeyField,
	{
		displayName: 'Model Access Mode',
		name: 'modelAccessMode',
		type: 'options',
		options: [
			{
				name: 'Clear',
				value: 'clear',
				description: 'Remove the restriction, so that the key can use every model',
			},
			{ name: 'Set', value: 'set', description: 'Restrict the key to the models below' },
		],
		default: 'set',
		description: 'Whether to restrict the key or remove its restriction',
	},
	{
		displayName: 'Model Access',
		name: 'modelAccess',
		type: 'json',
		default: '',
		required: true,
		placeholder: 'e.g. ["nano-banana", "flux-dev"]',
		description:
			"The restriction, as JSON. Segmind doesn't document its format. To see it, set a restriction in the console, then read it with Get Many. The JSON is sent as entered.",
		displayOptions: { show: { modelAccessMode: ['set'] } },
	},
]);

/** PUT {accountUrl}/auth/api-key-model-access (docs/service.md S387, S388). */
export async function execute(session: AccountSession, itemIndex: number) {
	const api_key = readKey(session, itemIndex);
	const { status, body } = await callAccount(session, {
		method: 'PUT',
		path: '/auth/api-key-model-access',
		body: { api_key, model_access: readAccess(session, itemIndex) },
		subject: 'setting the model access of the API key',
	});
	const live = isLive(status, body);
	if (!live) session.hints.add(fill(HINTS.accessNotActive, { item: itemIndex }));
	return { json: { api_key: maskKey(api_key), live } };
}

/** Whether the gateway already applies the change. The flag `cache_purged`, at any depth, shows it or, without it, status 200 (docs/service.md S388). */
function isLive(status: number, body: unknown): boolean {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const [, flag] = /cache_purged\W{1,5}(\w+)/.exec(text) ?? [];
	return flag === undefined ? status === 200 : flag === 'true';
}

/** Reads the restriction to set; null clears it. @throws SegmindFailure if it isn't JSON, or is null */
function readAccess({ context }: AccountSession, itemIndex: number): unknown {
	if (context.getNodeParameter('modelAccessMode', itemIndex) === 'clear') return null;
	const given: unknown = context.getNodeParameter('modelAccess', itemIndex, '');
	const access = typeof given === 'string' ? parseJson(given) : given;
	if (access !== undefined && access !== null) return access;
	throw badInput(INPUTS.wrongAccess);
}
