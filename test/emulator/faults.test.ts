/** Each fault is served as told: to the calls it is for, as often as said, with or without a job behind it. */
import type { FaultAction } from '../../dev/emulator';
import { bare, call, givenUp, submit, useDrivenEmulator, type Loose } from './client';

const { emulator, clock } = useDrivenEmulator({ queueMs: 0, jobMs: 0, v1Ms: 0 });

const credits = () => `${emulator.it.urls.api}/v1/get-user-credits`;
const asked = async () => await call(emulator.it, credits());
const v1 = async (): Promise<Loose> =>
	await call(emulator.it, `${emulator.it.urls.api}/v1/flux-dev`, { body: { prompt: 'p' } });

test('a connection dropped before acceptance leaves no job, one dropped after it a charged one', async () => {
	emulator.it.fault({ on: 'submit', do: 'dropBeforeAccept' });
	await expect(submit(emulator.it, 'flux-dev')).rejects.toThrow();
	expect(emulator.it.jobs).toEqual([]);
	emulator.it.fault({ on: ['submit', 'v1'], times: 2, do: 'dropAfterAccept' });
	await expect(submit(emulator.it, 'flux-dev')).rejects.toThrow();
	await expect(v1()).rejects.toThrow();
	const [{ requestId }] = emulator.it.jobs;
	expect(emulator.it.jobs).toMatchObject(Array(2).fill({ state: 'COMPLETED', charged: 0.0196 }));
	expect(emulator.it.calls.slice(0, 2)).toMatchObject([
		{ kind: 'submit', status: undefined, fault: 'dropBeforeAccept' },
		{ kind: 'submit', status: undefined, fault: 'dropAfterAccept', requestId },
	]);
	expect((await submit(emulator.it, 'flux-dev')).status).toBe(200);
});

test.each<[FaultAction, number]>([
	['hang', 0],
	['hangAfterAccept', 1],
	['halfHead', 1],
	[{ stopReading: 0 }, 0],
])('%j never answers and leaves %i job', async (action, jobs) => {
	emulator.it.fault({ on: 'submit', do: action });
	await givenUp(emulator.it, `${emulator.it.urls.api}/v2/flux-dev`, {
		body: { prompt: 'x'.repeat(1_000_000) },
		isThere: () => emulator.it.calls.length === 1 && emulator.it.jobs.length === jobs,
	});
	expect(emulator.it.jobs).toHaveLength(jobs);
});

