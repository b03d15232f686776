/** Request: Get Many lists the account's requests. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { requestParams } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const HOUR = 3_600_000;
const addRequest = (hoursAgo: number, more: IDataObject = {}, slug = 'nano-banana') =>
	emulator.submitElsewhere({
		slug,
		input: { prompt: 'x' },
		submittedAt: Date.now() - hoursAgo * HOUR,
		durationMs: 1_000,
		...more,
	});
const list = async (parameters: INodeParameters = {}) =>
	await runNode({ parameters: requestParams('getMany', parameters) });
const ids = async (parameters: INodeParameters = {}) =>
	(await list(parameters)).json.map(({ request_id }) => request_id);

test('lists the newest first, with the fields of the history', async () => {
	const [older, newer] = [addRequest(48), addRequest(2)];
	const { json, items } = succeed(await list());
	expect(json.map(({ request_id }) => request_id)).toEqual([newer, older]);
	expect(json[0]).toMatchObject({
		url: expect.stringMatching(/^http/),
		prompt: 'x',
		status: 'COMPLETED',
		model: 'nano-banana',
		cost: expect.any(Number),
	});
	expect(json[0].urls).toEqual([json[0].url]);
	expect(json[0]).not.toHaveProperty('request_body');
	const whole = succeed(await list({ options: { includeRequestBody: true } }));
	expect(whole.json[0]).toMatchObject({ prompt: 'x', request_body: { prompt: 'x' } });
	expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }]);
});

test('filters by dates, model and status', async () => {
	const failed = addRequest(3, { failure: 'no' });
	const other = addRequest(4, {}, 'seedream-4');
	const running = addRequest(0.001, { durationMs: 20 * HOUR });
	const old = addRequest(200);
	const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * HOUR).toISOString();
	expect(await ids({ fromDate: at(300), toDate: at(100) })).toEqual([old]);
	for (const model of ['seedream-4', 'Seedream 4', 'https://www.segmind.com/models/seedream-4'])
		expect(await ids({ filters: { model } })).toEqual([other]);
	expect(await ids({ filters: { status: 'FAILED' } })).toEqual([failed]);
	expect(await ids({ filters: { status: 'COMPLETED' } })).toEqual([other, old]);
	expect(await ids({ filters: { status: 'PROCESSING' } })).toEqual([running]);
	const [{ error_message: reason, url }] = (await list({ filters: { status: 'FAILED' } })).json;
	expect(reason).toEqual(expect.any(String));
	expect(url).toBeUndefined();
});

test('reads several pages, with and without a limit', async () => {
	const all = Array.from({ length: 130 }, (_unused, at) => addRequest(1 + at / 100));
	expect(await ids({ limit: 3 })).toEqual(all.slice(0, 3));
	expect(await ids()).toHaveLength(50);
	expect(await ids({ returnAll: true })).toEqual(all);
});

test('a status is filtered over several pages; a request counts once all its rows are read', async () => {
	const all = Array.from({ length: 250 }, (_unused, at) =>
		addRequest(1 + at / 100, at % 2 === 0 ? { failure: 'no' } : {}),
	);
	const failed = all.filter((_id, at) => at % 2 === 0);
	const filters = { status: 'FAILED' };
	expect(await ids({ filters, limit: 60 })).toEqual(failed.slice(0, 60));
	expect(await ids({ filters, returnAll: true })).toEqual(failed);
	// The second row of a request is read last, and shows that it completed.
	const rows = all.map((request_id) => ({ request_id, model_status: 'FAILED' }));
	emulator.fault({ on: 'history', do: { body: { data: rows } } });
	const late = { request_id: all[0], model_status: 'COMPLETED' };
	emulator.fault({ on: 'history', do: { body: { data: [late, late] } } });
	emulator.fault({ on: 'history', times: 'always', do: { body: { data: [] } } });
	expect(await ids({ filters, returnAll: true })).toEqual(all.slice(1));
});

test('a filter by status visits each row once to find the requests, and once more for its item', async () => {
	const rows = Array.from({ length: 900 }, (_unused, at) => ({
		request_id: `r${at}`,
		model_status: at % 2 === 0 ? 'Failed' : 'Completed',
	}));
	for (let at = 0; at < rows.length; at += 100)
		emulator.fault({ on: 'history', do: { body: { data: rows.slice(at, at + 100) } } });
	emulator.fault({ on: 'history', times: 'always', do: { body: { data: [] } } });
	// The status of each visited row is read in capitals.
	const capitals = jest.spyOn(String.prototype, 'toUpperCase');
	const found = await ids({ filters: { status: 'FAILED' }, limit: 440 });
	const visits = capitals.mock.contexts.filter((word) => /^(Failed|Completed)$/.test(String(word)));
	capitals.mockRestore();
	expect(found).toHaveLength(440);
	expect(visits.length).toBeGreaterThanOrEqual(rows.length - 100);
	expect(visits.length).toBeLessThanOrEqual(2 * rows.length);
});

test.each([undefined, null, 'free'])(
	'a cost of %j in the history is not known, and is left out',
	async (credits_deduction) => {
		addRequest(1);
		emulator.set({ historyRow: (row) => ({ ...row, credits_deduction }) });
		const [item] = succeed(await list()).json;
		expect(item).toMatchObject({ status: 'COMPLETED' });
		expect(item).not.toHaveProperty('cost');
	},
);

test('one request with several files is one item with all of them', async () => {
	addRequest(1, { input: { prompt: 'x', max_images: 3 } }, 'seedream-4');
	addRequest(2);
	const { json } = succeed(await list({ limit: 1 }));
	expect(json).toHaveLength(1);
	expect(json[0].urls).toHaveLength(3);
	expect(json[0].url).toBe((json[0].urls as string[])[0]);
});

test('a history that is out of reach is an error, never an empty list', async () => {
	emulator.set({ history: false });
	const { error, json } = await list();
	expect(error?.httpCode).toBe('404');
	expect(json).toEqual([]);
});

test('an agent gets short prompts and no request bodies', async () => {
	addRequest(1, { input: { prompt: 'word '.repeat(1_000), story: 'long '.repeat(1_000) } });
	const { json } = await runNode({ parameters: requestParams('getMany'), asTool: true });
	expect(JSON.stringify(json).length).toBeLessThan(1_000);
});

test('dates are at most three years apart, with a hint', async () => {
	const recent = addRequest(1);
	const { json, hints } = await list({ fromDate: '1970-01-01' });
	expect(json.map(({ request_id }) => request_id)).toEqual([recent]);
	expect(hints).toHaveLength(1);
	expect(emulator.callsOf('history').length).toBeLessThan(100);
});

test('Get Result accepts its items unchanged, including old, running and failed requests; it gets each file and sends nothing', async () => {
	const files = Array.from({ length: 6 }, (_unused, at) => addRequest(0.1 + at / 100));
	const running = addRequest(0.01, { durationMs: 0.02 * HOUR });
	const failed = addRequest(0.05, { failure: 'no' });
	const old = addRequest(30);
	const { items } = await list({ limit: 9 });
	const parameters = requestParams('getResult');
	const { json } = await runNode({ parameters, items, onError: 'continueRegularOutput' });
	const got = new Map(json.map((item) => [item.request_id, item]));
	for (const id of [...files, running, old])
		expect(got.get(id)).toMatchObject({ status: 'COMPLETED', url: expect.any(String) });
	expect(json.filter((item) => item.error)).toMatchObject([{ error: { request_id: failed } }]);
	expect(emulator.jobs).toEqual([]);
});
