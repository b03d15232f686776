/** The request history: filters, order, pages, rows that come late, and requests made elsewhere. */
import type { ElsewhereRequest } from '../../dev/emulator';
import { call, submit, useDrivenEmulator, type Answer, type Loose } from './client';

const { emulator, clock } = useDrivenEmulator({
	queueMs: 0,
	jobMs: 1000,
	balance: { credits: 10_000, freeCredits: 0 },
});

const ask = async (query = ''): Promise<Answer> =>
	await call(emulator.it, `${emulator.it.urls.admin}/inference-request/request-history${query}`);
const rows = async (query = ''): Promise<Loose[]> => (await ask(query)).json.data;
const prompts = async (query = ''): Promise<string[]> =>
	(await rows(query)).map(({ request_body }) => request_body.prompt);
const names = async (query = ''): Promise<string[]> =>
	(await rows(query)).map(({ model_name }) => model_name);

async function submitNumbered(count: number): Promise<void> {
	for (let number = 1; number <= count; number++) {
		await submit(emulator.it, 'flux-dev', { prompt: String(number) });
		clock.forward(10);
	}
}

test('filters, sorts and refuses what it cannot do', async () => {
	emulator.it.set({ failJobs: [1], jobMs: 5000 });
	for (const model of ['flux-dev', 'veo-3.1', 'gpt-5.4']) {
		await submit(emulator.it, model);
		clock.forward(4000);
	}
	expect(await names()).toEqual(['gpt-5.4', 'veo-3.1', 'flux-dev']);
	const byName = ['flux-dev', 'gpt-5.4', 'veo-3.1'];
	expect(await names('?sort_by=model_name&sort_order=asc')).toEqual(byName);
	expect(await names('?status=PENDING')).toEqual(['gpt-5.4']);
	expect(await names('?status=FAILED')).toEqual(['veo-3.1']);
	expect(await names('?model_name=flux-dev')).toEqual(['flux-dev']);
	const second = new Date(emulator.it.jobs[1].submittedAt).toISOString();
	expect(await names(`?from_date=${second}`)).toEqual(['gpt-5.4', 'veo-3.1']);
	const wrong = ['per_page=101', 'page=0', 'status=DONE', 'from_date=x'];
	for (const query of [...wrong, 'from_date=2026-01-01&to_date=2026-03-01'])
		expect((await ask(`?${query}`)).status).toBe(400);
	emulator.it.set({ history: false });
	expect((await ask()).status).toBe(404);
});

test('more than a hundred rows come in pages, which may be shorter than asked', async () => {
	await submitNumbered(130);
	const page = async (query: string): Promise<Loose> => (await ask(query)).json;
	const first = await page('?per_page=100&sort_order=asc');
	const second = await page('?per_page=100&page=2&sort_order=asc');
	expect([first.data.length, second.data.length, first.total]).toEqual([100, 30, 130]);
	const ids = [...first.data, ...second.data].map(({ request_id }: Loose) => request_id);
	expect(ids).toEqual(emulator.it.jobs.map(({ requestId }) => requestId));
	emulator.it.set({ historyPageRows: 50 });
	const capped = await page('?per_page=100&page=3');
	expect([capped.data.length, capped.per_page]).toEqual([30, 50]);
});

test('rows in another order than asked for, the same on every page', async () => {
	await submitNumbered(12);
	const inOrder = await prompts('?sort_order=asc');
	emulator.it.set({ historyOrder: 'newestFirst' });
	expect(await prompts('?sort_order=asc')).toEqual([...inOrder].reverse());
	emulator.it.set({ historyOrder: 'oldestFirst' });
	expect(await prompts('?sort_order=desc')).toEqual(inOrder);
	emulator.it.set({ historyOrder: 'mixed' });
	const mixed = await prompts('?sort_order=asc');
	expect([...mixed].sort()).toEqual([...inOrder].sort());
	expect([inOrder, [...inOrder].reverse()]).not.toContainEqual(mixed);
	const pages = [await prompts('?per_page=5'), await prompts('?per_page=5&page=2')];
	expect(pages.flat()).toEqual(mixed.slice(0, 10));
});

