/** Segmind Fine-Tune: datasets are uploaded to a presigned URL, and weights have a download URL. */
import type { INodeExecutionData } from 'n8n-workflow';

import type { FaultAction } from '../../../dev/emulator';
import { startRemoteEmulator } from '../../../dev/emulator/remote';
import { zeroBytes } from '../../../dev/engine/binaries';
import {
	uploadUrlParams,
	uploadParams,
	useFineTunes,
	jobWeightsParams,
} from '../../helpers/fineTune';
import { memoryGrowthOf } from '../../helpers/memory';
import {
	fileItem,
	storedFile,
	shownTexts,
	useBinariesOnDisk,
	succeed,
} from '../../helpers/runNode';

const { emulator, run, jobCalls, injectFault, submitJob } = useFineTunes();
useBinariesOnDisk();
const puts = () => emulator.callsOf('storage').filter(({ method }) => method === 'PUT');
const ZIP = Buffer.from('PK\u0003\u0004 some pictures');
const zipItem = (): INodeExecutionData =>
	fileItem({ data: { bytes: ZIP, mimeType: 'application/zip', fileName: 'shoes.zip' } });
const zerosItem = async (size: number) =>
	await storedFile(zeroBytes(size), 'zeros.zip', 'application/zip');

describe('dataset', () => {
	test.each<[boolean, object, object]>([
		[false, { name: 'shoes.zip' }, {}],
		[true, { name: 'shoes.zip', extension: '.zip', public: true }, { 'x-amz-acl': 'public-read' }],
	])('create upload URL, public %s, sends GET with a body', async (isPublic, body, headers) => {
		const { json } = await run(uploadUrlParams({ public: isPublic }));
		const path = '/finetune/request/upload/pre-signed-url';
		expect(jobCalls()[0]).toMatchObject({ method: 'GET', path });
		expect(jobCalls()[0].body).toEqual(body);
		expect(json).toEqual([
			{
				presigned_url: expect.stringContaining('X-Amz-Signature='),
				s3_url: expect.not.stringContaining('?'),
				headers: { 'content-type': 'application/zip', ...headers },
			},
		]);
	});

	test('a presigned URL without an S3 URL is an error that hides its signature', async () => {
		const presigned_url = 'https://bucket.example.com/x?X-Amz-Signature=5ec4e7';
		injectFault({ body: { presigned_url } });
		const result = await run(uploadUrlParams());
		expect(result.failed).toMatchObject([{ kind: 'unreadable' }]);
		expect(shownTexts(result)).not.toContain('5ec4e7');
	});

	test.each([
		[false, undefined],
		[true, 'public-read'],
	])(
		'upload, public %s: the ZIP goes to the presigned URL without the key [Secrets 2]',
		async (isPublic, acl) => {
			const parameters = uploadParams({ name: 'o.zip', public: isPublic });
			const { json } = await run(parameters, { items: [zipItem()] });
			const [{ headers }, ...others] = puts();
			expect(others).toEqual([]);
			expect(headers).toMatchObject({
				'content-type': 'application/zip',
				'content-length': String(ZIP.length),
			});
			expect(headers['x-amz-acl']).toBe(acl);
			for (const name of ['x-api-key', 'authorization']) expect(headers).not.toHaveProperty(name);
			const [{ url, bytes }] = emulator.storedFiles;
			expect(bytes).toBe(ZIP.length);
			const item = { s3_url: url, file_name: 'o.zip', file_size: bytes, public: isPublic };
			expect(json).toEqual([item]);
			expect(jobCalls()[0].body).toMatchObject({ name: 'o.zip' });
		},
	);

	test('the storage: transient faults are retried, a rejection is reported without the signature, and redirects are not followed', async () => {
		const upload = async (action: FaultAction, times: number | 'always' = 1) => {
			emulator.fault({ on: 'storage', times, do: action });
			return await run(uploadParams(), { items: [zipItem()] });
		};
		const body = (code: string) =>
			`<Error><Code>${code}</Code><SignatureProvided>5ec4e7</SignatureProvided></Error>`;
		succeed(await upload({ status: 503, body: body('SlowDown') }));
		expect(puts()).toHaveLength(2);
		const rejected = await upload({ status: 403, body: body('SignatureDoesNotMatch') });
		const redirected = await upload({ redirect: `${emulator.urls.hostile}/stolen` });
		const putsBefore = puts().length;
		const lost = await upload('dropBeforeAccept', 'always');
		expect(puts().length - putsBefore).toBe(4);
		const httpCodes = [rejected, redirected, lost].map(({ failed }) => failed[0].httpCode);
		expect(httpCodes).toEqual([403, 307, undefined]);
		for (const result of [rejected, redirected, lost]) {
			expect(result.failed).toMatchObject([{ kind: 'file' }]);
			expect(shownTexts(result)).not.toMatch(/5ec4e7|X-Amz-/);
		}
		expect(emulator.callsOf('hostile')).toEqual([]);
	});

	test('a retry does not upload again; nothing signed is stored with the execution', async () => {
		const items = [zipItem(), fileItem({})];
		const { stored } = await run(uploadParams(), { items, tries: 3 });
		expect(puts()).toHaveLength(1);
		expect(JSON.stringify(stored)).not.toContain('X-Amz-');
	});

	test('a dataset of 101 MB is refused before any call, and the error names the limit', async () => {
		const items = [await zerosItem(101_000_000), await zerosItem(100_000_000)];
		const { failed } = await run(uploadParams(), { items });
		const message = expect.stringContaining('100 MB');
		expect(failed).toMatchObject([
			{ kind: 'badInput', message },
			{ kind: 'badInput', message },
		]);
		expect(emulator.calls).toEqual([]);
	});

	test('uploads 90 MB from the store without holding them in memory', async () => {
		// Runs in its own process, so that its memory isn't counted as the node's.
		const remoteEmulator = await startRemoteEmulator();
		const bytes = 90_000_000;
		const item = await zerosItem(bytes);
		const growth = await memoryGrowthOf(async () => {
			const more = { emulator: remoteEmulator, items: [item] };
			const { json } = succeed(await run(uploadParams(), more));
			expect(json[0]).toMatchObject({ file_size: bytes });
		});
		await remoteEmulator.stop();
		expect(growth).toBeLessThan(bytes / 2);
	});
});

