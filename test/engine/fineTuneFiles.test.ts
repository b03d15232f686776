/** Segmind Fine-Tune: data sets, which go to a presigned address, and weights, which come from one. */
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../dev/emulator';
import { startRemoteEmulator } from '../../dev/emulator/remote';
import { zeroBytes } from '../../dev/engine/binaries';
import { addressing, uploading, useFineTunes, weighing, weightsOfJob } from '../helpers/fineTune';
import { memoryGrowthOf } from '../helpers/memory';
import { fileItem, storedFile, told, useBinariesOnDisk } from '../helpers/runNode';

const { emulator, run, sent, answering, submitted } = useFineTunes();
useBinariesOnDisk();
const puts = () => emulator.it.callsOf('storage').filter(({ method }) => method === 'PUT');
const ZIP = Buffer.from('PK\u0003\u0004 some pictures');
const zipItem = (): INodeExecutionData =>
	fileItem({ data: { bytes: ZIP, mimeType: 'application/zip', fileName: 'shoes.zip' } });
const zerosItem = async (size: number) =>
	await storedFile(zeroBytes(size), 'zeros.zip', 'application/zip');

describe('dataset', () => {
	test.each<[INodeParameters, object, object]>([
		[{ variant: 'kontext' }, { name: 'shoes.zip' }, {}],
		[
			{ variant: 'fastFlux' },
			{ name: 'shoes.zip', extension: '.zip', public: true },
			{ 'x-amz-acl': 'public-read' },
		],
		[
			{ variant: 'custom', extension: '', public: true },
			{ name: 'shoes.zip', public: true },
			{ 'x-amz-acl': 'public-read' },
		],
	])('create upload URL, %j: a GET whose body travels', async (more, body, headers) => {
		const { json } = await run(addressing(more));
		const path = '/finetune/request/upload/pre-signed-url';
		expect(sent()[0]).toMatchObject({ method: 'GET', path });
		expect(sent()[0].body).toEqual(body);
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
		answering({ body: { presigned_url } });
		const result = await run(addressing());
		expect(result.error).toBeDefined();
		expect(told(result)).not.toContain('5ec4e7');
	});

	test.each([
		['fluxPro', undefined],
		['fastFlux', 'public-read'],
	])(
		'upload, %s: the ZIP goes to the presigned URL without the key [Secrets 2]',
		async (variant, acl) => {
			const { json } = await run(uploading(variant, { name: 'o.zip' }), { items: [zipItem()] });
			const [{ headers }, ...others] = puts();
			expect(others).toEqual([]);
			expect(headers).toMatchObject({
				'content-type': 'application/zip',
				'content-length': String(ZIP.length),
			});
			expect(headers['x-amz-acl']).toBe(acl);
			for (const name of ['x-api-key', 'authorization']) expect(headers).not.toHaveProperty(name);
			const [{ url, bytes }] = emulator.it.storedFiles;
			expect(bytes).toBe(ZIP.length);
			const isPublic = acl !== undefined;
			const item = { s3_url: url, file_name: 'o.zip', file_size: bytes, public: isPublic };
			expect(json).toEqual([item]);
			expect(sent()[0].body).toMatchObject({ name: 'o.zip' });
		},
	);

	test.each([
		['fluxPro', 100_000_000, false],
		['fastFlux', 100_000_000, false],
		['kontext', 100_000_000, true],
		['fluxPro', 99_999_999, true],
		['kontext', 0, false],
	])('%s: %i bytes are taken: %s', async (variant, size, isTaken) => {
		// The address is refused, so that nothing goes up.
		answering({ status: 400, body: { error: 'no' } });
		await run(uploading(variant), { items: [await zerosItem(size)] });
		expect(sent()).toHaveLength(isTaken ? 1 : 0);
	});

	test('the storage: transient faults are retried, a rejection is reported without the signature, and redirects are not followed', async () => {
		const upload = async (action: FaultAction, times: number | 'always' = 1) => {
			emulator.it.fault({ on: 'storage', times, do: action });
			return await run(uploading('fluxPro'), { items: [zipItem()] });
		};
		const body = (code: string) =>
			`<Error><Code>${code}</Code><SignatureProvided>5ec4e7</SignatureProvided></Error>`;
		expect((await upload({ status: 503, body: body('SlowDown') })).error).toBeUndefined();
		expect(puts()).toHaveLength(2);
		const refused = await upload({ status: 403, body: body('SignatureDoesNotMatch') });
		expect(refused.error?.message).toContain('HTTP 403 (SignatureDoesNotMatch)');
		const redirected = await upload({ redirect: `${emulator.it.urls.hostile}/stolen` });
		expect(redirected.error?.message).toContain('HTTP 307');
		const lost = await upload('dropBeforeAccept', 'always');
		for (const result of [refused, redirected, lost]) {
			expect(result.failed).toMatchObject([{ kind: 'file' }]);
			expect(told(result)).not.toMatch(/5ec4e7|X-Amz-/);
		}
		expect(emulator.it.callsOf('hostile')).toEqual([]);
	});

	test('a retry does not upload again; nothing signed is stored with the execution', async () => {
		const items = [zipItem(), fileItem({})];
		const { stored } = await run(uploading('fluxPro'), { items, tries: 3 });
		expect(puts()).toHaveLength(1);
		expect(JSON.stringify(stored)).not.toContain('X-Amz-');
	});

	test('90 MB go up from the store without being held in memory', async () => {
		// The emulator in its own process, so that its memory is not ours.
		const elsewhere = await startRemoteEmulator();
		const bytes = 90_000_000;
		const item = await zerosItem(bytes);
		const growth = await memoryGrowthOf(async () => {
			const more = { emulator: elsewhere, items: [item] };
			const { json } = await run(uploading('kontext'), more);
			expect(json[0]).toMatchObject({ file_size: bytes });
		});
		await elsewhere.stop();
		expect(growth).toBeLessThan(bytes / 2);
	});
});

