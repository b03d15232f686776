/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** A file is what its name or its bytes say, if its declared type says nothing. What isn't a file fails before anything is sent. */
import { rmSync } from 'node:fs';

import type { IBinaryData, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { binaryData } from '../../../dev/engine/version';
import { fileRow, model, rows, runParams } from '../../helpers/inference';
import { fileItem, pathOf, storedFile, succeed, useBinariesOnDisk } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
useBinariesOnDisk();

const PNG = Buffer.from('\x89PNG\r\n\x1a\n and more', 'latin1');
const M4A = Buffer.from('\0\0\0\x20ftypM4A and more', 'latin1');
const AVIF = Buffer.from('\0\0\0\x20ftypavif and more', 'latin1');
const MP4 = Buffer.from('\0\0\0\x20ftypisom and more', 'latin1');
const EDIT = { resource: 'image', operation: 'edit', model: model('nano-banana') };
const VIDEO = { resource: 'video', operation: 'generate', model: model('seedance-2.0-mini') };
const ANALYZE = { resource: 'image', operation: 'analyze', model: model('gpt-5.4-mini') };
const TRANSCRIBE = {
	resource: 'audio',
	operation: 'transcribe',
	prompt: '',
	model: model('eleven-labs-transcript'),
};

/** Returns the data URLs of all uploads. */
const uploaded = () =>
	emulator.callsOf('upload').flatMap(({ body }) => (body as { data_urls: string[] }).data_urls);

const unnamed = (bytes: Buffer, mimeType?: string): INodeExecutionData => ({
	json: {},
	binary: { data: { data: bytes.toString('base64'), mimeType } as IBinaryData },
});

/** A picture with members that are no texts. */
const odd = (members: object): INodeExecutionData => ({
	json: {},
	binary: { data: { data: PNG.toString('base64'), ...members } as IBinaryData },
});

test.each<[string, INodeParameters, INodeExecutionData, string]>([
	[
		'of an S3 node',
		EDIT,
		fileItem({ data: { bytes: PNG, mimeType: 'binary/octet-stream', fileName: 'photo.jpg' } }),
		'image/jpeg',
	],
	[
		'of a download',
		VIDEO,
		fileItem({ data: { bytes: PNG, mimeType: 'application/force-download', fileName: 'a.webp' } }),
		'image/webp',
	],
	['without a type', EDIT, unnamed(PNG), 'image/png'],
	['without a type, for a video', VIDEO, unnamed(PNG), 'image/png'],
	['of the type text/plain', EDIT, unnamed(PNG, 'text/plain'), 'image/png'],
	['whose name is null', EDIT, odd({ mimeType: '', fileName: null }), 'image/png'],
	['whose type is a number', EDIT, odd({ mimeType: 5 }), 'image/png'],
	['whose name is a number', EDIT, odd({ mimeType: 'image/png', fileName: 5 }), 'image/png'],
	['AVIF', EDIT, unnamed(AVIF, 'application/octet-stream'), 'image/avif'],
	['M4A', TRANSCRIBE, unnamed(M4A, 'application/octet-stream'), 'audio/mp4'],
])('a file %s is found and uploaded with its own type', async (_what, task, item, type) => {
	succeed(await runNode({ parameters: runParams(task), items: [item] }));
	expect(uploaded()).toEqual([expect.stringMatching(`^data:${type};base64,`)]);
});

test('an image without a type is analyzed', async () => {
	succeed(await runNode({ parameters: runParams(ANALYZE), items: [unnamed(PNG)] }));
	expect(emulator.callsOf('submit')).toHaveLength(1);
});

test('a stored file is sent as the image that it is', async () => {
	const items = [await storedFile(PNG, 'blob', 'application/octet-stream')];
	succeed(await runNode({ parameters: runParams(EDIT), items }));
	expect(uploaded()).toEqual([`data:image/png;base64,${PNG.toString('base64')}`]);
});

test("Text: Generate doesn't look at the item's files", async () => {
	const text = { resource: 'text', operation: 'generate', model: model('gpt-5.4-mini') };
	const items = [await storedFile(PNG, 'blob', 'application/octet-stream')];
	const reading = jest.spyOn(binaryData(), 'getAsStream');
	succeed(await runNode({ parameters: runParams(text), items }));
	expect(reading).not.toHaveBeenCalled();
	succeed(await runNode({ parameters: runParams(EDIT), items }));
	expect(reading).toHaveBeenCalled();
});

test('a file without content fails before anything is sent', async () => {
	const data = { mimeType: 'image/png', fileName: 'a.png' } as IBinaryData;
	const items = [{ json: {}, binary: { data } }];
	const { failed } = await runNode({ parameters: runParams(EDIT), items });
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(emulator.calls).toEqual([]);
});

test.each([undefined, 'photo.jpg', 'uc'])(
	"a page that an earlier node took for a file fails before anything is sent (named %s), although its type is a page's",
	async (fileName) => {
		const { data } = unnamed(Buffer.from(PAGE), 'text/html; charset=utf-8').binary!;
		const items = [{ json: {}, binary: { data: { ...data, fileName } } }];
		const options = { additionalParameters: rows(fileRow('image')) };
		const parameters = runParams({ model: model('my-model') }, options);
		const { failed } = await runNode({ parameters, items });
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
		expect(emulator.calls).toEqual([]);
	},
);

test.each([
	['an MP4', unnamed(MP4, 'application/octet-stream')],
	['a PDF', fileItem({ data: { bytes: PNG, mimeType: 'application/pdf', fileName: 'a.png' } })],
	['a 3D model', fileItem({ data: { bytes: PNG, mimeType: 'model/obj', fileName: 'a.png' } })],
])('%s is no image', async (_what, item) => {
	const { failed } = await runNode({ parameters: runParams(EDIT), items: [item] });
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(emulator.calls).toEqual([]);
});

test('a video is made from the prompt alone, and a hint names the files that were not sent', async () => {
	const sheet = { bytes: PNG, mimeType: 'text/csv', fileName: 'a.csv' };
	const items = [fileItem({ sheet })];
	const { hints } = succeed(await runNode({ parameters: runParams(VIDEO), items }));
	expect(hints).toEqual([expect.stringContaining('sheet')]);
	emulator.reset();
	const without = succeed(await runNode({ parameters: runParams(VIDEO), items: [fileItem({})] }));
	expect(without.hints).toEqual([]);
});

const PAGE = '<!DOCTYPE html><html><body>Sign in</body></html>';
const NO_FILES = [
	'data:image/png;base64,iVBORw0KGgo=',
	'undefined',
	'null\n',
	'https://files.example/a.png',
	PAGE,
	'',
];

describe('a file that is a text instead', () => {
	const node = (name: string, parameters: INodeParameters) => ({ node: name, parameters });
	const asRow = { additionalParameters: rows(fileRow('image', 'photo')) };
	test.each([
		['its own file', node('segmind', runParams(EDIT))],
		['a file row', node('segmind', runParams({ model: model('my-model') }, asRow))],
		['base64', node('segmind', runParams(EDIT, { sendFilesAs: 'base64' }))],
		['an image to analyze', node('segmind', runParams(ANALYZE))],
		[
			'a workflow',
			node('segmindWorkflow', { slug: 'a-b', inputs: rows(fileRow('image', 'photo')) }),
		],
		['an asset', node('segmindAsset', { binaryFields: 'photo' })],
		[
			'a dataset',
			node('segmindFineTune', {
				resource: 'dataset',
				operation: 'upload',
				binaryField: 'photo',
			}),
		],
	])('fails before anything is sent: %s', async (_what, options) => {
		const photos = NO_FILES.map((text) => ({ bytes: Buffer.from(text), mimeType: 'image/png' }));
		const items = photos.map((photo) => fileItem({ photo }));
		const { failed } = await runNode({ ...options, items });
		const facts = { kind: 'badInput', charge: 'none' };
		expect(failed).toMatchObject(NO_FILES.map((_text, item) => ({ ...facts, item })));
		expect(emulator.calls).toEqual([]);
	});
});

test.each([
	'undefined',
	'https://files.example/a.png',
	PAGE,
	// What a stored file has instead of its data.
	'filesystem-v2',
	`data:image/png;base64,${PNG.toString('base64')}`,
	PNG.toString('base64').replace(/.{8}/g, '$&\r\n'),
])('inline data that is %j instead of base64 fails before anything is sent', async (data) => {
	const items = [{ json: {}, binary: { data: { data, mimeType: 'image/png' } } }];
	const { failed } = await runNode({ parameters: runParams(EDIT), items });
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(emulator.calls).toEqual([]);
});

test.each([
	['unknown bytes', 'whatever', 'image/png', 'a.png'],
	['a real page', PAGE, 'text/html', 'a.html'],
	['another real page', PAGE, 'text/html', 'A.HTM'],
	['a word in a text', 'null and void', 'text/plain', 'a.txt'],
])('%s can be uploaded', async (_what, text, mimeType, fileName) => {
	const data = { bytes: Buffer.from(text), mimeType, fileName };
	succeed(await runNode({ node: 'segmindAsset', parameters: {}, items: [fileItem({ data })] }));
	expect(uploaded()).toEqual([`data:${mimeType};base64,${Buffer.from(text).toString('base64')}`]);
});

describe('n8n has deleted the file', () => {
	const lostItem = async () => {
		const item = await storedFile(PNG, 'blob', 'application/octet-stream');
		return { item, lose: () => rmSync(pathOf(item)) };
	};

	test('the accepted request is delivered', async () => {
		emulator.set({ jobMs: 60_000 });
		const { item, lose } = await lostItem();
		const parameters = runParams(EDIT, { timeoutSeconds: 5, pollIntervalSeconds: 5 });
		const first = await runNode({ parameters, items: [item] });
		expect(first.failed).toMatchObject([{ kind: 'timedOut' }]);
		lose();
		const longer = runParams(EDIT, { timeoutSeconds: 120, pollIntervalSeconds: 5 });
		const retried = succeed(await runNode({ parameters: longer, retryOf: first }));
		expect(retried.json[0].request_id).toBe(emulator.jobs[0].requestId);
		expect(emulator.callsOf('submit')).toHaveLength(1);
	});

	test('a new request fails before anything is sent', async () => {
		const { item, lose } = await lostItem();
		lose();
		const { failed } = await runNode({ parameters: runParams(EDIT), items: [item] });
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
		expect(emulator.calls).toEqual([]);
	});
});
