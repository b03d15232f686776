import { startEmulator, type Emulator } from '../../dev/emulator';
import { bytesOf, runNode } from '../helpers/runNode';

let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ jobMs: 100, queueMs: 10 });
});
afterAll(async () => await emulator.close());
beforeEach(() => emulator.reset());

const image = { operation: 'run', model: { __rl: true, mode: 'id', value: 'nano-banana-pro' }, prompt: "a lighthouse", options: { pollIntervalSeconds: 0.05 } };

test('run: text to image, as an item with its file', async () => {
	const { items, error, json } = await runNode({ emulator, parameters: image });

	expect(error).toBeUndefined();
	expect(json[0]).toMatchObject({ status: 'COMPLETED', model: 'nano-banana-pro' });
	expect((await bytesOf(items[0])).subarray(1, 4).toString()).toBe('PNG');
	expect(emulator.leaks).toEqual([]);
});