describe('weight: get download URL', () => {
	const downloads = () => sent().filter(({ path }) => path.endsWith('/file/download'));
	const weightsOf = (id: string) => `${emulator.it.urls.storage}/weights/${id}.safetensors`;

	test('a GET with a multipart body, whose plain-text response is the URL', async () => {
		const id = await submitted();
		const { json } = await run(weightsOfJob(id));
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
		const lasts = Date.parse(json[0].expires_at as string) - Date.now();
		expect(Math.abs(lasts - 3_600_000)).toBeLessThan(60_000);
	});

	test('By Slug accepts any slug, without reading the list', async () => {
		const cloudStorageUrl = 's3://bucket/weights/1.safetensors';
		answering({ body: 'https://example.com/signed' });
		const { json } = await run(weighing({ cloudStorageUrl }));
		expect(sent()).toMatchObject([{ body: { cloud_storage_url: cloudStorageUrl } }]);
		expect(json[0]).toMatchObject({ download_url: 'https://example.com/signed' });
		answering({ body: 'please wait', contentType: 'text/plain' });
		const { failed } = await run(weighing({ cloudStorageUrl }));
		expect(failed).toMatchObject([{ kind: 'unreadable' }]);
	});

	test('Fast Flux needs no call: the output is its public address', async () => {
		const id = await submitted({ variant: 'fastFlux' });
		const { json } = await run(weightsOfJob(id));
		expect(downloads()).toEqual([]);
		expect(json[0]).toMatchObject({ download_url: weightsOf(id) });
		expect(json[0]).not.toHaveProperty('expires_at');
	});

	test.each(['REQUESTED', 'FAILED'])('no weights: the job is %s', async (status) => {
		if (status === 'FAILED') emulator.it.set({ failFineTunes: 'all' });
		else emulator.it.set({ fineTuneStepMs: 60_000 });
		const { error } = await run(weightsOfJob(await submitted()));
		expect(error?.message).toMatch(new RegExp(`no weights.*${status}$`));
		expect(downloads()).toEqual([]);
	});
});
