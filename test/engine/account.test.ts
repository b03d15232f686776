/** Segmind Account: session, API keys, sign-in. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Call } from '../../dev/emulator/types';
import { forRetry, type RunOptions, type RunResult } from '../helpers/runNode';
import { prompts } from '../helpers/inference';
import { ACCOUNT } from '../../nodes/shared/errors/errorTable';
import { useVirtualEngine } from '../helpers/virtualEngine';

let forwarded = 0;
const { emulator, runNode, during } = useVirtualEngine({ clock: () => Date.now() + forwarded });

const run = async (
	resource: string,
	operation: string,
	parameters: INodeParameters = {},
	more: Partial<RunOptions> = {},
) =>
	await runNode({
		node: 'segmindAccount',
		parameters: { resource, operation, ...parameters },
		...more,
	});
const accountCalls = () => emulator.it.callsOf('account');
const to = (path: string) => accountCalls().filter((call) => call.path === `/api${path}`);
const refreshes = () => to('/auth/refresh-token');
const keyItems = (): INodeExecutionData[] =>
	emulator.it.apiKeys.map(({ api_key }) => ({ json: { api_key } }));
const EACH_KEY = '={{ $json.api_key }}';
/** Everything of a result that is shown or logged, but for the output items. */
const told = ({ error, log, hints, told: messages }: RunResult) =>
	JSON.stringify([error?.message, error?.description, error?.context, log, hints, messages]);
const bearerOf = (call: Call) => call.headers.authorization?.replace('Bearer ', '') ?? '';
const signedIn = async (): Promise<IDataObject> => (await run('session', 'getProfile')).session;
/** A key and a token of the right form, and good for nothing. */
const WHOLE = ['SG', '89abcdef01234567'].join('_');
const NO_TOKEN = ['a', 'b', 'c'].join('.');
const RENAMING = () => ({ apiKey: emulator.it.key, name: 'x' });
const mask = (key: string) => `${key.slice(0, 3)}…${key.slice(-4)}`;

describe('session', () => {
	test('the profile with the claims of the access token, without tokens', async () => {
		const { json, session, error } = await run('session', 'getProfile', {}, { items: prompts(3) });
		expect(error).toBeUndefined();
		expect(json).toHaveLength(3);
		const { exp, iat } = json[0] as { exp: number; iat: number };
		expect(json[0]).toEqual({
			username: 'emulated-user',
			email: 'user@example.com',
			identity: 'user@example.com',
			jti: expect.any(String),
			iat,
			nbf: iat,
			exp,
			expires_at: new Date(exp * 1000).toISOString(),
		});
		expect(exp - iat).toBe(3600);
		expect(accountCalls().map(({ method, path }) => `${method} ${path}`)).toEqual([
			'POST /api/auth/refresh-token',
			'GET /api/auth/profile',
		]);
		expect(bearerOf(refreshes()[0])).toBe(emulator.it.session.refreshToken);
		expect(bearerOf(to('/auth/profile')[0])).toBe(session.accessToken);
	});

	test('the tokens when they are asked for', async () => {
		const { json } = await run('session', 'getProfile', { includeTokens: true });
		expect(json[0]).toMatchObject({
			access_token: expect.stringMatching(/^eyJ/),
			refresh_token: emulator.it.session.refreshToken,
		});
	});

	test('a stored access token is used as long as it is good', async () => {
		const session = await signedIn();
		await run('session', 'getProfile', {}, { session });
		expect(refreshes()).toHaveLength(1);
	});

	test('one refresh for one expiry, however many items, and the rotated refresh token is kept', async () => {
		const session = await signedIn();
		emulator.it.set({ rotateRefreshToken: true });
		forwarded += 3_601_000;
		const items = Array.from({ length: 4 }, (_unused, at) => ({ json: { name: `key ${at}` } }));
		const {
			json,
			error,
			session: after,
		} = await run(
			'apiKey',
			'rename',
			{ apiKey: emulator.it.key, name: '={{ $json.name }}' },
			{ session, items },
		);
		expect(error).toBeUndefined();
		expect(json.map(({ name }) => name)).toEqual(['key 0', 'key 1', 'key 2', 'key 3']);
		expect(refreshes()).toHaveLength(2);
		expect(to('/auth/rename-api-key').map(({ status }) => status)).toEqual([
			401, 200, 200, 200, 200,
		]);
		expect(after.refreshToken).toBe(emulator.it.session.refreshToken);
		expect(after.refreshToken).not.toBe(session.refreshToken);
		// The stored credential is good for the next execution.
		expect((await run('session', 'refresh', {}, { session: after })).json[0]).toMatchObject({
			refreshed: true,
			refresh_token_rotated: true,
		});
	});

	test('calls go one at a time', async () => {
		emulator.it.fault({ on: 'account', times: 'always', do: { delayMs: 40 } });
		const { tookMs } = await run(
			'apiKey',
			'rename',
			{ apiKey: emulator.it.key, name: 'x' },
			{ items: prompts(4) },
		);
		// A refresh comes first.
		expect(tookMs).toBe(5 * 40);
		const times = accountCalls().map(({ at }) => at - accountCalls()[0].at);
		expect(times).toEqual([0, 40, 80, 120, 160]);
	});

	test('refresh replaces a good token too, once a run', async () => {
		const session = await signedIn();
		const { json, session: after } = await run(
			'session',
			'refresh',
			{},
			{ session, items: prompts(3) },
		);
		expect(json).toHaveLength(3);
		expect(json[0]).toMatchObject({
			refreshed: true,
			refresh_token_rotated: false,
			expires_at: expect.stringMatching(/Z$/),
		});
		expect(JSON.stringify(json)).not.toContain('eyJ');
		expect(refreshes()).toHaveLength(2);
		expect(after.accessToken).not.toBe(session.accessToken);
		const { json: shown } = await run(
			'session',
			'refresh',
			{ includeTokens: true },
			{ session: after },
		);
		expect(shown[0]).toMatchObject({
			access_token: expect.stringMatching(/^eyJ/),
			refresh_token: after.refreshToken,
		});
	});

	test('a profile shows known members only', async () => {
		emulator.it.fault({
			on: { path: '/auth/profile' },
			do: {
				body: {
					username: 'a',
					email: { x: 'opaque-secret' },
					session_id: 'opaque-secret',
					recovery: 'opaque-secret',
					plan: { note: 'opaque-secret' },
				},
			},
		});
		const { json } = await run('session', 'getProfile');
		expect(json[0]).toMatchObject({ username: 'a', identity: 'user@example.com' });
		expect(JSON.stringify(json)).not.toContain('opaque-secret');
	});
});

