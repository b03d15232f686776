/** What engine tests could not miss if it were gone: the emulator rejects what the real service rejects, records leaked secrets, and shifts its clock. */
import { ENDPOINT_WIRE } from '../helpers/endpoint';
import {
	callWithoutKey,
	call,
	submit,
	useEmulatorWithManualClock,
	type CallResponse,
	type CallOptions,
} from './client';

const { emulator, clock } = useEmulatorWithManualClock({
	queueMs: 0,
	jobMs: 0,
	fineTuneOpen: true,
});

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

test.each<[string, string | undefined, number]>([
	['{"prompt":"x"}', undefined, 406],
	['{"prompt":"x"}', 'text/plain', 406],
	['', 'application/json', 400],
	['[]', 'application/json', 400],
	['"text"', 'application/json', 400],
	['{"prompt":', 'application/json', 400],
	// JSON that is nested too deeply, in a short and in a long body.
	...[0, 1_200_000].map((length): [string, string, number] => [
		`{"prompt":"${'x'.repeat(length)}","a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
		...(['application/json', 400] as const),
	]),
])('the body %.40j with the content type %p returns %i', async (text, type, status) => {
	const options = { method: 'POST', body: text, headers: { 'content-type': type } };
	expect((await send('/v2/flux-dev', options)).status).toBe(status);
});

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

const JOB = {
	name: 'shoes',
	data_source_path: 'https://example.com/shoes.zip',
	instance_prompt: 'a TOK shoe',
	base_model: 'FLUX_PRO',
	theme: 'PRODUCT',
	segmind_public: false,
	advance_parameters: { iterations: 300, finetune_type: 'FULL' },
};
const jobWith = (more: object) => ({ ...JOB, ...more });
const endpointWith = (more: object) => ({ ...ENDPOINT_WIRE, ...more });
const upload = (url: string) => ({ data_urls: [url] });
const FINE_TUNE = '/finetune/request/';
const HISTORY = '/inference-request/request-history';

test.each<['api' | 'admin' | 'upload', string, string, unknown, number]>([
	['api', 'GET', '/v2/flux-dev', undefined, 405],
	['api', 'GET', '/v1/flux-dev', undefined, 405],
	['api', 'PUT', '/workflows/v2/product-photo', undefined, 405],
	['api', 'POST', '/v1/get-user-credits', undefined, 405],
	['api', 'POST', '/v2/requests/abc', undefined, 405],
	['api', 'GET', '/v3/flux-dev', undefined, 400],
	['api', 'GET', '/V2/flux-dev', undefined, 400],

	['api', 'POST', '/workflows/v2/no-such', { prompt: 'p' }, 404],
	['api', 'POST', '/workflows/v2/product-photo', {}, 400],
	['api', 'POST', '/workflows/v2/product-photo', { prompt: 5 }, 400],
	['api', 'POST', '/workflows/v2/product-photo', { prompt: 'p', reference: 'a.png' }, 400],
	['api', 'POST', '/workflows/v2/story-video', { story: 's', seconds: '5' }, 400],

	['api', 'POST', `${FINE_TUNE}submit`, jobWith({ name: undefined }), 400],
	['api', 'POST', `${FINE_TUNE}submit`, jobWith({ segmind_public: 'true' }), 400],
	['api', 'POST', `${FINE_TUNE}submit`, jobWith({ data_source_path: 'shoes.zip' }), 400],
	['api', 'POST', `${FINE_TUNE}submit`, jobWith({ theme: 'SHOES' }), 400],
	['api', 'POST', `${FINE_TUNE}submit`, jobWith({ advance_parameters: { iterations: 99 } }), 400],
	['api', 'POST', `${FINE_TUNE}submit`, jobWith({ advance_parameters: '{}' }), 400],
	['api', 'POST', `${FINE_TUNE}submit`, jobWith({ base_model: 'FAST_FLUX' }), 400],
	// This GET needs a body: a query isn't enough.
	['api', 'GET', `${FINE_TUNE}details?request_id=x`, undefined, 400],
	['api', 'GET', `${FINE_TUNE}details`, { request_id: 'x' }, 404],
	['api', 'POST', `${FINE_TUNE}details`, { request_id: 'x' }, 405],
	// These calls accept only forms.
	['api', 'GET', `${FINE_TUNE}file/download`, { cloud_storage_url: 'x' }, 406],
	['api', 'PUT', `${FINE_TUNE}access-update`, { request_id: 'x', segmind_public: 'true' }, 406],

	// Even the list requires the JSON content type.
	['admin', 'GET', '/endpoint/list', undefined, 406],
	['admin', 'GET', '/endpoint/add', {}, 405],
	['admin', 'POST', '/endpoint/list', {}, 405],
	['admin', 'DELETE', '/endpoint/delete', undefined, 406],
	['admin', 'DELETE', '/endpoint/delete', {}, 400],
	['admin', 'DELETE', '/endpoint/delete', { endpoint_id: 'other' }, 404],
	// The method decides what happens, not the path.
	['admin', 'DELETE', '/endpoint/add', { endpoint_id: 'other' }, 404],
	['admin', 'POST', '/endpoint/delete', { endpoint_id: 'other' }, 400],
	['admin', 'POST', '/endpoint/add', endpointWith({ workers_max: '2' }), 400],
	['admin', 'POST', '/endpoint/add', endpointWith({ workers_max: 11 }), 400],
	['admin', 'POST', '/endpoint/add', endpointWith({ workers_min: 3 }), 400],
	['admin', 'POST', '/endpoint/add', endpointWith({ gpu_id: '' }), 400],

	['admin', 'GET', `${HISTORY}?per_page=101`, undefined, 400],
	['admin', 'GET', `${HISTORY}?page=0`, undefined, 400],
	['admin', 'GET', `${HISTORY}?status=DONE`, undefined, 400],
	['admin', 'GET', `${HISTORY}?from_date=x`, undefined, 400],
	['admin', 'GET', `${HISTORY}?from_date=2026-01-01&to_date=2026-03-01`, undefined, 400],

	['upload', 'POST', '/upload-asset', {}, 400],
	['upload', 'POST', '/upload-asset', { data_urls: [] }, 400],
	['upload', 'POST', '/upload-asset', { data_urls: 'data:image/png;base64,AAAA' }, 400],
	['upload', 'POST', '/upload-asset', upload('AAAA'), 400],
	['upload', 'POST', '/upload-asset', upload('data:image/png,AAAA'), 400],
	['upload', 'POST', '/upload-asset', upload('data:;base64,AAAA'), 400],
	['upload', 'POST', '/upload-asset', upload('data:image/png;base64,AA*A'), 400],
	['upload', 'POST', '/upload-asset', upload('data:image/png;base64,A'), 400],
	['upload', 'POST', '/upload-asset', upload(`data:a/b;base64,${'A'.repeat(400_000)}*AAA`), 400],
])('%s: %s %s %.80j returns %i', async (origin, method, path, sent, status) => {
	const headers = { accept: 'application/json, text/plain, */*' };
	const response = await call(emulator, emulator.urls[origin] + path, {
		method,
		headers,
		body: sent,
	});
	expect(response.status).toBe(status);
	expect(emulator.jobs).toEqual([]);
});

test.each([
	[{ accept: '*/*' }, 406],
	[{ accept: undefined }, 406],
	[{ 'content-type': 'text/plain' }, 406],
	[{ 'x-api-key': undefined }, 401],
])('an upload with the headers %j returns %i', async (more, status) => {
	const headers = { accept: 'application/json, text/plain, */*', ...more };
	const url = `${emulator.urls.upload}/upload-asset`;
	const options = { body: upload('data:image/png;base64,AAAA'), headers };
	expect((await call(emulator, url, options)).status).toBe(status);
});

test('a workflow run and a v1 call are not found as plain requests', async () => {
	const { json } = await send('/workflows/v2/product-photo', { body });
	const { headers } = await send('/v1/flux-dev', { body });
	for (const id of [json.request_id, headers['x-request-id']])
		expect((await send(`/v2/requests/${id}`)).status).toBe(404);
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
	await call(emulator, `${emulator.session.accountUrl}/auth/profile`);
	expect(emulator.leaks.map(({ origin, where }) => `${origin} ${where}`)).toEqual([
		'files x-api-key',
		'files authorization',
		'hostile x-api-key',
		'api path',
		'api authorization',
		'api body',
		'console x-api-key',
		'account x-api-key',
	]);
});

test('a dataset is uploaded to its presigned URL within the hour, with its headers and without the key', async () => {
	const presign = async (file: object) =>
		(await send(`${FINE_TUNE}upload/pre-signed-url`, { method: 'GET', body: file })).json;
	const put = async (url: string, headers: Record<string, string>): Promise<number> =>
		(await callWithoutKey(emulator, url, { method: 'PUT', body: Buffer.alloc(9), headers })).status;
	const zip = { 'content-type': 'application/zip' };
	const { presigned_url, s3_url } = await presign({ name: 'shoes.zip' });
	expect(await put(presigned_url, {})).toBe(403);
	expect(await put(s3_url, zip)).toBe(403);
	expect(await put(presigned_url.replace('shoes', 'boots'), zip)).toBe(403);
	expect(await put(presigned_url, { ...zip, 'x-api-key': emulator.key })).toBe(403);
	expect(emulator.leaks).toMatchObject([{ origin: 'storage' }]);
	expect(await put(presigned_url, zip)).toBe(200);
	// A file is public only if both the presigned URL and the upload request it.
	expect((await callWithoutKey(emulator, s3_url)).status).toBe(403);
	const open = await presign({ name: 'shoes.zip', public: true });
	expect(await put(open.presigned_url, zip)).toBe(403);
	expect(await put(open.presigned_url, { ...zip, 'x-amz-acl': 'public-read' })).toBe(200);
	expect((await callWithoutKey(emulator, open.s3_url)).bytes).toHaveLength(9);
	clock.forward(3_600_000);
	expect(await put(presigned_url, zip)).toBe(403);
});

test.each([7_000, -7_000])('the service can be %i ms ahead in all its dates', async (aheadMs) => {
	emulator.set({ clockAheadMs: aheadMs, rateLimit: { perMinute: 1 } });
	const serviceTime = clock.now() + aheadMs;
	const { json, headers } = await submit(emulator, 'flux-dev');
	expect(headers.date).toBe(new Date(serviceTime).toUTCString());
	const reset = (await submit(emulator, 'flux-dev')).headers['x-rate-limit-reset-at-utc'];
	expect(reset).toBe(new Date(serviceTime + 60_000).toISOString());
	const { created_at } = (
		await call(emulator, `${emulator.urls.admin}${HISTORY}/${json.request_id}`)
	).json;
	expect(created_at).toBe(new Date(serviceTime).toISOString());
	// Calls are recorded with the time of the test's clock.
	expect(emulator.calls[0].at).toBe(clock.now());
});

describe('the account', () => {
	const account = async (path: string, token?: string, options: CallOptions = {}) =>
		await callWithoutKey(emulator, `${emulator.session.accountUrl}/auth/${path}`, {
			...options,
			headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
		});
	const refresh = async (token = emulator.session.refreshToken) =>
		await account('refresh-token', token, { method: 'POST' });

	test('accepts only access tokens, each for an hour, and ten refreshes an hour', async () => {
		const token: string = (await refresh()).json.access_token;
		expect((await account('profile', token)).status).toBe(200);
		expect((await refresh(token)).status).toBe(401);
		for (const wrong of [emulator.session.refreshToken, undefined, `${token}x`])
			expect((await account('profile', wrong)).status).toBe(401);
		for (let count = 2; count <= 10; count++) expect((await refresh()).status).toBe(200);
		expect((await refresh()).status).toBe(429);
		clock.forward(3_600_001);
		expect((await account('profile', token)).status).toBe(401);
		expect((await refresh()).status).toBe(200);
	});

	test('creates one key per verification token, rejects a change without a value, and rejects a deleted key', async () => {
		const token: string = (await refresh()).json.access_token;
		const options = { body: { token: 'checked', name: 'robot' } };
		const { api_key } = (await account('generate-api-key', token, options)).json;
		expect((await account('generate-api-key', token, options)).status).toBe(400);
		const change = async (method: string, path: string) =>
			(await account(path, token, { method, body: { api_key } })).status;
		expect(await change('PUT', 'rename-api-key')).toBe(400);
		expect(await change('PUT', 'api-key-model-access')).toBe(400);
		expect(await change('DELETE', 'delete-api-key')).toBe(200);
		expect(await change('DELETE', 'delete-api-key')).toBe(404);
		const headers = { 'x-api-key': api_key };
		expect((await send('/v1/get-user-credits', { headers })).status).toBe(401);
	});
});
