/** Segmind Workflow: inputs and named outputs. */
import { rows, textRow } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();

const workflow = (slug: string, ...inputs: Array<[string, string]>) => ({
	operation: 'run',
	slug,
	inputs: rows(...inputs.map(([name, value]) => textRow(name, value))),
	options: { pollIntervalSeconds: 0.05 },
});
const run = async (parameters: ReturnType<typeof workflow>) =>
	await runNode({ node: 'segmindWorkflow', parameters });

test.each(['text', 'array'] as const)(
	'named outputs are an object, and media are downloaded (output as %s)',
	async (workflowOutput) => {
		emulator.set({ workflowOutput });
		const { json, items } = succeed(await run(workflow('product-photo', ['prompt', 'a red shoe'])));
		expect(json[0]).toMatchObject({
			workflow: 'product-photo',
			outputs: { final_image: expect.stringMatching(/^http/), caption: expect.any(String) },
		});
		expect(Object.keys(json[0]).slice(0, 3)).toEqual(['url', 'urls', 'outputs']);
		expect(json[0].url).toBe((json[0].outputs as { final_image: string }).final_image);
		expect(items[0].binary?.data.mimeType).toBe('image/png');
		expect(emulator.callsOf('submit')[0].path).toBe('/workflows/v2/product-photo');
	},
);

const ID = '650c1f2e9d8b7a6543210fed-v2';
test.each([
	['https://api.segmind.com/workflows/v2/product-photo', '/workflows/v2/product-photo'],
	['https://www.segmind.com/pixelflows/product-photo/api', '/workflows/v2/product-photo'],
	[`https://api.segmind.com/workflows/${ID}`, `/workflows/${ID}`],
	[ID, `/workflows/${ID}`],
	[`https://api.segmind.com/workflows/v2/${ID}`, `/workflows/v2/${ID}`],
	[`/workflows/v2/${ID}`, `/workflows/v2/${ID}`],
	[`/workflows/${ID}`, `/workflows/${ID}`],
	['/workflows/v2/product-photo', '/workflows/v2/product-photo'],
])('runs the workflow that %s names', async (slug, path) => {
	const { json, error } = await run(workflow(slug, ['prompt', 'a red shoe']));
	expect(error).toBeUndefined();
	expect(json[0]).toMatchObject({
		workflow: path.split('/').pop(),
		outputs: { caption: expect.any(String) },
	});
	expect(emulator.callsOf('submit').map((call) => call.path)).toEqual([path]);
});

test("an address of the credential's own host counts, and another one sends nothing", async () => {
	const { error } = await run(
		workflow(`${emulator.urls.api}/workflows/v2/product-photo`, ['prompt', 'a red shoe']),
	);
	expect(error).toBeUndefined();
	expect(emulator.callsOf('submit')).toHaveLength(1);
	const foreign = await run(workflow('https://evil.example/workflows/v2/product-photo'));
	expect(foreign.failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(emulator.callsOf('submit')).toHaveLength(1);
});

test('downloads several files, such as video and audio', async () => {
	const { items } = succeed(
		await run(workflow('story-video', ['story', 'once'], ['prompt', 'once'], ['text', 'once'])),
	);
	expect(
		Object.values(items[0].binary ?? {}).map(({ mimeType }) => mimeType.split('/')[0]),
	).toEqual(['video', 'audio']);
});

test.each([
	['nope', 404],
	// An input is missing.
	['product-photo', 400],
])('a run of %s without inputs is rejected with HTTP %i', async (slug, httpCode) => {
	const { failed } = await run(workflow(slug));
	expect(failed).toMatchObject([{ kind: 'rejected', httpCode, charge: 'none' }]);
	expect(emulator.calls).toHaveLength(1);
});