describe('a session that cannot be refreshed', () => {
	const secrets = ['eyJ', 'opaque'];
	const expectClean = (result: RunResult) =>
		secrets.forEach((secret) => expect(told(result)).not.toContain(secret));

	test('no refresh token: said before any call', async () => {
		const { error } = await run('session', 'getProfile', {}, { session: { refreshToken: '' } });
		expect(error).toBeDefined();
		expect(accountCalls()).toEqual([]);
	});

	test('a refresh token that is not accepted: sign in again; one call for all items', async () => {
		const result = await run(
			'apiKey',
			'rename',
			{ apiKey: emulator.it.key, name: 'x' },
			{ session: { refreshToken: 'opaque.refresh' }, items: prompts(4) },
		);
		expect(result.error?.message).toContain(ACCOUNT.invalid_token.what);
		expect(result.error?.description).toContain(ACCOUNT.invalid_token.todo);
		expect(accountCalls()).toHaveLength(1);
		expectClean(result);
	});

	test('rate-limited: said, and asked once for all items', async () => {
		emulator.it.fault({
			on: { path: '/auth/refresh-token' },
			times: 'always',
			do: {
				status: 429,
				body: { error: 'rate_limit_exceeded', error_description: 'Too many', status_code: 429 },
			},
		});
		const result = await run('session', 'getProfile', {}, { items: prompts(2) });
		expect(result.error?.message).toContain(ACCOUNT.rate_limit_exceeded.what);
		expect(result.error?.httpCode).toBe('429');
		expect(refreshes()).toHaveLength(1);
	});

	test('the eleventh refresh in an hour', async () => {
		let { session } = await run('session', 'refresh');
		for (let count = 1; count < 10; count++)
			({ session } = await run('session', 'refresh', {}, { session }));
		const { error } = await run('session', 'refresh', {}, { session });
		expect(error?.message).toContain(ACCOUNT.rate_limit_exceeded.what);
		expect(refreshes()).toHaveLength(11);
	});

	test.each([
		[{ tokens: ['opaque-new-token'] }],
		['<html>opaque new token</html>'],
		[{ access_token: null, message: 'opaque' }],
		[''],
	])('no access token in the answer, %j: the body is not quoted', async (body) => {
		emulator.it.fault({ on: { path: '/auth/refresh-token' }, do: { body } });
		const result = await run('session', 'refresh', {}, { items: prompts(2) });
		expect(result.error?.message).toContain('holds no access_token');
		expectClean(result);
		expect(refreshes()).toHaveLength(1);
	});

	test.each<[string, (token: string) => unknown]>([
		['under data', (token) => ({ data: { access_token: token } })],
		['as accessToken', (token) => ({ accessToken: token, status: 'ok' })],
		['as token', (token) => ({ token })],
		['as token under data', (token) => ({ success: true, data: { token } })],
		['as data itself', (token) => ({ data: token })],
		['as plain text', (token) => token],
		['as JSON text', (token) => JSON.stringify(token)],
	])('the new access token %s', async (_name, body) => {
		const { accessToken } = await signedIn();
		emulator.it.fault({
			on: { path: '/auth/refresh-token' },
			do: { body: body(String(accessToken)) },
		});
		const { error, session } = await run('session', 'getProfile');
		expect(error).toBeUndefined();
		expect(session.accessToken).toBe(accessToken);
		expect(refreshes()).toHaveLength(2);
	});

	test.each([{ refresh_token: 'rotated-refresh' }, { refreshToken: 'rotated-refresh' }])(
		'a refresh token replaced beside it: %j',
		async (more) => {
			const { accessToken } = await signedIn();
			emulator.it.fault({
				on: { path: '/auth/refresh-token' },
				do: { body: { data: { accessToken, ...more } } },
			});
			expect((await run('session', 'getProfile')).session.refreshToken).toBe('rotated-refresh');
		},
	);

	test('a refresh token that the answer gives back escaped does not come through', async () => {
		const refreshToken = 'opaque"refresh/token+1234567890';
		const escaped = [...refreshToken]
			.map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
			.join('');
		for (const body of [
			`{"error":"invalid_token","error_description":"token ${escaped} is over","status_code":401}`,
			`token ${escaped} is over`,
			`${'x'.repeat(290)} ${escaped}`,
		]) {
			emulator.it.fault({ on: { path: '/auth/refresh-token' }, do: { status: 401, body } });
			const result = await run('session', 'getProfile', {}, { session: { refreshToken } });
			expect(result.error?.message).toContain(ACCOUNT.invalid_token.what);
			for (const piece of ['opaque', '\\u006f', '1234567'])
				expect(told(result)).not.toContain(piece);
		}
	});

	test('a redirect of the refresh is not followed', async () => {
		emulator.it.fault({
			on: { path: '/auth/refresh-token' },
			do: { redirect: `${emulator.it.urls.hostile}/stolen` },
		});
		const { error } = await run('session', 'getProfile');
		expect(error?.message).toContain(ACCOUNT.redirect.what);
		expect(emulator.it.callsOf('hostile')).toEqual([]);
	});

	test('nobody answers', async () => {
		const { error } = await run(
			'session',
			'getProfile',
			{},
			{ session: { accountUrl: 'http://127.0.0.1:9/api' } },
		);
		expect(error?.message).toContain('No answer from Segmind for refreshing the session');
	});

	test('a session refused even with a fresh token is refreshed once only', async () => {
		const session = await signedIn();
		emulator.it.fault({
			on: { path: '/auth/rename-api-key' },
			times: 'always',
			do: {
				status: 401,
				body: { error: 'invalid_token', error_description: 'Session ended', status_code: 401 },
			},
		});
		const { error } = await run('apiKey', 'rename', RENAMING(), { session, items: prompts(3) });
		expect(error?.message).toContain(ACCOUNT.invalid_token.what);
		expect(refreshes()).toHaveLength(2);
		expect(to('/auth/rename-api-key')).toHaveLength(2);
	});
});

