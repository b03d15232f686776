/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Responses that are expensive to read: endless, byte by byte, or decompressing to a large size. */
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { callWithoutKey, submit, useEmulatorWithManualClock } from './client';

const { emulator } = useEmulatorWithManualClock({ queueMs: 0, jobMs: 0, v1Ms: 0 });

/** Reads the response to a GET over a bare socket, at most this many chunks. */
async function read(url: string, maxChunks: number): Promise<Buffer> {
	const { port, pathname } = new URL(url);
	const socket = connect(Number(port), '127.0.0.1');
	const needsKey = url.startsWith(emulator.urls.api);
	const keyHeader = needsKey ? `x-api-key: ${emulator.key}\r\n` : '';
	socket.write(
		`GET ${pathname} HTTP/1.1\r\nhost: x\r\naccept-encoding: identity\r\n${keyHeader}\r\n`,
	);
	const chunks: Buffer[] = [];
	for await (const chunk of socket as AsyncIterable<Buffer>)
		if (chunks.push(chunk) >= maxChunks) break;
	return Buffer.concat(chunks);
}

async function resultFileUrl(): Promise<string> {
	await submit(emulator, 'flux-dev');
	return emulator.jobs[0].files[0];
}

test('a response can come byte by byte and never end', async () => {
	emulator.fault({ on: 'credits', do: { dripMs: 1 } });
	const text = (await read(`${emulator.urls.api}/v1/get-user-credits`, 80)).toString();
	// Spaces follow the complete JSON: the response continues.
	expect(text).toMatch(/\r\n1\r\n\}\r\n1\r\n \r\n/);
	expect(text).not.toMatch(/content-length/i);
});

test('a file can be endless', async () => {
	emulator.fault({ on: 'file', do: 'endless' });
	const received = await read(await resultFileUrl(), 40);
	expect(received.length).toBeGreaterThan(500_000);
	const head = received.toString('latin1', 0, 300);
	expect(head).toMatch(/content-type: image\/png/i);
	expect(head).not.toMatch(/content-length/i);
});

test('a compressed response can be small but decompress to a large one, and can be cut short', async () => {
	emulator.fault({ on: 'file', do: { gzipBomb: 50_000_000 } });
	const url = await resultFileUrl();
	const bomb = await callWithoutKey(emulator, url);
	expect(bomb.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'image/png' });
	expect(bomb.bytes.length).toBeLessThan(100_000);
	expect(gunzipSync(bomb.bytes).length).toBe(50_000_000);
	emulator.fault({ on: 'file', do: 'gzipCut' });
	const { headers, bytes } = await callWithoutKey(emulator, url);
	expect(headers['content-length']).toBe(String(bytes.length));
	expect(() => gunzipSync(bytes)).toThrow();
});
