/** Sessions, tokens and keys of the account: rejections and rate limits. */
import {
	callWithoutKey,
	call,
	useEmulatorWithManualClock,
	type CallResponse,
	type CallOptions,
} from './client';

const { emulator, clock } = useEmulatorWithManualClock();

const send = async (
	path: string,
	token?: string,
	options: Pick<CallOptions, 'method' | 'body'> = {},
): Promise<CallResponse> =>
	await callWithoutKey(emulator, emulator.session.accountUrl + path, {
		...options,
		headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
	});

const refresh = async (token = emulator.session.refreshToken): Promise<CallResponse> =>
	await send('/auth/refresh-token', token, { method: 'POST' });
const accessToken = async (): Promise<string> => (await refresh()).json.access_token;

test('accepts only access tokens, each for an hour, and records an API key sent to the account as a leak', async () => {
	const token = await accessToken();
	expect((await send('/auth/profile', token)).status).toBe(200);
	expect((await refresh(token)).status).toBe(401);
	for (const wrong of [emulator.session.refreshToken, undefined, `${token}x`])
		expect((await send('/auth/profile', wrong)).status).toBe(401);
	expect(emulator.leaks).toEqual([]);
	for (const response of [
		await send('/auth/get-api-keys', emulator.key),
		await call(emulator, `${emulator.session.accountUrl}/auth/profile`),
	])
		expect(response).toMatchObject({ status: 401, json: { error: 'invalid_api_key' } });
	expect(emulator.leaks.map(({ where }) => where)).toEqual(['authorization', 'x-api-key']);
	clock.forward(3_600_001);
	expect((await send('/auth/profile', token)).status).toBe(401);
});

test('allows ten refreshes an hour, and five calls a minute if ordered', async () => {
	for (let count = 0; count < 10; count++) expect((await refresh()).status).toBe(200);
	expect(await refresh()).toMatchObject({ status: 429, json: { error: 'rate_limit_exceeded' } });
	clock.forward(3_600_000);
	expect((await refresh()).status).toBe(200);
	emulator.set({ authPerMinute: 5 });
	const statuses: number[] = [];
	for (let count = 0; count < 6; count++) statuses.push((await send('/auth/profile')).status);
	expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
});

test('creates one key per verification token, rejects a change without a value, and rejects a deleted key', async () => {
	const token = await accessToken();
	const body = { token: 'checked', name: 'robot' };
	const { api_key } = (await send('/auth/generate-api-key', token, { body })).json;
	expect((await send('/auth/generate-api-key', token, { body })).status).toBe(400);
	const change = async (method: string, path: string) =>
		(await send(`/auth/${path}`, token, { method, body: { api_key } })).status;
	expect(await change('PUT', 'rename-api-key')).toBe(400);
	expect(await change('PUT', 'api-key-model-access')).toBe(400);
	expect(await change('DELETE', 'delete-api-key')).toBe(200);
	expect(await change('DELETE', 'delete-api-key')).toBe(404);
	const credits = `${emulator.urls.api}/v1/get-user-credits`;
	const headers = { 'x-api-key': api_key };
	expect((await call(emulator, credits, { headers })).status).toBe(401);
});
