import { startEmulator, type Emulator } from '../../dev/emulator';
import { bare, call, handClock, type Answer } from './client';

const clock = handClock();
let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ clock: clock.now, queueMs: 0, jobMs: 1000 });
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const get = async (url: string): Promise<Answer> => await call(emulator, url);
const run = async (slug: string, body: unknown): Promise<Answer> =>
	await call(emulator, `${emulator.urls.api}/workflows/v2/${slug}`, { body });

test('named outputs come as JSON text', async () => {
	const { json } = await run('product-photo', {
		prompt: 'a shoe',
		reference: 'https://example.com/a.png',
	});
	expect(json).toMatchObject({ status: 'QUEUED', request_id: expect.any(String) });
	expect((await get(json.poll_url)).json).toEqual({
		output: '',
		status: 'PROCESSING',
		request_id: json.request_id,
	});
	expect((await get(json.status_url)).json).toEqual({
		status: 'PROCESSING',
		request_id: json.request_id,
		metrics: {},
	});
	clock.forward(1000);
	expect((await get(json.status_url)).json.status).toBe('COMPLETED');
	const { json: result } = await get(json.response_url);
	expect((await get(json.poll_url)).json).toEqual(result);
	const [image, caption] = JSON.parse(result.output);
	expect(image).toMatchObject({ keyname: 'final_image', value: { type: 'image' } });
	expect(caption).toEqual({
		keyname: 'caption',
		value: { data: 'Caption for: a shoe', type: 'text' },
	});
	expect((await bare(emulator, image.value.data)).headers['content-type']).toBe('image/png');
	expect(emulator.jobs).toMatchObject([
		{ via: 'workflow', workflow: 'product-photo', charged: 0.0819, downloads: 1 },
	]);
	// A run is no plain request unless ordered so.
	expect((await get(`${emulator.urls.api}/v2/requests/${json.request_id}`)).status).toBe(404);
});

test('video, audio and plain values', async () => {
	const video = (await run('story-video', { story: 's' })).json;
	const plain = (await run('plain-values', { prompt: 'p' })).json;
	clock.forward(1000);
	const outputs = JSON.parse((await get(video.response_url)).json.output) as Array<{
		value: { data: string; type: string };
	}>;
	expect(outputs.map(({ value }) => [value.type, value.data.slice(-4)])).toEqual([
		['video', '.mp4'],
		['audio', '.wav'],
	]);
	const values = JSON.parse((await get(plain.response_url)).json.output) as Array<{
		value: unknown;
	}>;
	expect(values.map(({ value }) => typeof value)).toEqual([
		'string',
		'string',
		'number',
		'boolean',
	]);
});

test('inputs are checked at submit', async () => {
	expect((await run('no-such', { prompt: 'p' })).status).toBe(404);
	expect(await run('product-photo', {})).toMatchObject({
		status: 400,
		json: { error: 'Missing required input: prompt' },
	});
	expect((await run('product-photo', { prompt: 5 })).status).toBe(400);
	expect((await run('product-photo', { prompt: 'p', reference: 'a.png' })).status).toBe(400);
	expect((await run('story-video', { story: 's', seconds: '5' })).status).toBe(400);
	expect(emulator.jobs).toEqual([]);
});

test('outputs parsed and broken, by order', async () => {
	const { json } = await run('plain-values', { prompt: 'p' });
	clock.forward(1000);
	emulator.set({ workflowOutput: 'array' });
	expect((await get(json.response_url)).json.output).toHaveLength(4);
	emulator.set({ workflowOutput: 'broken' });
	const { output } = (await get(json.response_url)).json;
	expect(() => JSON.parse(output)).toThrow();
});

test('a failed run answers with an object', async () => {
	emulator.set({ failJobs: 'all', failText: 'node broke' });
	const { json } = await run('plain-values', { prompt: 'p' });
	clock.forward(1000);
	for (const url of [json.poll_url, json.response_url]) {
		expect(await get(url)).toMatchObject({
			status: 422,
			json: { status: 'FAILED', error_message: { message: 'node broke' } },
		});
	}
	emulator.set({ failedError: 'text', failedStatus: 200 });
	expect(await get(json.poll_url)).toMatchObject({
		status: 200,
		json: { status: 'FAILED', error: 'node broke' },
	});
	expect(emulator.charged).toBe(0);
});

test('run URLs by order', async () => {
	emulator.set({ workflowUrls: 'pollOnly' });
	const { json: polled } = await run('plain-values', { prompt: 'p' });
	expect(Object.keys(polled).sort()).toEqual(['message', 'poll_url', 'request_id', 'status']);
	emulator.set({ workflowUrls: 'generic' });
	const { json: generic } = await run('plain-values', { prompt: 'p' });
	expect(generic.response_url).toBe(`${emulator.urls.api}/v2/requests/${generic.request_id}`);
	clock.forward(1000);
	expect(JSON.parse((await get(generic.response_url)).json.output)).toHaveLength(4);
	emulator.set({ workflowUrls: 'none' });
	const { json: unaddressed } = await run('plain-values', { prompt: 'p' });
	expect(Object.keys(unaddressed).sort()).toEqual(['message', 'request_id', 'status']);
	clock.forward(1000);
	const address = `${emulator.urls.api}/workflows/v2/requests/${unaddressed.request_id}`;
	expect((await get(address)).json.status).toBe('COMPLETED');
});

test('a poll_url that gives only the status', async () => {
	emulator.set({ pollAnswer: 'status' });
	const { json } = await run('plain-values', { prompt: 'p' });
	clock.forward(1000);
	expect((await get(json.poll_url)).json).toEqual((await get(json.status_url)).json);
	expect((await get(json.poll_url)).json).not.toHaveProperty('output');
	expect((await get(json.response_url)).json).toHaveProperty('output');
});

test('older pages: one address, and a result without a status word', async () => {
	emulator.set({ workflowUrls: 'older' });
	const { json } = await run('product-photo', { prompt: 'p' });
	expect(json.poll_url).toBe(`${emulator.urls.api}/requests/${json.request_id}`);
	expect((await get(json.poll_url)).json.status).toBe('PROCESSING');
	clock.forward(1000);
	expect((await get(json.poll_url)).json).toEqual({ image_output: emulator.jobs[0].files[0] });
	expect(emulator.counts).toEqual({ submit: 1, poll: 2 });
});
