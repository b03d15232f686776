import { startEmulator, type Emulator } from '../../dev/emulator';
import { bare, call, submit } from './client';

let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ queueMs: 0, jobMs: 0, v1Ms: 0 });
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const api = (path: string): string => emulator.urls.api + path;

test.each(['/v2/flux-dev', '/v1/flux-dev', '/workflows/v2/product-photo'])(
	'%s asks for the key',
	async (path) => {
		const missing = await bare(emulator, api(path), { body: { prompt: 'x' } });
		expect([missing.status, missing.json]).toEqual([
			401,
			{ error: 'Missing Authorization or x-api-key in header' },
		]);
		const wrong = await call(emulator, api(path), {
			body: { prompt: 'x' },
			headers: { 'x-api-key': emulator.key.replace('0', '1') },
		});
		expect([wrong.status, wrong.json.error]).toEqual([
			401,
			expect.stringMatching(/^Unauthorized\. API key is invalid/),
		]);
		expect(emulator.jobs).toEqual([]);
	},
);

test('a key as bearer token is refused and counts as a leak', async () => {
	const answer = await bare(emulator, api('/v1/get-user-credits'), {
		headers: { authorization: `Bearer ${emulator.key}` },
	});
	expect([answer.status, answer.json.error]).toEqual([401, expect.stringMatching(/^Unauthorized/)]);
	expect(emulator.leaks).toMatchObject([{ origin: 'api', where: 'authorization' }]);
});

test.each([
	['GET', '/v2/flux-dev'],
	['GET', '/v1/flux-dev'],
	['PUT', '/workflows/v2/product-photo'],
	['POST', '/v1/get-user-credits'],
	['POST', '/v2/requests/abc'],
])('%s %s is a 405 in HTML', async (method, path) => {
	const answer = await call(emulator, api(path), { method });
	expect(answer.status).toBe(405);
	expect(answer.headers['content-type']).toMatch(/text\/html/);
});

test('an unrouted path is a 400', async () => {
	expect((await call(emulator, api('/v3/flux-dev'))).status).toBe(400);
	expect((await call(emulator, api('/V2/flux-dev'), { body: {} })).status).toBe(400);
	expect(emulator.callsOf('other')).toHaveLength(2);
});

test.each([undefined, 'text/plain'])('content type %s is a 406', async (type) => {
	const answer = await call(emulator, api('/v2/flux-dev'), {
		body: '{"prompt":"x"}',
		headers: { 'content-type': type },
	});
	expect([answer.status, answer.json]).toEqual([406, { error: 'Invalid content type' }]);
});

test.each(['', '[]', '"text"', '{"prompt":'])('the body %j is a 400', async (body) => {
	const headers = { 'content-type': 'application/json' };
	expect(
		(await call(emulator, api('/v2/flux-dev'), { method: 'POST', body, headers })).status,
	).toBe(400);
});

test.each([
	['no-such-model', 404],
	['Flux-Dev', 404],
	['sd1.5-txt2img', 410],
	['my-endpoint', 200],
	['Simple_Vector_Flux', 200],
	['veo-3.1', 200],
])('the slug %s gives %i', async (slug, status) => {
	expect((await submit(emulator, slug)).status).toBe(status);
});

test('a model denied to the key is a 403', async () => {
	emulator.set({ deniedModels: ['veo-3.1'] });
	expect((await submit(emulator, 'veo-3.1')).status).toBe(403);
});

test('an empty balance is 402 on v2 and workflows, 406 on v1', async () => {
	emulator.set({ balance: { credits: 0, freeCredits: 0 } });
	const answer = await submit(emulator, 'flux-dev');
	expect([answer.status, answer.json.error]).toEqual([
		402,
		expect.stringMatching(/^Insufficient credits\. You have 0\.0 credits/),
	]);
	const workflow = await call(emulator, api('/workflows/v2/product-photo'), {
		body: { prompt: 'x' },
	});
	expect(workflow.status).toBe(402);
	const v1 = await call(emulator, api('/v1/flux-dev'), { body: { prompt: 'x' } });
	expect([v1.status, v1.json.error]).toEqual([406, expect.stringMatching(/^Insufficient credits/)]);
});

test('credits have their own names, and may be missing', async () => {
	emulator.set({ balance: { credits: -0.5, freeCredits: 0.25 } });
	expect((await call(emulator, api('/v1/get-user-credits'))).json).toEqual({
		credits: -0.5,
		'free-credits': 0.25,
	});
	emulator.set({ noCreditRecord: true });
	const none = await call(emulator, api('/v1/get-user-credits'));
	expect([none.status, none.json]).toEqual([404, { error: 'No credits found for the user' }]);
});

test('secrets that arrive elsewhere are leaks', async () => {
	const { urls, key } = emulator;
	expect((await call(emulator, `${urls.files}/generations/x.png`)).status).toBe(403);
	expect(
		(await bare(emulator, `${urls.files}/x`, { headers: { authorization: 'Bearer t' } })).status,
	).not.toBe(200);
	await call(emulator, `${urls.hostile}/v2/flux-dev`);
	await bare(emulator, `${urls.api}/v1/get-user-credits?key=${key}`);
	await call(emulator, api('/v2/flux-dev'), { body: { prompt: key } });
	await call(emulator, `${urls.console}/auth/profile`);
	await call(emulator, `${urls.admin}/inference-model-information/list`);
	expect(emulator.leaks.map(({ origin, where }) => `${origin} ${where}`)).toEqual([
		'files x-api-key',
		'files authorization',
		'hostile x-api-key',
		'api path',
		'api body',
		'console x-api-key',
	]);
});

test('every call is recorded with its headers, body and status', async () => {
	await submit(emulator, 'flux-dev', { prompt: 'p', image_3: null });
	expect(emulator.calls).toMatchObject([
		{
			index: 0,
			origin: 'api',
			kind: 'submit',
			method: 'POST',
			path: '/v2/flux-dev',
			headers: { 'x-api-key': emulator.key },
			body: { prompt: 'p', image_3: null },
			bodyBytes: Buffer.byteLength('{"prompt":"p","image_3":null}'),
			status: 200,
			requestId: emulator.jobs[0].requestId,
		},
	]);
});
