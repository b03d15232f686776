import { startEmulator, type Emulator } from '../../dev/emulator';
import { bare, call, givenUp, submit, until } from './client';

let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ queueMs: 0, jobMs: 0, v1Ms: 0 });
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const credits = (): string => `${emulator.urls.api}/v1/get-user-credits`;

test('a connection dropped before acceptance leaves no job', async () => {
	emulator.fault({ on: 'submit', do: 'dropBeforeAccept' });
	await expect(submit(emulator, 'flux-dev')).rejects.toThrow();
	expect(emulator.jobs).toEqual([]);
	expect(emulator.calls[0]).toMatchObject({
		kind: 'submit',
		status: undefined,
		fault: 'dropBeforeAccept',
	});
	expect((await submit(emulator, 'flux-dev')).status).toBe(200);
});

test.each(['submit', 'v1'] as const)(
	'a connection dropped after acceptance of a %s leaves a charged job',
	async (kind) => {
		emulator.fault({ on: kind, do: 'dropAfterAccept' });
		const url = `${emulator.urls.api}/${kind === 'v1' ? 'v1' : 'v2'}/flux-dev`;
		await expect(call(emulator, url, { body: { prompt: 'x' } })).rejects.toThrow();
		expect(emulator.jobs).toMatchObject([{ state: 'COMPLETED', charged: 0.0196 }]);
		expect(emulator.calls[0]).toMatchObject({
			status: undefined,
			requestId: emulator.jobs[0].requestId,
		});
	},
);

test.each([
	['hang', 0],
	['hangAfterAccept', 1],
] as const)('%s never answers and leaves %i job', async (action, jobs) => {
	emulator.fault({ on: 'submit', do: action });
	await givenUp(emulator, `${emulator.urls.api}/v2/flux-dev`, {
		body: { prompt: 'x' },
		isThere: () => emulator.calls.length === 1 && emulator.jobs.length === jobs,
	});
	expect(emulator.jobs).toHaveLength(jobs);
	await emulator.idle();
});

test('statuses with JSON, HTML or empty bodies and headers', async () => {
	emulator.fault({
		on: 'credits',
		do: { status: 503, body: { message: 'busy' }, headers: { 'retry-after': '3' } },
	});
	emulator.fault({ on: 'credits', do: { status: 502, body: '<h1>Bad Gateway</h1>' } });
	emulator.fault({ on: 'credits', do: { status: 500 } });
	expect(await call(emulator, credits())).toMatchObject({
		status: 503,
		json: { message: 'busy' },
		headers: { 'retry-after': '3' },
	});
	const html = await call(emulator, credits());
	expect([html.status, html.headers['content-type']]).toEqual([502, 'text/html; charset=utf-8']);
	expect(await call(emulator, credits())).toMatchObject({ status: 500, text: '' });
	expect((await call(emulator, credits())).status).toBe(200);
});

test('a status can come after acceptance', async () => {
	emulator.fault({ on: 'submit', do: { status: 504, accept: true } });
	expect((await submit(emulator, 'flux-dev')).status).toBe(504);
	expect(emulator.jobs).toHaveLength(1);
});

test('replaced bodies come after acceptance on creating calls', async () => {
	emulator.fault({ on: 'submit', do: { body: '{"request_id":', contentType: 'application/json' } });
	const answer = await submit(emulator, 'flux-dev');
	expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([
		200,
		'{"request_id":',
		'application/json',
	]);
	expect(emulator.jobs).toHaveLength(1);
	emulator.fault({ on: 'credits', do: { body: Buffer.from([0, 255]) } });
	expect((await call(emulator, credits())).bytes).toEqual(Buffer.from([0, 255]));
	emulator.fault({ on: 'credits', do: { body: null } });
	expect((await call(emulator, credits())).text).toBe('null');
});

