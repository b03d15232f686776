import {
	startEmulator,
	type ElsewhereRequest,
	type Emulator,
	type Orders,
} from '../../dev/emulator';
import { call, handClock, submit, type Answer, type Loose } from './client';

const clock = handClock(Date.UTC(2026, 10, 21, 10, 0, 0, 250));
let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({
		clock: clock.now,
		queueMs: 0,
		jobMs: 1000,
		balance: { credits: 10_000, freeCredits: 0 },
	});
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const ask = async (query = ''): Promise<Answer> =>
	await call(emulator, `${emulator.urls.admin}/inference-request/request-history${query}`);
const rows = async (query = ''): Promise<Loose[]> => (await ask(query)).json.data;
const prompts = async (query = ''): Promise<string[]> =>
	(await rows(query)).map(({ request_body }) => request_body.prompt);

async function submitNumbered(count: number): Promise<void> {
	for (let number = 1; number <= count; number++) {
		await submit(emulator, 'flux-dev', { prompt: String(number) });
		clock.forward(10);
	}
}

test.each([
	['newestFirst', ['5', '4', '3', '2', '1']],
	['oldestFirst', ['1', '2', '3', '4', '5']],
] as const)('rows %s whatever was asked', async (historyOrder, order) => {
	await submitNumbered(5);
	emulator.set({ historyOrder });
	expect(await prompts('?sort_order=asc')).toEqual(order);
	expect(await prompts('?sort_order=desc')).toEqual(order);
});

test('rows mixed, the same on every page', async () => {
	await submitNumbered(12);
	emulator.set({ historyOrder: 'mixed' });
	const all = await prompts('?sort_order=asc');
	const inOrder = Array.from({ length: 12 }, (_unused, at) => String(at + 1));
	expect([...all].sort()).toEqual([...inOrder].sort());
	expect(all).not.toEqual(inOrder);
	expect(all).not.toEqual([...inOrder].reverse());
	const pages = [await prompts('?per_page=5'), await prompts('?per_page=5&page=2')];
	expect(pages.flat()).toEqual(all.slice(0, 10));
});

test('rows that appear late, in the list and by their id', async () => {
	emulator.set({ historyLateMs: (_model, _input, index) => (index === 0 ? 5000 : 0) });
	const { json } = await submit(emulator, 'flux-dev', { prompt: 'late' });
	clock.forward(10);
	await submit(emulator, 'flux-dev', { prompt: 'soon' });
	clock.forward(4989);
	expect(await prompts()).toEqual(['soon']);
	expect((await ask(`/${json.request_id}`)).status).toBe(404);
	clock.forward(1);
	expect(await prompts()).toEqual(['soon', 'late']);
	expect((await ask(`/${json.request_id}`)).json.request_id).toBe(json.request_id);
});

describe('requests made elsewhere', () => {
	test('look like any other, and are no call, no job and no charge of the test', async () => {
		await submit(emulator, 'flux-dev', { prompt: 'p' });
		const { balance } = emulator;
		const id = emulator.submitElsewhere({ slug: 'flux-dev', input: { prompt: 'p', seed: 7 } });
		clock.forward(1000);
		const found = await rows();
		const other = found.find(({ request_id }) => request_id === id);
		const own = found.find(({ request_id }) => request_id !== id);
		expect(other).toMatchObject({
			model_status: 'COMPLETED',
			request_body: { prompt: 'p', seed: 7 },
			created_at: own.created_at,
			generation_url: expect.stringContaining(id),
		});
		expect(Object.keys(other)).toEqual(Object.keys(own));
		const result = await call(emulator, `${emulator.urls.api}/v2/requests/${id}`);
		expect(result.json).toMatchObject({ status: 'COMPLETED', output: other.generation_url });
		expect(emulator.jobs).toHaveLength(1);
		expect(emulator.counts).toEqual({ submit: 1, history: 1, result: 1 });
		expect([emulator.balance, emulator.charged]).toEqual([balance, 0.0196]);
	});

	test('at any time, late, failed and by another user', async () => {
		const start = clock.now();
		const at = (submittedAt: number, more: Partial<ElsewhereRequest> = {}): string =>
			emulator.submitElsewhere({ slug: 'flux-dev', input: { prompt: 'p' }, submittedAt, ...more });
		at(start - 2000, { failure: 'no' });
		const foreign = at(start, { user: 'colleague@example.com' });
		const later = at(start + 2000, { lateMs: 3000 });
		expect(await rows()).toMatchObject([
			{ request_id: foreign, user_email: 'colleague@example.com' },
			{ model_status: 'FAILED', error: 'no' },
		]);
		expect((await ask(`/${foreign}`)).status).toBe(404);
		const status = `${emulator.urls.api}/v2/requests/${later}/status`;
		expect((await call(emulator, status)).status).toBe(404);
		clock.forward(2000);
		expect((await call(emulator, status)).json.status).toBe('PROCESSING');
		expect(await rows()).toHaveLength(2);
		clock.forward(3000);
		expect((await rows())[0].request_id).toBe(later);
		expect(() => emulator.submitElsewhere({ slug: 'no-such', input: {} })).toThrow(/no-such/);
	});

	test('of a workflow and of v1', async () => {
		emulator.submitElsewhere({ slug: 'plain-values', input: { prompt: 'w' } });
		const id = emulator.submitElsewhere({ slug: 'flux-dev', via: 'v1', input: { prompt: 'v1' } });
		expect((await prompts()).sort()).toEqual(['v1', 'w']);
		expect((await call(emulator, `${emulator.urls.api}/v2/requests/${id}`)).status).toBe(404);
	});
});

