/** Fine-tune jobs and their data: which calls are rejected, and who gets files. */
import { startEmulator } from '../../dev/emulator';
import { callWithoutKey, call, useEmulatorWithManualClock, type CallResponse } from './client';

const { emulator, clock } = useEmulatorWithManualClock({
	fineTuneOpen: true,
	fineTuneStepMs: 1000,
});

const urlOf = (path: string) => `${emulator.urls.api}/finetune/request/${path}`;
const send = async (method: string, path: string, body?: unknown): Promise<CallResponse> =>
	await call(emulator, urlOf(path), { method, body });

const JOB = {
	name: 'shoes',
	data_source_path: 'https://example.com/shoes.zip',
	instance_prompt: 'a TOK shoe',
	base_model: 'FLUX_PRO',
	theme: 'PRODUCT',
	segmind_public: false,
	advance_parameters: { iterations: 300, finetune_type: 'FULL' },
};
const ZIP = { 'content-type': 'application/zip' };

test('new jobs are rejected unless the order fineTuneOpen is on', async () => {
	const defaultEmulator = await startEmulator();
	const url = `${defaultEmulator.urls.api}/finetune/request/submit`;
	expect((await call(defaultEmulator, url, { body: JOB })).status).toBe(410);
	await defaultEmulator.close();
});

test.each<[string, string, unknown, number]>([
	['POST', 'submit', { ...JOB, name: undefined }, 400],
	['POST', 'submit', { ...JOB, segmind_public: 'true' }, 400],
	['POST', 'submit', { ...JOB, data_source_path: 'shoes.zip' }, 400],
	['POST', 'submit', { ...JOB, theme: 'SHOES' }, 400],
	['POST', 'submit', { ...JOB, advance_parameters: { iterations: 99 } }, 400],
	['POST', 'submit', { ...JOB, advance_parameters: '{}' }, 400],
	['POST', 'submit', { ...JOB, base_model: 'FAST_FLUX' }, 400],
	// This GET needs a body: a query isn't enough.
	['GET', 'details?request_id=x', undefined, 400],
	['GET', 'details', { request_id: 'x' }, 404],
	['POST', 'details', { request_id: 'x' }, 405],
	// These calls accept only forms.
	['GET', 'file/download', { cloud_storage_url: 'x' }, 406],
	['PUT', 'access-update', { request_id: 'x', segmind_public: 'true' }, 406],
])('%s %s %j returns %i', async (method, path, body, status) => {
	expect((await send(method, path, body)).status).toBe(status);
});

describe('a dataset', () => {
	const presign = async (body: unknown): Promise<{ presigned_url: string; s3_url: string }> =>
		(await send('GET', 'upload/pre-signed-url', body)).json;
	const put = async (url: string, headers: Record<string, string>): Promise<number> =>
		(await callWithoutKey(emulator, url, { method: 'PUT', body: Buffer.alloc(9), headers })).status;

	test('is uploaded to a presigned URL within the hour, with its headers and without the key', async () => {
		const { presigned_url, s3_url } = await presign({ name: 'shoes.zip' });
		expect(await put(presigned_url, {})).toBe(403);
		expect(await put(s3_url, ZIP)).toBe(403);
		expect(await put(presigned_url.replace('shoes', 'boots'), ZIP)).toBe(403);
		expect(emulator.leaks).toEqual([]);
		expect(await put(presigned_url, { ...ZIP, 'x-api-key': emulator.key })).toBe(403);
		expect(emulator.leaks).toMatchObject([{ origin: 'storage' }]);
		expect(await put(presigned_url, ZIP)).toBe(200);
		expect((await callWithoutKey(emulator, s3_url)).status).toBe(403);
		clock.forward(3_600_000);
		expect(await put(presigned_url, ZIP)).toBe(403);
	});

	test('is public only if both the presigned URL and the upload request it', async () => {
		const { presigned_url, s3_url } = await presign({ name: 'shoes.zip', public: true });
		expect(await put(presigned_url, ZIP)).toBe(403);
		expect(await put(presigned_url, { ...ZIP, 'x-amz-acl': 'public-read' })).toBe(200);
		expect((await callWithoutKey(emulator, s3_url)).bytes).toHaveLength(9);
	});
});
