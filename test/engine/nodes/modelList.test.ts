/** Any Model: Get Many lists models, as the picker does. */
import type { INodeParameters } from 'n8n-workflow';

import { PAINTER, UNREACHABLE, useForms } from '../../helpers/forms';
import { model } from '../../helpers/inference';
import { fileItem, runNode, search } from '../../helpers/runNode';

const { emulator, serveList } = useForms();

const listParams = (more: INodeParameters = {}): INodeParameters => ({
	resource: 'model',
	operation: 'getMany',
	...more,
});
async function list(more: INodeParameters = {}, endpointAdminUrl = UNREACHABLE, asTool = false) {
	const credential = { customAddresses: true, endpointAdminUrl };
	return await runNode({ emulator, credential, parameters: listParams(more), asTool });
}
const slugsOf = async (...query: Parameters<typeof list>) =>
	(await list(...query)).json.map(({ slug }) => slug);

const FILM = { slug: 'film-1', title: 'Neon Film', type: 'textToVideo' };

test('an item has what is known of a model: what it makes, price and time, and on request its parameters', async () => {
	const { url } = await serveList([PAINTER, { slug: 'nano-banana' }, FILM]);
	const options = { includeParameters: true };
	const { json, items, error } = await list({ options }, url);
	expect(error).toBeUndefined();
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual(json.map(() => ({ item: 0 })));
	const [banana, painter, film] = json;
	expect(banana).toMatchObject({
		slug: 'nano-banana',
		makes: 'image',
		average_cost: expect.any(Number),
		average_seconds: expect.any(Number),
	});
	expect(painter).toMatchObject({ name: 'Painter 9', slug: 'painter-9', makes: 'image' });
	expect(painter).not.toHaveProperty('average_cost');
	expect(painter.parameters).toEqual(
		expect.arrayContaining([
			{ name: 'prompt', type: 'string', required: true },
			{ name: 'steps', type: 'number', default: 4, min: 1, max: 50 },
			{ name: 'style', type: 'string', choices: ['oil', 'ink'], default: 'oil' },
			{ name: 'references', type: 'file', list: true },
		]),
	);
	expect(painter.parameters).not.toContainEqual(expect.objectContaining({ name: 'internal' }));
	expect(film).toMatchObject({ slug: 'film-1', makes: 'video' });
	expect(emulator.calls.map(({ kind }) => kind)).toEqual(['prices']);
});

test('a task and words narrow the list together, and Limit shortens it', async () => {
	const sign = { slug: 'sign-1', title: 'Neon Sign', type: 'textToImage' };
	const { url } = await serveList([sign, FILM, PAINTER]);
	expect(await slugsOf({ search: 'neon' }, url)).toEqual(['sign-1', 'film-1']);
	expect(await slugsOf({ task: 'video.generate' }, url)).toEqual(['film-1']);
	expect(await slugsOf({ task: 'image.generate', search: 'Neon' }, url)).toEqual(['sign-1']);
	expect(await slugsOf({ search: 'qqqqqq' }, url)).toEqual([]);
	expect(await slugsOf({ limit: 2 }, url)).toEqual(['sign-1', 'film-1']);
});

test.each(['', 'lip sync', 'voice', 'a cheap video with sound', 'remove background'])(
	'"%s" finds what it finds in the picker of Any Model, also if the list is out of reach',
	async (words) => {
		const credential = { endpointAdminUrl: UNREACHABLE };
		const parameters = { resource: 'model', operation: 'run' };
		const query = { emulator, method: 'searchModels', credential, filter: words, parameters };
		const { results } = await search(query);
		const found = await slugsOf({ search: words, returnAll: true });
		expect(found).toEqual(results.map(({ value }) => value));
		expect(found.length).toBeGreaterThan(0);
	},
);

test.each([false, true])('parameters come only on request (as a tool: %s)', async (asTool) => {
	const { json } = await list({ search: 'nano banana' }, UNREACHABLE, asTool);
	expect(json.length).toBeGreaterThan(0);
	for (const item of json) expect(item).not.toHaveProperty('parameters');
});

test('each item has its own search; a task that does not exist fails its item, before any call', async () => {
	const { json, failed } = await runNode({
		emulator,
		parameters: listParams({ task: '={{ $json.task }}', search: '={{ $json.search }}', limit: 1 }),
		items: [
			{ json: { task: 'image.upscale', search: 'esrgan' } },
			{ json: { task: 'image.paint', search: '' } },
		],
		onError: 'continueErrorOutput',
	});
	expect(json).toMatchObject([{ slug: 'esrgan' }]);
	expect(failed).toMatchObject([{ item: 1 }]);
});

test('Image: Analyze sends the same request before and after the list is read, whatever the list says of the model', async () => {
	const { url } = await serveList([FILM]);
	const credential = { customAddresses: true, endpointAdminUrl: url };
	const parameters = { resource: 'image', operation: 'analyze', model: model(FILM.slug) };
	const items = [fileItem({ data: { bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') } })];
	const bodies: unknown[] = [];
	for (const readsList of [false, true]) {
		if (readsList) expect(await slugsOf({}, url)).toEqual([FILM.slug]);
		const { calls } = await runNode({ emulator, credential, parameters, items });
		bodies.push(...calls.filter(({ kind }) => kind === 'submit').map(({ body }) => body));
	}
	expect(bodies).toHaveLength(2);
	expect(bodies[1]).toEqual(bodies[0]);
});
