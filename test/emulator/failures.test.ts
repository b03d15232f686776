import { startEmulator, type Emulator, type Orders } from '../../dev/emulator';
import { call, submit, type Answer } from './client';

let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ queueMs: 0, jobMs: 0, failJobs: 'all', failText: 'because' });
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

const workflow = async (): Promise<Answer> =>
	await call(emulator, `${emulator.urls.api}/workflows/v2/plain-values`, { body: { prompt: 'p' } });
const model = async (): Promise<Answer> => await submit(emulator, 'flux-dev');

/** What the status and the result say of a request that has just failed. */
async function told(orders: Partial<Orders>, send = model): Promise<Answer[]> {
	emulator.set(orders);
	const { json } = await send();
	return [await call(emulator, json.status_url), await call(emulator, json.response_url)];
}

test.each([
	['v2', model, { error: 'because' }],
	['workflow', workflow, { error_message: { message: 'because' } }],
])('a FAILED %s request tells its reason in the result', async (_via, send, reason) => {
	const [status, result] = await told({}, send);
	expect(Object.keys(status.json).sort()).toEqual(['metrics', 'request_id', 'status']);
	expect(result.json).toMatchObject({ ...status.json, ...reason });
});

test('or in both answers', async () => {
	const [status, result] = await told({ failedReason: 'both' });
	expect(status.json).toEqual(result.json);
	expect(status.json).toMatchObject({ status: 'FAILED', error: 'because' });
});

test.each([200, 400, 422, 500] as const)('under HTTP %i, with its id and without', async (code) => {
	const named = await told({ failedStatus: code });
	expect(named.map(({ status }) => status)).toEqual([code, code]);
	const [{ requestId }] = emulator.jobs;
	expect(named.map(({ json }) => json.request_id)).toEqual([requestId, requestId]);
	const nameless = await told({ failedId: false });
	for (const { json } of nameless) expect(json).not.toHaveProperty('request_id');
});

test('an error without a status word', async () => {
	emulator.fault({ on: 'result', do: { rewrite: { without: ['status', 'request_id'] } } });
	const [, result] = await told({});
	expect(result).toMatchObject({ status: 422, json: { error: 'because' } });
	expect(Object.keys(result.json)).toEqual(['error', 'metrics']);
});

test('422 as a page of a gateway', async () => {
	const page = '<html><h1>Unprocessable</h1></html>';
	emulator.fault({ on: ['status', 'result'], times: 2, do: { status: 422, body: page } });
	const answers = await told({ failJobs: [] });
	expect(answers.map(({ status, text }) => [status, text])).toEqual(Array(2).fill([422, page]));
});

test.each([
	['PROCESSING', 60_000],
	['COMPLETED', 0],
] as const)('422 over a request that is %s', async (word, jobMs) => {
	emulator.set({ failJobs: [], jobMs });
	const { json } = await submit(emulator, 'flux-dev');
	emulator.fault({ on: { kind: 'status', state: word }, do: { rewrite: { status: 422 } } });
	const wrong = await call(emulator, json.status_url);
	expect([wrong.status, wrong.json.status]).toEqual([422, word]);
	expect(await call(emulator, json.status_url)).toMatchObject({ status: 200, json: wrong.json });
});
