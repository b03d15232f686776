import { startEmulator, type Emulator } from '../../dev/emulator';
import { call, handClock, submit, type Answer, type Loose } from './client';

const clock = handClock();
let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ clock: clock.now, queueMs: 1000, jobMs: 9000 });
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const get = async (url: string): Promise<Answer> => await call(emulator, url);

test('a request moves QUEUED, PROCESSING, COMPLETED by the clock', async () => {
	const { json: request } = await submit(emulator, 'flux-dev');
	const { request_id: id } = request;
	expect(id).toMatch(/^[0-9a-f]{32}$/);
	expect(request).toEqual({
		request_id: id,
		status: 'QUEUED',
		poll_url: `${emulator.urls.api}/v1/requests/${id}`,
		status_url: `${emulator.urls.api}/v2/requests/${id}/status`,
		response_url: `${emulator.urls.api}/v2/requests/${id}`,
	});
	const { status_url, response_url } = request;
	const waiting = { request_id: id, status_url, response_url, metrics: {} };
	expect((await get(status_url)).json).toEqual({ status: 'QUEUED', ...waiting });
	clock.forward(1000);
	expect((await get(response_url)).json).toEqual({ status: 'PROCESSING', ...waiting });
	clock.forward(9000);
	const metrics = {
		inference_time: 9,
		queue_time: 1,
		total_time: 10,
		cost: 0.0196,
		remaining_credits: 99.9804,
	};
	expect((await get(status_url)).json).toEqual({ status: 'COMPLETED', request_id: id, metrics });
	const url = `${emulator.urls.files}/generations/${id}.png`;
	const file_size = String(
		(await call(emulator, url, { headers: { 'x-api-key': undefined } })).bytes.length,
	);
	const result = {
		status: 'COMPLETED',
		request_id: id,
		output: url,
		images: [{ url, content_type: 'image/png', file_name: `${id}.png`, file_size }],
		seed: '42',
		error: null,
		metrics,
	};
	expect((await get(response_url)).json).toEqual(result);
	expect((await get(request.poll_url)).json).toEqual(result);
	expect(emulator.jobs).toMatchObject([
		{ state: 'COMPLETED', downloads: 1, charged: 0.0196, files: [url] },
	]);
	expect(emulator.leaks).toEqual([]);
});

