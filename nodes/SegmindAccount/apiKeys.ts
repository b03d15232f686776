import type { GenericValue, IDataObject, INodeExecutionData } from 'n8n-workflow';

import {
	choiceField,
	notice,
	requiredText,
	showIf,
	switchField,
	textField,
} from '../shared/descriptions/fields';
import { limitFields, readItemLimit } from '../shared/descriptions/limit';
import type { OutputFields } from '../shared/descriptions/outputs';
import type { Operations } from '../shared/items/operations';
import { wrongInput, wrongState } from '../shared/errors/failures';
import { say } from '../shared/errors/say';
import { renameError } from '../shared/output/outputFields';
import { isObject, listIn, parseJson } from '../shared/service/schemas';
import { readPlainText, textIn } from '../shared/parameters/values';
import type { Action } from '../shared/manage/doOnce';
import { changeAccount, readAccount, type AccountCall, type AccountItem } from './accountCalls';

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

const verificationTokenField = textField(
	'verificationToken',
	'Verification Token',
	"The token that the console's sign-in page creates in your browser. Copy it from the browser's developer tools. Each token works once, so this can't run on a schedule. If you can't get a token, create keys in the console.",
	{ typeOptions: { password: true }, required: true },
);

const KEY_OUTPUT: OutputFields = {
	api_key: 'string',
	name: 'string',
	created_at: 'string',
	expiry_date: 'string',
};

/** The key that an operation changes, and a warning about where n8n keeps it. */
const changedKeyFields = [
	notice(
		'keyNotice',
		'The whole key is stored in the workflow, or in its execution data if an expression reads it from another node',
	),
	apiKeyField,
];

const ACCESS_NOT_ACTIVE = say`the model access of the API key is saved but not active yet. Until it is, the previous setting applies. Later, run Set Model Access again and check the field "live" in the output.`;

export const apiKey: Operations<AccountItem> = {
	/** GET {accountUrl}/auth/get-api-keys. One call per run. Returns one item for each key. */
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
		output: KEY_OUTPUT,
		execute: async (item) => {
			const showFull = item.parameters.isOn('showFullKeys');
			const limit = readItemLimit(item.parameters);
			const isUsable = (body: unknown) => listIn(body) !== undefined;
			const call = { path: '/auth/get-api-keys', isUsable };
			const keys = listIn(await readAccount(item.run, call, 'listing the API keys')) ?? [];
			return keys.slice(0, limit).map((entry) => ({ json: keyItem(entry, showFull) }));
		},
	},
	/** POST {accountUrl}/auth/generate-api-key. */
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
		output: KEY_OUTPUT,
		execute: async (item) => {
			// The token works once (docs/service.md S385), and is hidden in every error text from now on.
			const token = item.parameters.text('verificationToken');
			item.run.hide(token);
			const name = item.parameters.text('name') || undefined;
			const body = { token, name, expiry_date: readExpiryDate(item) };
			const action: Action = {
				subject: 'creating the API key',
				doneTwice: 'harmful',
				whereToLook:
					'If API Key: Get Many does not show the key, start the workflow again with a new verification token.',
			};
			const isUsable = (created: unknown) => isObject(created) || /^\w+$/.test(textIn(created));
			const path = '/auth/generate-api-key';
			const call = { method: 'POST', path, body, isUsable } as const;
			return await changeAccount(item, action, call, (created) => keyItem(created, true));
		},
	},
	/** PUT {accountUrl}/auth/rename-api-key. */
	rename: {
		name: 'Rename',
		action: 'Rename an API key',
		fields: [...changedKeyFields, requiredText('name', 'Name', 'The new name')],
		output: { api_key: 'string', name: 'string' },
		execute: async (item) => {
			const name = item.parameters.text('name');
			const call = { method: 'PUT', path: '/auth/rename-api-key', body: { name } } as const;
			return await changeKey(item, 'renaming', call, () => ({ name }));
		},
	},
	/** PUT {accountUrl}/auth/api-key-model-access (docs/service.md S387, S388). */
	setModelAccess: {
		name: 'Set Model Access',
		description: 'Restrict a key to certain models, or lift the restriction',
		action: 'Set the model access of an API key',
		fields: [
			...changedKeyFields,
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
					...showIf({ modelAccessMode: ['set'] }),
				},
			),
		],
		output: { api_key: 'string', live: 'boolean' },
		execute: async (item) => {
			const { run, index } = item;
			const body = { model_access: readAccess(item) };
			const call = { method: 'PUT', path: '/auth/api-key-model-access', body } as const;
			return await changeKey(item, 'changing', call, (changed, status) => {
				// Whether the gateway already applies the change: `cache_purged` shows it or, without it, status 200 (docs/service.md S388).
				const flag = isObject(changed) ? changed.cache_purged : undefined;
				const live = flag === undefined ? status === 200 : flag === true;
				if (!live) run.events.addHint({ item: index, text: ACCESS_NOT_ACTIVE });
				return { live };
			});
		},
	},
	/** DELETE {accountUrl}/auth/delete-api-key with the key in the body. */
	delete: {
		name: 'Delete',
		action: 'Delete an API key',
		fields: changedKeyFields,
		output: { api_key: 'string', deleted: 'boolean' },
		execute: async (item) => {
			const call = { method: 'DELETE', path: '/auth/delete-api-key' } as const;
			return await changeKey(item, 'deleting', call, () => ({ deleted: true }));
		},
	},
};

/** Reads the date to send; undefined if the field is empty. The key then never expires, so no expression may be undefined. @throws SegmindFailure for an object */
function readExpiryDate({ parameters }: AccountItem): string | undefined {
	const value = parameters.definedValue('expiryDate');
	// A date of n8n is an object, whose JSON is text.
	const date: unknown = isObject(value) ? parseJson(JSON.stringify(value)) : value;
	return readPlainText(date, parameters.label('expiryDate')) || undefined;
}

/** Changes the key in the parameter `apiKey`, whose masked form begins the output. `change`: what happens to it, such as "renaming". */
async function changeKey(
	item: AccountItem,
	change: string,
	call: AccountCall,
	itemOf: (body: unknown, status: number) => IDataObject,
): Promise<INodeExecutionData> {
	const api_key = readKey(item);
	const action: Action = { subject: `${change} the API key`, doneTwice: 'harmless' };
	const fullCall = { ...call, body: { api_key, ...call.body } };
	return await changeAccount(item, action, fullCall, (body, status) => ({
		api_key: maskKey(api_key),
		...itemOf(body, status),
	}));
}

/** Reads the restriction to set; null clears it. @throws SegmindFailure if it isn't JSON, or is null */
function readAccess({ parameters }: AccountItem) {
	if (parameters.choice('modelAccessMode', ['clear', 'set']) === 'clear') return null;
	const access = parameters.json('modelAccess');
	if (access !== null) return access as GenericValue;
	const wanted = 'JSON other than null; to send null, choose Clear';
	throw wrongInput(parameters.label('modelAccess'), access, wanted);
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
function readKey({ run, parameters }: AccountItem): string {
	const key = parameters.text('apiKey');
	if (MASKED.test(key))
		throw wrongState(parameters.label('apiKey'), 'masked', 'the full key (see Show Full Keys)');
	run.hide(key);
	return key;
}
