/** The pages of the request history aren't documented. Whatever they are like, Get Many, Get Usage and the trigger read all of them. */
import type { IDataObject } from 'n8n-workflow';

import { limitPages, PAGE_FORMS, padRow } from '../../helpers/historyPages';
import { idsOf, requestParams } from '../../helpers/inference';
import { usePolling } from '../../helpers/polling';

const { emulator, runNode, watchAccount, submitMany, waitForJobs } = usePolling();
const HOUR_MS = 3_600_000;

const getMany = async () =>
	await runNode({ parameters: requestParams('getMany', { returnAll: true }) });
const getUsage = async (groupBy = 'total') =>
	await runNode({ node: 'segmindCredits', parameters: { operation: 'getUsage', groupBy } });

afterEach(() => jest.restoreAllMocks());

test.each(Object.entries(PAGE_FORMS))(
	'Get Many, Get Usage and the trigger find every request: %s',
	async (_form, orders) => {
		limitPages();
		const trigger = watchAccount();
		await trigger.activate();
		emulator.set(orders);
		const ids = submitMany(60);
		await waitForJobs();
		expect(new Set(idsOf((await getMany()).items))).toEqual(new Set(ids));
		expect((await getUsage()).json).toMatchObject([{ requests: 60 }]);
		expect(new Set(idsOf(await trigger.poll()))).toEqual(new Set(ids));
	},
);

test('rows as large as bodies with pictures are read two at a time', async () => {
	limitPages();
	emulator.set({ historyRow: padRow(470_000) });
	const ids = submitMany(3);
	await waitForJobs();
	expect(new Set(idsOf((await getMany()).items))).toEqual(new Set(ids));
});

test('Get Usage counts rows that name no request, and a hint says how many', async () => {
	let rowCount = 0;
	emulator.set({
		historyRow: (row) => ({ ...row, ...(++rowCount % 2 && { request_id: null }) }),
	});
	submitMany(10);
	await waitForJobs();
	const { json, hints } = await getUsage();
	expect(json).toMatchObject([{ requests: 5 }]);
	expect(hints).toEqual([expect.stringMatching(/^Item 1: .*\(5\)/)]);
});

test('a request with 250 files is one request with all of them', async () => {
	const files = Array.from({ length: 250 }, (_unused, at) => `https://files.example/${at}.png`);
	const row = {
		request_id: 'many',
		model_name: 'x',
		model_status: 'COMPLETED',
		credits_deduction: 1,
	};
	const all = files.map((generation_url) => ({ ...row, generation_url }));
	for (const page of [1, 2, 3, 4])
		emulator.fault({
			on: ({ kind, path }) => kind === 'history' && path.includes(`page=${page}&`),
			times: 'always',
			do: { body: { data: all.slice((page - 1) * 100, page * 100) } },
		});
	const { json } = await getMany();
	expect(json.map(({ urls }) => (urls as IDataObject[]).length)).toEqual([250]);
});

test('no earlier request is missed if new ones arrive while pages are read', async () => {
	const ids = submitMany(20);
	await waitForJobs();
	emulator.set({
		historyPageRows: 5,
		historyRow(row) {
			if (row.request_id === ids[0]) submitMany(3);
			return row;
		},
	});
	const { items } = await getMany();
	expect(idsOf(items)).toEqual(expect.arrayContaining(ids));
});

test('a page that is too large even with few rows is an error after four calls', async () => {
	emulator.fault({ on: 'history', times: 'always', do: 'endless' });
	expect((await getMany()).failed).toMatchObject([{ kind: 'unreadable' }]);
	expect(emulator.callsOf('history')).toHaveLength(4);
});

test('if no row can be read, Get Many, Get Usage and the trigger fail instead of outputting an empty history', async () => {
	const trigger = watchAccount();
	await trigger.activate();
	submitMany(3);
	await waitForJobs();
	emulator.set({ historyRow: (row) => ({ ...row, request_id: null }) });
	for (const { failed } of [await getMany(), await getUsage()])
		expect(failed).toMatchObject([{ kind: 'unreadable' }]);
	expect(await trigger.poll()).toBeUndefined();
	expect(trigger.errors).toHaveLength(1);
});

test.each([-4, 4])(
	"Get Many and the first poll decide what is new by the service's clock (%i h)",
	async (hours) => {
		emulator.set({ clockAheadMs: hours * HOUR_MS });
		submitMany(3);
		await waitForJobs();
		expect(idsOf((await getMany()).items)).toHaveLength(3);
		const trigger = watchAccount();
		expect(await trigger.activate()).toEqual([]);
		const ids = submitMany(40);
		await waitForJobs();
		expect(new Set(idsOf(await trigger.poll()))).toEqual(new Set(ids));
	},
);

test.each(['-271821-04-20T00:00:00.000Z', '+275760-09-13', '0001-01-01', '99999999999999999'])(
	'From Date %s: an error before any call',
	async (fromDate) => {
		const { failed } = await runNode({ parameters: requestParams('getMany', { fromDate }) });
		const message = expect.stringContaining('From Date');
		expect(failed).toMatchObject([{ kind: 'badInput', message }]);
		expect(emulator.calls).toEqual([]);
	},
);

test.each([
	['nano-banana', { prompt: 'a' }],
	['gpt-5.4-mini', { messages: [{ role: 'user', content: 'a' }] }],
	['gemini-3.1-flash-tts', { text: 'a' }],
])('the prompt of %s is shown as %j', async (slug, input) => {
	emulator.submitElsewhere({ slug, input, durationMs: 1 });
	await waitForJobs();
	expect((await getMany()).json).toMatchObject([{ prompt: 'a' }]);
});