test('late answers', async () => {
	emulator.fault({ on: 'submit', do: { delayMs: 80 } });
	const start = performance.now();
	expect((await submit(emulator, 'flux-dev')).status).toBe(200);
	expect(performance.now() - start).toBeGreaterThanOrEqual(78);
	// What was asked for is done long before.
	emulator.fault({ on: 'submit', do: { delayMs: 3_600_000 } });
	const waiting = submit(emulator, 'flux-dev').catch(() => undefined);
	await until(() => emulator.jobs.length === 2);
	emulator.reset();
	expect(await waiting).toBeUndefined();
});

describe('result files', () => {
	let url: string;
	beforeEach(async () => {
		emulator.set({ fileBytes: 300_000 });
		await submit(emulator, 'flux-dev');
		[url] = emulator.jobs[0].files;
	});

	test('of an ordered size', async () => {
		const file = await bare(emulator, url);
		expect(file.bytes.length).toBe(300_000);
		expect(file.bytes.subarray(1, 4).toString()).toBe('PNG');
	});

	test('cut in the middle', async () => {
		emulator.fault({ on: 'file', do: { truncate: 100_000 } });
		await expect(bare(emulator, url)).rejects.toThrow();
		expect(emulator.callsOf('file')[0].status).toBe(200);
		emulator.fault({ on: 'file', do: { truncate: 300_000 } });
		expect((await bare(emulator, url)).bytes.length).toBe(300_000);
	});

	test('stalled in the middle', async () => {
		emulator.fault({ on: 'file', do: { stall: 100_000 } });
		await givenUp(emulator, url, {
			headers: { 'x-api-key': undefined },
			isThere: () => emulator.callsOf('file').length === 1,
		});
		expect(emulator.callsOf('file')[0].status).toBe(200);
	});

	test('gone after their time', async () => {
		emulator.set({ fileMs: 0 });
		expect((await bare(emulator, url)).status).toBe(404);
	});
});

test('redirects', async () => {
	emulator.fault({ on: 'credits', do: { redirect: `${emulator.urls.hostile}/x` } });
	emulator.fault({ on: 'credits', do: { redirect: `${emulator.urls.hostile}/x`, status: 302 } });
	const first = await call(emulator, credits());
	expect([first.status, first.headers.location]).toEqual([307, `${emulator.urls.hostile}/x`]);
	expect((await call(emulator, credits())).status).toBe(302);
});

test('targets, times and after', async () => {
	const statuses = async (count: number): Promise<number[]> => {
		const found: number[] = [];
		for (let index = 0; index < count; index++)
			found.push((await call(emulator, credits())).status);
		return found;
	};
	const fault = emulator.fault({
		on: ['credits', 'submit'],
		after: 1,
		times: 2,
		do: { status: 500 },
	});
	expect(await statuses(4)).toEqual([200, 500, 500, 200]);
	expect(fault.hits).toBe(2);
	const always = emulator.fault({
		on: { origin: 'api', method: 'get', path: 'credits' },
		times: Infinity,
		do: { status: 403 },
	});
	expect(await statuses(3)).toEqual([403, 403, 403]);
	always.remove();
	emulator.fault({ on: ({ index }) => index === 8, do: { status: 401 } });
	expect(await statuses(3)).toEqual([200, 401, 200]);
	emulator.fault({ on: { path: /credits$/ }, times: 'always', do: { status: 400 } });
	expect(await statuses(1)).toEqual([400]);
	emulator.clearFaults();
	expect(await statuses(1)).toEqual([200]);
});

test('an origin can refuse connections for a while', async () => {
	await emulator.refuse('api');
	// The first call may still use a pooled connection, which is cut.
	await expect(call(emulator, credits())).rejects.toThrow();
	await expect(call(emulator, credits())).rejects.toMatchObject({ code: 'ECONNREFUSED' });
	await emulator.listen('api');
	expect((await call(emulator, credits())).status).toBe(200);
});

test('close ends held calls', async () => {
	const other = await startEmulator();
	other.fault({ on: 'credits', do: 'hang' });
	const answer = call(other, `${other.urls.api}/v1/get-user-credits`);
	const settled = expect(answer).rejects.toThrow();
	await until(() => other.calls.length > 0);
	await other.close();
	await settled;
	await other.close();
});
