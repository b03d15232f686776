/** Calls that answer with the result itself. */
import type { Orders } from '../../dev/emulator';
import { call, sendForm, until, useDrivenEmulator, type Answer, type Loose } from './client';

const { emulator, clock } = useDrivenEmulator({ v1Ms: 0 });

const run = async (model: string, input: object = {}): Promise<Answer> => {
	const url = `${emulator.it.urls.api}/v1/${model}`;
	return await call(emulator.it, url, { body: { prompt: 'p', ...input } });
};
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

test('most models answer with raw bytes and the cost in headers, and stand in the history only', async () => {
	const image = await run('flux-dev', { seed: 7 });
	const [{ requestId }] = emulator.it.jobs;
	expect(image.bytes.subarray(0, 4)).toEqual(PNG);
	expect(image.headers).toMatchObject({
		'content-type': 'image/png',
		'x-cost': '0.0196',
		'x-remaining-credits': '99.9804',
		'x-request-id': requestId,
		'x-seed-value': '7',
	});
	const { api, admin } = emulator.it.urls;
	const statusOf = async (url: string) => (await call(emulator.it, url)).status;
	expect(await statusOf(`${api}/v2/requests/${requestId}`)).toBe(404);
	expect(await statusOf(`${admin}/inference-request/request-history/${requestId}`)).toBe(200);
	expect((await run('gpt-5.4')).json.choices[0].message.content).toBe('Emulated answer to: p');
});

test.each<[Partial<Orders>, string, (body: Loose) => string]>([
	[{}, 'p-image', ({ image }) => image],
	[{}, 'sam3-image', ({ masks }) => masks[0]],
	[{ v1Shape: 'base64Array' }, 'flux-dev', ({ image }) => image[0]],
])('%j: %s answers with base64', async (orders, model, imageIn) => {
	emulator.it.set(orders);
	const image = imageIn((await run(model)).json);
	expect(Buffer.from(image, 'base64').subarray(0, 4)).toEqual(PNG);
});

test('an address or a wrong label by order', async () => {
	emulator.it.set({ v1Shape: 'videoUrl' });
	expect((await run('veo-3.1')).json.video).toBe(emulator.it.jobs[0].files[0]);
	emulator.it.set({ v1Shape: null, v1ContentType: 'application/json' });
	const wrong = await run('flux-dev');
	expect(wrong.headers['content-type']).toBe('application/json');
	expect(wrong.bytes.subarray(0, 4)).toEqual(PNG);
});

test('refuses missing parameters at once, charges nothing for a failure, and takes forms', async () => {
	expect((await run('wan-2.5-i2v')).status).toBe(400);
	expect(emulator.it.jobs).toEqual([]);
	const url = `${emulator.it.urls.api}/v1/flux-dev`;
	expect((await sendForm(emulator.it, 'POST', url, { prompt: 'form' })).status).toBe(200);
	expect(emulator.it.jobs[0].input).toEqual({ prompt: 'form' });
	emulator.it.set({ failJobs: 'all', failText: 'no' });
	expect(await run('flux-dev')).toMatchObject({ status: 500, json: { error: 'no' } });
	expect(emulator.it.charged).toBe(0.0196);
});

test('its answer waits for its job, and goes by the moment that ends', async () => {
	emulator.it.set({ v1Ms: 60_000 });
	const answer = run('flux-dev');
	await until(() => emulator.it.jobs.length > 0);
	expect(emulator.it.jobs[0].state).not.toBe('COMPLETED');
	clock.forward(60_000);
	expect((await answer).headers.date).toBe(new Date(clock.now()).toUTCString());
});
