/** Tasks that change an image, and Audio: Transcribe, send nothing if they would ignore the item's own files. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fileRow, model, rows, runParams, textRow } from '../helpers/inference';
import { fileItem } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';

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

test('several images and none chosen: fails before any call, and names them', async () => {
	const { failed } = await runNode({ parameters: editParams(), items: [itemWithTwoImages] });
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(failed[0].message).toMatch(/first, second/);
	expect(emulator.calls).toEqual([]);
});

test.each([
	['one image that the model has no known parameter for', { model: model('my-endpoint') }, 1],
	['several images and a long Chinese prompt', { prompt: '灯塔矗立在悬崖边'.repeat(40) }, 2],
	['several images and a URL in the prompt', { prompt: `Make ${url} red` }, 2],
])('%s: fails before any call', async (_what, more, count) => {
	const item = fileItem(Object.fromEntries(['a', 'b'].slice(0, count).map((name) => [name, PNG])));
	const { failed } = await runNode({ parameters: editParams(more), items: [item] });
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(emulator.calls).toEqual([]);
});

test.each(['upscale', 'removeBackground'])(
	'%s sends the picture of the item, and nothing if it has several',
	async (operation) => {
		const parameters = { resource: 'image', operation };
		const { error, items } = await runNode({ parameters, items: [fileItem({ photo: PNG })] });
		expect(error).toBeUndefined();
		expect(items[0].binary?.data.mimeType).toMatch(/^image/);
		expect(emulator.jobs[0].input).toEqual({ image: expect.stringMatching(/^http/) as string });
		emulator.reset();
		const { failed } = await runNode({ parameters, items: [itemWithTwoImages] });
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
		expect(emulator.callsOf('submit')).toEqual([]);
	},
);

test('a file of the general type is an image if its name says so', async () => {
	const photo = { ...PNG, mimeType: 'application/octet-stream', fileName: 'photo.png' };
	await runNode({ parameters: editParams(), items: [fileItem({ photo })] });
	expect(emulator.jobs[0].input).toMatchObject({ image_urls: [expect.stringMatching(/^http/)] });
});

test.each<[string, INodeParameters, IDataObject]>([
	[
		'a URL in a row for something else',
		{},
		{ additionalParameters: rows(textRow('webhook', url)) },
	],
	['a sound under Transcribe that no known parameter takes', TRANSCRIBE, {}],
])('%s: fails before any call', async (_what, more, options) => {
	const parameters = editParams({ model: model('my-endpoint'), ...more }, options);
	const { failed } = await runNode({ parameters, items: [fileItem({ a: PNG, b: SOUND })] });
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(emulator.calls).toEqual([]);
});

test('several sounds under Transcribe and none chosen: fails before any call', async () => {
	const parameters = editParams({ ...TRANSCRIBE, model: model('eleven-labs-transcript') });
	const { failed } = await runNode({ parameters, items: [fileItem({ a: SOUND, b: SOUND })] });
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(failed[0].message).toMatch(/a, b/);
	expect(emulator.calls).toEqual([]);
});

test('equal hints about several items are one hint', async () => {
	const { hints } = await runNode({
		parameters: editParams(),
		items: [{ json: {} }, { json: {} }],
	});
	expect(hints.filter((hint) => /image/.test(hint))).toEqual([
		expect.stringMatching(/^Items 0, 1: /),
	]);
});

test.each<[string, IDataObject]>([
	['a row with a file', { additionalParameters: rows(fileRow('image_urls', 'second')) }],
	[
		'a row with a URL',
		{
			additionalParameters: rows({
				name: 'image_urls',
				type: 'json',
				jsonValue: JSON.stringify([url]),
			}),
		},
	],
	['a row with base64', { additionalParameters: rows(textRow('my_image', 'A'.repeat(400))) }],
	['a request body', { requestBody: '{"prompt": "x", "asset": "a1"}' }],
])('%s chooses the image, so the request is sent', async (_what, options) => {
	const { error } = await runNode({
		parameters: editParams({}, options),
		items: [itemWithTwoImages],
	});
	expect(error).toBeUndefined();
	expect(emulator.callsOf('submit')).toHaveLength(1);
});

test.each([
	['Image: Edit without any image', editParams(), fileItem({})],
	[
		'Video: Generate with several',
		runParams({ resource: 'video', operation: 'generate', model: model('seedance-2.0') }),
		itemWithTwoImages,
	],
	[
		'Video: Generate with one that the model has no known parameter for',
		runParams({ resource: 'video', operation: 'generate', model: model('kling-2.1') }),
		fileItem({ data: PNG }),
	],
])('%s: is sent, and a hint says what is missing', async (_what, parameters, item) => {
	const { hints } = await runNode({ parameters, items: [item] });
	expect(emulator.callsOf('submit')).toHaveLength(1);
	expect(hints.filter((hint) => /image|audio/.test(hint))).toHaveLength(1);
});