describe('weight: get download URL', () => {
	const downloads = () => jobCalls().filter(({ path }) => path.endsWith('/file/download'));
	const weightsOf = (id: string) => `${emulator.urls.storage}/weights/${id}.safetensors`;

	test('sends GET with a multipart body; the plain-text response is the URL', async () => {
		const id = await submitJob();
		const { json } = succeed(await run(jobWeightsParams(id)));
		const cloud_storage_url = weightsOf(id);
		expect(downloads()[0]).toMatchObject({
			method: 'GET',
			path: '/finetune/request/file/download',
			body: { cloud_storage_url },
			headers: { 'content-type': expect.stringMatching(/^multipart\/form-data; boundary=/) },
		});
		expect(json).toEqual([
			{
				finetune_id: id,
				base_model: 'FLUX_PRO',
				cloud_storage_url,
				download_url: expect.stringContaining(`${cloud_storage_url}?`),
				expires_at: expect.any(String),
			},
		]);
		const validMs = Date.parse(json[0].expires_at as string) - Date.now();
		expect(Math.abs(validMs - 3_600_000)).toBeLessThan(60_000);
	});

	test('a Cloud Storage URL alone is enough, also with another scheme', async () => {
		const urls = [weightsOf(await submitJob()), 's3://bucket/weights.safetensors'];
		for (const cloudStorageUrl of urls) {
			const body = `${emulator.urls.storage}/x?X-Amz-Signature=1`;
			emulator.fault({
				on: { path: '/finetune/request/file/download' },
				do: { body, contentType: 'text/plain' },
			});
			const { json } = succeed(await run({ ...jobWeightsParams(''), cloudStorageUrl }));
			const expires_at = expect.any(String);
			expect(json).toEqual([
				{ cloud_storage_url: cloudStorageUrl, download_url: body, expires_at },
			]);
		}
		expect(downloads().map(({ body }) => body)).toEqual(
			urls.map((cloud_storage_url) => ({ cloud_storage_url })),
		);
		expect(jobCalls().filter(({ path }) => path.endsWith('/details'))).toEqual([]);
	});

	test('a response that is not a URL is an error', async () => {
		const id = await submitJob();
		emulator.fault({
			on: { path: '/finetune/request/file/download' },
			do: { body: 'please wait', contentType: 'text/plain' },
		});
		expect((await run(jobWeightsParams(id))).failed).toMatchObject([{ kind: 'unreadable' }]);
	});

	test('Fast Flux needs no call: the output is its public URL', async () => {
		const id = await submitJob('FAST_FLUX');
		const { json } = succeed(await run(jobWeightsParams(id)));
		expect(downloads()).toEqual([]);
		expect(json[0]).toMatchObject({ download_url: weightsOf(id) });
		expect(json[0]).not.toHaveProperty('expires_at');
	});

	test.each(['REQUESTED', 'FAILED'])(
		'a job that is %s has no weights, and the error says so',
		async (status) => {
			if (status === 'FAILED') emulator.set({ failFineTunes: 'all' });
			else emulator.set({ fineTuneStepMs: 60_000 });
			const { failed } = await run(jobWeightsParams(await submitJob()));
			expect(failed).toMatchObject([{ kind: 'other', status, charge: 'none' }]);
			expect(downloads()).toEqual([]);
		},
	);
});
