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

/** A host's `content-type` and `content-disposition`. */
type HostType = [type?: string, name?: string];
const MP4_START = '\0\0\0\x20ftyp';

test.each<[HostType, string, string, string, string, string?]>([
	[['binary/octet-stream'], 'f/1.png', 'anything', 'image/png', 'png'],
	[['binary/octet-stream'], 'f/1', '\x89PNG\r\n', 'image/png', 'png'],
	[[], 'f/1', '\x89PNG\r\n', 'image/png', 'png'],
	[['image/webp'], 'f/1.png', 'anything', 'image/webp', 'webp'],
	[['application/octet-stream'], 'f/1', 'anything', 'application/octet-stream', 'bin'],
	// The name fits the type, whatever the URL says.
	[['audio/mpeg'], 'f/1', 'anything', 'audio/mpeg', 'mp3'],
	[['audio/mp4'], 'f/1.mp4', `${MP4_START}mp42`, 'audio/mp4', 'm4a'],
	[['audio/webm'], 'f/1', '\x1aE\xdf\xa3', 'audio/webm', 'weba'],
	[['audio/l16; rate=24000'], 'f/1', 'anything', 'audio/l16', 'pcm'],
	[['image/tiff'], 'f/1.tif', 'anything', 'image/tiff', 'tif'],
	// The first bytes decide, also between two types of one kind.
	[['audio/mp3'], 'f/1.mp3', 'RIFF\x24\0\0\0WAVEfmt ', 'audio/wav', 'wav'],
	[['image/jpeg'], 'f/1.jpg', '\x89PNG\r\n', 'image/png', 'png'],
	// Names that the service or the host gives.
	[['audio/ogg'], 'f/1', 'anything', 'audio/ogg', 'opus', 'voice.opus'],
	[[undefined, 'attachment; filename="chair.fbx"'], 'f/1', 'anything', 'model/fbx', 'fbx'],
	[[undefined, "inline; filename*=UTF-8''chair.ply"], 'f/1', 'anything', 'model/ply', 'ply'],
])(
	'a file that its host declares as %j, at %s, with %j, is stored as %s, named .%s',
	async (...row) => {
		const [[hostType, hostName], path, content, type, extension, file_name] = row;
		respond = (_request, response) => {
			if (hostType !== undefined) response.setHeader('content-type', hostType);
			if (hostName !== undefined) response.setHeader('content-disposition', hostName);
			response.end(Buffer.from(content, 'latin1'));
		};
		const { item } = await resultOf({ images: [{ url: `${origin}/${path}`, file_name }] });
		const fileName = expect.stringMatching(new RegExp(`\\.${extension}$`)) as string;
		expect(item.binary?.data).toMatchObject({ mimeType: type, fileName, fileExtension: extension });
		expect((await bytesOf(item)).toString('latin1')).toBe(content);
	},
);

test.each([
	['episode 1.mp3', 'audio/mpeg', 'f/1', 'episode-1.mp3'],
	['scan.tif', 'image/tiff', 'f/1.tiff', 'scan.tif'],
	['scan.tif', 'image/png', 'f/1', 'scan.png'],
	['product 1.5', 'application/octet-stream', 'f/1.safetensors', 'product-1.5.safetensors'],
	['图'.repeat(100), 'image/png', 'f/1', `${'图'.repeat(75)}.png`],
])('File Name %s gives a file of type %s at %s the name %s', async (name, type, path, wanted) => {
	respond = (_request, response) => response.writeHead(200, { 'content-type': type }).end('x');
	const { item } = await resultOf({ images: [{ url: `${origin}/${path}` }] }, { fileName: name });
	expect(item.binary?.data).toMatchObject({
		fileName: wanted,
		fileExtension: wanted.split('.').pop(),
	});
});

