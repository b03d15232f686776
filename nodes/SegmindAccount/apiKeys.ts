import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import {
	changeAccount,
	readAccount,
	unusableBodyFailure,
	type AccountCall,
	type AccountResponse,
} from '../shared/account/accountCalls';
import type { AccountSession } from '../shared/account/accountSession';
import { keyItem, maskKey, readKey } from '../shared/account/keys';
import {
	choiceField,
	notice,
	requiredText,
	switchField,
	textField,
} from '../shared/descriptions/fields';
import { limitFields } from '../shared/descriptions/limit';
import type { Operations } from '../shared/descriptions/operations';
import { badInput, fill } from '../shared/errors/failures';
import { HINTS } from '../shared/errors/hintTable';
import { INPUTS } from '../shared/errors/inputTable';
import { limitEntries, readRequiredText, textIn } from '../shared/inputs/values';
import { isObject, listIn, parseJson } from '../shared/service/schemas';
import { readVerificationToken, verificationTokenField } from './sessions';

const apiKeyField = textField(
	'apiKey',
	'API Key',
	'The full key. Get Many returns full keys only if Show Full Keys is on.',
	{ typeOptions: { password: true }, required: true, placeholder: 'e.g. SG_0123456789abcdef' },
);

export const apiKey: Operations<AccountSession> = {
	/** GET {accountUrl}/auth/get-api-keys (docs/service.md S383). One call per run. Returns one item for each key. */
	getAll: {
		name: 'Get Many',
		action: 'Get many API keys',
		fields: [
			...limitFields,
			switchField(
				'showFullKeys',
				'Show Full Keys',
				'Whether to return full keys instead of masked ones. Rename, Set Model Access and Delete need full keys. Anyone who can see the execution can then use these keys.',
			),
		],
		execute: async (session, itemIndex) => {
			const showFull = session.context.getNodeParameter('showFullKeys', itemIndex) === true;
			const subject = 'listing the API keys';
			const response = await readAccount(session, { path: '/auth/get-api-keys' }, subject);
			const keys = listIn(response.body);
			if (keys === undefined) throw unusableBodyFailure(response, { subject });
			return limitEntries(session, itemIndex, keys).map((entry) => ({
				json: keyItem(entry, showFull),
			}));
		},
	},
	/** POST {accountUrl}/auth/generate-api-key (docs/service.md S384). */
	create: {
		name: 'Create API Key',
		description:
			'Requires a verification token, which only the sign-in page in your browser can create',
		action: 'Create an API key',
		fields: [
			notice('createNotice', 'The output contains the full key. Store it safely.'),
			verificationTokenField,
			textField('name', 'Name', 'Name of the key (optional)'),
			textField(
				'expiryDate',
				'Expiry Date',
				"When the key expires. Leave it empty for a key that never expires. Segmind doesn't document the date format: an ISO date will most likely work. The text is sent as entered.",
				{ placeholder: 'e.g. 2027-12-31' },
			),
		],
		execute: async (session, itemIndex) => {
			const { context } = session;
			const body = {
				token: readVerificationToken(session, itemIndex),
				name: context.getNodeParameter('name', itemIndex) || undefined,
				expiry_date: context.getNodeParameter('expiryDate', itemIndex) || undefined,
			};
			const action = {
				itemIndex,
				subject: 'creating the API key',
				whenUnknown:
					'API Key: Get Many shows whether the key was created. If it was not, start the workflow again with a new verification token.',
			};
			const call = { method: 'POST', path: '/auth/generate-api-key', body } as const;
			return await changeAccount(session, action, call, (response) => {
				if (!isObject(response.body) && !/^\w+$/.test(textIn(response.body)))
					throw unusableBodyFailure(response, action);
				return keyItem(response.body, true);
			});
		},
	},
	/** PUT {accountUrl}/auth/rename-api-key (docs/service.md S386). */
	rename: {
		name: 'Rename API Key',
		action: 'Rename an API key',
		fields: [apiKeyField, requiredText('name', 'Name', 'The new name')],
		execute: async (session, itemIndex) => {
			const name = readRequiredText(session.context, itemIndex, 'name', 'Name');
			const call = { method: 'PUT', path: '/auth/rename-api-key', body: { name } } as const;
			return await changeKey(session, itemIndex, 'renaming', call, () => ({ name }));
		},
	},
	/** PUT {accountUrl}/auth/api-key-model-access (docs/service.md S387, S388). */
	setModelAccess: {
		name: 'Set Model Access',
		description: 'Restrict a key to certain models, or lift the restriction',
		action: 'Set the model access of an API key',
		fields: [
			apiKeyField,
			choiceField(
				'modelAccessMode',
				'Model Access Mode',
				'Whether to restrict the key or remove its restriction',
				[
					['clear', 'Clear', 'Remove the restriction, so that the key can use every model'],
					['set', 'Set', 'Restrict the key to the models below'],
				],
				'set',
			),
			textField(
				'modelAccess',
				'Model Access',
				"The restriction, as JSON. Segmind doesn't document its format. To see it, set a restriction in the console, then read it with Get Many. The JSON is sent as entered.",
				{
					type: 'json',
					required: true,
					placeholder: 'e.g. ["nano-banana", "flux-dev"]',
					displayOptions: { show: { modelAccessMode: ['set'] } },
				},
			),
		],
		execute: async (session, itemIndex) => {
			const body = { model_access: readAccess(session, itemIndex) };
			const call = { method: 'PUT', path: '/auth/api-key-model-access', body } as const;
			return await changeKey(
				session,
				itemIndex,
				'setting the model access of',
				call,
				(response) => {
					const live = isLive(response);
					if (!live) session.hints.add(fill(HINTS.accessNotActive, { item: itemIndex }));
					return { live };
				},
			);
		},
	},
	/** DELETE {accountUrl}/auth/delete-api-key with the key in the body (docs/service.md S389). */
	delete: {
		name: 'Delete API Key',
		action: 'Delete an API key',
		fields: [apiKeyField],
		execute: async (session, itemIndex) => {
			const call = { method: 'DELETE', path: '/auth/delete-api-key' } as const;
			return await changeKey(session, itemIndex, 'deleting', call, () => ({ deleted: true }));
		},
	},
};

/** Changes the key in the parameter `apiKey`, whose masked form begins the output. `change`: what happens to it, such as "renaming". */
async function changeKey(
	session: AccountSession,
	itemIndex: number,
	change: string,
	call: AccountCall,
	itemOf: (response: AccountResponse) => IDataObject,
): Promise<INodeExecutionData> {
	const api_key = readKey(session, itemIndex);
	const action = { itemIndex, subject: `${change} the API key` };
	const fullCall = { ...call, body: { api_key, ...call.body } };
	return await changeAccount(session, action, fullCall, (response) => ({
		api_key: maskKey(api_key),
		...itemOf(response),
	}));
}

/** Whether the gateway already applies the change: `cache_purged` shows it or, without it, status 200 (docs/service.md S388). */
function isLive({ status, body }: AccountResponse): boolean {
	const flag = isObject(body) ? body.cache_purged : undefined;
	return flag === undefined ? status === 200 : flag === true;
}

/** Reads the restriction to set; null clears it. @throws SegmindFailure if it isn't JSON, or is null */
function readAccess({ context }: AccountSession, itemIndex: number) {
	if (context.getNodeParameter('modelAccessMode', itemIndex) === 'clear') return null;
	const given: unknown = context.getNodeParameter('modelAccess', itemIndex, '');
	const access = typeof given === 'string' ? parseJson(given) : given;
	if (access !== undefined && access !== null) return access;
	throw badInput(INPUTS.wrongAccess);
}
