/** If an error of the service names no parameter, the node names the parameters that contradict the model's metadata. */
import { PARTS } from '../../nodes/shared/errors/parts';
import { patternOf } from '../helpers/errorTexts';
import { runParams, rows, model } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const row = (name: string, stringValue: string) => ({ name: name, type: 'string', stringValue });
const wrongParams = runParams(
	{ model: model('veo-3.1') },
	{ additionalParameters: rows(row('resolution', '4000p')) },
);

test.each([
	[
		'rejected',
		() => emulator.fault({ on: 'submit', do: { status: 422, body: { error: 'invalid' } } }),
	],
	['failed', () => emulator.set({ failJobs: 'all', failText: 'invalid' })],
])('the error of a request that is %s names the contradiction', async (_how, arrange) => {
	arrange();
	const { error } = await runNode({ parameters: wrongParams });
	expect(error?.message).toContain('invalid');
	expect(error?.description).toMatch(patternOf(PARTS.contradictions));
	expect(error?.description).toMatch(/resolution.*4000p/);
});

test('adds nothing if no contradiction is known, or the error has another cause', async () => {
	emulator.set({ failJobs: 'all', failText: 'invalid' });
	const { error } = await runNode({ parameters: runParams() });
	expect(error?.description).not.toMatch(patternOf(PARTS.contradictions));
	emulator.set({ failJobs: [] });
	emulator.fault({ on: 'submit', do: { status: 403, body: { error: 'no' } } });
	const rejected = await runNode({ parameters: wrongParams });
	expect(rejected.error?.description).not.toMatch(patternOf(PARTS.contradictions));
});