describe('API keys', () => {
	test.each(['array', 'object'] as const)(
		'listed as items, masked (the service answers an %s)',
		async (keyList) => {
			emulator.it.set({ keyList });
			const { json, items } = await run('apiKey', 'getAll');
			expect(json).toEqual([{ ...emulator.it.apiKeys[0], api_key: mask(emulator.it.key) }]);
			expect(items[0].pairedItem).toEqual({ item: 0 });
			expect(to('/auth/get-api-keys')[0].method).toBe('GET');
		},
	);

	test('in full when asked for', async () => {
		expect((await run('apiKey', 'getAll', { showFullKeys: true })).json[0].api_key).toBe(
			emulator.it.key,
		);
	});

	test.each([
		[['SG_fedcba9876543210'], [{ api_key: 'SG_…3210' }]],
		[[{ key: 'an-older-form-of-key', name: 'x' }], [{ key: 'an-…-key', name: 'x' }]],
		[[{ api_key: 'SG_****3210', error: null }], [{ api_key: 'SG_****3210' }]],
		[{ count: 0, keys: [] }, []],
		[{ data: { keys: [{ api_key: WHOLE }] } }, [{ api_key: mask(WHOLE) }]],
		[{ data: { keys: [] } }, []],
		[[{ [WHOLE]: { name: 'x' } }], [{ [mask(WHOLE)]: { name: 'x' } }]],
	])('a list of the form %j', async (body, expected) => {
		emulator.it.fault({ on: { path: '/auth/get-api-keys' }, do: { body } });
		expect((await run('apiKey', 'getAll')).json).toEqual(expected);
	});

	test('as many as the limit says', async () => {
		for (const name of ['a', 'b']) emulator.it.apiKeys.push({ ...emulator.it.apiKeys[0], name });
		expect((await run('apiKey', 'getAll', { limit: 2 })).json).toHaveLength(2);
		expect((await run('apiKey', 'getAll', { limit: 2, returnAll: true })).json).toHaveLength(3);
	});

	test.each([[{ message: 'ok' }], ['<html></html>']])(
		'an answer without a list, %j, is an error',
		async (body) => {
			emulator.it.fault({ on: { path: '/auth/get-api-keys' }, do: { body } });
			expect((await run('apiKey', 'getAll')).error?.message).toContain('could not be used');
		},
	);

	test('an answer that is neither key nor object is an error of ours', async () => {
		const body = '[{"toString":[]}]';
		emulator.it.fault({ on: { path: '/auth/generate-api-key' }, do: { body } });
		const { error } = await run('apiKey', 'create', { verificationToken: 'check-1' });
		expect(error?.context?.failedItems).toMatchObject([
			{ kind: 'unreadable', outcomeUnknown: true },
		]);
	});

	test('create: the token of the sign-in page, name and expiry as entered; the key once, in full', async () => {
		const result = await run('apiKey', 'create', {
			verificationToken: 'check-1',
			name: 'robot',
			expiryDate: '2027-12-31',
		});
		const [, created] = emulator.it.apiKeys;
		expect(result.json).toEqual([created]);
		expect(to('/auth/generate-api-key').map(({ method, body }) => [method, body])).toEqual([
			['POST', { token: 'check-1', name: 'robot', expiry_date: '2027-12-31' }],
		]);
		expect(told(result)).not.toContain(created.api_key);
		expect(JSON.stringify(result.stored.executionData)).not.toContain(created.api_key);
	});

	test('create without name and expiry sends neither; a date of an expression goes as ISO text', async () => {
		await run('apiKey', 'create', { verificationToken: 'check-1' });
		expect(to('/auth/generate-api-key')[0].body).toEqual({ token: 'check-1' });
		await run('apiKey', 'create', {
			verificationToken: 'check-2',
			expiryDate: '={{ DateTime.utc(2027, 12, 31) }}',
		});
		expect(to('/auth/generate-api-key')[1].body).toEqual({
			token: 'check-2',
			expiry_date: '2027-12-31T00:00:00.000Z',
		});
	});

	test('create: a verification token works once', async () => {
		const { error } = await run(
			'apiKey',
			'create',
			{ verificationToken: 'check-1' },
			{ items: prompts(2) },
		);
		expect(error?.message).toContain('1 of 2 items failed');
		expect(error?.message).toContain(ACCOUNT.invalid_request.what);
		expect(emulator.it.apiKeys).toHaveLength(2);
	});

	test('a retry does not create a second key, and gives the first', async () => {
		const items = [{ json: { token: 'check-1' } }, { json: { token: '' } }];
		const first = await run(
			'apiKey',
			'create',
			{ verificationToken: '={{ $json.token }}' },
			{ items, tries: 3 },
		);
		expect(first.error?.message).toContain('Verification Token is empty');
		expect(to('/auth/generate-api-key')).toHaveLength(1);
		const again = await run(
			'apiKey',
			'create',
			{ verificationToken: '={{ $json.token }}' },
			{ resume: forRetry(first.stored), onError: 'continueRegularOutput' },
		);
		expect(again.json[0]).toEqual(emulator.it.apiKeys[1]);
		expect(to('/auth/generate-api-key')).toHaveLength(1);
	});

	test.each([
		'dropAfterAccept',
		{ status: 502, body: 'bad gateway', accept: true },
		{ status: 408, body: '', accept: true },
		{ status: 499, body: '', accept: true },
	] as const)('an unknown outcome (%j) is not tried again', async (fault) => {
		emulator.it.fault({ on: { path: '/auth/generate-api-key' }, do: fault });
		const { error } = await run('apiKey', 'create', { verificationToken: 'check-1' }, { tries: 3 });
		expect(error).toBeDefined();
		expect(to('/auth/generate-api-key')).toHaveLength(1);
		expect(emulator.it.apiKeys).toHaveLength(2);
	});

	test('503 and 429 are waited out, for a POST too', async () => {
		emulator.it.fault({
			on: { path: '/auth/generate-api-key' },
			do: { status: 503, body: '', headers: { 'retry-after': '0.1' } },
		});
		emulator.it.fault({
			on: { path: '/auth/generate-api-key' },
			do: { status: 429, body: {}, headers: { 'retry-after': '0.1' } },
		});
		expect((await run('apiKey', 'create', { verificationToken: 'check-1' })).error).toBeUndefined();
		expect(to('/auth/generate-api-key').map(({ status }) => status)).toEqual([503, 429, 200]);
	});

	test('rename', async () => {
		const { json } = await run(
			'apiKey',
			'rename',
			{ apiKey: EACH_KEY, name: 'new name' },
			{ items: keyItems() },
		);
		expect(json).toEqual([{ api_key: mask(emulator.it.key), name: 'new name' }]);
		expect(to('/auth/rename-api-key').map(({ method, body }) => [method, body])).toEqual([
			['PUT', { api_key: emulator.it.key, name: 'new name' }],
		]);
		expect(emulator.it.apiKeys[0].name).toBe('new name');
	});

	test('delete: DELETE with the key in the body', async () => {
		const { json } = await run('apiKey', 'delete', { apiKey: emulator.it.key });
		expect(json).toEqual([{ api_key: mask(emulator.it.key), deleted: true }]);
		expect(to('/auth/delete-api-key').map(({ method, body }) => [method, body])).toEqual([
			['DELETE', { api_key: emulator.it.key }],
		]);
		expect(emulator.it.apiKeys).toEqual([]);
	});

	test('a retry does not delete again', async () => {
		const items = [...keyItems(), { json: { api_key: 'SG_ffffffffffffffff' } }];
		const { error } = await run('apiKey', 'delete', { apiKey: EACH_KEY }, { items, tries: 3 });
		expect(error?.message).toContain(
			`1 of 2 items failed. Deleting the API key: ${ACCOUNT.invalid_api_key.what} (HTTP 404)`,
		);
		expect(
			to('/auth/delete-api-key').filter(
				({ body }) => (body as IDataObject).api_key === emulator.it.key,
			),
		).toHaveLength(1);
	});

	test.each([
		[{ modelAccess: '["flux-dev", "nano-banana"]' }, ['flux-dev', 'nano-banana']],
		[
			{ modelAccess: '={{ { models: ["flux-dev"], team: null } }}' },
			{ models: ['flux-dev'], team: null },
		],
		[{ modelAccess: '[]' }, []],
		[{ modelAccessMode: 'clear' }, null],
		[{ modelAccessMode: 'clear', modelAccess: '["ignored"]' }, null],
	])('model access: %j', async (parameters, sent) => {
		const { json, hints } = await run('apiKey', 'setModelAccess', {
			apiKey: emulator.it.key,
			...parameters,
		});
		expect(json).toEqual([{ api_key: mask(emulator.it.key), live: true }]);
		expect(to('/auth/api-key-model-access').map(({ method, body }) => [method, body])).toEqual([
			['PUT', { api_key: emulator.it.key, model_access: sent }],
		]);
		expect(hints).toEqual([]);
	});

	test.each<[number, unknown, boolean]>([
		[200, { message: 'ok' }, true],
		[200, { cache_purged: false }, false],
		[200, { cache_purged: 'false' }, false],
		[200, { cache_purged: 'true' }, true],
		[200, { cache_purged: null }, false],
		[200, { data: { cache_purged: false } }, false],
		[200, { data: [{ result: { cache_purged: true } }] }, true],
		[200, 'saved; cache_purged=false', false],
		[200, 'saved', true],
		[201, { message: 'ok' }, false],
		[202, { message: 'ok' }, false],
		[202, { cache_purged: true }, true],
		[204, '', false],
	])('model access, HTTP %i %j: live %s', async (status, body, live) => {
		emulator.it.fault({ on: { path: '/auth/api-key-model-access' }, do: { status, body } });
		const { json, hints } = await run('apiKey', 'setModelAccess', {
			apiKey: emulator.it.key,
			modelAccessMode: 'clear',
		});
		expect(json[0].live).toBe(live);
		expect(hints).toHaveLength(live ? 0 : 1);
	});

	test.each<[string, object, IDataObject]>([
		['delete', { success: false, message: 'It is in use' }, {}],
		['rename', { success: false, message: 'It is in use' }, { name: 'x' }],
		['setModelAccess', { error: 'It is in use' }, { modelAccessMode: 'clear' }],
	])('%s answered with %j under 200 was not done', async (operation, body, parameters) => {
		emulator.it.fault({
			on: {
				path:
					'/auth/' +
					{
						delete: 'delete-api-key',
						rename: 'rename-api-key',
						setModelAccess: 'api-key-model-access',
					}[operation],
			},
			do: { status: 200, body },
		});
		const { error } = await run('apiKey', operation, {
			apiKey: emulator.it.key,
			...parameters,
		} as INodeParameters);
		expect(error?.message).toMatch(/: It is in use/);
		// A retry does it.
		expect(
			(
				await run('apiKey', operation, {
					apiKey: emulator.it.key,
					...parameters,
				} as INodeParameters)
			).error,
		).toBeUndefined();
	});

	test('model access that is saved but not live yet', async () => {
		emulator.it.set({ cachePurged: false });
		const result = await run('apiKey', 'setModelAccess', {
			apiKey: emulator.it.key,
			modelAccessMode: 'clear',
		});
		expect(result.json[0]).toMatchObject({ live: false });
		expect(result.hints).toEqual([expect.stringContaining('is saved but not live yet')]);
		expect(told(result)).not.toContain(emulator.it.key);
	});

	test.each([
		['rename', { apiKey: '={{ "" }}', name: 'x' }, 'API Key is empty'],
		['rename', { apiKey: 'SG_…cdef', name: 'x' }, 'API Key is masked'],
		['delete', { apiKey: 'SG_****cdef' }, 'API Key is masked'],
		['rename', { apiKey: WHOLE, name: ' ' }, 'Name is empty'],
		['setModelAccess', { apiKey: WHOLE }, 'Model Access is empty, null or not valid JSON'],
		[
			'setModelAccess',
			{ apiKey: WHOLE, modelAccess: 'null' },
			'Model Access is empty, null or not valid JSON',
		],
		[
			'setModelAccess',
			{ apiKey: WHOLE, modelAccess: '={{ null }}' },
			'Model Access is empty, null or not valid JSON',
		],
		[
			'setModelAccess',
			{ apiKey: WHOLE, modelAccess: '["a"' },
			'Model Access is empty, null or not valid JSON',
		],
		['setModelAccess', { apiKey: WHOLE, modelAccess: '={{ $json.nothing }}' }, 'Model Access'],
		['create', { verificationToken: ' ' }, 'Verification Token is empty'],
	])('%s %j is refused before any call', async (operation, parameters, message) => {
		const { error } = await run('apiKey', operation, parameters);
		expect(error?.message).toContain(message);
		expect(accountCalls()).toEqual([]);
	});
});