test('money is reserved at submit, kept on completion and given back on failure', async () => {
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

test('a missing parameter is accepted and fails later, free of charge', async () => {
	const { status, json } = await submit(emulator, 'wan-2.5-i2v', { prompt: 'x', image: null });
	expect(status).toBe(200);
	clock.forward(1003);
	const metrics = { inference_time: 0.003, queue_time: 1, total_time: 1.003 };
	const told = { status: 'FAILED', request_id: json.request_id, metrics };
	expect(await get(json.status_url)).toMatchObject({ status: 422, json: told });
	const result = await get(json.response_url);
	const reason = { error: 'Image is required for this model.' };
	expect([result.status, result.json]).toEqual([422, { ...told, ...reason }]);
	expect(emulator.charged).toBe(0);
	emulator.set({ failedStatus: 200, failedError: 'object' });
	const answer = await get(json.response_url);
	expect(answer.status).toBe(200);
	expect(answer.json).toMatchObject({
		status: 'FAILED',
		error_message: { message: 'Image is required for this model.' },
	});
});

test('failWhen and failJobs choose the failing jobs', async () => {
	emulator.set({
		failWhen: (input, model, index) =>
			input.prompt === 'bad' && model === 'flux-dev' && index === 0,
	});
	await submit(emulator, 'flux-dev', { prompt: 'bad' });
	await submit(emulator, 'flux-dev', { prompt: 'bad' });
	clock.forward(10_000);
	expect(emulator.jobs.map(({ state }) => state)).toEqual(['FAILED', 'COMPLETED']);
});

test('job times may depend on the job', async () => {
	emulator.set({
		jobMs: (model, input, index) => (model === 'flux-dev' ? Number(input.ms) + index : 0),
		queueMs: 0,
	});
	await submit(emulator, 'flux-dev', { prompt: 'x', ms: 100 });
	await submit(emulator, 'flux-dev', { prompt: 'x', ms: 200 });
	clock.forward(1000);
	expect(emulator.jobs.map(({ submittedAt, finishedAt }) => finishedAt! - submittedAt)).toEqual([
		100, 201,
	]);
});

test('a record lives an hour; history answers still', async () => {
	const { json } = await submit(emulator, 'grok-imagine-image', { prompt: 'x', n: 2 });
	clock.forward(3_599_999);
	expect((await get(json.status_url)).status).toBe(200);
	clock.forward(1);
	for (const url of [json.status_url, json.response_url]) {
		const answer = await get(url);
		expect([answer.status, answer.json]).toEqual([
			404,
			{ error: `Request ${json.request_id} not found` },
		]);
	}
	expect((await get(json.poll_url)).status).toBe(404);
	const history = `${emulator.urls.admin}/inference-request/request-history`;
	const { json: record } = await get(`${history}/${json.request_id}`);
	expect(record).toMatchObject({
		request_id: json.request_id,
		model_name: 'grok-imagine-image',
		model_status: 'COMPLETED',
		credits_deduction: 0.1244,
		request_body: { prompt: 'x', n: 2 },
		generation_url: emulator.jobs[0].files[0],
		latency_ms: 10_000,
		error: null,
	});
	const { json: list } = await get(history);
	expect(list).toMatchObject({ page: 1, per_page: 20, total: 2 });
	expect(list.data.map((row: { generation_url: string }) => row.generation_url)).toEqual(
		emulator.jobs[0].files,
	);
	emulator.set({ history: false });
	expect((await get(`${history}/${json.request_id}`)).status).toBe(404);
});

test('history filters, sorts and pages', async () => {
	emulator.set({ failJobs: [1] });
	const history = `${emulator.urls.admin}/inference-request/request-history`;
	for (const model of ['flux-dev', 'veo-3.1', 'gpt-5.4']) {
		await submit(emulator, model);
		clock.forward(5000);
	}
	const names = async (query: string): Promise<string[]> => {
		const { json } = await get(history + query);
		return json.data.map((row: { model_name: string }) => row.model_name);
	};
	expect(await names('')).toEqual(['gpt-5.4', 'veo-3.1', 'flux-dev']);
	expect(await names('?sort_by=model_name&sort_order=asc')).toEqual([
		'flux-dev',
		'gpt-5.4',
		'veo-3.1',
	]);
	expect(await names('?status=PENDING')).toEqual(['gpt-5.4']);
	expect(await names('?status=FAILED')).toEqual(['veo-3.1']);
	expect(await names('?model_name=flux-dev')).toEqual(['flux-dev']);
	expect(await names('?per_page=2&page=2')).toEqual(['flux-dev']);
	const second = new Date(emulator.jobs[1].submittedAt).toISOString();
	expect(await names(`?from_date=${second}`)).toEqual(['gpt-5.4', 'veo-3.1']);
	for (const query of [
		'?per_page=101',
		'?page=0',
		'?status=DONE',
		'?from_date=x',
		'?from_date=2026-01-01&to_date=2026-03-01',
	]) {
		expect((await get(history + query)).status).toBe(400);
	}
	expect((await call(emulator, history, { headers: { 'x-api-key': undefined } })).status).toBe(401);
});

test('rate windows are fixed and 429s are free', async () => {
	emulator.set({ rateLimit: { perMinute: 2, sendRemaining: true } });
	const credits = `${emulator.urls.api}/v1/get-user-credits`;
	const start = clock.now();
	expect((await get(credits)).headers['x-rate-limit-remaining']).toBe('1');
	clock.forward(30_000);
	expect((await get(credits)).headers['x-rate-limit-remaining']).toBe('0');
	const limited = await submit(emulator, 'flux-dev');
	expect(limited.status).toBe(429);
	expect(limited.headers['x-rate-limit-reset-at-utc']).toBe(new Date(start + 60_000).toISOString());
	expect(limited.headers['retry-after']).toBeUndefined();
	expect(emulator.jobs).toEqual([]);
	clock.forward(30_000);
	expect((await get(credits)).status).toBe(200);
	expect((await get(credits)).status).toBe(200);
	const header = async (
		reset: 'epoch' | 'retryAfter' | 'none',
	): Promise<Record<string, string>> => {
		emulator.set({ rateLimit: { perMinute: 0, windowMs: 7000, reset } });
		return (await get(credits)).headers;
	};
	expect((await header('epoch'))['x-rate-limit-reset-at-utc']).toBe(
		String(Math.ceil((clock.now() + 7000) / 1000)),
	);
	expect((await header('retryAfter'))['retry-after']).toBe('7');
	expect(await header('none')).not.toHaveProperty('x-rate-limit-reset-at-utc');
	emulator.set({ rateLimit: { perMinute: 1000, sendReset: true } });
	const free = await get(credits);
	expect([free.status, free.headers['x-rate-limit-reset-at-utc']]).toEqual([
		200,
		new Date(clock.now() + 60_000).toISOString(),
	]);
	// The limit is the account's, whichever key is used.
	emulator.set({ rateLimit: { perMinute: 2, sendRemaining: true } });
	const otherKey = emulator.key.replace('0', '9');
	emulator.apiKeys.push({ ...emulator.apiKeys[0], api_key: otherKey });
	await get(credits);
	const other = await call(emulator, credits, { headers: { 'x-api-key': otherKey } });
	expect(other.headers['x-rate-limit-remaining']).toBe('0');
	expect((await get(credits)).status).toBe(429);
	// Result files and the admin origin are not limited.
	expect((await get(`${emulator.urls.admin}/inference-request/request-history`)).status).toBe(200);
});

test('submit answers can point elsewhere', async () => {
	emulator.set({ foreignUrls: true });
	const { json: all } = await submit(emulator, 'flux-dev');
	expect(all.status_url).toMatch(emulator.urls.hostile);
	emulator.set({ foreignUrls: ['response_url'] });
	const { json: one } = await submit(emulator, 'flux-dev');
	expect([one.status_url, one.response_url].map((url) => new URL(url).origin)).toEqual([
		emulator.urls.api,
		emulator.urls.hostile,
	]);
});

describe('result shapes', () => {
	const result = async (model: string, input: Record<string, unknown> = {}): Promise<Loose> => {
		const { json } = await submit(emulator, model, { prompt: 'p', text: 'p', ...input });
		clock.forward(10_000);
		return (await get(json.response_url)).json;
	};

	test('follow the modality', async () => {
		const video = await result('veo-3.1', { return_last_frame: true });
		expect(video.video).toMatchObject({
			url: video.output,
			content_type: 'video/mp4',
			last_frame_url: expect.stringMatching(/-last\.png$/),
		});
		const audio = await result('chatterbox-tts');
		expect(audio.audio).toMatchObject({ url: audio.output, content_type: 'audio/wav' });
		const openai = JSON.parse((await result('gpt-5.4')).output);
		expect(openai.choices[0].message.content).toBe('Emulated answer to: p');
		const anthropic = JSON.parse(
			(
				await result('claude-4.5-sonnet', {
					prompt: null,
					text: null,
					messages: [{ role: 'user', content: [{ type: 'text', text: 'm' }] }],
				})
			).output,
		);
		expect(anthropic.content).toEqual([{ type: 'text', text: 'Emulated answer to: m' }]);
		const gemini = JSON.parse((await result('gemini-2.5-flash')).output);
		expect(gemini.candidates[0].content.parts[0].text).toBe('Emulated answer to: p');
	});

	test.each([
		['images', (body: Loose) => body.images[0].url],
		['video', (body: Loose) => body.video.url],
		['videoArray', (body: Loose) => body.video[0].url],
		['audio', (body: Loose) => body.audio.url],
		['outputUrl', (body: Loose) => body.output],
		['outputUrls', (body: Loose) => body.output[0]],
		['outputJson', (body: Loose) => JSON.parse(body.output).files[0].url],
		['outputObject', (body: Loose) => body.output.files[0].url],
	] as const)('%s by order', async (resultShape, url) => {
		emulator.set({ resultShape });
		expect(url(await result('flux-dev'))).toBe(emulator.jobs[0].files[0]);
	});

	test('null output, metrics and unknown words by order', async () => {
		emulator.set({ resultShape: 'outputNull', metrics: 'null' });
		expect(await result('flux-dev')).toMatchObject({ output: null, metrics: null });
		emulator.set({ metrics: 'missing' });
		expect(await result('flux-dev')).not.toHaveProperty('metrics');
		emulator.set({ metrics: 'ms' });
		expect(await result('flux-dev')).toMatchObject({
			metrics: { time_in_queue_ms: 1000 },
			timings: { total_ms: 10_000 },
		});
		emulator.set({ progressWord: 'WARMING_UP' });
		const { json } = await submit(emulator, 'flux-dev');
		expect((await get(json.status_url)).json.status).toBe('WARMING_UP');
	});
});
