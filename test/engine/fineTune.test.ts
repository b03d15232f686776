/** Segmind Fine-Tune: jobs, datasets and weights. */
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { startRemoteEmulator } from '../../dev/emulator/remote';
import { storeBinariesOnDisk } from '../../dev/engine/binaries';
import { CAUSES } from '../../nodes/shared/errors/errorTable';
import { STATUSES } from '../../nodes/shared/errors/statusTable';
import { refusing, saying } from '../helpers/errorTexts';
import { fileItem, forRetry, search, storedFile, type RunOptions } from '../helpers/runNode';
import { memoryGrowthOf } from '../helpers/memory';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode, during } = useVirtualEngine({
	fineTuneOpen: true,
	fineTuneStepMs: 0,
});
const sent = () => emulator.it.callsOf('finetune');
const puts = () => emulator.it.callsOf('storage').filter(({ method }) => method === 'PUT');
const byId = (value: string) => ({ __rl: true, mode: 'id', value });
const SOURCE = 'https://example.com/sneakers.zip';

async function run(parameters: INodeParameters, more: Partial<RunOptions> = {}) {
	return await runNode({ node: 'segmindFineTune', parameters, ...more });
}

const submitting = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'job',
	operation: 'submit',
	variant: 'fluxPro',
	name: 'sneakers',
	dataSourcePath: SOURCE,
	instancePrompt: 'a photo of TOK sneakers',
	...more,
});
async function submitted(more: INodeParameters = {}): Promise<string> {
	const { json, error } = await run(submitting(more));
	expect(error).toBeUndefined();
	return json[0].finetune_id as string;
}
const COMMON = {
	name: 'sneakers',
	data_source_path: SOURCE,
	instance_prompt: 'a photo of TOK sneakers',
	segmind_public: false,
};

