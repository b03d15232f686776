/** Runs of published workflows: rejections, and the URLs of results. */
import { call, useEmulatorWithManualClock, type CallResponse } from './client';

const { emulator } = useEmulatorWithManualClock({ queueMs: 0, jobMs: 1000 });

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