test.each<[FaultAction, object]>([
	[
		{ status: 503, body: { message: 'busy' }, headers: { 'retry-after': '3' } },
		{ status: 503, json: { message: 'busy' }, headers: { 'retry-after': '3' } },
	],
	[
		{ status: 502, body: '<h1>Bad</h1>' },
		{ status: 502, headers: { 'content-type': 'text/html; charset=utf-8' } },
	],
	['notFound', { status: 404 }],
	[{ body: Buffer.from([0, 255]) }, { status: 200, bytes: Buffer.from([0, 255]) }],
	[{ body: null }, { status: 200, text: 'null' }],
	[{ rewrite: { cut: true } }, { status: 200, text: expect.stringMatching(/^\{"cre[^}]+$/) }],
	[{ rewrite: { nulls: true } }, { json: { credits: null } }],
	[{ rewrite: { status: 202, without: ['credits'] } }, { status: 202, text: /^(?!.*"credits")/ }],
	[{ rewrite: { with: { credits: [1] } } }, { json: { credits: [1] } }],
	[{ redirect: 'http://x.test/' }, { status: 307, headers: { location: 'http://x.test/' } }],
])('%j once, then the right answer', async (action, { text, ...answer }: Loose) => {
	emulator.it.fault({ on: 'credits', do: action });
	const first = await asked();
	expect(first).toMatchObject(answer);
	if (text instanceof RegExp) expect(first.text).toMatch(text);
	else if (text !== undefined) expect(first.text).toEqual(text);
	expect((await asked()).json).toMatchObject({ credits: 100 });
});

test.each<[{ status?: number; accept?: boolean; body?: string }, number]>([
	[{ status: 502 }, 0],
	[{ status: 502, accept: true }, 2],
	[{ body: '{"request_id":' }, 2],
])('%j on a call that creates leaves %i jobs', async (action, jobs) => {
	emulator.it.fault({ on: ['submit', 'v1'], times: 2, do: action as FaultAction });
	for (const answer of [await submit(emulator.it, 'flux-dev'), await v1()]) {
		expect([answer.status, answer.text]).toEqual([action.status ?? 200, action.body ?? '']);
		// Whoever answers, the date is the service's own.
		expect(answer.headers.date).toBe(new Date(clock.now()).toUTCString());
	}
	expect(emulator.it.jobs).toHaveLength(jobs);
});

test('a gateway responds or cuts the connection while the service continues', async () => {
	emulator.it.set({ v1Ms: 60_000 });
	emulator.it.fault({ on: 'v1', do: { status: 504, accept: true, afterMs: 20 } });
	expect([(await v1()).status, emulator.it.jobs[0].state]).toEqual([504, 'PROCESSING']);
	emulator.it.fault({ on: 'v1', do: { dropAfterMs: 20 } });
	await expect(v1()).rejects.toThrow();
	clock.forward(60_000);
	expect(emulator.it.jobs).toMatchObject(Array(2).fill({ state: 'COMPLETED', charged: 0.0196 }));
});

test('a fault affects its targets, the given number of times and after the given number of calls', async () => {
	const statuses = async (count: number): Promise<number[]> => {
		const found: number[] = [];
		for (let index = 0; index < count; index++) found.push((await asked()).status);
		return found;
	};
	const on = ['credits', 'submit'] as const;
	const fault = emulator.it.fault({ on: [...on], after: 1, times: 2, do: { status: 500 } });
	expect(await statuses(4)).toEqual([200, 500, 500, 200]);
	expect(fault.hits).toBe(2);
	const pattern = { origin: 'api', method: 'get', path: 'credits' } as const;
	const always = emulator.it.fault({ on: pattern, times: Infinity, do: { status: 403 } });
	expect(await statuses(3)).toEqual([403, 403, 403]);
	always.remove();
	emulator.it.fault({ on: ({ index }) => index === 8, do: { status: 401 } });
	expect(await statuses(3)).toEqual([200, 401, 200]);
	emulator.it.fault({ on: { path: /credits$/ }, times: 'always', do: { status: 400 } });
	expect(await statuses(1)).toEqual([400]);
	emulator.it.clearFaults();
	expect(await statuses(1)).toEqual([200]);
});

test('a fault can be counted per request, and can wait for a status', async () => {
	emulator.it.set({ jobMs: 1000 });
	const on = { kind: ['status', 'result'] as const, state: 'COMPLETED' as const };
	emulator.it.fault({
		on: { ...on, kind: [...on.kind] },
		times: 2,
		perRequest: true,
		do: 'notFound',
	});
	const urls = [await submit(emulator.it, 'flux-dev'), await submit(emulator.it, 'flux-dev')];
	for (const { json } of urls) expect((await call(emulator.it, json.status_url)).status).toBe(200);
	clock.forward(1000);
	for (const { json } of urls)
		for (const status of [404, 404, 200])
			expect((await call(emulator.it, json.status_url)).status).toBe(status);
});

test('a file is cut, or stalls in the middle', async () => {
	emulator.it.set({ fileBytes: 300_000 });
	await submit(emulator.it, 'flux-dev');
	const [url] = emulator.it.jobs[0].files;
	expect((await bare(emulator.it, url)).bytes.length).toBe(300_000);
	emulator.it.fault({ on: 'file', do: { truncate: 100_000 } });
	await expect(bare(emulator.it, url)).rejects.toThrow();
	emulator.it.fault({ on: 'file', do: { stall: 100_000 } });
	const isThere = () => emulator.it.callsOf('file').length === 3;
	await givenUp(emulator.it, url, { headers: { 'x-api-key': undefined }, isThere });
});

test('an origin can refuse connections for a while', async () => {
	await emulator.it.stopListening('api');
	// The first call may still use a pooled connection, which is cut.
	await expect(asked()).rejects.toThrow();
	await expect(asked()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
	await emulator.it.listen('api');
	expect((await asked()).status).toBe(200);
});