describe('redirects', () => {
	/** Lets the host redirect each path to the next one, and the last one to the file. */
	const redirectTo = (targetOf: (path: string) => string | undefined, status = 302) => {
		respond = (request, response) => {
			const location = targetOf(request.url ?? '');
			if (location === undefined) response.end('the file');
			else response.writeHead(status, { location }).end('moved');
		};
	};
	const step = (request: { url?: string }) => Number(/\d+/.exec(request.url ?? '')?.[0]);

	test.each([301, 302, 303, 307, 308])('%i is followed, and says the extension', async (status) => {
		redirectTo((path) => (path === '/f/1' ? 'b.webp?x=1' : undefined), status);
		const { item, hints } = await resultOf({ images: [{ url: `${origin}/f/1` }] });
		expect(String(await bytesOf(item))).toBe('the file');
		expect(item.binary?.data).toMatchObject({ mimeType: 'image/webp', fileExtension: 'webp' });
		expect([received.map(({ url }) => url), hints]).toEqual([['/f/1', '/f/b.webp?x=1'], []]);
	});

	test.each([
		[5, true],
		[6, false],
	])('%i redirects are followed: %p [Secrets 2]', async (count, isFollowed) => {
		redirectTo((path) => {
			const at = step({ url: path });
			return at < count ? `${origin}/${at + 1}.png` : undefined;
		});
		const { item, hints } = await resultOf({ images: [{ url: `${origin}/0.png` }] });
		expect(item.json).toMatchObject({ url: `${origin}/0.png` });
		expect([item.binary !== undefined, hints.length]).toEqual([isFollowed, isFollowed ? 0 : 1]);
		expect(received).toHaveLength(6);
	});

	describe('from a public host', () => {
		const PROXY_VARIABLES = ['http_proxy', 'no_proxy'];
		/** n8n reaches the public hosts through this test's server. */
		beforeEach(() => {
			process.env.http_proxy = origin;
			process.env.no_proxy = '127.0.0.1,localhost,::1';
		});
		afterEach(() => PROXY_VARIABLES.forEach((name) => delete process.env[name]));
		const PUBLIC = 'http://files.example';

		test.each([
			[`${PUBLIC}/b.png`, true],
			['http://cdn.example/b.png', true],
			['http://93.184.216.34/b.png', true],
			['http://10.example/b.png', true],
			['http://localhost:5678/b.png', false],
			['http://10.0.0.7/b.png', false],
			['http://169.254.169.254/latest/meta-data', false],
			['http://[::ffff:10.0.0.7]/b.png', false],
			['ftp://cdn.example/b.png', false],
		])('a redirect to %s is followed: %p [Secrets 2]', async (target, isFollowed) => {
			redirectTo((path) => (path === `${PUBLIC}/a.png` ? target : undefined));
			const { item, hints } = await resultOf({ images: [{ url: `${PUBLIC}/a.png` }] });
			expect([item.binary !== undefined, hints.length]).toEqual([isFollowed, isFollowed ? 0 : 1]);
			expect(received.map(({ url }) => url)).toEqual([
				`${PUBLIC}/a.png`,
				...(isFollowed ? [target] : []),
			]);
		});

		test.each([
			['http://93.184.216.34/a.png', true],
			['http://10.0.0.7/a.png', false],
			['http://localhost:5678/a.png', false],
			['http://[::1]:5678/a.png', false],
		])(
			'a result with %s, from a public Base URL, is fetched: %p [Secrets 2]',
			async (url, isFetched) => {
				respond = (request, response) =>
					response.end(request.method === 'POST' ? JSON.stringify({ image: url }) : 'the file');
				const { items, hints } = await runNode({
					parameters: runParams({}, { answerInOneCall: true }),
					credential: { baseUrl: 'http://api.example' },
				});
				expect(items[0].json.url).toBe(url);
				expect([items[0].binary !== undefined, hints.length]).toEqual([
					isFetched,
					isFetched ? 0 : 1,
				]);
				expect(received.map((request) => request.method)).toEqual(
					isFetched ? ['POST', 'GET'] : ['POST'],
				);
			},
		);

		test("a redirect to a private host of the credential's own is followed", async () => {
			redirectTo((path) => (path === `${PUBLIC}/a.png` ? `${origin}/b.png` : undefined));
			const { item } = await resultOf({ images: [{ url: `${PUBLIC}/a.png` }] });
			expect(String(await bytesOf(item))).toBe('the file');
		});
	});
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
		fileName: expect.stringMatching(/^a-lighthouse-\w{8}\.html$/),
	});
	expect(item.binary).toHaveProperty('data_1');
});

test('a missing file keeps its index free, and missing files do not delay an item', async () => {
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
	expect(item.binary?.data_1.fileName).toMatch(/^a-lighthouse-\w{8}-1\.png$/);
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
