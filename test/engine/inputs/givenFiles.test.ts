/** A field for files takes a file itself, as n8n's own fields do; an agent's object is no file. */
import { randomUUID } from 'node:crypto';

import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import {
	fileRow,
	model,
	rows,
	runParams,
	submitParams,
	textRow,
	workflowParams,
} from '../../helpers/inference';
import { fileItem, storedFile, succeed, useBinariesOnDisk } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
useBinariesOnDisk();

const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(200, 7)]);
const BASE64 = PNG.toString('base64');
const DATA_URL = `data:image/png;base64,${BASE64}`;
const OTHER = Buffer.concat([PNG, Buffer.from('other')]);
const OTHER_URL = `data:image/png;base64,${OTHER.toString('base64')}`;
const item = () =>
	fileItem({
		photo: { bytes: PNG, fileName: 'photo.png' },
		other: { bytes: OTHER, fileName: 'other.png' },
	});
// `$binary` leaves out the content of a file in memory.
const GIVEN = '={{ $input.item.binary.photo }}';

const rowOf = (value: string, name = 'image_urls') => ({
	additionalParameters: rows(fileRow(name, value)),
});
const ANALYZE = { resource: 'image', operation: 'analyze', model: model('gpt-5.4-mini') };
const UPLOAD = { operation: 'upload', source: 'binary' };
const ZIP = { resource: 'dataset', operation: 'upload' };

/** A field for files: the node, and its parameters with a value. */
const FIELDS: Record<string, [string, (value: string) => INodeParameters]> = {
	'a row': ['segmind', (value) => runParams({}, rowOf(value))],
	'a row of one file': ['segmind', (value) => runParams({}, rowOf(value, 'image'))],
	'a row of a workflow': [
		'segmindWorkflow',
		(value) =>
			workflowParams({ inputs: rows(textRow('prompt', 'a shoe'), fileRow('photo', value)) }),
	],
	Images: ['segmind', (value) => runParams({ ...ANALYZE, images: value })],
	Asset: ['segmindAsset', (value) => ({ ...UPLOAD, binaryFields: value })],
	'a dataset': ['segmindFineTune', (value) => ({ ...ZIP, binaryField: value, public: false })],
};

const NO_FILES: Array<IDataObject | string> = [
	{ mimeType: 'image/png' },
	{ mimeType: 'image/png', data: '' },
	{ mimeType: 'image/png', id: 5, data: BASE64 },
	{ data: BASE64 },
	{ mimeType: 'image/png', data: BASE64, fileName: 5 },
	JSON.stringify({ mimeType: 'image/png', data: BASE64 }),
	JSON.stringify([{ mimeType: 'image/png', data: BASE64 }]),
];

const uploaded = () =>
	emulator.callsOf('upload').flatMap(({ body }) => (body as { data_urls: string[] }).data_urls);

describe.each(Object.entries(FIELDS))('%s', (_name, [node, parametersWith]) => {
	const run = async (value: string, from: INodeExecutionData = item(), asTool = false) =>
		await runNode({ node, parameters: parametersWith(value), items: [from], asTool });

	test('takes the file that an expression returns, as it takes its name', async () => {
		succeed(await run('photo'));
		const named = emulator.calls.map(({ kind }) => kind);
		const uploads = uploaded();
		emulator.reset();
		succeed(await run(GIVEN));
		expect(emulator.calls.map(({ kind }) => kind)).toEqual(named);
		expect(uploaded()).toEqual(uploads);
	});

	test('takes nothing else for a file: neither an incomplete object nor JSON text', async () => {
		const items = NO_FILES.map((wrong) => ({ json: { wrong } }));
		const parameters = parametersWith('={{ $json.wrong }}');
		const { failed } = await runNode({ node, parameters, items });
		const facts = { kind: 'badInput', charge: 'none' };
		expect(failed).toMatchObject(NO_FILES.map((_wrong, item) => ({ ...facts, item })));
		expect(emulator.calls).toEqual([]);
	});

	test('the error of $binary, which leaves out the content of a file in memory, shows an expression that has it', async () => {
		const { failed } = await run('={{ $binary.photo }}');
		const message = expect.stringContaining('item.binary');
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none', message }]);
		expect(emulator.calls).toEqual([]);
	});

	test('the error of a name without a file says where one can come from', async () => {
		for (const [asTool, source] of [
			[false, 'item.binary'],
			[true, 'Segmind Asset'],
		] as const) {
			const { failed } = await run('photo', { json: {} }, asTool);
			expect(failed[0]).toMatchObject({ kind: 'badInput', charge: 'none' });
			expect(failed[0].next).toContain(source);
		}
		expect(emulator.calls).toEqual([]);
	});

	test("an agent's object is no file", async () => {
		succeed(await run('photo', item(), true));
		emulator.reset();
		const { error } = await run(GIVEN, item(), true);
		expect(error).toBeDefined();
		expect(emulator.calls).toEqual([]);
	});

	test('the error of raw base64 shows the prefix to add', async () => {
		const { failed } = await run(BASE64);
		expect(failed).toMatchObject([
			{ kind: 'badInput', description: expect.stringContaining('data:image/png;base64,') },
		]);
		expect(emulator.calls).toEqual([]);
	});
});

