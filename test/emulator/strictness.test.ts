/** What engine tests would not notice: the emulator accepts what the real service rejects, overlooks a leak, keeps its clock, or a fault affects no call. */
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

const send = async (path: string, options: CallOptions = {}): Promise<CallResponse> =>
	await call(emulator, emulator.urls.api + path, options);

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

test('an upload is limited too, and a 429 can name the end of the window in Retry-After', async () => {
	emulator.set({ rateLimit: { perMinute: 0, windowMs: 7_000, reset: 'retryAfter' } });
	const url = `${emulator.urls.upload}/upload-asset`;
	const { status, headers } = await call(emulator, url, { body: {} });
	expect([status, headers['retry-after']]).toEqual([429, '7']);
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

const getCredits = async () => await send('/v1/get-user-credits');

test('a fault affects its targets, the given number of times and after the given number of calls', async () => {
	const statuses = async (count: number): Promise<number[]> => {
		const seen: number[] = [];
		for (let index = 0; index < count; index++) seen.push((await getCredits()).status);
		return seen;
	};
	const on = ['credits', 'submit'] as const;
	const fault = emulator.fault({ on: [...on], after: 1, times: 2, do: { status: 500 } });
	expect(await statuses(4)).toEqual([200, 500, 500, 200]);
	expect(fault.hits).toBe(2);
	const pattern = { origin: 'api', method: 'get', path: 'credits' } as const;
	const always = emulator.fault({ on: pattern, times: Infinity, do: { status: 403 } });
	expect(await statuses(3)).toEqual([403, 403, 403]);
	always.remove();
	emulator.fault({ on: ({ index }) => index === 8, do: { status: 401 } });
	expect(await statuses(3)).toEqual([200, 401, 200]);
	emulator.fault({ on: { path: /credits$/ }, times: 'always', do: { status: 400 } });
	expect(await statuses(1)).toEqual([400]);
	emulator.clearFaults();
	expect(await statuses(1)).toEqual([200]);
});

test('a fault can be limited to a state of the request', async () => {
	emulator.set({ jobMs: 1000 });
	emulator.fault({ on: { kind: 'status', state: 'COMPLETED' }, do: 'notFound' });
	const { json } = await submit(emulator, 'flux-dev');
	expect((await call(emulator, json.status_url)).status).toBe(200);
	clock.forward(1000);
	for (const status of [404, 200])
		expect((await call(emulator, json.status_url)).status).toBe(status);
});