describe('errors', () => {
	const rename = async (fault: object, more: Partial<RunOptions> = {}) => {
		emulator.it.fault({
			on: { path: '/auth/rename-api-key' },
			times: 'always',
			do: fault as never,
		});
		return await run('apiKey', 'rename', { apiKey: emulator.it.key, name: 'x' }, more);
	};
	const accountError = (status: number, error: string, description: string) => ({
		status,
		body: { error, error_description: description, status_code: status },
	});

	test.each<[number, unknown, keyof typeof ACCOUNT]>([
		[401, 'invalid_api_key', 'invalid_api_key'],
		[403, 'insufficient_scope', 'insufficient_scope'],
		[403, undefined, 'insufficient_scope'],
		[429, 'rate_limit_exceeded', 'rate_limit_exceeded'],
		[429, undefined, 'rate_limit_exceeded'],
		[400, 'invalid_request', 'invalid_request'],
		[422, undefined, 'invalid_request'],
		[404, 'not_found', 'invalid_api_key'],
		[404, undefined, 'wrong_address'],
		[302, undefined, 'redirect'],
		[500, undefined, 'server_error'],
		[502, undefined, 'server_error'],
		[499, undefined, 'server_error'],
		[418, undefined, 'unexpected'],
		[418, 'constructor', 'unexpected'],
	])('HTTP %i with %j is the row %s of the table', async (status, error, row) => {
		const result = await rename({
			...(error === undefined ? { status, body: '' } : accountError(status, String(error), 'why')),
			headers: { 'retry-after': '600' },
		});
		const { what, todo } = ACCOUNT[row];
		const said = error === undefined ? '' : `: ${String(error)}: why`;
		expect(result.error?.message).toBe(`Renaming the API key: ${what} (HTTP ${status})${said}`);
		expect(result.error?.description).toBe(todo);
		// No refresh is spent on it, but for the first.
		expect([refreshes().length, to('/auth/rename-api-key').length]).toEqual([1, 1]);
	});

	test('a wrong key leaves the other items their turn', async () => {
		await rename(accountError(401, 'invalid_api_key', 'API key invalid'), { items: prompts(3) });
		expect(to('/auth/rename-api-key')).toHaveLength(3);
	});

	test('the per-minute limit is waited out', async () => {
		const session = await signedIn();
		emulator.it.set({ authPerMinute: 2 });
		const items = Array.from({ length: 3 }, (_unused, at) => ({ json: { at } }));
		const { error } = await run(
			'apiKey',
			'rename',
			{ apiKey: emulator.it.key, name: '={{ "n" + $json.at }}' },
			{ session, items },
		);
		expect(error).toBeUndefined();
		expect(accountCalls().filter(({ status }) => status === 429).length).toBeGreaterThan(0);
	});

	test('the console address, and any other that does not serve the account API', async () => {
		const wrong = async (
			resource: string,
			operation: string,
			session: IDataObject,
			parameters: INodeParameters = {},
		) => {
			const { error } = await run(resource, operation, parameters, { session, items: prompts(3) });
			expect(error?.message).toContain(`${ACCOUNT.wrong_address.what} (HTTP 404)`);
		};
		const { urls } = emulator.it;
		await wrong('session', 'getProfile', { accountUrl: `${urls.account}/elsewhere` });
		await wrong(
			'apiKey',
			'rename',
			{ accountUrl: `${urls.account}/elsewhere`, accessToken: NO_TOKEN },
			{ apiKey: emulator.it.key, name: 'x' },
		);
		expect(accountCalls()).toHaveLength(2);
		await wrong(
			'signIn',
			'requestEmailLink',
			{ accountUrl: urls.console },
			{ email: 'a@example.com', verificationToken: 'check-1' },
		);
	});

	test('an address that is none', async () => {
		const { error } = await run(
			'session',
			'getProfile',
			{},
			{ session: { accountUrl: 'cloud.segmind.com/api' } },
		);
		expect(error?.message).toContain('is not an http(s) address');
		expect(accountCalls()).toEqual([]);
	});

	test('a redirect is not followed', async () => {
		const { error } = await rename({ redirect: `${emulator.it.urls.hostile}/stolen` });
		expect(error?.message).toContain(ACCOUNT.redirect.what);
		expect(emulator.it.callsOf('hostile')).toEqual([]);
	});

	test('reads are retried after transient faults; changes are not', async () => {
		emulator.it.fault({ on: { path: '/auth/get-api-keys' }, do: { status: 502, body: '' } });
		emulator.it.fault({ on: { path: '/auth/get-api-keys' }, do: 'dropBeforeAccept' });
		expect((await run('apiKey', 'getAll')).error).toBeUndefined();
		expect(to('/auth/get-api-keys')).toHaveLength(3);
		const { error } = await rename('dropAfterAccept' as never);
		expect(error?.message).toContain('No answer from Segmind for renaming the API key');
		expect(error?.description).toContain('It may have been done');
		expect(to('/auth/rename-api-key')).toHaveLength(1);
	});

	test('keys and tokens in a service text do not reach the user', async () => {
		const session = await signedIn();
		const text = `${emulator.it.key} with ${String(session.accessToken)} and ${'x'.repeat(270)} ${String(session.refreshToken)}`;
		const result = await rename(
			{
				status: 400,
				body: { error: 'invalid_request', error_description: text, status_code: 400 },
			},
			{ session, onError: 'continueRegularOutput' },
		);
		expect((result.json[0].error as IDataObject).message).toContain(ACCOUNT.invalid_request.what);
		for (const secret of [emulator.it.key, 'eyJ'])
			expect(JSON.stringify(result.json) + told(result)).not.toContain(secret);
	});

	test('Continue: failed items beside good ones', async () => {
		const items = [{ json: { api_key: 'SG_ffffffffffffffff' } }, ...keyItems()];
		const { json, errorItems } = await run(
			'apiKey',
			'delete',
			{ apiKey: EACH_KEY },
			{ items, onError: 'continueErrorOutput' },
		);
		expect(json).toEqual([expect.objectContaining({ deleted: true })]);
		expect(errorItems[0]).toMatchObject({
			json: {
				error: { httpCode: 404, message: expect.stringContaining(ACCOUNT.invalid_api_key.what) },
			},
			pairedItem: { item: 0 },
		});
		expect(JSON.stringify(errorItems[0].json)).not.toContain('SG_f');
	});

	test('Continue: a credential that is no use fails every item, and throws nothing', async () => {
		const { json, error } = await run(
			'session',
			'getProfile',
			{},
			{ session: { accountUrl: '' }, items: prompts(2), onError: 'continueRegularOutput' },
		);
		expect(error).toBeUndefined();
		expect(json).toHaveLength(2);
	});

	test('Stop: what waits for its turn is not sent', async () => {
		emulator.it.fault({
			on: { path: '/auth/rename-api-key' },
			times: 'always',
			do: { delayMs: 300 },
		});
		const items = Array.from({ length: 5 }, (_unused, at) => ({ json: { at } }));
		const { tookMs } = await run(
			'apiKey',
			'rename',
			{ apiKey: emulator.it.key, name: '={{ "n" + $json.at }}' },
			{
				items,
				whileRunning: async (stop) => {
					while (to('/auth/rename-api-key').length === 0) await sleep(5);
					stop();
				},
			},
		);
		expect(tookMs).toBeLessThan(300);
		await during(emulator.it.idle());
		expect(to('/auth/rename-api-key')).toHaveLength(1);
	});

	test('as a tool the message alone says what to do', async () => {
		const { error } = await rename(accountError(403, 'insufficient_scope', 'no'), { asTool: true });
		const { what, todo } = ACCOUNT.insufficient_scope;
		expect(error?.message).toContain(what);
		expect(error?.message).toContain(todo);
	});
});

