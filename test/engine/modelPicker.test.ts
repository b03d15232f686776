/** The list of models: what it says of each, what finds one, and in which order. */
import { UNREACHABLE, useForms } from '../helpers/forms';
import { model, running } from '../helpers/inference';
import { runNode, search } from '../helpers/runNode';

const { emulator, list } = useForms();
const OFFLINE = { endpointAdminUrl: UNREACHABLE };

async function found(filter?: string, credential: Record<string, string> = OFFLINE) {
	const { results } = await search({
		emulator: emulator.it,
		method: 'searchModels',
		credential,
		filter,
		parameters: { resource: 'model', operation: 'run' },
	});
	return results;
}
const slugsFor = async (filter?: string, credential?: Record<string, string>) =>
	(await found(filter, credential)).map(({ value }) => value);

test('an entry says what it costs and takes, as far as it is published', async () => {
	const { url } = await list(
		['nano-banana', 'bg-removal-v2', 'seedance-2.5', 'painter-9'].map((slug) => ({ slug })),
	);
	const names = (await found('', { endpointAdminUrl: url })).map(({ name }) => name);
	expect(names.sort()).toEqual([
		'bg-removal-v2 · $0.0009 · 0.7 s',
		'nano-banana · $0.04 · 14 s',
		'painter-9',
		'seedance-2.5 · $1.90',
	]);
	expect((await found('nano banana pro'))[0].name).toBe('Nano Banana Pro · $0.16 · 61 s');
});

test.each([
	['voice', 'tts-eleven-labs'],
	['Text to Speech', 'myshell-tts'],
	['upscle', 'esrgan'],
	['remove backgroud', 'bria-remove-background'],
	['lip sync', 'p-video-avatar'],
	['LLM', 'claude-4.5-sonnet'],
	['chat', 'gpt-5.4-mini'],
	['nano bananna', 'nano-banana'],
	['video', 'veo-3.1'],
])('"%s" finds %s, and not everything', async (filter, slug) => {
	const slugs = await slugsFor(filter);
	expect(slugs).toContain(slug);
	expect(slugs.length).toBeLessThan(60);
});

test('"3D" finds a model that the list types so; what is like nothing finds none', async () => {
	const { url } = await list([{ slug: 'shape-1', type: 'imageTo3D' }, { slug: 'esrgan' }]);
	expect(await slugsFor('3D', { endpointAdminUrl: url })).toEqual(['shape-1']);
	expect(await slugsFor('qqqqqq')).toEqual([]);
	expect(await slugsFor('x'.repeat(100_000))).toEqual([]);
});

test("order: well-known ones, the account's own, the order of the list, unknown kinds", async () => {
	const { url, calls } = await list(
		[
			{ slug: 'strange', type: 'tensor' },
			{ slug: 'painter-9', type: 'textToImage' },
			{ slug: 'flux-dev', type: 'textToImage' },
			{ slug: 'nano-banana', type: 'textToImage' },
		],
		{ endpoints: [{ endpoint_name: 'Mine', slug: 'my-model' }, { endpoint_name: 'No slug' }] },
	);
	const credential = { endpointAdminUrl: url };
	expect(await slugsFor('', credential)).toEqual([
		'nano-banana',
		'my-model',
		'painter-9',
		'flux-dev',
		'strange',
	]);
	expect((await found('mine', credential))[0]).toEqual({
		name: 'Mine · your endpoint',
		value: 'my-model',
	});
	await slugsFor('', { ...credential, apiKey: 'another-key' });
	expect(calls.sort()).toEqual([
		'GET /endpoint/list with a key',
		'GET /endpoint/list with a key',
		'GET /inference-model-information/list',
	]);
});

test('an unknown slug is answered with the nearest known ones', async () => {
	const { error } = await runNode({
		emulator: emulator.it,
		parameters: running({ model: model('nano bananna') }),
	});
	expect(error?.description).toContain('nano-banana');
	expect(error?.description).toContain('nano-banana-2');
});

test('a retired model is not listed', async () => {
	const slugs = await slugsFor('', {});
	expect(slugs.length).toBeGreaterThan(20);
	expect(slugs).not.toContain('sd1.5-txt2img');
});
