import { startEmulator, type Emulator, type FaultAction } from '../../dev/emulator';
import { call, handClock, submit, type Loose } from './client';

const clock = handClock();
let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ clock: clock.now, queueMs: 0, jobMs: 1000, v1Ms: 0 });
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

test.each([201, 202])('submit, status and result under HTTP %i', async (status) => {
	emulator.fault({
		on: ['submit', 'status', 'result'],
		times: 'always',
		do: { rewrite: { status } },
	});
	const accepted = await submit(emulator, 'flux-dev');
	expect([accepted.status, accepted.json.status]).toEqual([status, 'QUEUED']);
	for (const url of [accepted.json.status_url, accepted.json.response_url]) {
		expect(await call(emulator, url)).toMatchObject({ status, json: { status: 'PROCESSING' } });
	}
});

test('a v2 submission with its poll_url only, or without any URL', async () => {
	emulator.set({ requestUrls: 'pollOnly' });
	const { json: polled } = await submit(emulator, 'flux-dev');
	expect(Object.keys(polled).sort()).toEqual(['poll_url', 'request_id', 'status']);
	emulator.set({ requestUrls: 'none' });
	const { json } = await submit(emulator, 'flux-dev');
	expect(Object.keys(json).sort()).toEqual(['request_id', 'status']);
	const address = `${emulator.urls.api}/v2/requests/${json.request_id}`;
	const { json: told } = await call(emulator, `${address}/status`);
	expect(told).toEqual({ status: 'PROCESSING', request_id: json.request_id, metrics: {} });
	clock.forward(1000);
	expect((await call(emulator, address)).json.output).toBe(emulator.jobs[1].files[0]);
});

test('a v2 poll_url that gives only the status', async () => {
	emulator.set({ pollAnswer: 'status' });
	const { json } = await submit(emulator, 'flux-dev');
	clock.forward(1000);
	expect((await call(emulator, json.poll_url)).json).toEqual(
		(await call(emulator, json.status_url)).json,
	);
});

describe('results', () => {
	/** The result as it comes twice; with a fault, the third is right again. */
	const result = async (fault?: FaultAction): Promise<Loose> => {
		const { json } = await submit(emulator, 'flux-dev');
		if (fault) {
			emulator.fault({
				on: { kind: 'result', state: 'COMPLETED' },
				times: 2,
				perRequest: true,
				do: fault,
			});
		}
		// A status check before the end is not what the fault is for.
		expect((await call(emulator, json.response_url)).json.status).toBe('PROCESSING');
		clock.forward(1000);
		const first = await call(emulator, json.response_url);
		const second = await call(emulator, json.response_url);
		expect([second.status, second.text]).toEqual([first.status, first.text]);
		const third = await call(emulator, json.response_url);
		const right = { status: 'COMPLETED', output: emulator.jobs[0].files[0] };
		expect(third.json).toMatchObject(fault ? right : first.json);
		return first.json ?? first.text;
	};

	test.each<[string, FaultAction, unknown]>([
		['empty', { body: {} }, {}],
		['an error', { body: { error: 'not there' } }, { error: 'not there' }],
		['HTML', { body: '<h1>Welcome</h1>' }, '<h1>Welcome</h1>'],
		['cut', { rewrite: { cut: true } }, expect.stringMatching(/^\{"status":"COMPLETED"[^}]+$/)],
		[
			'only nulls',
			{ rewrite: { nulls: true } },
			expect.objectContaining({ status: 'COMPLETED', output: null, images: null, metrics: null }),
		],
	])('that are %s, twice and then right', async (_what, fault, body) => {
		expect(await result(fault)).toEqual(body);
	});

	test.each([
		['outputEmptyText', ''],
		['outputEmptyList', []],
		['outputEmptyObject', {}],
	] as const)('whose output is there and empty: %s', async (resultShape, output) => {
		emulator.set({ resultShape });
		const body = await result();
		expect(body).toMatchObject({ status: 'COMPLETED', output });
		expect(body).not.toHaveProperty('images');
	});

	test('that hold only nulls for good', async () => {
		emulator.set({ resultShape: 'allNull' });
		const { output, images, video, audio, seed, error } = await result();
		expect([output, images, video, audio, seed, error]).toEqual(Array(6).fill(null));
	});

	test('of a shape that nobody published, without a status word', async () => {
		emulator.set({ resultShape: 'unnamed' });
		expect(await result()).toEqual({ image_output: emulator.jobs[0].files[0] });
		const { json } = await submit(emulator, 'gpt-5.4');
		clock.forward(1000);
		expect((await call(emulator, json.response_url)).json).toEqual({
			text_output: 'Emulated answer to: a cat',
		});
	});
});

