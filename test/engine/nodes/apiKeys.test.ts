/** Segmind Account: API keys. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { useAccount } from '../../helpers/account';
import { shownTexts, succeed } from '../../helpers/runNode';

const { emulator, run, callsTo, injectFault, renameParams } = useAccount();
/** A key in the right form that isn't valid. */
const INVALID_KEY = ['SG', '89abcdef01234567'].join('_');
const mask = (key: string) => `${key.slice(0, 3)}…${key.slice(-4)}`;

test.each<[unknown, unknown]>([
	[['SG_fedcba9876543210'], [{ api_key: 'SG_…3210' }]],
	[[{ key: 'an-older-form-of-key', name: 'x' }], [{ key: 'an-…-key', name: 'x' }]],
	[[{ api_key: 'SG_****3210', error: null }], [{ api_key: 'SG_****3210' }]],
	[{ count: 0, keys: [] }, []],
	[{ data: { keys: [{ api_key: INVALID_KEY }] } }, [{ api_key: mask(INVALID_KEY) }]],
	[[{ [INVALID_KEY]: { name: 'x' } }], [{ [mask(INVALID_KEY)]: { name: 'x' } }]],
	[{ message: 'ok' }, undefined],
])('keys in the list %j are masked', async (body, expected) => {
	injectFault('get-api-keys', { body });
	const { json, error } = await run('apiKey', 'getAll');
	expect(error?.message).toEqual(expected ? undefined : expect.any(String));
	expect(json).toEqual(expected ?? []);
});

test('outputs full keys with Show Full Keys, up to the limit', async () => {
	for (const name of ['a', 'b']) emulator.apiKeys.push({ ...emulator.apiKeys[0], name });
	const { json } = await run('apiKey', 'getAll', { limit: 2, showFullKeys: true });
	expect(json.map(({ api_key }) => api_key)).toEqual([emulator.key, emulator.key]);
	expect((await run('apiKey', 'getAll', { limit: 2, returnAll: true })).json).toHaveLength(3);
});

test('create sends the fields, and outputs the key once, in full', async () => {
	const parameters = {
		verificationToken: 'check-1',
		name: 'robot',
		expiryDate: '={{ DateTime.utc(2027, 12, 31) }}',
	};
	const result = await run('apiKey', 'create', parameters);
	const [, created] = emulator.apiKeys;
	expect(result.json).toEqual([created]);
	expect(callsTo('generate-api-key')[0]).toMatchObject({
		method: 'POST',
		body: { token: 'check-1', name: 'robot', expiry_date: '2027-12-31T00:00:00.000Z' },
	});
	expect(shownTexts(result) + JSON.stringify(result.stored.executionData)).not.toContain(
		created.api_key,
	);
	await run('apiKey', 'create', { verificationToken: 'check-2' });
	expect(callsTo('generate-api-key')[1].body).toEqual({ token: 'check-2' });
});

test.each<[string, INodeParameters, string, unknown, object]>([
	[
		'rename',
		{ name: 'new name' },
		'PUT rename-api-key',
		{ name: 'new name' },
		{ name: 'new name' },
	],
	['delete', {}, 'DELETE delete-api-key', {}, { deleted: true }],
	...[
		[{ modelAccess: '["flux-dev", "nano-banana"]' }, ['flux-dev', 'nano-banana']],
		[{ modelAccess: '={{ { models: ["a"], team: null } }}' }, { models: ['a'], team: null }],
		[{ modelAccess: '[]' }, []],
		[{ modelAccessMode: 'clear', modelAccess: '["ignored"]' }, null],
	].map(
		([access, model_access]) =>
			[
				'setModelAccess',
				access,
				'PUT api-key-model-access',
				{ model_access },
				{ live: true },
			] as never,
	),
])('%s with %j: %s', async (operation, parameters, call, body, item) => {
	const { key } = emulator;
	const { json, hints } = await run('apiKey', operation, { apiKey: key, ...parameters });
	expect(json).toEqual([{ api_key: mask(key), ...item }]);
	expect(hints).toEqual([]);
	const [method, path] = call.split(' ');
	expect(callsTo(path)).toMatchObject([{ method, body: { api_key: key, ...(body as object) } }]);
});

test('a retry does not delete twice; under Continue the failed item is output too, without its key', async () => {
	const items = [{ json: { api_key: 'SG_ffffffffffffffff' } }, { json: { api_key: emulator.key } }];
	const parameters = { apiKey: '={{ $json.api_key }}' };
	const more = { items, tries: 3, onError: 'continueErrorOutput' as const };
	const { json, errorItems } = await run('apiKey', 'delete', parameters, more);
	expect(json).toEqual([expect.objectContaining({ deleted: true })]);
	expect(errorItems).toMatchObject([{ json: { error: { httpCode: 404 } } }]);
	expect(JSON.stringify(errorItems[0].json)).not.toContain('SG_f');
	const bodies = callsTo('delete-api-key').map(({ body }) => (body as IDataObject).api_key);
	expect(bodies.filter((key) => key === emulator.key)).toHaveLength(1);
});

test.each<[number, unknown, boolean]>([
	[200, { message: 'ok' }, true],
	[200, { cache_purged: false }, false],
	[202, { message: 'ok' }, false],
	[202, { cache_purged: true }, true],
])('model access, HTTP %i %j: live %s', async (status, body, live) => {
	injectFault('api-key-model-access', { status, body });
	const parameters = { apiKey: emulator.key, modelAccessMode: 'clear' };
	const result = succeed(await run('apiKey', 'setModelAccess', parameters));
	expect(result.json[0].live).toBe(live);
	expect(result.hints).toHaveLength(live ? 0 : 1);
	expect(shownTexts(result)).not.toContain(emulator.key);
});

test.each([{ success: false, message: 'It is in use' }, { error: 'It is in use' }])(
	'%j with HTTP 200 is a rejection',
	async (body) => {
		injectFault('rename-api-key', { body });
		const { failed } = await run('apiKey', 'rename', renameParams());
		expect(failed).toMatchObject([{ message: expect.stringContaining('It is in use') }]);
	},
);

const MODEL_ACCESS = 'Model Access';
test.each<[string, string, string, INodeParameters]>([
	['API Key', 'apiKey', 'rename', { apiKey: '={{ "" }}', name: 'x' }],
	['API Key', 'apiKey', 'rename', { apiKey: 'SG_…cdef', name: 'x' }],
	['API Key', 'apiKey', 'delete', { apiKey: 'SG_****cdef' }],
	['Name', 'apiKey', 'rename', { apiKey: INVALID_KEY, name: ' ' }],
	[MODEL_ACCESS, 'apiKey', 'setModelAccess', { apiKey: INVALID_KEY }],
	[MODEL_ACCESS, 'apiKey', 'setModelAccess', { apiKey: INVALID_KEY, modelAccess: '={{ null }}' }],
	[MODEL_ACCESS, 'apiKey', 'setModelAccess', { apiKey: INVALID_KEY, modelAccess: '["a"' }],
	['Verification Token', 'apiKey', 'create', { verificationToken: '={{ "" }}' }],
])(
	'the error names %s, and nothing is sent: %s, %s, %j',
	async (field, resource, operation, parameters) => {
		const { failed } = await run(resource, operation, parameters);
		expect(failed).toMatchObject([{ kind: 'badInput', message: expect.stringContaining(field) }]);
		expect(emulator.calls).toEqual([]);
	},
);
