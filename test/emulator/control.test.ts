import { startEmulator, type Emulator, type Orders } from '../../dev/emulator';
import { defaultOrders } from '../../dev/emulator/orders';
import { bare, call, submit, type Answer } from './client';

let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ queueMs: 0, jobMs: 0, balance: { credits: 5, freeCredits: 0 } });
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const control = async (name: string, body?: unknown): Promise<Answer> =>
	await bare(emulator, `${emulator.urls.api}/__control/${name}`, { body });

test('orders and state over HTTP', async () => {
	const set = await control('set', {
		balance: { credits: 1, freeCredits: 2 },
		jobMs: 60_000,
		rateLimit: { perMinute: 9 },
	});
	expect([set.status, set.json]).toEqual([200, { ok: true }]);
	await submit(emulator, 'flux-dev');
	const { json } = await control('state');
	expect(json).toMatchObject({
		urls: emulator.urls,
		orders: { jobMs: 60_000 },
		calls: [{ kind: 'submit', status: 200 }],
		jobs: [{ model: 'flux-dev', state: 'PROCESSING' }],
		balance: { credits: 1, freeCredits: 1.9804 },
		charged: 0,
		leaks: [],
	});
	await control('reset', {});
	expect(emulator.jobs).toEqual([]);
	expect(emulator.calls).toEqual([]);
	expect(emulator.balance).toEqual({ credits: 5, freeCredits: 0 });
});

test('faults over HTTP', async () => {
	expect(
		(
			await control('fault', {
				on: 'submit',
				times: 'always',
				do: { status: 500, body: { error: 'x' } },
			})
		).status,
	).toBe(200);
	expect((await submit(emulator, 'flux-dev')).status).toBe(500);
	expect((await submit(emulator, 'flux-dev')).status).toBe(500);
});

test('every order that JSON can tell is taken over HTTP', async () => {
	const orders: Partial<Orders> = { ...defaultOrders };
	delete orders.failWhen;
	delete orders.historyRow;
	expect(await control('set', orders)).toMatchObject({ status: 200, json: { ok: true } });
	const state = (await control('state')).json;
	expect(Object.keys(state.orders).sort()).toEqual(Object.keys(defaultOrders).sort());
});

test.each([
	'notFound',
	'halfHead',
	'endless',
	'gzipCut',
	{ status: 504, body: '<h1>Time-out</h1>', accept: true, afterMs: 10 },
	{ dropInBody: 5 },
	{ stopReading: 5 },
	{ dropAfterMs: 5 },
	{ trickleMs: 5 },
	{ dripMs: 5 },
	{ gzipBomb: 5 },
	{
		rewrite: { status: 202, without: ['a'], with: { b: [1, { c: null }] }, nulls: true, cut: true },
	},
])('the fault %j is taken over HTTP', async (fault) => {
	const on = { kind: ['status', 'result'], state: 'COMPLETED' };
	const answer = await control('fault', { on, perRequest: true, do: fault });
	expect([answer.status, answer.json]).toEqual([200, { ok: true }]);
});

test('a request made elsewhere, and calls counted, over HTTP', async () => {
	const request = { slug: 'flux-dev', input: { prompt: 'p' } };
	expect((await control('elsewhere', request)).status).toBe(200);
	expect((await control('elsewhere', { ...request, slug: 'no-such' })).status).toBe(400);
	const history = `${emulator.urls.admin}/inference-request/request-history`;
	expect((await call(emulator, history)).json.data).toMatchObject([{ model_name: 'flux-dev' }]);
	expect((await control('state')).json).toMatchObject({ counts: { history: 1 }, jobs: [] });
});

test.each([
	['set', { jobsMs: 1 }],
	['set', { jobMs: 'long' }],
	['set', []],
	['fault', { on: 'submit' }],
	['fault', { on: 'nothing', do: 'hang' }],
	['fault', { on: 'submit', do: 'explode' }],
])('refuses %s %j and says why', async (name, body) => {
	const answer = await control(name, body);
	expect([answer.status, answer.json.error]).toEqual([400, expect.any(String)]);
});

test('a wrong order from the library throws', () => {
	expect(() => emulator.set({ jobsMs: 1 } as never)).toThrow(/jobsMs/);
});

test('an emulator starts on ports of choice', async () => {
	const other = await startEmulator();
	const taken = Number(new URL(other.urls.api).port);
	await expect(startEmulator({ port: taken })).rejects.toMatchObject({
		code: 'EADDRINUSE',
		port: taken,
	});
	await other.close();
	expect(other.credentials).toEqual({
		apiKey: other.key,
		customAddresses: true,
		baseUrl: other.urls.api,
		uploadUrl: other.urls.upload,
		endpointAdminUrl: other.urls.admin,
		endpointAdminStagingUrl: other.urls.adminStaging,
	});
});
