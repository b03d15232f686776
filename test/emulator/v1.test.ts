import { FormData, Response } from 'undici';
import { startEmulator, type Emulator } from '../../dev/emulator';
import { type Answer, call, handClock, until } from './client';

let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ v1Ms: 0 });
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const run = async (model: string, input: Record<string, unknown> = {}): Promise<Answer> =>
	await call(emulator, `${emulator.urls.api}/v1/${model}`, { body: { prompt: 'p', ...input } });

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

test('most models answer with raw bytes and the cost in headers', async () => {
	const image = await run('flux-dev', { seed: 7 });
	expect(image.status).toBe(200);
	expect(image.bytes.subarray(0, 4)).toEqual(png);
	expect(image.headers).toMatchObject({
		'content-type': 'image/png',
		'x-cost': '0.0196',
		'x-remaining-credits': '99.9804',
		'x-request-id': emulator.jobs[0].requestId,
		'x-generation-time': expect.any(String),
		'x-seed-value': '7',
	});
	expect((await run('veo-3.1')).bytes.toString('latin1', 4, 8)).toBe('ftyp');
	expect((await run('chatterbox-tts', { text: 't' })).bytes.toString('latin1', 0, 4)).toBe('RIFF');
	expect((await run('gpt-5.4')).json.choices[0].message.content).toBe('Emulated answer to: p');
});

test('JSON answers, by input, model and order', async () => {
	const isPng = (text: string): void =>
		expect(Buffer.from(text, 'base64').subarray(0, 4)).toEqual(png);
	isPng((await run('flux-dev', { base64: true })).json.image);
	isPng((await run('p-image')).json.image);
	expect((await run('sam3-image')).json).toMatchObject({
		masks_count: 1,
		masks: [expect.any(String)],
	});
	emulator.set({ v1Shape: 'base64Array' });
	isPng((await run('flux-dev')).json.image[0]);
	emulator.set({ v1Shape: 'videoUrl' });
	const { json } = await run('veo-3.1');
	expect(json).toMatchObject({ status: 'Success', outputs: 1, video_format: 'mp4' });
	expect(emulator.jobs.at(-1)!.files).toEqual([json.video]);
	emulator.set({ v1Shape: null, v1ContentType: 'application/json' });
	const wrong = await run('flux-dev');
	expect([wrong.headers['content-type'], wrong.bytes.subarray(0, 4)]).toEqual([
		'application/json',
		png,
	]);
});

test('refuses missing parameters at once and charges nothing for a failure', async () => {
	expect((await run('wan-2.5-i2v')).status).toBe(400);
	expect(emulator.jobs).toEqual([]);
	emulator.set({ failJobs: 'all', failText: 'no' });
	const failed = await run('flux-dev');
	expect([failed.status, failed.json]).toEqual([500, { error: 'no' }]);
	expect([emulator.charged, emulator.balance.credits]).toEqual([0, 100]);
});

test('takes multipart forms', async () => {
	const form = new FormData();
	form.set('prompt', 'from a form');
	const encoded = new Response(form);
	const answer = await call(emulator, `${emulator.urls.api}/v1/flux-dev`, {
		method: 'POST',
		body: Buffer.from(await encoded.arrayBuffer()),
		headers: { 'content-type': encoded.headers.get('content-type')! },
	});
	expect(answer.status).toBe(200);
	expect(emulator.jobs[0].input).toEqual({ prompt: 'from a form' });
});

test('appears in the history, not among the requests', async () => {
	const { headers } = await run('flux-dev');
	const id = headers['x-request-id'];
	expect((await call(emulator, `${emulator.urls.api}/v2/requests/${id}`)).status).toBe(404);
	const record = await call(
		emulator,
		`${emulator.urls.admin}/inference-request/request-history/${id}`,
	);
	expect(record.json).toMatchObject({
		request_id: id,
		model_status: 'COMPLETED',
		generation_url: emulator.jobs[0].files[0],
	});
});

test('takes the job time, by a driven clock too', async () => {
	emulator.set({ v1Ms: null, queueMs: 20, jobMs: 80 });
	const start = performance.now();
	await run('flux-dev');
	expect(performance.now() - start).toBeGreaterThanOrEqual(95);

	const clock = handClock();
	const driven = await startEmulator({ clock: clock.now, v1Ms: 60_000 });
	const answer = call(driven, `${driven.urls.api}/v1/flux-dev`, { body: { prompt: 'p' } });
	await until(() => driven.jobs.length > 0);
	expect(driven.jobs[0].state).not.toBe('COMPLETED');
	clock.forward(60_000);
	expect((await answer).status).toBe(200);
	await driven.close();
});
