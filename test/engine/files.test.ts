/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
/** Files in n8n's store on disk, as production has them: streamed both ways, with constant memory (design.md section 5). */
import { fork, type ChildProcess } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync, type ReadStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Emulator } from '../../dev/emulator';
import { storeBinariesOnDisk } from './engineVersion';
import { bytesOf, pathOf, renamedFiles, runNode, storedFile } from './harness';
import { model, rows, running } from './suite';

const BIG = 200 * 1024 * 1024;
/** Growth allowed for a file of 200 MB, bytes. */
const GROWTH = 80 * 1024 * 1024;

/** The emulator in its own process, so that its memory is not ours. */
let remote: ChildProcess;
let emulator: Emulator;

beforeAll(async () => {
	await storeBinariesOnDisk();
	remote = fork(join(__dirname, 'remoteEmulator.ts'), { execArgv: ['--import', 'tsx'] });
	emulator = await new Promise<Emulator>((resolve) => remote.once('message', (message) => resolve(message as Emulator)));
});
afterAll(() => remote.kill());

/** A file of so many zero bytes, as a stream: a buffer freed during a measurement would hide what is being measured. */
function emptyFile(bytes: number): ReadStream {
	const path = join(mkdtempSync(join(tmpdir(), 'segmind-')), 'file');
	writeFileSync(path, '');
	truncateSync(path, bytes);
	return createReadStream(path);
}

/** Highest resident memory while some work runs, over what it was before. */
async function growthOf(work: () => Promise<void>): Promise<number> {
	global.gc?.();
	const before = process.memoryUsage().rss;
	let highest = before;
	const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 20);
	await work();
	clearInterval(watch);
	return highest - before;
}

test('a small file makes the round trip unchanged', async () => {
	const item = await storedFile(Buffer.from('some bytes, not a multiple of three.'), 'a.bin', 'application/octet-stream');
	const { json } = await runNode({ emulator, node: 'segmindAsset', parameters: { operation: 'upload' }, items: [item] });
	const back = await runNode({ emulator, node: 'segmindAsset', parameters: { operation: 'upload', source: 'url', url: json[0].url as string } });
	expect(back.json[0].files).toMatchObject([{ file_size: 36 }]);
	expect((await (await fetch(json[0].url as string)).text())).toBe('some bytes, not a multiple of three.');
});

test('a file of a webhook lies under the id of its execution afterwards, in the stored input too', async () => {
	const item = await storedFile(Buffer.from('bytes'), 'a.bin', 'application/octet-stream');
	const failed = await runNode({ emulator, node: 'segmindAsset', parameters: { operation: 'upload', binaryFields: 'missing' }, items: [item] });
	expect(failed.error).toBeDefined();
	const { executionData } = await renamedFiles(failed);
	const [renamed] = executionData?.nodeExecutionStack[0].data.main[0] ?? [];
	expect(renamed.binary?.data.id).toBe(item.binary?.data.id?.replace('/temp/', `/${failed.executionId}/`));
	expect((await bytesOf(renamed)).toString()).toBe('bytes');
	await expect(bytesOf(item)).rejects.toThrow();
});

test('200 MB go up without being held in memory', async () => {
	// What the process grows by at its first larger upload, whatever the size, is not the file's.
	const warm = await storedFile(emptyFile(BIG / 8), 'warm.mp4', 'video/mp4');
	await runNode({ emulator, node: 'segmindAsset', parameters: { operation: 'upload' }, items: [warm] });
	const item = await storedFile(emptyFile(BIG), 'big.mp4', 'video/mp4');
	const growth = await growthOf(async () => {
		const { json, error } = await runNode({ emulator, node: 'segmindAsset', parameters: { operation: 'upload' }, items: [item] });
		expect(error).toBeUndefined();
		expect(json[0].files).toMatchObject([{ file_size: BIG }]);
	});
	expect(growth).toBeLessThan(GROWTH);
}, 120_000);

test('200 MB come down without being held in memory', async () => {
	await fetch(`${emulator.urls.api}/__control/set`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ fileBytes: BIG }) });
	let size = 0;
	const growth = await growthOf(async () => {
		const { items, error } = await runNode({ emulator, parameters: running({ model: model('seedance-2.0') }) });
		expect(error).toBeUndefined();
		expect(items[0].binary?.data.id).toMatch(/^filesystem/);
		size = statSync(pathOf(items[0])).size;
	});
	expect(size).toBe(BIG);
	expect(growth).toBeLessThan(GROWTH);
}, 120_000);

test('a retry finds the file of a finished item in the store', async () => {
	await fetch(`${emulator.urls.api}/__control/reset`, { method: 'POST' });
	const parameters = running({ prompt: '={{ $json.p }}', inputs: rows({ name: { __rl: true, mode: 'name', value: 'n' }, type: 'number', numberValue: '={{ $json.n }}' }) });
	const items = [{ json: { p: 'good', n: 1 } }, { json: { p: 'bad', n: 'no number' } }];
	const { stored, error } = await runNode({ emulator, parameters, items });
	expect(error?.message).toContain('1 of 2 items failed');
	const kept = Object.values((stored.executionData?.contextData['node:Segmind'] as { segmind: { entries: Record<string, { output?: { binary: { data: { id: string } } } }> } }).segmind.entries).find(({ output }) => output);
	expect(kept?.output?.binary.data.id).toMatch(/^filesystem/);
	expect((await bytesOf({ json: {}, binary: kept?.output?.binary as never })).length).toBeGreaterThan(0);
});

test.each([
	['shorter than it was', (path: string) => truncateSync(path, 10)],
	['gone', (path: string) => rmSync(path)],
])('a stored file that is %s is an error, and nothing is charged', async (_name, spoil) => {
	const item = await storedFile(Buffer.alloc(100_000, 'x'), 'a.png', 'image/png');
	spoil(pathOf(item));
	const { error } = await runNode({ emulator, node: 'segmindAsset', parameters: { operation: 'upload' }, items: [item] });
	expect(error?.description).toMatch(/Nothing (was charged|is known to have been sent)/);
});