test.each([
	['a missing value', "={{ 'data:image/png;base64,' + $json.nothing }}"],
	['null', "={{ 'data:image/png;base64,' + null }}"],
	['nothing', 'data:image/png;base64,'],
	["the name of n8n's storage", '=data:image/png;base64,{{ $input.item.binary.data.data }}'],
	['text', 'data:image/png;base64,not a file.'],
	['base64 in lines', `${DATA_URL.slice(0, 98)}\n${DATA_URL.slice(98)}`],
	['text without base64', 'data:image/svg+xml,<svg/>'],
])('a data URL of %s fails before anything is sent', async (_what, value) => {
	const stored = await storedFile(PNG, 'photo.png', 'image/png');
	for (const name of ['image', 'image_urls']) {
		const { failed } = await runNode({
			parameters: runParams({}, rowOf(value, name)),
			items: [stored],
		});
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	}
	expect(emulator.calls).toEqual([]);
});

test("a stored file is read by its ID, also if it isn't the item's own", async () => {
	const { binary } = await storedFile(PNG, 'photo.png', 'image/png');
	const [file] = Object.values(binary ?? {});
	expect(file.id).toEqual(expect.any(String));
	const parameters = runParams({}, rowOf('={{ $json.file }}'));
	const json = { file: { ...file } } as IDataObject;
	succeed(await runNode({ parameters, items: [{ json }] }));
	expect(uploaded()).toEqual([DATA_URL]);
});

test('the form takes a file, and a list of them', async () => {
	for (const [slug, name, value, count] of [
		['esrgan', 'image', GIVEN, 1],
		['seedream-4', 'image_input', '={{ [$input.item.binary.photo, $input.item.binary.other] }}', 2],
	] as const) {
		emulator.reset();
		const form = { mappingMode: 'defineBelow', value: { [name]: value } };
		const parameters = runParams({ model: model(slug), parameters: form });
		succeed(await runNode({ parameters, items: [item()] }));
		expect(emulator.callsOf('submit')).toHaveLength(1);
		expect(uploaded()).toEqual([DATA_URL, OTHER_URL].slice(0, count));
	}
});

const HOSTED = expect.stringMatching(/^http/) as string;

test.each([
	['base64', DATA_URL],
	['base64 without a type', DATA_URL.replace('image/png', '')],
	['a parameter', DATA_URL.replace(';', ';name=a.png;')],
])('a data URL with %s is uploaded like a file, for every model', async (_what, url) => {
	for (const slug of ['my-endpoint', 'seedance-2.0', 'esrgan']) {
		emulator.reset();
		emulator.fault({ on: 'submit', do: { body: { request_id: randomUUID() } } });
		const parameters = submitParams({ model: model(slug) }, rowOf(url, 'image'));
		succeed(await runNode({ parameters }));
		expect(uploaded()).toEqual([DATA_URL]);
		expect(emulator.callsOf('submit')).toMatchObject([{ body: { image: HOSTED } }]);
	}
});

test.each([
	['dataUrl', DATA_URL],
	['base64', BASE64],
])('Send Files As %s applies to a data URL too', async (sendFilesAs, sent) => {
	const parameters = submitParams({}, { ...rowOf(DATA_URL, 'image'), sendFilesAs } as IDataObject);
	succeed(await runNode({ parameters }));
	expect(uploaded()).toEqual([]);
	expect(emulator.callsOf('submit')).toMatchObject([{ body: { image: sent } }]);
});

test('a data URL from an agent, and one in a field of the form, are uploaded', async () => {
	const parameters = runParams({
		model: model('seedance-2.0'),
		parameters: { mappingMode: 'defineBelow', value: { first_frame_url: DATA_URL } },
	});
	for (const asTool of [false, true]) {
		emulator.reset();
		succeed(await runNode({ parameters, asTool }));
		expect(uploaded()).toEqual([DATA_URL]);
		expect(emulator.callsOf('submit')).toMatchObject([{ body: { first_frame_url: HOSTED } }]);
	}
});

test('Asset names the prefix that raw base64 lacks', async () => {
	const { failed } = await runNode({
		node: 'segmindAsset',
		parameters: { operation: 'upload', source: 'dataUrl', dataUrl: BASE64 },
	});
	expect(failed).toMatchObject([
		{ kind: 'badInput', description: expect.stringContaining('data:image/png;base64,') },
	]);
	expect(emulator.calls).toEqual([]);
});

test.each(['data', '={{ $binary.data }}'])(
	'a stored file that one parameter has as %s is not sent as another one, too',
	async (value) => {
		const parameters = runParams(
			{ resource: 'image', operation: 'edit', model: model('bria-gen-fill') },
			rowOf(value, 'image'),
		);
		const stored = await storedFile(PNG, 'photo.png', 'image/png');
		await runNode({ parameters, items: [stored] });
		const [{ body }] = emulator.callsOf('submit');
		expect(body).toHaveProperty('image');
		expect(body).not.toHaveProperty('mask');
	},
);
