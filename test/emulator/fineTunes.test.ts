import { FormData, Response } from 'undici';
import { startEmulator, type Emulator } from '../../dev/emulator';
import { bare, call, handClock, submit, type Answer } from './client';

const clock = handClock();
let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ clock: clock.now, fineTuneOpen: true, fineTuneStepMs: 1000 });
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const send = async (method: string, path: string, body?: unknown): Promise<Answer> =>
	await call(emulator, `${emulator.urls.api}/finetune/request/${path}`, { method, body });

async function sendForm(
	method: string,
	path: string,
	fields: Record<string, string>,
): Promise<Answer> {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	const encoded = new Response(form);
	return await call(emulator, `${emulator.urls.api}/finetune/request/${path}`, {
		method,
		body: Buffer.from(await encoded.arrayBuffer()),
		headers: { 'content-type': encoded.headers.get('content-type')! },
	});
}

const job = {
	name: 'shoes',
	data_source_path: 'https://example.com/shoes.zip',
	instance_prompt: 'a TOK shoe',
	base_model: 'FLUX_PRO',
	theme: 'PRODUCT',
	segmind_public: false,
	advance_parameters: { iterations: 300, finetune_type: 'FULL' },
};

test('a job runs through its states', async () => {
	const { json } = await send('POST', 'submit', { ...job, trigger_word: 'TOK' });
	expect(json).toEqual({ status: 'REQUESTED', finetune_id: expect.any(String), name: 'shoes' });
	const seen: string[] = [];
	for (let step = 0; step < 5; step++) {
		const { finetune } = (await send('GET', 'details', { request_id: json.finetune_id })).json;
		seen.push(finetune.status);
		clock.forward(1000);
	}
	expect(seen).toEqual([
		'REQUESTED',
		'TRAINING_COMPLETED',
		'INFERENCE_QUEUED',
		'AVAILABLE',
		'AVAILABLE',
	]);
	const [entry] = (await send('GET', 'list')).json;
	expect(entry).toMatchObject({
		finetune_id: json.finetune_id,
		status: 'AVAILABLE',
		base_model: 'FLUX_PRO',
	});
	const [{ slug }] = emulator.fineTunes;
	expect((await submit(emulator, slug)).status).toBe(200);
});

test('a job fails by order', async () => {
	emulator.set({ failFineTunes: [0] });
	const { json } = await send('POST', 'submit', job);
	clock.forward(5000);
	expect(
		(await send('GET', 'details', { request_id: json.finetune_id })).json.finetune,
	).toMatchObject({
		status: 'FAILED',
		error_message: 'GPU overloaded, try with smaller dataset',
		cloud_storage_url: null,
	});
});

test('submit bodies are checked', async () => {
	for (const wrong of [
		{ name: undefined },
		{ segmind_public: 'true' },
		{ data_source_path: 'shoes.zip' },
		{ theme: 'SHOES' },
		{ advance_parameters: { iterations: 99 } },
		{ advance_parameters: { lora_rank: 8 } },
		{ advance_parameters: '{}' },
		{ base_model: 'FLUX', theme: 'KONTEXT', machine_type: 'NVIDIA_A100_40GB' },
		{ base_model: 'FAST_FLUX' },
	]) {
		expect((await send('POST', 'submit', { ...job, ...wrong })).status).toBe(400);
	}
	expect((await send('POST', 'submit', { ...job, base_model: 'QWEN', theme: 'any' })).status).toBe(
		200,
	);
});

test('new jobs are refused unless ordered otherwise; what is there can still be read', async () => {
	const { json } = await send('POST', 'submit', job);
	emulator.set({ fineTuneOpen: false });
	expect(await send('POST', 'submit', job)).toMatchObject({
		status: 410,
		json: { error: 'Fine-tuning no longer accepts new training jobs.' },
	});
	expect((await send('GET', 'list')).json).toHaveLength(1);
	expect((await send('GET', 'details', { request_id: json.finetune_id })).status).toBe(200);
	const usual = await startEmulator();
	const answer = await call(usual, `${usual.urls.api}/finetune/request/submit`, { body: job });
	expect(answer.status).toBe(410);
	await usual.close();
});

test('GETs must carry their bodies', async () => {
	expect((await send('GET', 'details')).status).toBe(400);
	expect((await send('GET', 'details?request_id=x')).status).toBe(400);
	expect((await send('GET', 'details', { request_id: 'x' })).status).toBe(404);
	expect((await send('GET', 'upload/pre-signed-url')).status).toBe(400);
	expect((await send('GET', 'file/download', { cloud_storage_url: 'x' })).status).toBe(406);
	expect((await send('POST', 'details', { request_id: 'x' })).status).toBe(405);
});

