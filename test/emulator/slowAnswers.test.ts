/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { startEmulator, type Emulator, type FaultAction } from '../../dev/emulator';
import { bare, call, givenUp, submit, until } from './client';

let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ queueMs: 0, jobMs: 0, v1Ms: 0 });
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

/** Sends a GET over a bare socket and reads until the condition holds or the connection ends. */
async function read(
	url: string,
	enough: (received: Buffer) => boolean,
	more: { key?: string } = {},
): Promise<{ received: Buffer; socket: Socket; chunks: number }> {
	const { port, pathname } = new URL(url);
	const socket = connect(Number(port), '127.0.0.1');
	const key = more.key === undefined ? '' : `x-api-key: ${more.key}\r\n`;
	socket.write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\naccept-encoding: identity\r\n${key}\r\n`);
	const parts: Buffer[] = [];
	let length = 0;
	for await (const part of socket as AsyncIterable<Buffer>) {
		parts.push(part);
		length += part.length;
		if (enough(length > 100_000 ? part : Buffer.concat(parts))) break;
	}
	return { received: Buffer.concat(parts), socket, chunks: parts.length };
}

async function resultFile(): Promise<string> {
	await submit(emulator, 'flux-dev');
	return emulator.jobs[emulator.jobs.length - 1].files[0];
}

test('an answer that drips and never ends', async () => {
	emulator.fault({ on: 'credits', do: { dripMs: 1 } });
	const start = performance.now();
	const url = `${emulator.urls.api}/v1/get-user-credits`;
	// Spaces after the JSON: it is whole, and the answer goes on.
	const { received, chunks } = await read(url, (text) => text.includes('\r\n1\r\n \r\n'), {
		key: emulator.key,
	});
	expect(chunks).toBeGreaterThan(10);
	expect(performance.now() - start).toBeGreaterThan(20);
	expect(received.toString()).not.toMatch(/content-length/i);
	await emulator.idle();
});

test('a connection lost while the body is sent', async () => {
	emulator.fault({ on: 'upload', do: { dropInBody: 100_000 } });
	const url = `${emulator.urls.upload}/upload-asset`;
	const headers = { accept: 'application/json, text/plain, */*' };
	const body = { data_urls: [`data:image/png;base64,${'A'.repeat(4_000_000)}`] };
	await expect(call(emulator, url, { body, headers })).rejects.toThrow();
	expect(emulator.calls).toMatchObject([
		{
			kind: 'upload',
			status: undefined,
			bodyBytes: 0,
			fault: 'dropInBody',
		},
	]);
	expect((await call(emulator, url, { body, headers })).status).toBe(200);
});

test('a service that stops reading', async () => {
	emulator.fault({ on: 'submit', times: 2, do: { stopReading: 0 } });
	const input = { prompt: 'x'.repeat(8_000_000) };
	for (const body of [input, { prompt: 'short' }]) {
		const url = `${emulator.urls.api}/v2/flux-dev`;
		const seen = emulator.calls.length;
		await givenUp(emulator, url, { body, isThere: () => emulator.calls.length > seen });
	}
	expect(emulator.jobs).toEqual([]);
});

test('half a head and nothing more', async () => {
	emulator.fault({ on: 'submit', do: 'halfHead' });
	const url = `${emulator.urls.api}/v2/flux-dev`;
	const isThere = () => emulator.jobs.length === 1;
	await givenUp(emulator, url, { body: { prompt: 'x' }, isThere });
	expect(emulator.jobs).toHaveLength(1);
	expect(emulator.calls).toMatchObject([{ fault: 'halfHead', status: undefined }]);
	emulator.fault({ on: 'file', do: 'halfHead' });
	const { received } = await read(await resultFile(), (text) => text.length > 20);
	expect(received.toString()).toMatch(/^HTTP\/1\.1 200 OK\r\ncontent-ty/);
	expect(received.toString()).not.toContain('\r\n\r\n');
});

test('a file without end', async () => {
	emulator.fault({ on: 'file', do: 'endless' });
	let seen = 0;
	const { received } = await read(await resultFile(), (part) => (seen += part.length) > 5_000_000);
	const head = received.toString('latin1', 0, 300);
	expect(head).toMatch(/content-type: image\/png/i);
	expect(head).not.toMatch(/content-length/i);
	await emulator.idle();
});

test('a small answer that unpacks to much', async () => {
	emulator.fault({ on: 'file', do: { gzipBomb: 50_000_000 } });
	const file = await bare(emulator, await resultFile());
	expect(file.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'image/png' });
	expect(file.bytes.length).toBeLessThan(100_000);
	expect(gunzipSync(file.bytes).length).toBe(50_000_000);
});

test('a packed answer cut short, whose length looks right', async () => {
	emulator.set({ fileBytes: 10_000 });
	emulator.fault({ on: 'file', do: 'gzipCut' });
	const file = await bare(emulator, await resultFile());
	expect(file.headers).toMatchObject({
		'content-encoding': 'gzip',
		'content-length': String(file.bytes.length),
	});
	expect(() => gunzipSync(file.bytes)).toThrow(/unexpected end/);
});

test.each<[string, FaultAction]>([
	['drip', { dripMs: 1 }],
	['endless', 'endless'],
	['gzipBomb', { gzipBomb: 1000 }],
])('%s on a creating call comes after acceptance', async (_name, fault) => {
	emulator.fault({ on: 'submit', do: fault });
	const url = `${emulator.urls.api}/v2/flux-dev`;
	const patience = new AbortController();
	const { signal } = patience;
	const answer = call(emulator, url, { body: { prompt: 'x' }, signal }).catch(() => undefined);
	await until(() => emulator.jobs.length === 1);
	patience.abort();
	await answer;
	expect(emulator.jobs).toHaveLength(1);
});
