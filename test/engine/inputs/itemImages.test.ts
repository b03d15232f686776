/** Tasks that change an image, and Audio: Transcribe, send nothing if they would ignore the item's own files. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { TASKS } from '../../../nodes/shared/catalogue/tasks';
import { fileRow, model, rows, runParams, textRow } from '../../helpers/inference';
import { fileItem, succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const PNG = { bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), mimeType: 'image/png' };
const SOUND = { bytes: Buffer.from('s'), mimeType: 'audio/mpeg' };
const TRANSCRIBE = { resource: 'audio', operation: 'transcribe' };
const url = 'https://files.example/a.png';
const itemWithTwoImages = fileItem({ first: PNG, second: PNG });
const editParams = (more: INodeParameters = {}, options: IDataObject = {}) =>
	runParams(
		{ resource: 'image', operation: 'edit', model: model('nano-banana'), ...more },
		options,
	);

const TWO = { a: PNG, b: PNG };
const OWN_MODEL = { model: model('my-endpoint') };
const TRANSCRIPT = { ...TRANSCRIBE, model: model('eleven-labs-transcript') };
const videoOf = (slug: string) => ({
	resource: 'video',
	operation: 'generate',
	model: model(slug),
});
const webhookRow = { additionalParameters: rows(textRow('webhook', url)) };

test.each<[string, INodeParameters, object, IDataObject?]>([
	['several images, none chosen', {}, TWO],
	['an image that the model has no known parameter for', OWN_MODEL, { a: PNG }],
	['several images, and a long Chinese prompt', { prompt: '灯塔矗立在悬崖边'.repeat(40) }, TWO],
	['several images, and a URL in the prompt', { prompt: `Make ${url} red` }, TWO],
	['a URL in a row for something else', OWN_MODEL, { a: PNG }, webhookRow],
	['a sound without a known parameter', { ...TRANSCRIBE, ...OWN_MODEL }, { a: SOUND }],
	['several sounds, none chosen', TRANSCRIPT, { a: SOUND, b: SOUND }],
	['no image', OWN_MODEL, {}],
])(
	'%s: fails before any call, and the error names the files',
	async (_what, more, files, row = {}) => {
		const items = [fileItem(files as typeof TWO)];
		const { failed } = await runNode({ parameters: editParams(more, row), items });
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
		expect(failed[0].message).toContain(Object.keys(files).join(', ') || 'has none');
		expect(emulator.calls).toEqual([]);
	},
);

const withoutPrompt = TASKS.filter(({ uses, example }) => uses === 'image/' && !example);
test.each(withoutPrompt)(
	'$operation sends the picture of the item, and nothing if it has several',
	async ({ resource, operation }) => {
		const parameters = { resource, operation };
		const { items } = succeed(await runNode({ parameters, items: [fileItem({ photo: PNG })] }));
		expect(items[0].binary?.data.mimeType).toMatch(/^image/);
		expect(emulator.jobs[0].input).toEqual({ image: expect.stringMatching(/^http/) as string });
		emulator.reset();
		const { failed } = await runNode({ parameters, items: [itemWithTwoImages] });
		const message = expect.stringContaining('(first, second)');
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none', message }]);
		expect(emulator.callsOf('submit')).toEqual([]);
	},
);

test('a model that requires a prompt takes it from a row, if the task has no field for it', async () => {
	const upscale = { resource: 'image', operation: 'upscale', model: model('qwen-image-edit-plus') };
	const items = [fileItem({ photo: PNG })];
	const { failed } = await runNode({ parameters: runParams({ ...upscale, prompt: '' }), items });
	expect(failed[0].description).toContain('Additional Parameters');
	const options = { additionalParameters: rows(textRow('prompt', 'x')) };
	await runNode({ parameters: runParams({ ...upscale, prompt: '' }, options), items });
	expect(emulator.jobs).toMatchObject([{ input: { prompt: 'x' } }]);
});

test.each<[string, string, RegExp]>([
	['needs two files', 'faceswap-v5', /faceswap-v5.*files: .*Source Image.*Target Image/],
	['takes no image', 'seedream-4.5', /seedream-4\.5/],
])('a model that %s: the error of Edit says so', async (_what, slug, message) => {
	const parameters = editParams({ model: model(slug) });
	for (const files of [{ photo: PNG }, {}] as Array<Record<string, typeof PNG>>) {
		const { failed } = await runNode({ parameters, items: [fileItem(files)] });
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
		expect(failed[0].message).toMatch(message);
	}
	expect(emulator.calls).toEqual([]);
});

test('a field that the form shows is not recommended under Options', async () => {
	const byExpression = { __rl: true, mode: 'slug', value: '=nano-banana' };
	const noPrompt = editParams({ prompt: '' });
	const noFile = editParams();
	const hidden = editParams({ model: byExpression });
	const advice = async (
		parameters: INodeParameters,
		files: Parameters<typeof fileItem>[0],
		asTool = false,
	) => (await runNode({ parameters, items: [fileItem(files)], asTool })).failed[0].next;
	expect(await advice(noPrompt, { photo: PNG })).not.toContain('Options');
	expect(await advice(noFile, {})).not.toContain('Options');
	expect(await advice(noFile, {}, true)).not.toMatch(/Options|binary field|\(file\)/);
	expect(await advice(hidden, {})).toContain('Options');
	expect(emulator.calls).toEqual([]);
});

const PDF = { bytes: Buffer.from('%PDF'), mimeType: 'application/pdf' };
test.each(['edit', 'upscale', 'transcribe'])(
	'%s without a file of its kind sends nothing',
	async (operation) => {
		const resource = operation === 'transcribe' ? 'audio' : 'image';
		const parameters = runParams({ resource, operation, model: undefined });
		const items = [fileItem({ data: PDF }), fileItem({})];
		const { failed } = await runNode({ parameters, items });
		const message = expect.stringContaining(resource);
		const facts = { kind: 'badInput', charge: 'none', message };
		expect(failed).toMatchObject([facts, facts]);
		expect(emulator.calls).toEqual([]);
	},
);

test('the picture of the item fills what the model requires, but nothing beside another file', async () => {
	const parameters = { mappingMode: 'defineBelow', value: { image_2: url } };
	const edit = editParams({ model: model('qwen-image-edit-plus'), parameters });
	const asset = { additionalParameters: rows(textRow('last_frame_url', 'asset_123')) };
	for (const parameters of [edit, editParams(videoOf('seedance-2.0-mini'), asset)])
		await runNode({ parameters, items: [fileItem({ photo: PNG })] });
	const [edited, video] = emulator.callsOf('submit').map(({ body }) => body);
	expect(edited).toMatchObject({ image: expect.stringMatching(/^http/), image_2: url });
	expect(video).not.toHaveProperty('first_frame_url');
});

test.each<[string, IDataObject]>([
	['a row with a file', { additionalParameters: rows(fileRow('image_urls', 'second')) }],
	['a row with a URL', { additionalParameters: rows(textRow('image_urls', url)) }],
	['a row with base64', { additionalParameters: rows(textRow('my_image', 'A'.repeat(400))) }],
	['a request body', { requestBody: '{"prompt": "x", "asset": "a1"}' }],
])('%s chooses the image, so the request is sent', async (_what, options) => {
	succeed(
		await runNode({
			parameters: editParams({}, options),
			items: [itemWithTwoImages],
		}),
	);
	expect(emulator.callsOf('submit')).toHaveLength(1);
});

test.each([
	['Video: Generate with several', videoOf('seedance-2.0'), itemWithTwoImages],
	['Video: Generate without a known parameter', videoOf('kling-2.1'), fileItem({ data: PNG })],
])('%s: is sent, and a hint says what is missing', async (_what, more, item) => {
	const { hints } = await runNode({ parameters: editParams(more), items: [item] });
	expect(emulator.callsOf('submit')).toHaveLength(1);
	expect(hints).toHaveLength(1);
});