describe('datasets', () => {
	const zip = Buffer.from('PK a dataset');
	const type = { 'content-type': 'application/zip' };
	const presign = async (body: unknown): Promise<{ presigned_url: string; s3_url: string }> =>
		(await send('GET', 'upload/pre-signed-url', body)).json;
	const put = async (
		url: string,
		headers: Record<string, string>,
		body: Buffer = zip,
	): Promise<number> => (await bare(emulator, url, { method: 'PUT', body, headers })).status;

	test('are put to a presigned address without the key', async () => {
		const { presigned_url, s3_url } = await presign({ name: 'shoes.zip' });
		expect(new URL(presigned_url).origin).toBe(emulator.urls.storage);
		expect(await put(presigned_url, {})).toBe(403);
		expect(await put(presigned_url, { ...type, 'x-amz-acl': 'public-read' })).toBe(403);
		expect(await put(s3_url, type)).toBe(403);
		expect(await put(presigned_url.replace('shoes', 'boots'), type)).toBe(403);
		expect(emulator.leaks).toEqual([]);
		expect(await put(presigned_url, { ...type, 'x-api-key': emulator.key })).toBe(403);
		expect(emulator.leaks).toMatchObject([{ origin: 'storage' }]);
		expect(await put(presigned_url, type)).toBe(200);
		expect(emulator.stored).toEqual([{ url: s3_url, bytes: zip.length, public: false }]);
		expect((await bare(emulator, s3_url)).status).toBe(403);
		expect((await bare(emulator, s3_url)).headers['content-type']).toMatch(/xml/);
		clock.forward(3_600_000);
		expect(await put(presigned_url, type)).toBe(403);
	});

	test('are public only when asked for and said again', async () => {
		const { presigned_url, s3_url } = await presign({
			name: 'shoes',
			extension: '.zip',
			public: true,
		});
		expect(s3_url).toMatch(/shoes\.zip$/);
		expect(await put(presigned_url, type)).toBe(403);
		expect(await put(presigned_url, { ...type, 'x-amz-acl': 'public-read' })).toBe(200);
		expect((await bare(emulator, s3_url)).bytes).toEqual(zip);
	});

	test('of 100 MB or more fail a Flux Pro training, and no Kontext one', async () => {
		const { presigned_url, s3_url } = await presign({ name: 'shoes.zip' });
		expect(await put(presigned_url, type, Buffer.alloc(100 * 1024 * 1024))).toBe(200);
		await send('POST', 'submit', { ...job, data_source_path: s3_url });
		await send('POST', 'submit', {
			...job,
			base_model: 'FLUX',
			theme: 'KONTEXT',
			advance_parameters: {},
			data_source_path: s3_url,
		});
		clock.forward(5000);
		expect(emulator.fineTunes.map(({ state }) => state)).toEqual(['FAILED', 'AVAILABLE']);
	});

	test('that are not there, or not public for Fast Flux, fail the job', async () => {
		const { presigned_url, s3_url } = await presign({ name: 'shoes.zip' });
		await send('POST', 'submit', { ...job, data_source_path: s3_url });
		await put(presigned_url, type);
		await send('POST', 'submit', { ...job, data_source_path: s3_url });
		await send('POST', 'submit', {
			...job,
			base_model: 'FAST_FLUX',
			theme: 'subject',
			advance_parameters: {},
			data_source_path: s3_url,
		});
		clock.forward(5000);
		expect(emulator.fineTunes.map(({ state, error }) => [state, error])).toEqual([
			['FAILED', 'Download failed'],
			['AVAILABLE', null],
			['FAILED', 'Download failed'],
		]);
	});
});

test('access is updated by multipart and urlencoded forms, with an empty answer', async () => {
	const { finetune_id: request_id } = (await send('POST', 'submit', job)).json;
	const multipart = await sendForm('PUT', 'access-update', { request_id, segmind_public: 'true' });
	expect([multipart.status, multipart.text]).toEqual([200, '']);
	expect(emulator.fineTunes[0].public).toBe(true);
	const urlencoded = await call(emulator, `${emulator.urls.api}/finetune/request/access-update`, {
		method: 'PUT',
		body: `request_id=${request_id}&segmind_public=False`,
		headers: { 'content-type': 'application/x-www-form-urlencoded' },
	});
	expect(urlencoded.status).toBe(200);
	expect(emulator.fineTunes[0].public).toBe(false);
	expect((await send('PUT', 'access-update', { request_id, segmind_public: true })).status).toBe(
		406,
	);
	expect(
		(await sendForm('PUT', 'access-update', { request_id, segmind_public: 'yes' })).status,
	).toBe(400);
});

test('a download address comes as plain text and works for an hour', async () => {
	const { finetune_id: request_id } = (await send('POST', 'submit', job)).json;
	clock.forward(1000);
	const { finetune } = (await send('GET', 'details', { request_id })).json;
	const { cloud_storage_url } = finetune;
	expect((await bare(emulator, cloud_storage_url)).status).toBe(403);
	const answer = await sendForm('GET', 'file/download', { cloud_storage_url });
	expect(answer.headers['content-type']).toMatch(/^text\/plain/);
	expect((await bare(emulator, answer.text)).text).toBe(`weights of ${request_id}`);
	clock.forward(3_600_000);
	expect((await bare(emulator, answer.text)).status).toBe(403);
});
