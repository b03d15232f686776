import { bytesOf } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator: held, runNode } = useVirtualEngine({ jobMs: 100, queueMs: 10 });

const image = {
	resource: 'image',
	operation: 'generate',
	model: { __rl: true, mode: 'slug', value: 'nano-banana-pro' },
	prompt: 'a lighthouse',
	options: { pollIntervalSeconds: 0.05 },
};

test('run: text to image, as an item with its file', async () => {
	const { items, error, json } = await runNode({ parameters: image });

	expect(error).toBeUndefined();
	expect(json[0]).toMatchObject({ status: 'COMPLETED', model: 'nano-banana-pro' });
	expect((await bytesOf(items[0])).subarray(1, 4).toString()).toBe('PNG');
	expect(held.it.leaks).toEqual([]);
});
