/** The states, cost and expiry of a request, and rate limits. */
import { FormData } from 'undici';
import type { Orders } from '../../dev/emulator';
import { findModel } from '../../dev/emulator/models';
import { until } from '../helpers/until';
import {
	call,
	callWithoutKey,
	submit,
	useEmulatorWithManualClock,
	type CallResponse,
	type AnyValue,
} from './client';

const { emulator, clock } = useEmulatorWithManualClock({ queueMs: 1000, jobMs: 9000 });

const get = async (url: string): Promise<CallResponse> => await call(emulator, url);
const history = () => `${emulator.urls.admin}/inference-request/request-history`;

test('a request goes from QUEUED to PROCESSING to COMPLETED as time passes', async () => {
	const { json: request } = await submit(emulator, 'flux-dev');
	const { request_id: id, status_url, response_url } = request;
	const { api } = emulator.urls;
	expect(request).toEqual({
		request_id: expect.stringMatching(/^[0-9a-f]{32}$/),
		status: 'QUEUED',
		poll_url: `${api}/v1/requests/${id}`,
		status_url: `${api}/v2/requests/${id}/status`,
		response_url: `${api}/v2/requests/${id}`,
	});
	const waiting = { request_id: id, status_url, response_url, metrics: {} };
	expect((await get(status_url)).json).toEqual({ status: 'QUEUED', ...waiting });
	clock.forward(1000);
	expect((await get(response_url)).json).toEqual({ status: 'PROCESSING', ...waiting });
	clock.forward(9000);
	const { json: status } = await get(status_url);
	expect(Object.keys(status)).toEqual(['status', 'request_id', 'metrics']);
	const { json: result } = await get(response_url);
	expect(result).toMatchObject({ ...status, output: emulator.jobs[0].files[0], error: null });
	expect((await get(request.poll_url)).json).toEqual(result);
	expect(emulator.leaks).toEqual([]);
});

test('credits are reserved at submission, charged on completion and refunded on failure', async () => {
	emulator.set({ failJobs: [1], balance: { credits: 1, freeCredits: 0.01 } });
	await submit(emulator, 'flux-dev');
	expect(emulator.balance).toEqual({ credits: 0.9904, freeCredits: 0 });
	await submit(emulator, 'veo-3.1');
	expect(emulator.balance.credits).toBeCloseTo(-1.1707);
	expect((await submit(emulator, 'flux-dev')).status).toBe(402);
	expect(emulator.charged).toBe(0);
	clock.forward(10_000);
	expect(emulator.balance).toEqual({ credits: 0.9904, freeCredits: 0 });
	expect(emulator.charged).toBe(0.0196);
	expect(emulator.jobs.map(({ state, charged }) => [state, charged])).toEqual([
		['COMPLETED', 0.0196],
		['FAILED', 0],
	]);
});

test.each([
	['wan-2.5-i2v', { prompt: 'x', image: null }],
	['flux-dev', { prompt: 'x', aspect_ratio: '7:3' }],
])('%s accepts %j, which it cannot use, and fails later free of charge', async (model, input) => {
	const { status, json } = await submit(emulator, model, input);
	expect(status).toBe(200);
	clock.forward(1003);
	const metrics = { inference_time: 0.003, queue_time: 1, total_time: 1.003 };
	const expected = { status: 'FAILED', request_id: json.request_id, metrics };
	expect(await get(json.status_url)).toMatchObject({ status: 422, json: expected });
	expect(emulator.charged).toBe(0);
	const v1 = await call(emulator, `${emulator.urls.api}/v1/${model}`, { body: input });
	expect(v1.status).toBe(400);
});

test.each([
	['veo-3.1-fast', {}, 1],
	['veo-3.1-fast', { duration: 10 }, 2],
	['seedance-2.0-mini', { duration: '4s' }, 0.8],
	['flux-dev', { duration: 10 }, 1],
])('%s with %j costs %d times the average', async (model, input, factor) => {
	await submit(emulator, model, { prompt: 'p', ...input });
	expect(emulator.jobs[0].cost).toBeCloseTo(findModel(model)!.cost * factor);
});

test('pictures that show the prompt differ with it', async () => {
	emulator.set({ media: 'real', queueMs: 0, jobMs: 0 });
	const pictureOf = async (prompt: string) => {
		await submit(emulator, 'flux-dev', { prompt });
		return (await callWithoutKey(emulator, emulator.jobs.at(-1)!.files[0])).bytes;
	};
	const [day, night] = [
		await pictureOf('a boat "<&>" \u{1F600}'),
		await pictureOf('a boat, night'),
	];
	expect([day.length, night.length].every((length) => length > 5_000)).toBe(true);
	expect(day.equals(night)).toBe(false);
});

test.each<[Partial<Orders>, string, object]>([
	[{}, 'v2/flux-dev', { error: 'because' }],
	[{}, 'workflows/v2/plain-values', { error: 'because' }],
	[{ failedError: 'object' }, 'v2/flux-dev', { error_message: { message: 'because' } }],
	[{ failedReason: 'both' }, 'v2/flux-dev', { error: 'because' }],
	[{ failedStatus: 200 }, 'v2/flux-dev', { error: 'because' }],
])('with %j, a failed request to %s has the reason %j', async (orders, slug, reason) => {
	emulator.set({ failJobs: 'all', failText: 'because', ...orders });
	const url = `${emulator.urls.api}/${slug}`;
	const { json: request } = await call(emulator, url, { body: { prompt: 'p' } });
	const { request_id, status_url, response_url } = request;
	clock.forward(10_000);
	const [check, result] = [await get(status_url), await get(response_url)];
	const { failedStatus = 422 } = orders;
	expect([check.status, result.status]).toEqual([failedStatus, failedStatus]);
	const expected = { status: 'FAILED', metrics: expect.any(Object), request_id };
	expect(result.json).toMatchObject({ ...expected, ...reason });
	expect(check.json).toEqual({ ...expected, ...(orders.failedReason === 'both' && reason) });
});

