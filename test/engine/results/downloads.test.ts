/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** Files of results from misbehaving hosts: a charged item succeeds, and n8n's store has only complete files of bounded size. */
import { readdirSync, statSync } from 'node:fs';
import {
	createServer,
	type IncomingMessage,
	type OutgoingHttpHeaders,
	type Server,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

import type { IDataObject } from 'n8n-workflow';

import { MAX_RESPONSE_BYTES } from '../../../nodes/shared/service/http';
import { runParams } from '../../helpers/inference';
import { bytesOf, pathOf, useBinariesOnDisk, succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const MB = 1_000_000;
let server: Server;
let origin: string;
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let received: IncomingMessage[];

useBinariesOnDisk();
beforeAll(async () => {
	jest.replaceProperty(MAX_RESPONSE_BYTES, 'file', 2 * MB);
	server = createServer((request, response) => {
		received.push(request);
		respond(request, response);
	}).listen(0, '127.0.0.1');
	// n8n 1 would keep a connection open for the next call, and virtual time would wait for its end.
	server.maxRequestsPerSocket = 1;
	await new Promise((resolve) => server.once('listening', resolve));
	origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => (received = []));
afterAll(() => {
	jest.restoreAllMocks();
	server.closeAllConnections();
	server.close();
});

/** Runs a request that completes with this result. */
async function resultOf(result: IDataObject, options: IDataObject = {}) {
	emulator.fault({
		on: 'result',
		times: 'always',
		do: { body: { status: 'COMPLETED', metrics: {}, ...result } },
	});
	const outcome = succeed(await runNode({ parameters: runParams({}, options) }));
	return { ...outcome, item: outcome.items[0] };
}

/** Returns the size of everything below a folder, in bytes. */
function sizeOf(folder: string): number {
	return readdirSync(folder, { withFileTypes: true })
		.map((entry) =>
			entry.isDirectory()
				? sizeOf(join(folder, entry.name))
				: statSync(join(folder, entry.name)).size,
		)
		.reduce((sum, size) => sum + size, 0);
}

/** Returns the folder of n8n's store that contains the files of all executions. */
async function storeFolder(): Promise<string> {
	respond = (_request, response) => response.end('x');
	const { item } = await resultOf({ images: [{ url: `${origin}/a.png` }] });
	emulator.clearFaults();
	received = [];
	return dirname(dirname(pathOf(item)));
}

test('a good file is requested uncompressed, and stored', async () => {
	respond = (_request, response) => response.end('some bytes');
	const { item, hints } = await resultOf({
		images: [{ url: `${origin}/f/1`, content_type: 'image/png' }],
	});
	expect(String(await bytesOf(item))).toBe('some bytes');
	expect(received[0].headers['accept-encoding']).toBe('identity');
	expect(received[0].headers).not.toHaveProperty('x-api-key');
	expect(hints).toEqual([]);
});

test.each([
	['binary/octet-stream', 'f/1.png', 'anything', 'image/png'],
	['binary/octet-stream', 'f/1', '\x89PNG\r\n', 'image/png'],
	[undefined, 'f/1', '\x89PNG\r\n', 'image/png'],
	['image/webp', 'f/1.png', 'anything', 'image/webp'],
	['application/octet-stream', 'f/1', 'anything', 'application/octet-stream'],
])('a file that its host calls %s, at %s, with %j, is stored as %s', async (...row) => {
	const [hostType, path, content, type] = row;
	respond = (_request, response) => {
		if (hostType !== undefined) response.setHeader('content-type', hostType);
		response.end(Buffer.from(content, 'latin1'));
	};
	const { item } = await resultOf({ images: [{ url: `${origin}/${path}` }] });
	expect(item.binary?.data.mimeType).toBe(type);
	expect((await bytesOf(item)).toString('latin1')).toBe(content);
});

const endless = (response: ServerResponse) => {
	const piece = Buffer.alloc(64 * 1024, 'x');
	const more = () => {
		while (!response.destroyed && response.write(piece));
		if (!response.destroyed) response.once('drain', more);
	};
	more();
};

/** Sends one byte after another, forever. */
const drip = (response: ServerResponse) => {
	const dripping = setInterval(
		() => (response.destroyed ? clearInterval(dripping) : response.write('x')),
		50,
	);
};
const gzipOfZeros = gzipSync(Buffer.alloc(5 * MB));
type HostResponse = [headers: OutgoingHttpHeaders, send: (response: ServerResponse) => void];

/** Responses of a host without a complete, allowed file. */
const NO_FILES: Array<[string, ...HostResponse, IDataObject?]> = [
	[
		'a gzip of 5 kB that would become 5 MB',
		{ 'content-encoding': 'gzip', 'content-length': gzipOfZeros.length },
		(response) => response.end(gzipOfZeros),
	],
	[
		'a gzip without a declared length that would become 5 MB',
		{ 'content-encoding': 'gzip' },
		(response) => (response.write(gzipOfZeros), response.end()),
	],
	[
		'an unknown content encoding',
		{ 'content-encoding': 'aes128gcm' },
		(response) => response.end('x'),
	],
	[
		'a file cut short',
		{ 'content-length': 1_000 },
		(response) => {
			response.write('x'.repeat(500));
			setImmediate(() => response.destroy());
		},
	],
	['a file larger than allowed, with a content length', { 'content-length': 3 * MB }, endless],
	['a file larger than allowed, without a content length', {}, endless],
	['a file that never ends', {}, drip, { timeoutSeconds: 1 }],
	['a file that stalls', {}, (response) => response.write('x')],
	[
		'an empty file without a content length',
		{},
		(response) => (response.flushHeaders(), response.end()),
	],
	['an HTML page', { 'content-type': 'text/html' }, (response) => response.end('Sign in')],
	[
		'an HTML page with the content type of a picture',
		{ 'content-type': 'image/png' },
		(response) => response.end('\n<!DOCTYPE html><title>no</title>'),
	],
];

test.each(NO_FILES)(
	'%s: the item has the URL and a hint, and no part of the file is stored [Money 5]',
	async (_name, headers, send, ...[options]) => {
		const folder = await storeFolder();
		const before = sizeOf(folder);
		respond = (_request, response) => send(response.writeHead(200, headers));
		const { item, hints } = await resultOf({ images: [{ url: `${origin}/a.png` }] }, options);
		expect(item.json).toMatchObject({ status: 'COMPLETED', url: `${origin}/a.png` });
		expect(item).not.toHaveProperty('binary');
		expect(hints).toHaveLength(1);
		expect(received.length).toBeLessThanOrEqual(4);
		expect(sizeOf(folder)).toBe(before);
	},
);

test('an HTML page that the result declares as HTML is downloaded as a file', async () => {
	respond = (_request, response) =>
		response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>report');
	const { item } = await resultOf({
		images: [{ url: `${origin}/report.html` }, { url: `${origin}/f`, content_type: 'text/html' }],
	});
	expect(item.binary?.data).toMatchObject({
		mimeType: 'text/html',
		fileName: expect.stringMatching(/^a-lighthouse-\w{6}\.html$/),
	});
	expect(item.binary).toHaveProperty('data_1');
});

test.each([403, 404, 425])(
	'a new file that returns %i for some seconds is downloaded',
	async (status) => {
		const startedAt = Date.now();
		respond = (_request, response) => {
			response.statusCode = Date.now() - startedAt < 4_000 ? status : 200;
			response.end('here');
		};
		const { item, hints } = await resultOf({ images: [{ url: `${origin}/a.png` }] });
		expect(String(await bytesOf(item))).toBe('here');
		expect(hints).toEqual([]);
	},
);

test('a missing file keeps its index free, and all missing files together delay an item only by seconds', async () => {
	respond = (request, response) => {
		response.statusCode = /good/.test(request.url ?? '') ? 200 : 404;
		response.end('x');
	};
	const names = [
		'bad',
		'good',
		...Array.from({ length: 30 }, (_unused, at) => `bad${at}`),
		'good2',
	];
	const startedAt = Date.now();
	const { item, hints } = await resultOf({
		images: names.map((name) => ({ url: `${origin}/${name}.png` })),
	});
	expect(Object.keys(item.binary ?? {})).toEqual(['data_1', 'data_32']);
	expect(item.binary?.data_1.fileName).toMatch(/^a-lighthouse-\w{6}-1\.png$/);
	expect(received.filter(({ url }) => url === '/good.png')).toHaveLength(1);
	expect(hints).toHaveLength(1);
	expect(Date.now() - startedAt).toBeLessThan(30_000);
});

test('missing files of several items are one hint', async () => {
	respond = (_request, response) => response.writeHead(404).end();
	const body = { status: 'COMPLETED', images: [{ url: `${origin}/bad.png` }] };
	emulator.fault({ on: 'result', times: 'always', do: { body } });
	const items = [{ json: {} }, { json: {} }];
	const { hints } = await runNode({ parameters: runParams(), items });
	expect(hints).toEqual([expect.stringMatching(/^Items 1, 2: /)]);
});

test('the files of an item share one time limit', async () => {
	respond = (_request, response) => drip(response);
	const startedAt = Date.now();
	await resultOf(
		{ images: [1, 2, 3, 4].map((at) => ({ url: `${origin}/${at}.png` })) },
		{ timeoutSeconds: 1 },
	);
	expect(Date.now() - startedAt).toBeLessThan(4_000);
	expect(received).toHaveLength(1);
});