describe('job: submit', () => {
	test.each<[string, INodeParameters, object]>([
		[
			'Flux Pro with its defaults',
			{},
			{
				...COMMON,
				trigger_word: 'TOK',
				base_model: 'FLUX_PRO',
				theme: 'GENERAL',
				advance_parameters: {
					iterations: 300,
					priority: 'QUALITY',
					captioning: true,
					lora_rank: 32,
					finetune_type: 'FULL',
				},
			},
		],
		[
			'Flux Pro as LoRA',
			{
				finetuneType: 'LORA',
				theme: 'STYLE',
				priority: 'SPEED',
				captioning: false,
				loraRank: 16,
				iterations: 100,
				triggerWord: 'SNKR',
				learningRate: 0.0001,
				segmindPublic: true,
			},
			{
				...COMMON,
				segmind_public: true,
				trigger_word: 'SNKR',
				base_model: 'FLUX_PRO',
				theme: 'STYLE',
				advance_parameters: {
					iterations: 100,
					learning_rate: 0.0001,
					priority: 'SPEED',
					captioning: false,
					lora_rank: 16,
					finetune_type: 'LORA',
				},
			},
		],
		[
			'Flux Pro, fields emptied',
			{ iterations: '={{ "" }}', learningRate: '={{ null }}', triggerWord: '' },
			{
				...COMMON,
				trigger_word: 'TOK',
				base_model: 'FLUX_PRO',
				theme: 'GENERAL',
				advance_parameters: {
					iterations: 300,
					priority: 'QUALITY',
					captioning: true,
					lora_rank: 32,
					finetune_type: 'FULL',
				},
			},
		],
		[
			'Kontext, numbers left to the service',
			{ variant: 'kontext' },
			{
				...COMMON,
				base_model: 'FLUX',
				theme: 'KONTEXT',
				train_type: 'LORA',
				machine_type: 'NVIDIA_H100',
				advance_parameters: {},
			},
		],
		[
			'Kontext',
			{ variant: 'kontext', steps: 2000, learningRate: 0.005 },
			{
				...COMMON,
				base_model: 'FLUX',
				theme: 'KONTEXT',
				train_type: 'LORA',
				machine_type: 'NVIDIA_H100',
				advance_parameters: { learning_rate: 0.005, steps: 2000 },
			},
		],
		[
			'Fast Flux',
			{ variant: 'fastFlux', steps: '={{ "1500" }}', faceCrop: true },
			{
				...COMMON,
				trigger_word: 'TOK',
				base_model: 'FAST_FLUX',
				theme: 'subject',
				advance_parameters: { steps: 1500, face_crop: true, finetune_type: 'LORA' },
			},
		],
	])('%s', async (_name, more, body) => {
		const { json, log } = await run(submitting(more));
		expect(sent()).toHaveLength(1);
		expect(sent()[0]).toMatchObject({
			origin: 'api',
			method: 'POST',
			path: '/finetune/request/submit',
			headers: { 'x-api-key': emulator.it.key },
		});
		expect(sent()[0].body).toEqual(body);
		const [{ finetuneId }] = emulator.it.fineTunes;
		expect(json).toEqual([{ finetune_id: finetuneId, status: 'REQUESTED', name: 'sneakers' }]);
		expect(log.join()).toContain(`fine-tune ${finetuneId}`);
	});

	test('custom JSON travels exactly as written', async () => {
		const jobJson = `{ "name": "q", "data_source_path": "${SOURCE}", "instance_prompt": "x", "base_model": "QWEN", "theme": "any", "segmind_public": false, "advance_parameters": { "steps": 1e3, "note": null } }`;
		const { json } = await run({
			resource: 'job',
			operation: 'submit',
			variant: 'custom',
			jobJson,
		});
		expect(json).toMatchObject([{ status: 'REQUESTED', name: 'q' }]);
		expect(sent()[0]).toMatchObject({
			bodyBytes: jobJson.length,
			body: { base_model: 'QWEN', advance_parameters: { steps: 1000, note: null } },
		});
	});

	test.each<[INodeParameters, RegExp]>([
		[{ name: '={{ "" }}' }, /Name is empty/],
		[{ dataSourcePath: '={{ "" }}' }, /Data Source Path is empty/],
		[{ instancePrompt: '={{ null }}' }, /Instance Prompt is empty/],
		[{ iterations: 99 }, /Iterations is '99', but must be a whole number of at least 100/],
		[{ iterations: 150.5 }, /Iterations is '150.5'/],
		[{ learningRate: -0.1 }, /Learning Rate is '-0.1', but must be a number of at least 0/],
		[{ loraRank: '={{ 8 }}' }, /Lora Rank is '8', but must be one of 16, 32/],
		[{ priority: '={{ "FAST" }}' }, /Priority is 'FAST'/],
		[{ theme: '={{ "KONTEXT" }}' }, /Theme is 'KONTEXT'/],
		[{ captioning: '={{ "perhaps" }}' }, /Captioning is 'perhaps'/],
		[
			{ variant: 'kontext', machineType: '={{ "NVIDIA_A100_40GB" }}' },
			/Machine Type is 'NVIDIA_A100_40GB', but must be NVIDIA_H100/,
		],
		[{ variant: 'kontext', steps: -1 }, /Steps is '-1'/],
		[{ variant: 'fastFlux', steps: '={{ "many" }}' }, /Steps is 'many'/],
		[{ variant: 'custom', jobJson: '[1]' }, /Job \(JSON\) is a list/],
		[{ variant: 'custom', jobJson: '{"a": }' }, /Job \(JSON\) is not valid JSON: position 6/],
	])('%j is refused by name before any call', async (wrong, message) => {
		const { error } = await run(submitting(wrong));
		expect(error?.message).toMatch(message);
		expect(error?.description).toContain('Nothing was sent');
		expect(emulator.it.calls).toEqual([]);
	});

	test('the deprecated service says so', async () => {
		emulator.it.set({ fineTuneOpen: false });
		const { error } = await run(submitting());
		expect(error?.message).toMatch(refusing('410 manage', ': Fine-tuning no longer accepts'));
		expect(error?.description).toMatch(/Existing jobs can still be read/);
	});

	test("the service's own refusal", async () => {
		emulator.it.fault({
			on: 'finetune',
			do: { status: 400, body: { error: 'Invalid value for theme' } },
		});
		expect((await run(submitting())).error?.message).toMatch(
			refusing('400 manage', ': Invalid value for theme'),
		);
	});

	test('a training is paid for once: Retry On Fail, and Retry of the failed execution', async () => {
		const parameters = submitting({ iterations: '={{ $json.iterations }}' });
		const failed = await run(parameters, {
			items: [{ json: { iterations: 100 } }, { json: { iterations: 1 } }],
			tries: 3,
		});
		expect(failed.error?.description).toContain(emulator.it.fineTunes[0].finetuneId);
		const retried = await run(parameters, {
			resume: forRetry(failed.stored),
			onError: 'continueErrorOutput',
		});
		expect(retried.json).toMatchObject([
			{ finetune_id: emulator.it.fineTunes[0].finetuneId, status: 'REQUESTED' },
		]);
		expect(sent()).toHaveLength(1);
	});

	test.each([
		'dropAfterAccept',
		{ status: 502, body: 'bad gateway', accept: true },
		{ body: { status: 'REQUESTED' } },
	] as const)(
		'an unknown outcome (%j) is kept, and sent again only with the option',
		async (what) => {
			emulator.it.fault({ on: 'finetune', do: what });
			const failed = await run(submitting(), { tries: 3 });
			expect(failed.error?.message).toMatch(saying(CAUSES.unknownOutcome.what));
			expect(failed.error?.description).toContain('Get Many');
			expect(sent()).toHaveLength(1);
			const retried = await run(submitting({ options: { resubmitWhenUnknown: true } }), {
				resume: forRetry(failed.stored),
			});
			expect(retried.error).toBeUndefined();
			expect(sent()).toHaveLength(2);
		},
	);
});

