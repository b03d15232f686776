/** Sessions, tokens and keys of the account. */
import { bare, call, useDrivenEmulator, type Answer, type CallOptions, type Loose } from './client';

const { emulator, clock } = useDrivenEmulator();

const send = async (
	path: string,
	token?: string,
	options: Pick<CallOptions, 'method' | 'body'> = {},
): Promise<Answer> =>
	await bare(emulator.it, emulator.it.session.accountUrl + path, {
		...options,
		headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
	});

const refresh = async (token = emulator.it.session.refreshToken): Promise<Answer> =>
	await send('/auth/refresh-token', token, { method: 'POST' });
const accessToken = async (): Promise<string> => (await refresh()).json.access_token;

test('an access token has its claims and lives an hour', async () => {
	const token = await accessToken();
	const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString()) as unknown;
	expect(claims).toMatchObject({
		identity: 'user@example.com',
		iat: Math.floor(clock.now() / 1000),
		exp: Math.floor((clock.now() + 3_600_000) / 1000),
	});
	expect((await send('/auth/profile', token)).json).toMatchObject({ email: 'user@example.com' });
	clock.forward(3_600_001);
	const late = await send('/auth/profile', token);
	expect([late.status, late.json]).toMatchObject([401, { error: 'invalid_token' }]);
});

test('only the right kind of token counts, and an API key there is a leak', async () => {
	const token = await accessToken();
	expect((await refresh(token)).status).toBe(401);
	for (const wrong of [emulator.it.session.refreshToken, undefined, `${token}x`])
		expect((await send('/auth/profile', wrong)).status).toBe(401);
	expect(emulator.it.leaks).toEqual([]);
	for (const answer of [
		await send('/auth/get-api-keys', emulator.it.key),
		await call(emulator.it, `${emulator.it.session.accountUrl}/auth/profile`),
	])
		expect(answer).toMatchObject({ status: 401, json: { error: 'invalid_api_key' } });
	expect(emulator.it.leaks.map(({ where }) => where)).toEqual(['authorization', 'x-api-key']);
});

test('a refresh token is rotated by order', async () => {
	const old = emulator.it.session.refreshToken;
	expect((await refresh()).json).not.toHaveProperty('refresh_token');
	emulator.it.set({ rotateRefreshToken: true });
	const { json } = await refresh();
	expect(json.refresh_token).toBe(emulator.it.session.refreshToken);
	expect((await refresh(old)).status).toBe(401);
	expect((await refresh(json.refresh_token)).status).toBe(200);
});

test('ten refreshes an hour, and five calls a minute by order', async () => {
	for (let count = 0; count < 10; count++) expect((await refresh()).status).toBe(200);
	expect(await refresh()).toMatchObject({ status: 429, json: { error: 'rate_limit_exceeded' } });
	clock.forward(3_600_000);
	expect((await refresh()).status).toBe(200);
	emulator.it.set({ authPerMinute: 5 });
	const statuses: number[] = [];
	for (let count = 0; count < 6; count++) statuses.push((await send('/auth/profile')).status);
	expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
});

test('keys are created, renamed, restricted and deleted', async () => {
	const token = await accessToken();
	const body = { token: 'checked', name: 'robot' };
	const { json: created } = await send('/auth/generate-api-key', token, { body });
	const { api_key } = created;
	expect(api_key).toMatch(/^SG_[0-9a-f]{16}$/);
	const again = await send('/auth/generate-api-key', token, { body });
	expect([again.status, again.json.error]).toEqual([400, 'invalid_request']);
	const url = `${emulator.it.urls.api}/v1/get-user-credits`;
	const credits = async () =>
		(await call(emulator.it, url, { headers: { 'x-api-key': api_key } })).status;
	expect(await credits()).toBe(200);
	const change = async (method: string, path: string, fields: object = {}) =>
		await send(`/auth/${path}`, token, { method, body: { api_key, ...fields } });
	expect((await change('PUT', 'rename-api-key', { name: 'android' })).status).toBe(200);
	expect((await change('PUT', 'rename-api-key')).status).toBe(400);
	expect((await change('PUT', 'api-key-model-access')).status).toBe(400);
	const access = { model_access: ['flux-dev'] };
	expect((await change('PUT', 'api-key-model-access', access)).json.cache_purged).toBe(true);
	const { json: keys } = await send('/auth/get-api-keys', token);
	expect(keys.map(({ name }: Loose) => name)).toEqual(['Default', 'android']);
	for (const status of [200, 404])
		expect((await change('DELETE', 'delete-api-key')).status).toBe(status);
	expect(await credits()).toBe(401);
});

test('a refresh gives another token', async () => {
	const { status } = await send('/auth/profile', (await refresh()).json.access_token);
	expect(status).toBe(200);
});