test('rows that appear late, in the list and by their id', async () => {
	emulator.it.set({ historyLateMs: (_model, _input, index) => (index === 0 ? 5000 : 0) });
	const { json } = await submit(emulator.it, 'flux-dev', { prompt: 'late' });
	await submit(emulator.it, 'flux-dev', { prompt: 'soon' });
	clock.forward(4999);
	expect(await prompts()).toEqual(['soon']);
	expect((await ask(`/${json.request_id}`)).status).toBe(404);
	clock.forward(1);
	expect(await rows()).toHaveLength(2);
	expect((await ask(`/${json.request_id}`)).json.request_id).toBe(json.request_id);
});

test('a request made elsewhere looks like any other, and is no call, no job and no charge of the test', async () => {
	await submit(emulator.it, 'flux-dev', { prompt: 'p' });
	const { balance } = emulator.it;
	const id = emulator.it.submitElsewhere({ slug: 'flux-dev', input: { prompt: 'p', seed: 7 } });
	clock.forward(1000);
	const found = await rows();
	const other = found.find(({ request_id }) => request_id === id);
	const own = found.find(({ request_id }) => request_id !== id);
	expect(Object.keys(other)).toEqual(Object.keys(own));
	expect(other).toMatchObject({
		model_status: 'COMPLETED',
		request_body: { prompt: 'p', seed: 7 },
		created_at: own.created_at,
	});
	const result = await call(emulator.it, `${emulator.it.urls.api}/v2/requests/${id}`);
	expect(result.json).toMatchObject({ status: 'COMPLETED', output: other.generation_url });
	expect(emulator.it.jobs).toHaveLength(1);
	expect(emulator.it.counts).toEqual({ submit: 1, history: 1, result: 1 });
	expect([emulator.it.balance, emulator.it.charged]).toEqual([balance, 0.0196]);
});

test('it may be made at any time, fail, come late, be another user’s, of v1 or of a workflow', async () => {
	const start = clock.now();
	const at = (submittedAt: number, more: Partial<ElsewhereRequest> = {}) => {
		const usual = { slug: 'flux-dev', input: { prompt: 'p' } };
		return emulator.it.submitElsewhere({ ...usual, submittedAt, ...more });
	};
	at(start - 2000, { failure: 'no' });
	const foreign = at(start, { user: 'colleague@example.com' });
	const later = at(start + 2000, { lateMs: 3000 });
	at(start - 3000, { via: 'v1' });
	at(start - 4000, { slug: 'plain-values' });
	expect(await rows()).toMatchObject([
		{ request_id: foreign, user_email: 'colleague@example.com' },
		{ model_status: 'FAILED', error: 'no' },
		{ request_body: { prompt: 'p' } },
		{ request_body: { prompt: 'p' } },
	]);
	const status = `${emulator.it.urls.api}/v2/requests/${later}/status`;
	for (const wanted of [404, 200]) {
		expect((await call(emulator.it, status)).status).toBe(wanted);
		clock.forward(2000);
	}
	expect((await ask(`/${foreign}`)).status).toBe(404);
	clock.forward(1000);
	expect((await rows())[0].request_id).toBe(later);
});

test.each([
	['equal', ['veo-3.1']],
	['contains', ['veo-3.1-fast', 'veo-3.1']],
	['ignored', ['flux-dev', 'veo-3.1-fast', 'veo-3.1']],
] as const)('model_name as a filter: %s', async (historyModelFilter, found) => {
	for (const model of ['veo-3.1', 'veo-3.1-fast', 'flux-dev']) {
		await submit(emulator.it, model);
		clock.forward(10);
	}
	emulator.it.set({ historyModelFilter });
	expect(await names('?model_name=veo-3.1')).toEqual(found);
});
