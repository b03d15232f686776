/** Segmind Account: the session, and what goes wrong with its calls. */
import type { IDataObject } from 'n8n-workflow';

import type { FaultAction } from '../../../dev/emulator';
import type { Call } from '../../../dev/emulator/types';
import { useAccount } from '../../helpers/account';
import { prompts } from '../../helpers/inference';
import { shownTexts, succeed, type RunOptions } from '../../helpers/runNode';
import { stopWhen } from '../../helpers/until';

const {
	emulator,
	run,
	pass,
	accountCalls,
	callsTo,
	injectFault,
	forwardService,
	signIn,
	renameParams,
} = useAccount();
const refreshes = () => callsTo('refresh-token');
const bearerOf = (call: Call) => call.headers.authorization?.replace('Bearer ', '') ?? '';

describe('session', () => {
	test('Get Profile outputs the profile with the claims of the access token', async () => {
		const { json, session } = succeed(
			await run('session', 'getProfile', {}, { items: prompts(3) }),
		);
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
		expect(accountCalls().map(({ method, path }) => `${method} ${path}`)).toEqual([
			'POST /api/auth/refresh-token',
			'GET /api/auth/profile',
		]);
		expect(bearerOf(refreshes()[0])).toBe(emulator.session.refreshToken);
		expect(bearerOf(callsTo('profile')[0])).toBe(session.accessToken);
		// The next execution reuses the stored access token.
		succeed(await run('session', 'getProfile', {}, { session }));
		expect(refreshes()).toHaveLength(1);
	});

	test('a profile contains only known fields', async () => {
		const secret = 'opaque-secret';
		const body = {
			username: 'a',
			email: { x: secret },
			session_id: secret,
			plan: { note: secret },
		};
		injectFault('profile', { body });
		const { json } = succeed(await run('session', 'getProfile'));
		expect(json[0]).toMatchObject({ username: 'a', identity: 'user@example.com' });
		expect(JSON.stringify(json)).not.toContain(secret);
	});

	test('refreshes once per expiry for all items, one call at a time, and keeps the new refresh token', async () => {
		const session = await signIn();
		emulator.set({ rotateRefreshToken: true });
		emulator.fault({ on: 'account', times: 'always', do: { delayMs: 40 } });
		forwardService(3_601_000);
		const { session: after } = succeed(
			await run('apiKey', 'rename', renameParams(), {
				session,
				items: prompts(4),
			}),
		);
		expect(refreshes()).toHaveLength(2);
		expect(callsTo('rename-api-key').map(({ status }) => status)).toEqual([
			401, 200, 200, 200, 200,
		]);
		const [first, ...times] = accountCalls()
			.slice(-6)
			.map(({ at }) => at);
		expect(times.map((at) => at - first)).toEqual([40, 80, 120, 160, 200]);
		expect(after.refreshToken).toBe(emulator.session.refreshToken);
		expect(after.refreshToken).not.toBe(session.refreshToken);
	});

	test('Refresh replaces a valid token too, once per run', async () => {
		const session = await signIn();
		const more = { session, items: prompts(3) };
		const { json, session: after } = await run('session', 'refresh', {}, more);
		expect(json[2]).toMatchObject({ refreshed: true });
		expect(JSON.stringify(json)).not.toContain('eyJ');
		expect(refreshes()).toHaveLength(2);
		expect(after.accessToken).not.toBe(session.accessToken);
	});
});

