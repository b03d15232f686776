/** An error of the service that names no parameter is joined by what is known of the model. */
import { running, rows, model } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const row = (name: string, stringValue: string) => ({
	name: { __rl: true, mode: 'name', value: name },
	type: 'string',
	stringValue,
});
const wrong = { model: model('veo-3.1'), inputs: rows(row('resolution', '4000p')) };

test.each([
	[
		'refused',
		() => emulator.it.fault({ on: 'submit', do: { status: 422, body: { error: 'invalid' } } }),
	],
	['failed', () => emulator.it.set({ failJobs: 'all', failText: 'invalid' })],
])('a request that is %s', async (_how, arrange) => {
	arrange();
	const { error } = await runNode({ parameters: running(wrong) });
	expect(error?.message).toContain('invalid');
	expect(error?.description).toContain('What was sent contradicts what is known of the model');
	expect(error?.description).toMatch(/resolution.*4000p/);
});

test('nothing is added where nothing is known to be wrong, or the cause lies elsewhere', async () => {
	emulator.it.set({ failJobs: 'all', failText: 'invalid' });
	const { error } = await runNode({ parameters: running() });
	expect(error?.description).not.toContain('What is known');
	emulator.it.set({ failJobs: [] });
	emulator.it.fault({ on: 'submit', do: { status: 403, body: { error: 'no' } } });
	const refused = await runNode({ parameters: running(wrong) });
	expect(refused.error?.description).not.toContain('What is known');
});
