/** If a request is rejected or fails, the error names the required parameters that weren't sent. Other suspicions about parameters aren't mentioned. */
import { model, rows, runParams, textRow } from '../../helpers/inference';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const FILE = 'Image (image)';

test.each([
	['rejected', { on: 'submit', do: { status: 422, body: { error: 'invalid' } } }, true],
	['rejected for another reason', { on: 'submit', do: { status: 403, body: {} } }, false],
] as const)(
	'a request that is %s: the error names what is missing: %s',
	async (_how, fault, named) => {
		emulator.fault(fault);
		const parameters = runParams({ model: model('esrgan') });
		const { error } = await runNode({ parameters });
		expect(error?.description?.includes(FILE)).toBe(named);
		expect(error?.description).not.toContain('scale');
	},
);

test('a request that failed: the error names what is missing, but no value that looks wrong', async () => {
	emulator.set({ failJobs: 'all', failText: 'invalid' });
	const wrong = { additionalParameters: rows(textRow('scale', 'huge')) };
	const { error } = await runNode({ parameters: runParams({ model: model('esrgan') }, wrong) });
	expect(error?.description).toContain(FILE);
	const complete = { additionalParameters: rows(textRow('scale', 'huge'), textRow('image', 'x')) };
	const other = await runNode({ parameters: runParams({ model: model('esrgan') }, complete) });
	expect(other.error?.description).not.toMatch(/image|scale/);
});
