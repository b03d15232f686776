/** Answers of another shape than usual, each ordered by one switch, and what the models answer without any. */
import type { Orders } from '../../dev/emulator';
import { call, submit, useDrivenEmulator, type Loose } from './client';

const { emulator, clock } = useDrivenEmulator({ queueMs: 0, jobMs: 1000, v1Ms: 0 });

/** The result of a model, made under these orders, and its file. */
async function made(orders: Partial<Orders>, model = 'flux-dev', input: object = { prompt: 'p' }) {
	emulator.it.set(orders);
	const { json } = await submit(emulator.it, model, input);
	clock.forward(1000);
	const result = await call(emulator.it, json.response_url);
	return { result: result.json as Loose, file: emulator.it.jobs.at(-1)!.files[0] };
}

test('without any a result follows the kind of its model', async () => {
	const prompt = 'p';
	const video = await made({}, 'veo-3.1', { prompt, return_last_frame: true });
	expect(video.result).toMatchObject({
		output: video.file,
		video: { url: video.file, content_type: 'video/mp4' },
	});
	const sound = await made({}, 'chatterbox-tts', { text: 'p' });
	expect(sound.result.audio).toMatchObject({ url: sound.file, content_type: 'audio/wav' });
	const messages = [{ role: 'user', content: [{ type: 'text', text: 'p' }] }];
	for (const [model, input, textOf] of [
		['gpt-5.4', { prompt }, (body: Loose) => body.choices[0].message.content],
		['claude-4.5-sonnet', { messages }, (body: Loose) => body.content[0].text],
		['gemini-2.5-flash', { prompt }, (body: Loose) => body.candidates[0].content.parts[0].text],
	] as const) {
		const { result } = await made({}, model, input);
		expect(textOf(JSON.parse(result.output))).toBe('Emulated answer to: p');
	}
});

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

test('credits, and none', async () => {
	emulator.it.set({ balance: { credits: -0.5, freeCredits: 0.25 } });
	const url = `${emulator.it.urls.api}/v1/get-user-credits`;
	expect((await call(emulator.it, url)).json).toEqual({ credits: -0.5, 'free-credits': 0.25 });
	emulator.it.set({ noCreditRecord: true });
	expect((await call(emulator.it, url)).status).toBe(404);
});
