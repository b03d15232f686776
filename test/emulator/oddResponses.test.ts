/** Responses of unusual shapes, each selected by one order. */
import type { Orders } from '../../dev/emulator';
import { call, submit, useEmulatorWithManualClock, type AnyValue } from './client';

const { emulator, clock } = useEmulatorWithManualClock({ queueMs: 0, jobMs: 1000, v1Ms: 0 });

/** Makes a request under these orders. Returns its result and its file. */
async function makeResult(orders: Partial<Orders>) {
	emulator.set(orders);
	const { json } = await submit(emulator, 'flux-dev');
	clock.forward(1000);
	const result = await call(emulator, json.response_url);
	return { result: result.json as AnyValue, file: emulator.jobs.at(-1)!.files[0] };
}

/** In the expected results, `FILE` stands for the URL of the file. */
test.each<[Partial<Orders>, object]>([
	[{ resultShape: 'images' }, { images: [{ url: 'FILE' }] }],
	[{ resultShape: 'video' }, { video: { url: 'FILE' } }],
	[{ resultShape: 'videoArray' }, { video: [{ url: 'FILE' }] }],
	[{ resultShape: 'audio' }, { audio: { url: 'FILE' } }],
	[{ resultShape: 'outputUrl' }, { output: 'FILE' }],
	[{ resultShape: 'outputUrls' }, { output: ['FILE'] }],
	[{ resultShape: 'outputJson' }, { output: expect.stringContaining('[{"url":"FILE"}]') }],
	[{ resultShape: 'outputObject' }, { output: { files: [{ url: 'FILE' }] } }],
	[{ resultShape: 'outputNull' }, { output: null }],
	[{ resultShape: 'outputEmptyText' }, { output: '' }],
	[{ resultShape: 'outputEmptyList' }, { output: [] }],
	[{ resultShape: 'outputEmptyObject' }, { output: {} }],
	[{ resultShape: 'allNull' }, { output: null, images: null, seed: null }],
	[{ resultShape: 'unnamed' }, { image_output: 'FILE' }],
	[{ metrics: 'null' }, { metrics: null }],
	[{ metrics: 'ms' }, { metrics: { time_in_queue_ms: 0 }, timings: { total_ms: 1000 } }],
])('with %j, a result contains %j', async (orders, body) => {
	const { result, file } = await makeResult(orders);
	expect(JSON.parse(JSON.stringify(result).replaceAll(file, 'FILE'))).toMatchObject(body);
});

test.each<[Partial<Orders>, string[]]>([
	[{ requestUrls: 'pollOnly' }, ['poll_url', 'request_id', 'status']],
	[{ requestUrls: 'none' }, ['request_id', 'status']],
])('with %j, a submission has the members %j', async (orders, members) => {
	emulator.set(orders);
	const { json } = await submit(emulator, 'flux-dev');
	expect(Object.keys(json).sort()).toEqual(members);
});
