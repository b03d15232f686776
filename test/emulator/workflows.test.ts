/** Runs of published workflows: what is refused, and where a result is found. */
import type { Orders } from '../../dev/emulator';
import { call, useDrivenEmulator, type Answer, type Loose } from './client';

const { emulator, clock } = useDrivenEmulator({ queueMs: 0, jobMs: 1000 });

const get = async (url: string): Promise<Answer> => await call(emulator.it, url);
const run = async (slug: string, body: object): Promise<Answer> =>
	await call(emulator.it, `${emulator.it.urls.api}/workflows/v2/${slug}`, { body });

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

test('a workflow run is not found as a plain request', async () => {
	const { json } = await run('product-photo', { prompt: 'a shoe' });
	const plain = `${emulator.it.urls.api}/v2/requests/${json.request_id}`;
	expect((await get(plain)).status).toBe(404);
});

const requests = (id: string) => `${emulator.it.urls.api}/workflows/v2/requests/${id}`;

/** The orders, the address of the result, and what its output is. */
test.each<[Partial<Orders>, (submitted: Loose) => string, unknown]>([
	[{}, ({ response_url }) => response_url, expect.stringMatching(/^\[\{"keyname"/)],
	[{ workflowOutput: 'array' }, ({ response_url }) => response_url, expect.any(Array)],
	[{ workflowOutput: 'broken' }, ({ response_url }) => response_url, expect.any(String)],
	[{ workflowUrls: 'pollOnly' }, ({ poll_url }) => poll_url, expect.any(String)],
	[{ workflowUrls: 'none' }, ({ request_id }) => requests(request_id), expect.any(String)],
	[{ workflowUrls: 'generic' }, ({ response_url }) => response_url, expect.any(String)],
	[{ workflowUrls: 'older' }, ({ poll_url }) => poll_url, undefined],
	[{ pollResponse: 'status' }, ({ poll_url }) => poll_url, undefined],
])('%j', async (orders, addressIn, output) => {
	emulator.it.set(orders);
	const { json } = await run('plain-values', { prompt: 'p' });
	clock.forward(1000);
	expect((await get(addressIn(json))).json.output).toEqual(output);
});
