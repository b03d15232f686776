/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Segmind Asset: files, data URLs and public URLs become Segmind URLs. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { FaultAction } from '../../../dev/emulator';
import { hasWorkflowSettings } from '../../../dev/engine/version';
import { fileItem, succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();

const upload = async (parameters: object, item = fileItem({})) =>
	await runNode({
		node: 'segmindAsset',
		parameters: { operation: 'upload', ...parameters },
		items: [item],
	});

test('uploads several binary fields in one request, in order, with name and type', async () => {
	const item = fileItem({
		a: { bytes: Buffer.from('one'), fileName: 'one.png' },
		b: { bytes: Buffer.from('three'), mimeType: 'audio/wav', fileName: 'two.wav' },
	});
	const { json } = succeed(await upload({ binaryFields: 'b, a' }, item));
	expect(emulator.callsOf('upload')).toHaveLength(1);
	expect(json[0].files).toEqual([
		{
			url: expect.stringMatching(/^http/),
			file_name: 'two.wav',
			mime_type: 'audio/wav',
			file_size: 5,
		},
		{
			url: expect.stringMatching(/^http/),
			file_name: 'one.png',
			mime_type: 'image/png',
			file_size: 3,
		},
	]);
	expect(json[0].urls).toEqual((json[0].files as Array<{ url: string }>).map(({ url }) => url));
	expect(json[0].url).toBe((json[0].urls as string[])[0]);
});

test('a response with fewer URLs than files fails, instead of an item without one of them', async () => {
	const item = fileItem({ a: { bytes: Buffer.from('one') }, b: { bytes: Buffer.from('two') } });
	emulator.fault({ on: 'upload', do: { body: { urls: ['https://files.example/one.png'] } } });
	const { failed } = await upload({ binaryFields: 'a, b' }, item);
	expect(failed).toMatchObject([{ kind: 'unreadable', charge: 'none' }]);
});

test.each<[FaultAction]>([
	['dropBeforeAccept'],
	['dropAfterAccept'],
	[{ status: 502 }],
	[{ status: 504 }],
])('an upload is free, so it is repeated after %j, but not for long', async (action) => {
	const item = fileItem({ data: { bytes: Buffer.from('content') } });
	emulator.fault({ on: 'upload', do: action });
	succeed(await upload({}, item));
	expect(emulator.callsOf('upload')).toHaveLength(2);
	emulator.fault({ on: 'upload', times: 'always', do: action });
	expect((await upload({}, item)).failed).toMatchObject([{ charge: 'none' }]);
	expect(emulator.callsOf('upload').length).toBeLessThan(10);
});

test('an invalid media type is not sent', async () => {
	const mimeType = 'image/png"\r\nx: y';
	await upload({}, fileItem({ data: { bytes: Buffer.from('x'), mimeType, fileName: 'data' } }));
	const dataUrl = 'data:application/octet-stream;base64,eA==';
	expect(emulator.callsOf('upload')).toMatchObject([{ body: { data_urls: [dataUrl] } }]);
});

test('a file without a name has an empty file_name', async () => {
	const data = { data: 'eA==', mimeType: 'image/png' };
	const { json } = await upload({}, { json: {}, binary: { data } });
	expect(json[0].files).toMatchObject([{ file_name: '', mime_type: 'image/png', file_size: 1 }]);
});

test('uploads a data URL', async () => {
	const { json } = succeed(
		await upload({ source: 'dataUrl', dataUrl: 'data:image/gif;base64,R0lGODdh' }),
	);
	expect(json[0].files).toMatchObject([{ mime_type: 'image/gif', file_size: 6 }]);
});

test('uploads a list of data URLs in one request, without the empty ones', async () => {
	const dataUrl = '={{ ["data:image/gif;base64,R0lGODdh", "", "data:text/plain;base64,eA=="] }}';
	const { json } = succeed(await upload({ source: 'dataUrl', dataUrl }));
	expect(json[0].files).toMatchObject([{ mime_type: 'image/gif' }, { mime_type: 'text/plain' }]);
	expect(emulator.callsOf('upload')).toHaveLength(1);
});

test('a public URL is fetched without the key and uploaded', async () => {
	const {
		json: [first],
	} = await upload({}, fileItem({ data: { bytes: Buffer.from('content'), fileName: 'c.png' } }));
	const { json } = succeed(await upload({ source: 'url', url: first.url }));
	expect(json[0].files).toMatchObject([{ mime_type: 'image/png', file_size: 7 }]);
});

test('as a tool it reads no public URL, because an agent would choose what n8n reads and publishes', async () => {
	const requestedPaths: string[] = [];
	const internalServer = createServer((request, response) => {
		requestedPaths.push(request.url ?? '');
		response.end('secret of the network');
	}).listen(0, '127.0.0.1');
	await new Promise((resolve) => internalServer.once('listening', resolve));
	const url = `http://127.0.0.1:${(internalServer.address() as AddressInfo).port}/`;
	// The source is an expression, because n8n itself rejects the fixed value: that choice is hidden in tools.
	const { failed } = await runNode({
		node: 'segmindAsset',
		// With an expression, n8n requires the fields of every source.
		parameters: { operation: 'upload', source: '={{ "url" }}', url, dataUrl: 'x' },
		asTool: true,
	});
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(requestedPaths).toEqual([]);
	expect(emulator.calls).toEqual([]);
	await new Promise((resolve) => internalServer.close(resolve));
});

// Older versions of n8n have no binary mode.
(hasWorkflowSettings ? test : test.skip)(
	'as a tool it reads no file that its input names, because an agent could name that of another execution',
	async () => {
		const file = { data: 'eA==', mimeType: 'image/png' };
		const run = {
			node: 'segmindAsset',
			parameters: { operation: 'upload', binaryFields: 'file' },
			items: [{ json: { file } }],
			settings: { binaryMode: 'combined' as const },
		};
		succeed(await runNode(run));
		const { failed } = await runNode({ ...run, asTool: true });
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	},
);

const FILE_FIELD = 'Input Data Field Name';
test.each<[string, object]>([
	['Data URL', { source: 'dataUrl', dataUrl: 'hello' }],
	['Data URL', { source: 'dataUrl', dataUrl: '={{ "" }}' }],
	['Data URL', { source: 'dataUrl', dataUrl: '={{ [] }}' }],
	['URL', { source: 'url', url: 'ftp://x/y' }],
	['Source', { source: '={{ "URL" }}', url: 'x', dataUrl: 'x' }],
	[FILE_FIELD, { binaryFields: 'nope' }],
	// A value that can't be converted to text, and a name that every object has.
	['URL', { source: 'url', url: '={{ ({ toString: [] }) }}' }],
	[FILE_FIELD, { binaryFields: 'constructor' }],
	["File 'none", { binaryFields: 'empty' }],
])('the error names %s, and nothing is sent: %j', async (field, parameters) => {
	const data = { bytes: Buffer.from('x'), fileName: 'x.png' };
	const item = fileItem({ data, empty: { bytes: Buffer.alloc(0), fileName: 'none\n.png' } });
	const { failed } = await upload(parameters, item);
	expect(failed).toMatchObject([{ kind: 'badInput', message: expect.stringContaining(field) }]);
	expect(emulator.calls).toEqual([]);
});