test('a request can be looked up for an hour, and is still in the history afterwards', async () => {
	const { json } = await submit(emulator, 'grok-imagine-image', { prompt: 'x', n: 2 });
	clock.forward(3_599_999);
	expect((await get(json.status_url)).status).toBe(200);
	clock.forward(1);
	for (const url of [json.status_url, json.response_url, json.poll_url])
		expect(await get(url)).toMatchObject({
			status: 404,
			json: { error: expect.stringContaining(`${json.request_id} not found`) },
		});
	const { json: row } = await get(`${history()}/${json.request_id}`);
	expect(row).toMatchObject({ model_status: 'COMPLETED', credits_deduction: 0.1244 });
	const { json: list } = await get(history());
	const urls = list.data.map(({ generation_url }: AnyValue) => generation_url);
	expect([list.total, urls]).toEqual([2, emulator.jobs[0].files]);
});

test.each([
	['sort_by=model_name&sort_order=asc', ['flux-dev', 'gpt-5.4', 'veo-3.1']],
	['status=PENDING', ['gpt-5.4']],
	['status=FAILED', ['veo-3.1']],
	['from_date=2026-01-01T00:00:10.000Z', ['gpt-5.4', 'veo-3.1']],
	['to_date=2026-01-01T00:00:10.000Z', ['veo-3.1', 'flux-dev']],
])('the query %s of the history returns the rows %j', async (query, expected) => {
	emulator.set({ failJobs: [1], jobMs: 15_000 });
	clock.forward(Date.UTC(2026, 0, 1) - clock.now());
	for (const model of ['flux-dev', 'veo-3.1', 'gpt-5.4']) {
		await submit(emulator, model);
		clock.forward(10_000);
	}
	const { data } = (await get(`${history()}?${query}`)).json;
	expect(data.map(({ model_name }: AnyValue) => model_name)).toEqual(expected);
});

test('rate limit windows are fixed, a 429 creates no job, and all keys share the limit of the account', async () => {
	emulator.set({ rateLimit: { perMinute: 2, sendRemaining: true } });
	const credits = `${emulator.urls.api}/v1/get-user-credits`;
	const start = clock.now();
	const otherKey = emulator.key.replace('0', '9');
	emulator.apiKeys.push({ ...emulator.apiKeys[0], api_key: otherKey });
	expect((await get(credits)).headers['x-rate-limit-remaining']).toBe('1');
	clock.forward(30_000);
	const other = await call(emulator, credits, { headers: { 'x-api-key': otherKey } });
	expect(other.headers['x-rate-limit-remaining']).toBe('0');
	const limited = await submit(emulator, 'flux-dev');
	expect(limited.status).toBe(429);
	expect(limited.headers['x-rate-limit-reset-at-utc']).toBe(new Date(start + 60_000).toISOString());
	expect(limited.headers['retry-after']).toBeUndefined();
	expect(emulator.jobs).toEqual([]);
	// The admin origin is not limited.
	expect((await get(history())).status).toBe(200);
	// The next window begins where this one ends, whenever its first call comes.
	clock.forward(45_000);
	for (const status of [200, 200]) expect((await get(credits)).status).toBe(status);
	const { headers } = await get(credits);
	expect(headers['x-rate-limit-reset-at-utc']).toBe(new Date(start + 120_000).toISOString());
});

test('a v1 call accepts a form, and responds when its job ends, with that time as the Date', async () => {
	emulator.set({ queueMs: 0, jobMs: 60_000 });
	const body = new FormData();
	body.set('prompt', 'form');
	const response = call(emulator, `${emulator.urls.api}/v1/flux-dev`, { body });
	await until(() => emulator.jobs.length > 0);
	expect(emulator.jobs).toMatchObject([{ input: { prompt: 'form' }, charged: 0 }]);
	clock.forward(60_000);
	expect((await response).headers.date).toBe(new Date(clock.now()).toUTCString());
});

test('an upload is limited too, and a 429 can name the end of the window in Retry-After', async () => {
	emulator.set({ rateLimit: { perMinute: 0, windowMs: 7000, reset: 'retryAfter' } });
	const { headers } = await call(emulator, `${emulator.urls.upload}/upload-asset`, { body: {} });
	expect(headers['retry-after']).toBe('7');
});

test.each([7_000, -7_000])('the service can be %i ms ahead in all its dates', async (aheadMs) => {
	emulator.set({ clockAheadMs: aheadMs, rateLimit: { perMinute: 1 } });
	const serviceTime = clock.now() + aheadMs;
	const { json, headers } = await submit(emulator, 'flux-dev');
	expect(headers.date).toBe(new Date(serviceTime).toUTCString());
	const reset = (await submit(emulator, 'flux-dev')).headers['x-rate-limit-reset-at-utc'];
	expect(reset).toBe(new Date(serviceTime + 60_000).toISOString());
	const { created_at } = (await get(`${history()}/${json.request_id}`)).json;
	expect(created_at).toBe(new Date(serviceTime).toISOString());
	// Calls are recorded with the time of the test's clock.
	expect(emulator.calls[0].at).toBe(clock.now());
});
