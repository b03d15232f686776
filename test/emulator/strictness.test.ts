/** The emulator rejects what the real service rejects, and records leaked secrets. */
import {
	callWithoutKey,
	call,
	submit,
	useEmulatorWithManualClock,
	type CallResponse,
	type CallOptions,
} from './client';

const { emulator } = useEmulatorWithManualClock({ queueMs: 0, jobMs: 0, v1Ms: 0 });

const body = { prompt: 'x' };
const send = async (path: string, options: CallOptions = {}): Promise<CallResponse> =>
	await call(emulator, emulator.urls.api + path, options);

const CREATING = ['/v2/flux-dev', '/v1/flux-dev', '/workflows/v2/product-photo'];

test.each(CREATING)('%s requires the key', async (path) => {
	for (const key of [undefined, emulator.key.replace('0', '1')])
		expect((await send(path, { body, headers: { 'x-api-key': key } })).status).toBe(401);
	expect(emulator.jobs).toEqual([]);
});

test.each([
	['/v2/flux-dev', 402],
	['/workflows/v2/product-photo', 402],
	['/v1/flux-dev', 406],
])('%s with an empty balance returns %i', async (path, status) => {
	emulator.set({ balance: { credits: 0, freeCredits: 0 } });
	expect((await send(path, { body })).status).toBe(status);
	expect(emulator.jobs).toEqual([]);
});

test.each([
	['GET', '/v2/flux-dev', 405],
	['GET', '/v1/flux-dev', 405],
	['PUT', '/workflows/v2/product-photo', 405],
	['POST', '/v1/get-user-credits', 405],
	['POST', '/v2/requests/abc', 405],
	['GET', '/v3/flux-dev', 400],
	['GET', '/V2/flux-dev', 400],
])('%s %s returns %i', async (method, path, status) => {
	expect((await send(path, { method })).status).toBe(status);
});

test.each<[string, string | undefined, number]>([
	['{"prompt":"x"}', undefined, 406],
	['{"prompt":"x"}', 'text/plain', 406],
	['', 'application/json', 400],
	['[]', 'application/json', 400],
	['"text"', 'application/json', 400],
	['{"prompt":', 'application/json', 400],
])('the body %j with the content type %p returns %i', async (text, type, status) => {
	const options = { method: 'POST', body: text, headers: { 'content-type': type } };
	expect((await send('/v2/flux-dev', options)).status).toBe(status);
});

test.each([0, 1_200_000])(
	'JSON nested too deeply after %i characters returns 400',
	async (length) => {
		const deep = '['.repeat(20_000) + ']'.repeat(20_000);
		const options = { body: `{"prompt":"${'x'.repeat(length)}","a":${deep}}` };
		const headers = { 'content-type': 'application/json' };
		expect((await send('/v2/flux-dev', { ...options, headers })).status).toBe(400);
	},
);

test.each([
	['no-such-model', 404],
	['Flux-Dev', 404],
	['sd1.5-txt2img', 410],
	['kling-2.6', 403],
	['my-endpoint', 200],
	['Simple_Vector_Flux', 200],
	['veo-3.1', 200],
])('the slug %s returns %i', async (slug, status) => {
	emulator.set({ deniedModels: ['kling-2.6'] });
	expect((await submit(emulator, slug)).status).toBe(status);
});

test('records secrets in the wrong place as leaks', async () => {
	const { urls, key } = emulator;
	expect((await call(emulator, `${urls.files}/generations/x.png`)).status).toBe(403);
	await callWithoutKey(emulator, `${urls.files}/x`, { headers: { authorization: 'Bearer t' } });
	await call(emulator, `${urls.hostile}/v2/flux-dev`);
	await send(`/v1/get-user-credits?key=${key}`, { headers: { 'x-api-key': undefined } });
	const authorization = `Bearer ${key}`;
	expect((await send('/v1/get-user-credits', { headers: { authorization } })).status).toBe(401);
	await send('/v2/flux-dev', { body: { prompt: key } });
	await call(emulator, `${urls.console}/auth/profile`);
	await call(emulator, `${urls.admin}/inference-model-information/list`);
	expect(emulator.leaks.map(({ origin, where }) => `${origin} ${where}`)).toEqual([
		'files x-api-key',
		'files authorization',
		'hostile x-api-key',
		'api path',
		'api authorization',
		'api body',
		'console x-api-key',
	]);
});

test.each([
	['no-such', { prompt: 'p' }, 404],
	['product-photo', {}, 400],
	['product-photo', { prompt: 5 }, 400],
	['product-photo', { prompt: 'p', reference: 'a.png' }, 400],
	['story-video', { story: 's', seconds: '5' }, 400],
])('the workflow %s with the input %j returns %i', async (slug, input, status) => {
	expect((await send(`/workflows/v2/${slug}`, { body: input })).status).toBe(status);
	expect(emulator.jobs).toEqual([]);
});

test('a workflow run is not found as a plain request', async () => {
	const { json } = await send('/workflows/v2/product-photo', { body });
	expect((await send(`/v2/requests/${json.request_id}`)).status).toBe(404);
});
