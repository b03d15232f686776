import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import {
	changeAccount,
	readAccount,
	type AccountCall,
	type AccountSession,
} from '../shared/account/accountCalls';
import {
	choiceField,
	notice,
	requiredText,
	switchField,
	textField,
} from '../shared/descriptions/fields';
import { limitFields } from '../shared/descriptions/limit';
import type { Operations } from '../shared/descriptions/operations';
import { fill, wrongInput, wrongState } from '../shared/errors/failures';
import { HINTS } from '../shared/errors/hintTable';
import { readItemLimit, readRequiredText, readText, textIn } from '../shared/inputs/values';
import { renameError } from '../shared/output/fields';
import { isObject, listIn, parseJson } from '../shared/service/schemas';
import { readVerificationToken, verificationTokenField } from './sessions';

/** A key inside a string. */
const KEY_TEXT = /SG_[0-9A-Za-z]{8,}/g;
/** Members that may contain a key: the members of a key entry aren't published. */
const KEY_MEMBERS = new Set(['api_key', 'apiKey', 'key', 'api-key', 'secret', 'value', 'token']);
/** A key from which a part was removed, by `maskKey`, by Segmind, or by `redact`. */
const MASKED = /…|\.\.\.|\*|•|\[hidden\]/;

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
			const isUsable = (body: unknown) => listIn(body) !== undefined;
			const call = { path: '/auth/get-api-keys', isUsable };
			const keys = listIn(await readAccount(session, call, 'listing the API keys')) ?? [];
			return keys.slice(0, readItemLimit(session, itemIndex)).map((entry) => ({
				json: keyItem(entry, showFull),
			}));
		},
	},
	/** POST {accountUrl}/auth/generate-api-key (docs/service.md S384). */
	create: {
		name: 'Create',
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
			const token = readVerificationToken(session, itemIndex);
			const optional = (name: string) =>
				session.context.getNodeParameter(name, itemIndex) || undefined;
			const body = { token, name: optional('name'), expiry_date: optional('expiryDate') };
			const action = {
				itemIndex,
				subject: 'creating the API key',
				whenUnknown:
					'API Key: Get Many shows whether the key was created. If it was not, start the workflow again with a new verification token.',
			};
			const isUsable = (created: unknown) => isObject(created) || /^\w+$/.test(textIn(created));
			const call = { method: 'POST', path: '/auth/generate-api-key', body, isUsable } as const;
			return await changeAccount(session, action, call, (created) => keyItem(created, true));
		},
	},
	/** PUT {accountUrl}/auth/rename-api-key (docs/service.md S386). */
	rename: {
		name: 'Rename',
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
			return await changeKey(session, itemIndex, 'changing', call, (changed, status) => {
				// Whether the gateway already applies the change: `cache_purged` shows it or, without it, status 200 (docs/service.md S388).
				const flag = isObject(changed) ? changed.cache_purged : undefined;
				const live = flag === undefined ? status === 200 : flag === true;
				if (!live) session.hints.add(fill(HINTS.accessNotActive, { item: itemIndex }));
				return { live };
			});
		},
	},
	/** DELETE {accountUrl}/auth/delete-api-key with the key in the body (docs/service.md S389). */
	delete: {
		name: 'Delete',
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
	itemOf: (body: unknown, status: number) => IDataObject,
): Promise<INodeExecutionData> {
	const api_key = readKey(session, itemIndex);
	const action = { itemIndex, subject: `${change} the API key` };
	const fullCall = { ...call, body: { api_key, ...call.body } };
	return await changeAccount(session, action, fullCall, (body, status) => ({
		api_key: maskKey(api_key),
		...itemOf(body, status),
	}));
}

/** Reads the restriction to set; null clears it. @throws SegmindFailure if it isn't JSON, or is null */
function readAccess({ context }: AccountSession, itemIndex: number) {
	if (context.getNodeParameter('modelAccessMode', itemIndex) === 'clear') return null;
	const given: unknown = context.getNodeParameter('modelAccess', itemIndex, '');
	const access = typeof given === 'string' ? parseJson(given) : given;
	if (access !== undefined && access !== null) return access;
	throw wrongInput('Model Access', given, 'JSON other than null; to send null, choose Clear');
}

/** Masks a key: keeps only its first three and last four characters, by which users recognize it. A masked key stays unchanged. */
function maskKey(key: string): string {
	if (MASKED.test(key)) return key;
	return key.length < 12 ? '…' : `${key.slice(0, 3)}…${key.slice(-4)}`;
}

/** Converts an entry of a key list to an item. Masks every key in it unless `showFull`. An entry may also be only the key, as text. */
function keyItem(entry: unknown, showFull: boolean): IDataObject {
	const members = isObject(entry) ? renameError(entry) : ({ api_key: entry } as IDataObject);
	if (showFull) return members;
	const masked = JSON.stringify(members, (name, value: unknown) =>
		typeof value === 'string' && KEY_MEMBERS.has(name) ? maskKey(value) : value,
	);
	// A key may also be a member's name.
	return JSON.parse(masked.replace(KEY_TEXT, maskKey)) as IDataObject;
}

/**
 * Reads the parameter `apiKey`, and hides the key in every error text from now on.
 * @throws SegmindFailure before any call if it's empty or masked; the error doesn't contain the key
 */
function readKey(session: AccountSession, itemIndex: number): string {
	const key = readText(session.context.getNodeParameter('apiKey', itemIndex), 'API Key');
	if (MASKED.test(key)) throw wrongState('API Key', 'masked', 'the full key (see Show Full Keys)');
	session.hide(key);
	return key;
}
