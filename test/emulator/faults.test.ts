/** Each fault affects the calls it is for, as often as specified, with or without creating a job. */
import type { FaultAction } from '../../dev/emulator';
import { callWithoutKey, call, submit, useEmulatorWithManualClock, type AnyValue } from './client';

const { emulator, clock } = useEmulatorWithManualClock({ queueMs: 0, jobMs: 0, v1Ms: 0 });

const creditsUrl = () => `${emulator.urls.api}/v1/get-user-credits`;
const getCredits = async () => await call(emulator, creditsUrl());
const submitV1 = async (): Promise<AnyValue> =>
	await call(emulator, `${emulator.urls.api}/v1/flux-dev`, { body: { prompt: 'p' } });

test('a connection dropped before acceptance leaves no job, and one dropped after it leaves a charged job', async () => {
	emulator.fault({ on: 'submit', do: 'dropBeforeAccept' });
	await expect(submit(emulator, 'flux-dev')).rejects.toThrow();
	expect(emulator.jobs).toEqual([]);
	emulator.fault({ on: ['submit', 'v1'], times: 2, do: 'dropAfterAccept' });
	await expect(submit(emulator, 'flux-dev')).rejects.toThrow();
	await expect(submitV1()).rejects.toThrow();
	const [{ requestId }] = emulator.jobs;
	expect(emulator.jobs).toMatchObject(Array(2).fill({ state: 'COMPLETED', charged: 0.0196 }));
	expect(emulator.calls.slice(0, 2)).toMatchObject([
		{ kind: 'submit', status: undefined, fault: 'dropBeforeAccept' },
		{ kind: 'submit', status: undefined, fault: 'dropAfterAccept', requestId },
	]);
	expect((await submit(emulator, 'flux-dev')).status).toBe(200);
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
])(
	'the fault %j changes one response, and the next one is as usual',
	async (action, { text, ...expected }: AnyValue) => {
		emulator.fault({ on: 'credits', do: action });
		const first = await getCredits();
		expect(first).toMatchObject(expected);
		if (text instanceof RegExp) expect(first.text).toMatch(text);
		else if (text !== undefined) expect(first.text).toEqual(text);
		expect((await getCredits()).json).toMatchObject({ credits: 100 });
	},
);

test.each<[{ status?: number; accept?: boolean; body?: string }, number]>([
	[{ status: 502 }, 0],
	[{ status: 502, accept: true }, 2],
	[{ body: '{"request_id":' }, 2],
])('the fault %j on two submissions leaves %i jobs', async (action, jobs) => {
	emulator.fault({ on: ['submit', 'v1'], times: 2, do: action as FaultAction });
	for (const response of [await submit(emulator, 'flux-dev'), await submitV1()]) {
		expect([response.status, response.text]).toEqual([action.status ?? 200, action.body ?? '']);
		// The date header is always the service's.
		expect(response.headers.date).toBe(new Date(clock.now()).toUTCString());
	}
	expect(emulator.jobs).toHaveLength(jobs);
});

test('a gateway responds or cuts the connection while the service continues', async () => {
	emulator.set({ v1Ms: 60_000 });
	emulator.fault({ on: 'v1', do: { status: 504, accept: true, afterMs: 20 } });
	expect([(await submitV1()).status, emulator.jobs[0].state]).toEqual([504, 'PROCESSING']);
	emulator.fault({ on: 'v1', do: { dropAfterMs: 20 } });
	await expect(submitV1()).rejects.toThrow();
	clock.forward(60_000);
	expect(emulator.jobs).toMatchObject(Array(2).fill({ state: 'COMPLETED', charged: 0.0196 }));
});

test('a fault affects its targets, the given number of times and after the given number of calls', async () => {
	const statuses = async (count: number): Promise<number[]> => {
		const seen: number[] = [];
		for (let index = 0; index < count; index++) seen.push((await getCredits()).status);
		return seen;
	};
	const on = ['credits', 'submit'] as const;
	const fault = emulator.fault({ on: [...on], after: 1, times: 2, do: { status: 500 } });
	expect(await statuses(4)).toEqual([200, 500, 500, 200]);
	expect(fault.hits).toBe(2);
	const pattern = { origin: 'api', method: 'get', path: 'credits' } as const;
	const always = emulator.fault({ on: pattern, times: Infinity, do: { status: 403 } });
	expect(await statuses(3)).toEqual([403, 403, 403]);
	always.remove();
	emulator.fault({ on: ({ index }) => index === 8, do: { status: 401 } });
	expect(await statuses(3)).toEqual([200, 401, 200]);
	emulator.fault({ on: { path: /credits$/ }, times: 'always', do: { status: 400 } });
	expect(await statuses(1)).toEqual([400]);
	emulator.clearFaults();
	expect(await statuses(1)).toEqual([200]);
});

test('a fault can be limited to a state of the request', async () => {
	emulator.set({ jobMs: 1000 });
	emulator.fault({ on: { kind: 'status', state: 'COMPLETED' }, do: 'notFound' });
	const { json } = await submit(emulator, 'flux-dev');
	expect((await call(emulator, json.status_url)).status).toBe(200);
	clock.forward(1000);
	for (const status of [404, 200])
		expect((await call(emulator, json.status_url)).status).toBe(status);
});

test('a file download breaks off', async () => {
	emulator.set({ fileBytes: 300_000 });
	await submit(emulator, 'flux-dev');
	const [url] = emulator.jobs[0].files;
	expect((await callWithoutKey(emulator, url)).bytes.length).toBe(300_000);
	emulator.fault({ on: 'file', do: { truncate: 100_000 } });
	await expect(callWithoutKey(emulator, url)).rejects.toThrow();
});