describe('sign-in', () => {
	const nobody = { refreshToken: '', accessToken: '' };

	test.each([
		['google', () => `${emulator.it.session.accountUrl}/login/google`],
		['discord', () => `${emulator.it.session.accountUrl}/login/discord`],
		['azure', () => `${emulator.it.session.accountUrl}/login/azure`],
		['console', () => `${emulator.it.session.consoleUrl}/auth/login`],
	])('the address for %s, with no session and no call', async (provider, url) => {
		const { json } = await run('signIn', 'getUrl', { provider }, { session: nobody });
		expect(json).toEqual([{ provider, url: url() }]);
		expect(emulator.it.calls).toEqual([]);
	});

	test('an unknown provider', async () => {
		expect(
			(await run('signIn', 'getUrl', { provider: '={{ "myspace" }}' })).error?.message,
		).toContain("Provider is 'myspace'");
	});

	test.each([
		['without a session', nobody],
		['with one, which is not sent', { accessToken: NO_TOKEN }],
	])('an email link %s', async (_name, session) => {
		const { json } = await run(
			'signIn',
			'requestEmailLink',
			{ email: 'a@example.com', verificationToken: 'check-1' },
			{ session },
		);
		expect(json).toEqual([
			{ email: 'a@example.com', message: 'Check your email for the login link' },
		]);
		expect(accountCalls().map(({ method, path, body }) => [method, path, body])).toEqual([
			['POST', '/api/auth/login/email/request', { email: 'a@example.com', token: 'check-1' }],
		]);
		expect(accountCalls()[0].headers).not.toHaveProperty('authorization');
	});

	test.each([
		[{ status: 400, body: { error: 'Failed to send login email' } }, 'Failed to send login email'],
		[
			{ status: 400, body: { message: 'Verification failed for check-1' } },
			'Verification failed for [hidden]',
		],
		[{ body: { error: 'Mail service is down' } }, 'Mail service is down'],
		[{ body: { success: false, message: 'Not today' } }, 'Not today'],
		[{ status: 400, body: {} }, ACCOUNT.invalid_request.what],
	])('its failure %j', async (fault, message) => {
		emulator.it.fault({ on: { path: '/auth/login/email/request' }, do: fault });
		const { error } = await run(
			'signIn',
			'requestEmailLink',
			{ email: 'a@example.com', verificationToken: 'check-1' },
			{ session: nobody },
		);
		expect(error?.message).toContain(message);
		expect(error?.description).toBe(ACCOUNT.invalid_request.todo);
	});

	test.each([
		[{ email: '={{ $json.nothing }}', verificationToken: 'x' }, 'Email is empty'],
		[{ email: 'a@example.com', verificationToken: '={{ "" }}' }, 'Verification Token is empty'],
	])('%j is refused before any call', async (parameters, message) => {
		expect((await run('signIn', 'requestEmailLink', parameters)).error?.message).toContain(message);
		expect(emulator.it.calls).toEqual([]);
	});
});
