import { startEmulator, type Emulator } from '../../dev/emulator';
import { bare, call, handClock, type Answer, type CallOptions, type Loose } from './client';

const clock = handClock();
let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ clock: clock.now });
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const send = async (
	path: string,
	token: string | undefined,
	options: Pick<CallOptions, 'method' | 'body'> = {},
): Promise<Answer> =>
	await bare(emulator, emulator.session.accountUrl + path, {
		...options,
		headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
	});

const refresh = async (token = emulator.session.refreshToken): Promise<Answer> =>
	await send('/auth/refresh-token', token, { method: 'POST' });
const accessToken = async (): Promise<string> => (await refresh()).json.access_token;

const claimsOf = (token: string): Record<string, unknown> =>
	JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()) as Record<string, unknown>;

test('an access token has its claims and lives an hour', async () => {
	const token = await accessToken();
	const seconds = Math.floor(clock.now() / 1000);
	expect(claimsOf(token)).toMatchObject({
		jti: expect.any(String),
		identity: 'user@example.com',
		iat: seconds,
		nbf: seconds,
		exp: Math.floor((clock.now() + 3_600_000) / 1000),
	});
	const profile = await send('/auth/profile', token);
	expect(profile.json).toMatchObject({ username: 'emulated-user', email: 'user@example.com' });
	clock.forward(3_600_001);
	const late = await send('/auth/profile', token);
	expect([late.status, late.json]).toEqual([
		401,
		{ error: 'invalid_token', error_description: expect.any(String), status_code: 401 },
	]);
});

test('only the right kind of token counts', async () => {
	const token = await accessToken();
	expect((await refresh(token)).status).toBe(401);
	expect((await send('/auth/profile', emulator.session.refreshToken)).status).toBe(401);
	expect((await send('/auth/profile', undefined)).status).toBe(401);
	expect((await send('/auth/profile', `${token}x`)).status).toBe(401);
	expect(emulator.leaks).toEqual([]);
	const refused = { error: 'invalid_api_key', error_description: expect.any(String) };
	for (const answer of [
		await send('/auth/get-api-keys', emulator.key),
		await call(emulator, `${emulator.session.accountUrl}/auth/profile`),
	]) {
		expect([answer.status, answer.json]).toEqual([401, { ...refused, status_code: 401 }]);
	}
	expect(emulator.leaks.map(({ where }) => where)).toEqual(['authorization', 'x-api-key']);
});

test('a refresh token is rotated by order', async () => {
	const old = emulator.session.refreshToken;
	expect((await refresh()).json).not.toHaveProperty('refresh_token');
	emulator.set({ rotateRefreshToken: true });
	const { json } = await refresh();
	expect(json.refresh_token).toBe(emulator.session.refreshToken);
	expect((await refresh(old)).status).toBe(401);
	expect((await refresh(json.refresh_token)).status).toBe(200);
});

test('ten refreshes an hour, and five calls a minute by order', async () => {
	for (let count = 0; count < 10; count++) expect((await refresh()).status).toBe(200);
	const limited = await refresh();
	expect([limited.status, limited.json.error]).toEqual([429, 'rate_limit_exceeded']);
	clock.forward(3_600_000);
	expect((await refresh()).status).toBe(200);
	emulator.set({ authPerMinute: 5 });
	const statuses: number[] = [];
	for (let count = 0; count < 6; count++)
		statuses.push((await send('/auth/profile', undefined)).status);
	expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
});

test('keys are created, renamed, restricted and deleted', async () => {
	const token = await accessToken();
	const body = { token: 'checked', name: 'robot' };
	const { json: created } = await send('/auth/generate-api-key', token, { body });
	expect(created).toMatchObject({
		api_key: expect.stringMatching(/^SG_[0-9a-f]{16}$/),
		name: 'robot',
	});
	const again = await send('/auth/generate-api-key', token, { body });
	expect([again.status, again.json.error]).toEqual([400, 'invalid_request']);
	const { api_key } = created;
	const credits = async (): Promise<number> =>
		(
			await call(emulator, `${emulator.urls.api}/v1/get-user-credits`, {
				headers: { 'x-api-key': api_key },
			})
		).status;
	expect(await credits()).toBe(200);

	const put = async (path: string, fields: Record<string, unknown>): Promise<Answer> =>
		await send(path, token, { method: 'PUT', body: { api_key, ...fields } });
	expect((await put('/auth/rename-api-key', { name: 'android' })).status).toBe(200);
	expect((await put('/auth/rename-api-key', {})).status).toBe(400);
	expect((await put('/auth/api-key-model-access', {})).status).toBe(400);
	const live = await put('/auth/api-key-model-access', { model_access: ['flux-dev'] });
	expect([live.status, live.json.cache_purged]).toEqual([200, true]);
	emulator.set({ cachePurged: false });
	const saved = await put('/auth/api-key-model-access', { model_access: null });
	expect([saved.status, saved.json.cache_purged]).toEqual([202, false]);

	const { json: keys } = await send('/auth/get-api-keys', token);
	expect(keys.map((key: { name: string }) => key.name)).toEqual(['Default', 'android']);
	emulator.set({ keyList: 'object' });
	expect((await send('/auth/get-api-keys', token)).json.api_keys).toHaveLength(2);

	const remove = async (): Promise<number> =>
		(await send('/auth/delete-api-key', token, { method: 'DELETE', body: { api_key } })).status;
	expect(await remove()).toBe(200);
	expect(await remove()).toBe(404);
	expect(await credits()).toBe(401);
	expect(emulator.apiKeys).toHaveLength(1);
});

describe('by order', () => {
	test.each([
		['data', ({ data }: Loose) => data.api_keys],
		['afterErrors', ({ errors, api_keys }: Loose) => errors.length === 0 && api_keys],
	] as const)('keys are listed in %s', async (keyList, keysIn) => {
		emulator.set({ keyList });
		expect(keysIn((await send('/auth/get-api-keys', await accessToken())).json)).toHaveLength(1);
	});
});

test('signing in', async () => {
	for (const [provider, scope] of [
		['google', 'email profile'],
		['azure', 'user.read profile email'],
		['discord', 'identify email guilds'],
	]) {
		const answer = await send(`/login/${provider}`, undefined);
		expect(answer.status).toBe(302);
		expect(new URL(answer.headers.location).searchParams.get('scope')).toBe(scope);
	}
	expect((await send('/login/other', undefined)).status).toBe(404);
	const path = '/auth/login/email/request';
	const ask = { body: { email: 'a@example.com', token: 'once' } };
	expect((await send(path, undefined, ask)).json).toEqual({
		message: 'Check your email for the login link',
	});
	const second = await send(path, undefined, ask);
	expect([second.status, second.json]).toEqual([400, { error: 'Failed to send login email' }]);
	expect((await send(path, undefined, { body: { email: 'a', token: 'x' } })).status).toBe(400);
});

test('the console serves no account calls', async () => {
	const { consoleUrl } = emulator.session;
	for (const path of ['/auth/profile', '/api/auth/profile', '/auth/refresh-token']) {
		expect((await bare(emulator, consoleUrl + path)).status).toBe(404);
	}
});