describe('a session that cannot be refreshed', () => {
	const rejection = (status: number, error: string) => ({
		status,
		body: { error, error_description: 'Too many opaque', status_code: status },
	});
	const hostile = () => ({ redirect: `${emulator.urls.hostile}/stolen` });

	const wrongField = (label: string) => ({
		kind: 'badInput',
		message: expect.stringContaining(label) as string,
	});
	const opaque = { body: { data: { access_token: { value: 'opaque.token' } } } };
	test.each<[string, object, IDataObject?, (() => FaultAction)?]>([
		['no refresh token', wrongField('Refresh Token'), { refreshToken: '' }],
		['an invalid address', wrongField('Account URL'), { accountUrl: 'cloud.segmind.com' }],
		['an unreachable address', { kind: 'noResponse' }, { accountUrl: 'http://127.0.0.1:9/api' }],
		['a refresh token that is rejected', { httpCode: 401 }, { refreshToken: 'opaque.refresh' }],
		[
			'an error that repeats the refresh token',
			{ httpCode: 400 },
			{ refreshToken: 'opaque.refresh' },
			() => rejection(400, 'opaque.refresh is unknown'),
		],
		['a rate limit', { httpCode: 429 }, {}, () => rejection(429, 'rate_limit_exceeded')],
		['a redirect, not followed', { httpCode: 307 }, {}, hostile],
		['no token in the response', { kind: 'unreadable', httpCode: 200 }, {}, () => opaque],
		['HTML', { kind: 'unreadable', httpCode: 200 }, {}, () => ({ body: '<html>opaque</html>' })],
	])('%s: one error for all items', async (_name, cause, ...[session, action]) => {
		if (action) injectFault('refresh-token', action(), 'always');
		const items = prompts(4);
		const result = await run('apiKey', 'rename', renameParams(), { session, items });
		expect(result.failed).toHaveLength(4);
		expect(result.failed[0]).toMatchObject(cause);
		expect(accountCalls()).toHaveLength('httpCode' in cause ? 1 : 0);
		expect(emulator.callsOf('hostile')).toEqual([]);
		for (const secret of ['eyJ', 'opaque.']) expect(shownTexts(result)).not.toContain(secret);
	});

	test('a session that is rejected even with a fresh token is refreshed only once', async () => {
		const session = await signIn();
		injectFault('rename-api-key', rejection(401, 'invalid_token'), 'always');
		const more = { session, items: prompts(3) };
		const { failed } = await run('apiKey', 'rename', renameParams(), more);
		expect(failed[0]).toMatchObject({ kind: 'rejected', httpCode: 401 });
		expect(refreshes()).toHaveLength(2);
		expect(callsTo('rename-api-key')).toHaveLength(2);
		await run('apiKey', 'rename', renameParams());
		expect([refreshes().length, callsTo('rename-api-key').length]).toEqual([3, 3]);
	});
});

test.each([undefined, 'next'])('a refresh may return a new refresh token: %j', async (next) => {
	const { accessToken, refreshToken } = await signIn();
	const session = { accessToken: '', refreshToken };
	injectFault('refresh-token', { body: { access_token: accessToken, refresh_token: next } });
	const after = succeed(await run('session', 'getProfile', {}, { session })).session;
	expect(bearerOf(callsTo('profile').at(-1)!)).toBe(accessToken);
	expect(after.refreshToken).toBe(next ?? refreshToken);
});

describe('an access token that was entered', () => {
	const enter = async (wrong?: string) => {
		const { accessToken, refreshToken } = await signIn();
		return { enteredAccessToken: wrong ?? accessToken, accessToken: '', refreshToken };
	};

	test('is used without a refresh, also instead of an older stored token', async () => {
		const entered = await enter();
		const older = { ...entered, accessToken: 'older' };
		for (const session of [entered, older]) {
			succeed(await run('session', 'getProfile', {}, { session }));
			expect(bearerOf(callsTo('profile').at(-1)!)).toBe(entered.enteredAccessToken);
		}
		expect(refreshes()).toHaveLength(1);
	});

	// An API key in its place is called an invalid key.
	test.each([undefined, 'SG_x'])('%p is replaced when it is rejected, once', async (wrong) => {
		const session = await enter(wrong);
		forwardService(3_601_000);
		const first = succeed(await run('session', 'getProfile', {}, { session }));
		expect(first.session).toMatchObject({ enteredAccessToken: '' });
		succeed(await run('session', 'getProfile', {}, { session: first.session }));
		expect(refreshes()).toHaveLength(2);
		expect(callsTo('profile').map(({ status }) => status)).toEqual([200, 401, 200, 200]);
	});

	test('is enough without a refresh token, and is in no text', async () => {
		const session = { ...(await enter()), refreshToken: '' };
		succeed(await run('apiKey', 'create', { verificationToken: 'check-1' }, { session }));
		forwardService(3_601_000);
		const rejected = await run('session', 'getProfile', {}, { session });
		expect(rejected.failed).toMatchObject([{ kind: 'badInput' }]);
		expect(shownTexts(rejected)).not.toContain(session.enteredAccessToken);
		expect(refreshes()).toHaveLength(1);
	});
});

