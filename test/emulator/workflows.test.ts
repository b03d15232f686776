/** Runs of published workflows: their inputs, outputs and addresses. */
import type { Orders } from '../../dev/emulator';
import { call, useDrivenEmulator, type Answer, type Loose } from './client';

const { emulator, clock } = useDrivenEmulator({ queueMs: 0, jobMs: 1000 });

const get = async (url: string): Promise<Answer> => await call(emulator.it, url);
const run = async (slug: string, body: object): Promise<Answer> =>
	await call(emulator.it, `${emulator.it.urls.api}/workflows/v2/${slug}`, { body });

test('named outputs come as JSON text', async () => {
	const { json } = await run('product-photo', { prompt: 'a shoe' });
	expect((await get(json.status_url)).json.status).toBe('PROCESSING');
	clock.forward(1000);
	const { json: result } = await get(json.response_url);
	expect((await get(json.poll_url)).json).toEqual(result);
	expect(JSON.parse(result.output)).toMatchObject([
		{ keyname: 'final_image', value: { data: emulator.it.jobs[0].files[0], type: 'image' } },
		{ keyname: 'caption', value: { data: 'Caption for: a shoe', type: 'text' } },
	]);
	expect(emulator.it.jobs).toMatchObject([{ workflow: 'product-photo', charged: 0.0819 }]);
	// A run is no plain request unless ordered so.
	const plain = `${emulator.it.urls.api}/v2/requests/${json.request_id}`;
	expect((await get(plain)).status).toBe(404);
});

test.each([
	['no-such', { prompt: 'p' }, 404],
	['product-photo', {}, 400],
	['product-photo', { prompt: 5 }, 400],
	['product-photo', { prompt: 'p', reference: 'a.png' }, 400],
	['story-video', { story: 's', seconds: '5' }, 400],
])('%s with %j is a %i', async (slug, body, status) => {
	expect((await run(slug, body)).status).toBe(status);
	expect(emulator.it.jobs).toEqual([]);
});

const requests = (id: string) => `${emulator.it.urls.api}/workflows/v2/requests/${id}`;

/** The orders, the address of the result, and what its output is. */
test.each<[Partial<Orders>, (submitted: Loose) => string, unknown]>([
	[{ workflowOutput: 'array' }, ({ response_url }) => response_url, expect.any(Array)],
	[{ workflowOutput: 'broken' }, ({ response_url }) => response_url, expect.any(String)],
	[{ workflowUrls: 'pollOnly' }, ({ poll_url }) => poll_url, expect.any(String)],
	[{ workflowUrls: 'none' }, ({ request_id }) => requests(request_id), expect.any(String)],
	[{ workflowUrls: 'generic' }, ({ response_url }) => response_url, expect.any(String)],
	[{ workflowUrls: 'older' }, ({ poll_url }) => poll_url, undefined],
	[{ pollAnswer: 'status' }, ({ poll_url }) => poll_url, undefined],
])('%j', async (orders, addressIn, output) => {
	emulator.it.set(orders);
	const { json } = await run('plain-values', { prompt: 'p' });
	clock.forward(1000);
	expect((await get(addressIn(json))).json.output).toEqual(output);
});