describe('a request is unknown', () => {
	const answers = async (url: string, count: number): Promise<Array<number | string>> => {
		const seen: Array<number | string> = [];
		for (let asked = 0; asked < count; asked++) {
			const { status, json } = await call(emulator, url);
			seen.push(status === 200 ? json.status : status);
		}
		return seen;
	};

	test('in the first status checks after its acceptance, each request by itself', async () => {
		emulator.fault({
			on: ['status', 'result', 'poll'],
			times: 2,
			perRequest: true,
			do: 'notFound',
		});
		const { json: first } = await submit(emulator, 'flux-dev');
		const { json: second } = await submit(emulator, 'flux-dev');
		expect(await answers(first.status_url, 3)).toEqual([404, 404, 'PROCESSING']);
		expect(await answers(second.status_url, 3)).toEqual([404, 404, 'PROCESSING']);
		expect(emulator.callsOf('status')[0]).toMatchObject({
			requestId: first.request_id,
			fault: 'notFound',
		});
	});

	test('in the first result calls after it was COMPLETED', async () => {
		emulator.fault({ on: { kind: 'result', state: 'COMPLETED' }, times: 2, do: 'notFound' });
		const { json } = await submit(emulator, 'flux-dev');
		expect(await answers(json.response_url, 1)).toEqual(['PROCESSING']);
		clock.forward(1000);
		expect(await answers(json.status_url, 1)).toEqual(['COMPLETED']);
		expect(await answers(json.response_url, 3)).toEqual([404, 404, 'COMPLETED']);
	});
});

describe('a gateway speaks for the service', () => {
	const page = '<html><body><h1>Bad Gateway</h1></body></html>';
	const v1 = async (): Promise<Loose> =>
		await call(emulator, `${emulator.urls.api}/v1/flux-dev`, { body: { prompt: 'p' } });

	test.each([
		[500, true],
		[502, true],
		[504, true],
		[500, false],
		[502, false],
		[504, false],
		[408, true],
		[499, true],
		[520, true],
	])('with %i, accepted: %s', async (status, accept) => {
		emulator.fault({ on: ['submit', 'v1'], times: 2, do: { status, body: page, accept } });
		for (const answer of [await submit(emulator, 'flux-dev'), await v1()]) {
			expect([answer.status, answer.text]).toEqual([status, page]);
			expect(answer.headers['content-type']).toMatch(/html/);
			// Whoever answers, the date is the service's own.
			expect(answer.headers.date).toBe(new Date(clock.now()).toUTCString());
		}
		expect(emulator.jobs.map(({ via }) => via)).toEqual(accept ? ['v2', 'v1'] : []);
	});

	test('with 503 and Retry-After: 0', async () => {
		emulator.fault({ on: 'submit', do: { status: 503, headers: { 'retry-after': '0' } } });
		expect((await submit(emulator, 'flux-dev')).headers['retry-after']).toBe('0');
		expect(emulator.jobs).toEqual([]);
	});

	test('while the service works on', async () => {
		emulator.set({ v1Ms: 60_000 });
		emulator.fault({ on: 'v1', do: { status: 504, body: page, accept: true, afterMs: 20 } });
		expect([(await v1()).status, emulator.jobs[0].state]).toEqual([504, 'PROCESSING']);
		clock.forward(60_000);
		expect(emulator.jobs[0]).toMatchObject({ state: 'COMPLETED', charged: 0.0196 });
		// The end of the unheard call hurts no other.
		emulator.set({ v1Ms: 0 });
		expect((await v1()).status).toBe(200);
	});

	test('by cutting the connection while the service works on', async () => {
		emulator.set({ v1Ms: 60_000 });
		emulator.fault({ on: 'v1', do: { dropAfterMs: 20 } });
		await expect(v1()).rejects.toThrow();
		expect(emulator.jobs).toMatchObject([{ state: 'PROCESSING' }]);
	});
});
