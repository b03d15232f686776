/** The request history: filters, order, pages, rows that come late, and requests made elsewhere. */
import {
	call,
	submit,
	useEmulatorWithManualClock,
	type CallResponse,
	type AnyValue,
} from './client';

const { emulator, clock } = useEmulatorWithManualClock({
	queueMs: 0,
	jobMs: 1000,
	balance: { credits: 10_000, freeCredits: 0 },
});

const getHistory = async (query = ''): Promise<CallResponse> =>
	await call(emulator, `${emulator.urls.admin}/inference-request/request-history${query}`);
const rows = async (query = ''): Promise<AnyValue[]> => (await getHistory(query)).json.data;
const names = async (query = ''): Promise<string[]> =>
	(await rows(query)).map(({ model_name }) => model_name);

/** Submits one request for each model, ten seconds apart. */
async function submitEach(...models: string[]): Promise<void> {
	for (const model of models) {
		await submit(emulator, model);
		clock.forward(10_000);
	}
}

test.each([
	['', ['gpt-5.4', 'veo-3.1', 'flux-dev']],
	['?sort_by=model_name&sort_order=asc', ['flux-dev', 'gpt-5.4', 'veo-3.1']],
	['?status=PENDING', ['gpt-5.4']],
	['?status=FAILED', ['veo-3.1']],
	['?model_name=flux-dev', ['flux-dev']],
	['?from_date=2026-01-01T00:00:10.000Z', ['gpt-5.4', 'veo-3.1']],
])('the query %p returns the rows %j', async (query, expected) => {
	emulator.set({ failJobs: [1], jobMs: 15_000 });
	clock.forward(Date.UTC(2026, 0, 1) - clock.now());
	await submitEach('flux-dev', 'veo-3.1', 'gpt-5.4');
	expect(await names(query)).toEqual(expected);
});

test.each([
	...['per_page=101', 'page=0', 'status=DONE', 'from_date=x'],
	'from_date=2026-01-01&to_date=2026-03-01',
])('the query ?%s is rejected', async (query) => {
	expect((await getHistory(`?${query}`)).status).toBe(400);
});

test('more than a hundred rows come in pages, which may be shorter than requested', async () => {
	for (let number = 0; number < 130; number++) await submit(emulator, 'flux-dev');
	const page = async (query: string): Promise<AnyValue> => (await getHistory(query)).json;
	const first = await page('?per_page=100&sort_order=asc');
	const second = await page('?per_page=100&page=2&sort_order=asc');
	expect([first.data.length, second.data.length, first.total]).toEqual([100, 30, 130]);
	emulator.set({ historyPageRows: 50 });
	const capped = await page('?per_page=100&page=3');
	expect([capped.data.length, capped.per_page]).toEqual([30, 100]);
});

test('rows appear late, in the list and by ID', async () => {
	emulator.set({ historyLateMs: 5000 });
	const { json } = await submit(emulator, 'flux-dev');
	clock.forward(4999);
	expect(await rows()).toEqual([]);
	expect((await getHistory(`/${json.request_id}`)).status).toBe(404);
	clock.forward(1);
	expect(await rows()).toHaveLength(1);
	expect((await getHistory(`/${json.request_id}`)).json.request_id).toBe(json.request_id);
});

test('a request made elsewhere looks like any other, and does not count as a call, job or charge of the test', async () => {
	await submit(emulator, 'flux-dev', { prompt: 'p' });
	const { balance } = emulator;
	const id = emulator.submitElsewhere({ slug: 'flux-dev', input: { prompt: 'p', seed: 7 } });
	clock.forward(1000);
	const allRows = await rows();
	const otherRow = allRows.find(({ request_id }) => request_id === id);
	const ownRow = allRows.find(({ request_id }) => request_id !== id);
	expect(Object.keys(otherRow)).toEqual(Object.keys(ownRow));
	expect(otherRow).toMatchObject({ model_status: 'COMPLETED', created_at: ownRow.created_at });
	const result = await call(emulator, `${emulator.urls.api}/v2/requests/${id}`);
	expect(result.json).toMatchObject({ status: 'COMPLETED', output: otherRow.generation_url });
	expect(emulator.jobs).toHaveLength(1);
	expect(emulator.counts).toEqual({ submit: 1, history: 1, result: 1 });
	expect([emulator.balance, emulator.charged]).toEqual([balance, 0.0196]);
});