describe('job: get and get many', () => {
	const getting = (id: string): INodeParameters => ({
		resource: 'job',
		operation: 'get',
		finetuneId: byId(id),
	});

	test('get is a GET whose body travels; the item is the job', async () => {
		const id = await submitted();
		const { json, items } = await run(getting(id));
		expect(sent()[1]).toMatchObject({
			method: 'GET',
			path: '/finetune/request/details',
			body: { request_id: id },
			headers: { 'content-type': 'application/json', 'x-api-key': emulator.it.key },
		});
		expect(json[0]).toMatchObject({
			finetune_id: id,
			name: 'sneakers',
			status: 'AVAILABLE',
			error_message: null,
			base_model: 'FLUX_PRO',
		});
		expect(items[0].pairedItem).toEqual({ item: 0 });
	});

	test('a failed job is a good item with its reason', async () => {
		emulator.it.set({ failFineTunes: 'all' });
		const { items, errorItems } = await run(getting(await submitted()), {
			onError: 'continueErrorOutput',
		});
		expect(errorItems).toEqual([]);
		expect(items[0].json).toMatchObject({
			status: 'FAILED',
			error_message: 'GPU overloaded, try with smaller dataset',
		});
	});

	test('an unknown job, an empty id, an unusable answer', async () => {
		const unknown = await run(getting('nope'), { onError: 'continueErrorOutput' });
		expect(unknown.errorItems).toMatchObject([
			{
				json: {
					error: {
						message: expect.stringMatching(refusing('404 manage')),
						httpCode: 404,
					},
				},
			},
		]);
		expect((await run(getting('={{ "" }}'))).error?.message).toMatch(/Fine-Tune is empty/);
		emulator.it.fault({ on: 'finetune', do: { body: 'oops' } });
		expect((await run(getting('x'))).error?.message).toMatch(saying(CAUSES.unusable.what, 'oops'));
	});

	test('transient faults are survived', async () => {
		const id = await submitted();
		emulator.it.fault({ on: 'finetune', do: 'dropBeforeAccept' });
		expect((await run(getting(id))).json[0]).toMatchObject({ finetune_id: id });
	});

	test('get many: one item a job', async () => {
		const ids = [await submitted(), await submitted({ variant: 'kontext' })];
		const { json } = await run({ resource: 'job', operation: 'getAll' });
		expect(json.map(({ finetune_id }) => finetune_id)).toEqual(ids);
		expect(json[0]).toMatchObject({ train_type: 'LORA', error_message: null });
	});

	test('as many as the limit says', async () => {
		for (let at = 0; at < 3; at++) await submitted();
		const getMany = async (more: INodeParameters) =>
			(await run({ resource: 'job', operation: 'getAll', ...more })).json;
		expect(await getMany({ limit: 2 })).toHaveLength(2);
		expect(await getMany({ limit: 2, returnAll: true })).toHaveLength(3);
	});

	test('no job, no item', async () => {
		expect((await run({ resource: 'job', operation: 'getAll' })).items).toEqual([]);
	});
});

