/** Answers of another shape than usual, each ordered by one switch. */
import type { Orders } from '../../dev/emulator';
import { call, submit, useDrivenEmulator, type Loose } from './client';

const { emulator, clock } = useDrivenEmulator({ queueMs: 0, jobMs: 1000, v1Ms: 0 });

/** The result of a request, made under these orders, and its file. */
async function made(orders: Partial<Orders>) {
	emulator.it.set(orders);
	const { json } = await submit(emulator.it, 'flux-dev');
	clock.forward(1000);
	const result = await call(emulator.it, json.response_url);
	return { result: result.json as Loose, file: emulator.it.jobs.at(-1)!.files[0] };
}

/** `FILE` stands for the address of the made file. */
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
])('a result by %j', async (orders, body) => {
	const { result, file } = await made(orders);
	expect(JSON.parse(JSON.stringify(result).replaceAll(file, 'FILE'))).toMatchObject(body);
});

test.each<[Partial<Orders>, string[]]>([
	[{ requestUrls: 'pollOnly' }, ['poll_url', 'request_id', 'status']],
	[{ requestUrls: 'none' }, ['request_id', 'status']],
])('a submission by %j, whose request is found by its id', async (orders, members) => {
	emulator.it.set(orders);
	const { json } = await submit(emulator.it, 'flux-dev');
	expect(Object.keys(json).sort()).toEqual(members);
	clock.forward(1000);
	const { json: result } = await call(
		emulator.it,
		`${emulator.it.urls.api}/v2/requests/${json.request_id}`,
	);
	expect(result.output).toBe(emulator.it.jobs[0].files[0]);
});

test('submissions that point elsewhere, a word for running, and a poll_url that gives only the status', async () => {
	const { api, hostile } = emulator.it.urls;
	emulator.it.set({ foreignUrls: ['response_url'], progressWord: 'WARMING_UP' });
	const { json } = await submit(emulator.it, 'flux-dev');
	expect([json.status_url, json.response_url].map((url) => new URL(url).origin)).toEqual([
		api,
		hostile,
	]);
	const told = async (url: string) => (await call(emulator.it, url)).json;
	expect((await told(json.status_url)).status).toBe('WARMING_UP');
	emulator.it.set({ pollAnswer: 'status' });
	clock.forward(1000);
	expect(await told(json.poll_url)).toEqual(await told(json.status_url));
});
