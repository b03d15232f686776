/** Runs of published workflows: rejections, and the URLs of results. */
import type { Orders } from '../../dev/emulator';
import { call, useEmulatorWithManualClock, type CallResponse, type AnyValue } from './client';

const { emulator, clock } = useEmulatorWithManualClock({ queueMs: 0, jobMs: 1000 });

const get = async (url: string): Promise<CallResponse> => await call(emulator, url);
const run = async (slug: string, body: object): Promise<CallResponse> =>
	await call(emulator, `${emulator.urls.api}/workflows/v2/${slug}`, { body });

test.each([
	['no-such', { prompt: 'p' }, 404],
	['product-photo', {}, 400],
	['product-photo', { prompt: 5 }, 400],
	['product-photo', { prompt: 'p', reference: 'a.png' }, 400],
	['story-video', { story: 's', seconds: '5' }, 400],
])('the workflow %s with the input %j returns %i', async (slug, body, status) => {
	expect((await run(slug, body)).status).toBe(status);
	expect(emulator.jobs).toEqual([]);
});

test('a workflow run is not found as a plain request', async () => {
	const { json } = await run('product-photo', { prompt: 'a shoe' });
	const plain = `${emulator.urls.api}/v2/requests/${json.request_id}`;
	expect((await get(plain)).status).toBe(404);
});

const requests = (id: string) => `${emulator.urls.api}/workflows/v2/requests/${id}`;

/** The orders, the URL of the result, and its expected output. */
test.each<[Partial<Orders>, (submitted: AnyValue) => string, unknown]>([
	[{}, ({ response_url }) => response_url, expect.stringMatching(/^\[\{"keyname"/)],
	[{ workflowOutput: 'array' }, ({ response_url }) => response_url, expect.any(Array)],
	[{ workflowOutput: 'broken' }, ({ response_url }) => response_url, expect.any(String)],
	[{ workflowUrls: 'pollOnly' }, ({ poll_url }) => poll_url, expect.any(String)],
	[{ workflowUrls: 'none' }, ({ request_id }) => requests(request_id), expect.any(String)],
	[{ workflowUrls: 'generic' }, ({ response_url }) => response_url, expect.any(String)],
	[{ workflowUrls: 'older' }, ({ poll_url }) => poll_url, undefined],
	[{ pollResponse: 'status' }, ({ poll_url }) => poll_url, undefined],
])('with %j, the URL of the result returns the expected output', async (orders, urlIn, output) => {
	emulator.set(orders);
	const { json } = await run('plain-values', { prompt: 'p' });
	clock.forward(1000);
	expect((await get(urlIn(json))).json.output).toEqual(output);
});
