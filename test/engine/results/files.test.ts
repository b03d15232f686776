/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Files in n8n's store on disk, as production has them: streamed both ways, with constant memory. */
import { rmSync, statSync, truncateSync } from 'node:fs';

import type { INodeExecutionData } from 'n8n-workflow';

import { startRemoteEmulator, type RemoteEmulator } from '../../../dev/emulator/remote';
import { zeroBytes } from '../../../dev/engine/binaries';
import { memoryGrowthOf } from '../../helpers/memory';
import { pathOf, runNode, storedFile, useBinariesOnDisk, succeed } from '../../helpers/runNode';
import { model, runParams } from '../../helpers/inference';

const BIG = 100 * 1024 * 1024;
/** The allowed memory growth, in bytes: the same for a file of any size, and less than BIG. */
const MAX_GROWTH = 80 * 1024 * 1024;

/** Runs in its own process, so that its memory isn't counted as the node's. */
let emulator: RemoteEmulator;

useBinariesOnDisk();
beforeAll(async () => {
	emulator = await startRemoteEmulator();
});
afterAll(async () => await emulator.stop());

const upload = async (item: INodeExecutionData) =>
	await runNode({
		emulator,
		node: 'segmindAsset',
		parameters: { operation: 'upload' },
		items: [item],
	});

test('uploads 100 MB without holding them in memory', async () => {
	// A process grows at its first larger upload, whatever the file's size.
	const warm = await storedFile(zeroBytes(BIG / 8), 'warm.mp4', 'video/mp4');
	await upload(warm);
	const item = await storedFile(zeroBytes(BIG), 'big.mp4', 'video/mp4');
	const growth = await memoryGrowthOf(async () => {
		const { json } = succeed(await upload(item));
		expect(json[0].files).toMatchObject([{ file_size: BIG }]);
	});
	expect(growth).toBeLessThan(MAX_GROWTH);
});

test('downloads 100 MB without holding them in memory', async () => {
	await emulator.set({ fileBytes: BIG });
	let size = 0;
	const growth = await memoryGrowthOf(async () => {
		const { items } = succeed(
			await runNode({
				emulator,
				parameters: runParams({ model: model('seedance-2.0') }, { pollIntervalSeconds: 0.05 }),
			}),
		);
		expect(items[0].binary?.data.id).toMatch(/^filesystem/);
		size = statSync(pathOf(items[0])).size;
	});
	expect(size).toBe(BIG);
	expect(growth).toBeLessThan(MAX_GROWTH);
});

test.each([
	[
		'shorter than it was',
		(path: string) => truncateSync(path, 10),
		{ kind: 'file', charge: 'none' },
	],
	['gone', (path: string) => rmSync(path), { kind: 'badInput', charge: 'none' }],
])('a stored file that is %s is an error', async (_name, spoil, failure) => {
	const item = await storedFile(Buffer.alloc(100_000, 'x'), 'a.png', 'image/png');
	spoil(pathOf(item));
	expect((await upload(item)).failed).toMatchObject([failure]);
});