test('model_name lets through its own, whatever contains it, or everything', async () => {
	for (const model of ['veo-3.1', 'veo-3.1-fast', 'flux-dev']) {
		await submit(emulator, model);
		clock.forward(10);
	}
	const names = async (historyModelFilter: Orders['historyModelFilter']): Promise<string[]> => {
		emulator.set({ historyModelFilter });
		return (await rows('?model_name=veo-3.1')).map(({ model_name }) => model_name);
	};
	expect(await names('equal')).toEqual(['veo-3.1']);
	expect(await names('contains')).toEqual(['veo-3.1-fast', 'veo-3.1']);
	expect(await names('ignored')).toEqual(['flux-dev', 'veo-3.1-fast', 'veo-3.1']);
});

test('more than a hundred rows come in pages, which may be shorter than asked', async () => {
	await submitNumbered(130);
	const page = async (query: string): Promise<Loose> => (await ask(query)).json;
	const first = await page('?per_page=100&sort_order=asc');
	const second = await page('?per_page=100&page=2&sort_order=asc');
	expect([first.data.length, second.data.length, first.total]).toEqual([100, 30, 130]);
	const ids = [...first.data, ...second.data].map(({ request_id }: Loose) => request_id);
	expect(ids).toEqual(emulator.jobs.map(({ requestId }) => requestId));
	expect((await page('?per_page=100&page=3')).data).toEqual([]);
	emulator.set({ historyPageRows: 50 });
	const capped = await page('?per_page=100&page=3');
	expect([capped.data.length, capped.per_page]).toEqual([30, 50]);
});

const moment = Date.UTC(2026, 10, 21, 10, 0, 0, 250);

test.each([
	['iso', '2026-11-21T10:00:00.250Z'],
	['isoWithoutZone', '2026-11-21T10:00:00.250000'],
	['gmt', 'Sat, 21 Nov 2026 10:00:00 GMT'],
	['epochSeconds', Math.floor(moment / 1000)],
	['epochMs', moment],
] as const)('dates as %s', async (historyDates, date) => {
	emulator.submitElsewhere({ slug: 'flux-dev', input: {}, submittedAt: moment });
	emulator.set({ historyDates });
	expect((await rows())[0].created_at).toBe(date);
});

test('workflows may have no rows', async () => {
	const { json } = await call(emulator, `${emulator.urls.api}/workflows/v2/plain-values`, {
		body: { prompt: 'w' },
	});
	expect(await prompts()).toEqual(['w']);
	emulator.set({ historyOfWorkflows: false });
	expect(await prompts()).toEqual([]);
	expect((await ask(`/${json.request_id}`)).status).toBe(404);
});

test('an outage of some requests', async () => {
	emulator.fault({ on: 'history', times: 2, do: { status: 503 } });
	const statuses = [await ask(), await ask(), await ask()].map(({ status }) => status);
	expect(statuses).toEqual([503, 503, 200]);
});