test('creating a key refreshes an expired access token, and shows no verification token', async () => {
	const session = await signIn();
	forwardService(3_601_000);
	const body = { error: 'invalid_request', error_description: 'no check-1', status_code: 400 };
	emulator.fault({ on: 'account', after: 2, do: { status: 400, body } });
	const { failed } = await run('apiKey', 'create', { verificationToken: 'check-1' }, { session });
	expect(JSON.stringify(failed)).not.toContain('check-1');
	expect(failed).toMatchObject([{ httpCode: 400, kind: 'rejected' }]);
	expect(callsTo('generate-api-key').map(({ status }) => status)).toEqual([401, 400]);
});

describe('errors', () => {
	const rename = async (action: FaultAction, more: Partial<RunOptions> = {}) => {
		injectFault('rename-api-key', action, 'always');
		return await run('apiKey', 'rename', renameParams(), more);
	};
	const accountError = (status: number, error: string, description = 'why') => ({
		status,
		body: { error, error_description: description, status_code: status },
	});

	test.each([
		[401, 'invalid_api_key'],
		...[302, 403, 404, 422, 429, 502].map((status) => [status, undefined] as const),
	] as const)('after HTTP %i with %j, the call is not repeated', async (status, error) => {
		const response = error === undefined ? { status, body: '' } : accountError(status, error);
		const headers = { 'retry-after': '600', location: `${emulator.urls.hostile}/stolen` };
		const { failed } = await rename({ ...response, headers });
		const kinds: Record<number, string> = {
			302: 'unknownOutcome',
			429: 'rateLimited',
			502: 'unknownOutcome',
		};
		expect(failed).toMatchObject([{ kind: kinds[status] ?? 'rejected', httpCode: status }]);
		expect([refreshes().length, callsTo('rename-api-key').length]).toEqual([1, 1]);
		expect(emulator.callsOf('hostile')).toEqual([]);
	});

	test.each([200, 401, 403, 404])(
		'a web page with HTTP %i is no success, and names Account URL',
		async (status) => {
			const { failed } = await rename({ status, body: '<!doctype html><title>Console</title>' });
			expect(failed).toMatchObject([{ httpCode: status }]);
			const { message, description } = failed[0];
			expect(`${message} ${description}`).toContain('Account URL');
		},
	);

	test('waits until the per-minute limit allows the next call', async () => {
		const session = await signIn();
		emulator.set({ authPerMinute: 2 });
		succeed(await run('apiKey', 'rename', renameParams(), { session, items: prompts(3) }));
		expect(accountCalls().map(({ status }) => status)).toContain(429);
	});

	test('reads are repeated after transient faults, changes are not', async () => {
		injectFault('get-api-keys', { status: 502, body: '' });
		injectFault('get-api-keys', 'dropBeforeAccept');
		succeed(await run('apiKey', 'getAll'));
		expect(callsTo('get-api-keys')).toHaveLength(3);
		const { failed } = await rename('dropAfterAccept');
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', outcomeUnknown: true }]);
		expect(callsTo('rename-api-key')).toHaveLength(1);
	});

	test("keys and tokens in the service's message do not reach the user; items run one at a time", async () => {
		const fresh = 'fresh-token-0123456789';
		injectFault('refresh-token', { body: { access_token: fresh } });
		const { key, session } = emulator;
		const text = `${key} with ${fresh} and ${'x'.repeat(270)} ${String(session.refreshToken)}`;
		const result = await rename(accountError(400, 'invalid_request', text), {
			items: prompts(2),
			onError: 'continueRegularOutput',
		});
		expect(callsTo('rename-api-key')).toHaveLength(2);
		for (const secret of [key, fresh, 'eyJ'])
			expect(JSON.stringify(result.json) + shownTexts(result)).not.toContain(secret);
	});

	test('Stop: calls that wait for their turn are not sent', async () => {
		injectFault('rename-api-key', { delayMs: 300 }, 'always');
		const { tookMs } = await run('apiKey', 'rename', renameParams(), {
			items: prompts(5),
			whileRunning: stopWhen(() => callsTo('rename-api-key').length > 0),
		});
		expect(tookMs).toBeLessThan(300);
		await pass(2_000);
		expect(callsTo('rename-api-key')).toHaveLength(1);
	});
});