describe('job: update access', () => {
	const sharing = (id: string, segmindPublic: INodeParameters[string] = true): INodeParameters => ({
		resource: 'job',
		operation: 'updateAccess',
		finetuneId: byId(id),
		segmindPublic,
	});

	test.each([true, false])(
		'%s by PUT as multipart form; the empty answer gives an item',
		async (value) => {
			const id = await submitted({ segmindPublic: !value });
			const { json } = await run(sharing(id, value));
			expect(sent()[1]).toMatchObject({
				method: 'PUT',
				path: '/finetune/request/access-update',
				body: { request_id: id, segmind_public: String(value) },
			});
			expect(sent()[1].headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
			expect(json).toEqual([{ finetune_id: id, segmind_public: value, updated: true }]);
			expect(emulator.it.fineTunes[0].public).toBe(value);
		},
	);

	test('bad input, an unknown job, a lost answer', async () => {
		expect((await run(sharing('x', '={{ "perhaps" }}'))).error?.message).toContain(
			"Segmind Public is 'perhaps'",
		);
		expect(emulator.it.calls).toEqual([]);
		expect((await run(sharing('nope'))).error?.message).toMatch(refusing('404 manage'));
		emulator.it.fault({ on: 'finetune', do: 'dropAfterAccept' });
		expect((await run(sharing('nope'))).error).toBeDefined();
		expect(sent()).toHaveLength(2);
	});
});

const ZIP = Buffer.from('PK\u0003\u0004 some pictures');
const zipItem = (
	bytes = ZIP,
	mimeType = 'application/zip',
	fileName = 'shoes.zip',
): INodeExecutionData => fileItem({ data: { bytes, mimeType, fileName } });
const uploading = (variant: string, more: INodeParameters = {}): INodeParameters => ({
	resource: 'dataset',
	operation: 'upload',
	variant,
	...more,
});

describe('dataset: create upload URL', () => {
	const creating = (more: INodeParameters): INodeParameters => ({
		resource: 'dataset',
		operation: 'createUploadUrl',
		name: 'shoes.zip',
		...more,
	});

	test.each<[INodeParameters, object, object]>([
		[{ variant: 'fluxPro' }, { name: 'shoes.zip' }, { 'content-type': 'application/zip' }],
		[{ variant: 'kontext' }, { name: 'shoes.zip' }, { 'content-type': 'application/zip' }],
		[
			{ variant: 'fastFlux' },
			{ name: 'shoes.zip', extension: '.zip', public: true },
			{ 'content-type': 'application/zip', 'x-amz-acl': 'public-read' },
		],
		[
			{ variant: 'custom', extension: '', public: true },
			{ name: 'shoes.zip', public: true },
			{ 'content-type': 'application/zip', 'x-amz-acl': 'public-read' },
		],
	])('%j is a GET whose body travels', async (more, body, headers) => {
		const { json } = await run(creating(more));
		expect(sent()[0]).toMatchObject({
			method: 'GET',
			path: '/finetune/request/upload/pre-signed-url',
		});
		expect(sent()[0].body).toEqual(body);
		expect(json).toEqual([
			{
				presigned_url: expect.stringContaining('X-Amz-Signature='),
				s3_url: expect.not.stringContaining('?'),
				headers,
			},
		]);
	});

	test('bad input, and an unusable answer whose signature stays hidden', async () => {
		expect((await run(creating({ name: '={{ "" }}' }))).error?.message).toContain(
			'File Name is empty',
		);
		emulator.it.fault({
			on: 'finetune',
			do: { body: { presigned_url: 'https://bucket.example.com/x?X-Amz-Signature=5ec4e7' } },
		});
		const { error } = await run(creating({}));
		expect(error).toBeDefined();
		expect(JSON.stringify([error?.message, error?.description])).not.toContain('5ec4e7');
	});
});

describe('dataset: upload', () => {
	test.each([
		['fluxPro', undefined],
		['kontext', undefined],
		['fastFlux', 'public-read'],
	])('%s: the ZIP goes to the presigned URL without the key', async (variant, acl) => {
		const { json } = await run(uploading(variant), { items: [zipItem()] });
		expect(puts()).toHaveLength(1);
		const { headers } = puts()[0];
		expect(headers).toMatchObject({
			'content-type': 'application/zip',
			'content-length': String(ZIP.length),
		});
		expect(headers['x-amz-acl']).toBe(acl);
		expect(Object.keys(headers)).not.toContain('x-api-key');
		expect(Object.keys(headers)).not.toContain('authorization');
		expect(json).toEqual([
			{
				s3_url: emulator.it.stored[0].url,
				file_name: 'shoes.zip',
				file_size: ZIP.length,
				public: acl !== undefined,
			},
		]);
		expect(emulator.it.stored).toMatchObject([{ bytes: ZIP.length, public: acl !== undefined }]);
	});

	test('its s3_url is what submit takes', async () => {
		const uploaded = await run(uploading('fastFlux', { name: 'other.zip' }), {
			items: [zipItem()],
		});
		await run(submitting({ variant: 'fastFlux', dataSourcePath: '={{ $json.s3_url }}' }), {
			items: [{ json: uploaded.json[0] }],
		});
		expect(emulator.it.fineTunes).toMatchObject([{ state: 'AVAILABLE', error: null }]);
		expect(sent()[0].body).toMatchObject({ name: 'other.zip' });
	});

	test.each<[INodeParameters, INodeExecutionData, RegExp]>([
		[
			uploading('fluxPro', { binaryField: 'zip' }),
			zipItem(),
			/Binary Field: the item has no binary field 'zip'/,
		],
		[uploading('kontext'), zipItem(Buffer.alloc(0)), /has 0 bytes, but must be a ZIP/],
	])('bad input %# is named before any call', async (parameters, item, message) => {
		const { error } = await run(parameters, { items: [item] });
		expect(error?.message).toMatch(message);
		expect(emulator.it.calls).toEqual([]);
	});

	test.each([
		['fluxPro', true],
		['fastFlux', true],
		['kontext', false],
		['custom', false],
	])('%s: 100 MB refused before any call: %s', async (variant, refused) => {
		const item = zipItem(Buffer.alloc(100_000_000));
		const { error } = await run(uploading(variant), { items: [item] });
		if (!refused) return expect(error).toBeUndefined();
		expect(error?.message).toContain('must be a ZIP under 100 MB');
		expect(emulator.it.calls).toEqual([]);
	});

	test('a byte less than 100 MB goes up', async () => {
		expect(
			(await run(uploading('fluxPro'), { items: [zipItem(Buffer.alloc(99_999_999))] })).error,
		).toBeUndefined();
	});

	test.each(['s3://bucket/shoes.zip', 'bucket/shoes.zip'])(
		'an s3_url that is no web address, %j, is none of our business',
		async (s3_url) => {
			const presigned_url = `${emulator.it.urls.storage}/put/here?X-Amz-Signature=abc`;
			emulator.it.fault({
				on: { path: '/upload/pre-signed-url' },
				do: { body: { presigned_url, s3_url } },
			});
			const { json, error } = await run({
				resource: 'dataset',
				operation: 'createUploadUrl',
				variant: 'fluxPro',
				name: 'shoes.zip',
			});
			expect(error).toBeUndefined();
			expect(json[0]).toMatchObject({ presigned_url, s3_url });
			await run(submitting({ dataSourcePath: s3_url }));
			expect(emulator.it.callsOf('finetune').map(({ body }) => body)).toContainEqual(
				expect.objectContaining({ data_source_path: s3_url }),
			);
		},
	);

	test('transient faults of the storage are tried again; what it refuses is reported without the signature', async () => {
		emulator.it.fault({
			on: 'storage',
			do: { status: 503, body: '<Error><Code>SlowDown</Code></Error>' },
		});
		expect((await run(uploading('fluxPro'), { items: [zipItem()] })).error).toBeUndefined();
		expect(puts()).toHaveLength(2);
		emulator.it.fault({
			on: 'storage',
			do: {
				status: 403,
				body: '<Error><Code>SignatureDoesNotMatch</Code><SignatureProvided>5ec4e7</SignatureProvided></Error>',
			},
		});
		const { error, log } = await run(uploading('fluxPro'), { items: [zipItem()] });
		expect(error?.message).toMatch(
			/dataset 'shoes.zip' could not be uploaded to 127\.0\.0\.1:\d+: HTTP 403 \(SignatureDoesNotMatch\)/,
		);
		expect(
			JSON.stringify([error?.message, error?.description, error?.context, error?.stack, log]),
		).not.toMatch(/5ec4e7|X-Amz-/);
	});

	test('a connection lost for good, and a redirect, which is not followed', async () => {
		emulator.it.fault({ on: 'storage', times: 'always', do: 'dropBeforeAccept' });
		const { error, log } = await run(uploading('fluxPro'), { items: [zipItem()] });
		expect(error?.message).toMatch(/could not be uploaded.*the connection was closed/);
		expect(
			JSON.stringify([error?.message, error?.description, error?.context, error?.stack, log]),
		).not.toContain('X-Amz-');
		emulator.it.clearFaults();
		emulator.it.fault({ on: 'storage', do: { redirect: `${emulator.it.urls.hostile}/stolen` } });
		expect((await run(uploading('fluxPro'), { items: [zipItem()] })).error?.message).toContain(
			'HTTP 307',
		);
		expect(emulator.it.callsOf('hostile')).toEqual([]);
	});

	test('a retry does not upload again; nothing signed is stored with the execution', async () => {
		const { stored } = await run(uploading('fluxPro'), {
			items: [zipItem(), fileItem({})],
			tries: 3,
		});
		expect(puts()).toHaveLength(1);
		expect(JSON.stringify(stored)).not.toContain('X-Amz-');
	});
});

describe('weight: get download URL', () => {
	const asking = (more: INodeParameters): INodeParameters => ({
		resource: 'weight',
		operation: 'getDownloadUrl',
		...more,
	});
	const downloads = () => sent().filter(({ path }) => path.endsWith('/file/download'));

	test('a GET whose multipart body travels, its plain text the URL', async () => {
		const id = await submitted();
		const { json } = await run(asking({ finetuneId: byId(id) }));
		const cloud_storage_url = `${emulator.it.urls.storage}/weights/${id}.safetensors`;
		expect(downloads()[0]).toMatchObject({
			method: 'GET',
			path: '/finetune/request/file/download',
			body: { cloud_storage_url },
		});
		expect(downloads()[0].headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
		expect(json).toEqual([
			{
				finetune_id: id,
				base_model: 'FLUX_PRO',
				cloud_storage_url,
				download_url: expect.stringContaining(`${cloud_storage_url}?`),
				expires_at: expect.any(String),
			},
		]);
		expect(
			Math.abs(Date.parse(json[0].expires_at as string) - Date.now() - 3_600_000),
		).toBeLessThan(60_000);
	});

	test('by the address alone there is no look-up', async () => {
		const id = await submitted();
		const cloudStorageUrl = `${emulator.it.urls.storage}/weights/${id}.safetensors`;
		const { json } = await run(asking({ cloudStorageUrl }));
		expect(json[0]).toMatchObject({
			cloud_storage_url: cloudStorageUrl,
			download_url: expect.stringContaining('X-Amz-Signature'),
		});
		expect(sent().map(({ path }) => path.split('/').pop())).toEqual(['submit', 'download']);
	});

	test.each(['s3://bucket/weights/1.safetensors', 'https://example.com/w'])(
		'any URL is handed on: %s',
		async (cloudStorageUrl) => {
			emulator.it.fault({ on: 'finetune', do: { body: 'https://example.com/signed' } });
			const { json } = await run(asking({ cloudStorageUrl }));
			expect(downloads()[0].body).toEqual({ cloud_storage_url: cloudStorageUrl });
			expect(json[0]).toMatchObject({ download_url: 'https://example.com/signed' });
		},
	);

	test('Fast Flux needs no call: its address is given back', async () => {
		const id = await submitted({ variant: 'fastFlux' });
		const { json } = await run(asking({ finetuneId: byId(id) }));
		expect(downloads()).toEqual([]);
		expect(json[0]).toMatchObject({
			download_url: `${emulator.it.urls.storage}/weights/${id}.safetensors`,
		});
		expect(json[0]).not.toHaveProperty('expires_at');
	});

	test('no weights yet, or none at all', async () => {
		emulator.it.set({ fineTuneStepMs: 60_000 });
		expect((await run(asking({ finetuneId: byId(await submitted()) }))).error?.message).toMatch(
			/There are no weights.*the status of the job is REQUESTED$/,
		);
		emulator.it.set({ fineTuneStepMs: 0, failFineTunes: 'all' });
		expect((await run(asking({ finetuneId: byId(await submitted()) }))).error?.message).toMatch(
			/the status of the job is FAILED$/,
		);
		expect(downloads()).toEqual([]);
	});

	test('bad input, an unknown file, an answer that is no URL', async () => {
		expect((await run(asking({}))).error?.message).toContain('Fine-Tune is empty');
		expect((await run(asking({ cloudStorageUrl: 'weights' }))).error?.message).toContain(
			"the Cloud Storage URL is 'weights'",
		);
		expect(emulator.it.calls).toEqual([]);
		expect(
			(await run(asking({ cloudStorageUrl: 'https://example.com/x' }))).error?.message,
		).toMatch(refusing('404 manage', ': File not found'));
		emulator.it.fault({ on: 'finetune', do: { body: 'please wait', contentType: 'text/plain' } });
		expect(
			(await run(asking({ cloudStorageUrl: 'https://example.com/x' }))).error?.message,
		).toContain('please wait');
	});
});

describe('the key', () => {
	test.each<[string, INodeParameters]>([
		['submit', submitting()],
		['get', { resource: 'job', operation: 'get', finetuneId: byId('x') }],
		['getAll', { resource: 'job', operation: 'getAll' }],
		['updateAccess', { resource: 'job', operation: 'updateAccess', finetuneId: byId('x') }],
		['createUploadUrl', { resource: 'dataset', operation: 'createUploadUrl', name: 'a.zip' }],
		[
			'getDownloadUrl',
			{ resource: 'weight', operation: 'getDownloadUrl', cloudStorageUrl: 'https://example.com/x' },
		],
	])('%s follows no redirect', async (_name, parameters) => {
		emulator.it.fault({ on: 'finetune', do: { redirect: `${emulator.it.urls.hostile}/stolen` } });
		expect((await run(parameters)).error?.message).toMatch(refusing('3xx'));
		expect(emulator.it.callsOf('hostile')).toEqual([]);
	});

	test('a bad one is reported, and items not yet sent fail without a call', async () => {
		const { error } = await run(submitting({ options: { maxConcurrency: 1 } }), {
			items: [{ json: {} }, { json: {} }],
			credential: { apiKey: 'wrong-key' },
		});
		expect(error?.message).toMatch(refusing('401'));
		expect(error?.message).not.toContain('wrong-key');
		expect(sent()).toHaveLength(1);
	});
});

test('as a tool the message alone says what to do', async () => {
	const { error } = await run(
		{ resource: 'job', operation: 'get', finetuneId: byId('gone') },
		{ asTool: true },
	);
	expect(error?.message).toMatch(saying('HTTP 404', STATUSES['404 manage'].todo));
});

describe('picker', () => {
	const list = async (more: Partial<Parameters<typeof search>[0]> = {}) =>
		(
			await during(
				search({
					emulator: emulator.it,
					node: 'segmindFineTune',
					method: 'searchFineTunes',
					...more,
				}),
			)
		).results;

	test('jobs by name, kind and status', async () => {
		const id = await submitted();
		expect(await list()).toEqual([{ name: 'sneakers (FLUX_PRO, AVAILABLE)', value: id }]);
		expect(await list({ filter: 'kontext' })).toEqual([]);
	});

	test('an empty list when it cannot be read', async () => {
		emulator.it.fault({ on: 'finetune', do: { status: 500, body: 'x' } });
		expect(await list()).toEqual([]);
		expect(await list({ emulator: undefined })).toEqual([]);
	});
});

test('200 MB go up from the store without being held in memory', async () => {
	await storeBinariesOnDisk();
	// The emulator in its own process, so that its memory is not ours.
	const elsewhere = await startRemoteEmulator();
	const bytes = 200 * 1024 * 1024;
	const item = await storedFile(Buffer.alloc(bytes, 'x'), 'big.zip', 'application/zip');
	const growth = await memoryGrowthOf(async () => {
		const { json, error } = await run(uploading('kontext'), { emulator: elsewhere, items: [item] });
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ file_size: bytes });
	});
	await elsewhere.stop();
	expect(growth).toBeLessThan(80 * 1024 * 1024);
});
