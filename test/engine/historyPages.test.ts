/** The pages of the request history aren't documented. Whatever they are like, every reader reads all of them. */
import type { IDataObject } from 'n8n-workflow';

import type { Orders } from '../../dev/emulator';
import { fill } from '../../nodes/shared/errors/failures';
import { HINTS } from '../../nodes/shared/errors/hintTable';
import { requestParams, longRunParams } from '../helpers/inference';
import { idsOf, usePolling } from '../helpers/polling';

const { emulator, runNode, watchAccount, submitMany, waitForJobs } = usePolling();
const HOUR_MS = 3_600_000;

let rowCount = 0;
const padRow = (characters: number) => (row: Record<string, unknown>) => ({
	...row,
	padding: 'x'.repeat(characters),
});
const FORMS: Record<string, Partial<Orders>> = {
	'fewer rows on a page than requested': { historyPageRows: 7 },
	'pages that begin at 0': { historyPages: 'fromZero' },
	'rows in no order': { historyPageRows: 7, historyOrder: 'mixed' },
	'the last page repeated beyond the end': { historyPageRows: 7, historyPages: 'clamped' },
	'pages with too many bytes': { historyRow: padRow(500_000) },
};

const getMany = async () =>
	await runNode({ parameters: requestParams('getMany', { returnAll: true }) });
const getUsage = async (groupBy = 'total') =>
	await runNode({ node: 'segmindCredits', parameters: { operation: 'getUsage', groupBy } });

describe.each(Object.entries(FORMS))('%s', (_form, orders) => {
	test('Get Many, Get Usage and the trigger find every request', async () => {
		const trigger = watchAccount();
		await trigger.activate();
		emulator.set(orders);
		const ids = submitMany(60);
		await waitForJobs();
		expect(new Set(idsOf((await getMany()).items))).toEqual(new Set(ids));
		expect((await getUsage()).json).toMatchObject([{ requests: 60 }]);
		expect(new Set(idsOf(await trigger.poll()))).toEqual(new Set(ids));
	});

	test('a request that a gateway lost is found, not resent', async () => {
		emulator.set(orders);
		submitMany(30);
		emulator.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
		const before = emulator.jobs.length;
		const { json, error } = await runNode({
			parameters: longRunParams({ prompt: 'mine' }),
			tries: 2,
		});
		expect(error).toBeUndefined();
		const mine = emulator.jobs.filter(({ input }) => input.prompt === 'mine');
		expect(mine.map(({ requestId }) => requestId)).toEqual([json[0].request_id]);
		expect(emulator.jobs.length - before).toBe(1);
	});
});

test('rows as large as bodies with pictures are read two at a time', async () => {
	emulator.set({ historyRow: padRow(9_400_000) });
	const ids = submitMany(3);
	await waitForJobs();
	expect(new Set(idsOf((await getMany()).items))).toEqual(new Set(ids));
});

describe('rows that name no request', () => {
	const everyOtherNameless = (row: Record<string, unknown>) => ({
		...row,
		...(++rowCount % 2 && { request_id: null }),
	});

	test('are counted by Get Usage, and a hint says how many', async () => {
		emulator.set({ historyRow: everyOtherNameless });
		submitMany(10);
		await waitForJobs();
		const { json, hints } = await getUsage();
		expect(json).toMatchObject([{ requests: 5 }]);
		expect(hints).toContain(fill(HINTS.rowsUnreadable, { item: 0, rows: 5 }));
	});

	test('may be the lost request: nothing is resent', async () => {
		emulator.set({ historyRow: (row) => ({ ...row, request_id: undefined }) });
		emulator.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
		const { failed } = await runNode({ parameters: longRunParams(), tries: 2 });
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
		expect(emulator.jobs).toHaveLength(1);
	});
});

test('rows beside an error may be incomplete: nothing is resent', async () => {
	emulator.fault({
		on: 'history',
		times: 'always',
		do: { body: { error: 'timed out', data: [] } },
	});
	emulator.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
	const { failed } = await runNode({ parameters: longRunParams(), tries: 2 });
	expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
	expect(emulator.jobs).toHaveLength(1);
	expect((await getMany()).failed).toMatchObject([{ kind: 'unreadable' }]);
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

test.each([-4, 4])("the first poll uses the service's clock (%i h)", async (hours) => {
	emulator.set({ clockAheadMs: hours * HOUR_MS });
	const trigger = watchAccount();
	await trigger.activate();
	const ids = submitMany(40);
	await waitForJobs();
	expect(new Set(idsOf(await trigger.poll()))).toEqual(new Set(ids));
});

/** Runs a request that a gateway loses, among others of the same minute, in up to three attempts. */
async function runLostToGateway(orders: Partial<Orders>, others = 0, accept = true) {
	emulator.set(orders);
	submitMany(others);
	emulator.fault({ on: 'submit', do: { status: 504, body: '<html>', accept } });
	return await runNode({ parameters: longRunParams({ prompt: 'mine' }), tries: 3 });
}
const mine = () => emulator.jobs.filter(({ input }) => input.prompt === 'mine');

describe('a history that may hide requests: nothing is resent', () => {
	test.each<[string, Partial<Orders>, number]>([
		['every page is the first', { historyPages: 'ignored', historyPageRows: 20 }, 30],
		['a row without an ID', { historyRow: ({ request_id: of, ...row }) => ({ ...row, of }) }, 5],
	])('%s', async (_name, orders, others) => {
		const { failed } = await runLostToGateway({ historyOrder: 'oldestFirst', ...orders }, others);
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
		expect(mine()).toHaveLength(1);
	});

	test('a page 0 that fails', async () => {
		const { failed } = await runLostToGateway({ historyPages: 'failingAtZero' }, 0, false);
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
		expect(mine()).toEqual([]);
	});

	test.each<object>([
		{ errors: [{ message: 'timed out' }], data: [] },
		{ error: { code: 7 }, data: [] },
		{ success: false, data: [] },
	])('%j', async (body) => {
		emulator.fault({ on: 'history', times: 'always', do: { body } });
		const { failed } = await runLostToGateway({});
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
		expect(mine()).toHaveLength(1);
	});
});

describe('a lost request is found', () => {
	const short = padRow(900_000);
	test.each<[string, Partial<Orders>, number]>([
		['on large pages that begin at 0', { historyPages: 'fromZero', historyRow: short }, 24],
		[
			'beside a row that cannot be read',
			{
				historyRow: (row) => ((row.request_body as IDataObject).prompt === 'mine' ? row : {}),
			},
			1,
		],
		['on pages of a service that is empty beyond them', { historyPageRows: 20 }, 40],
	])('%s', async (_name, orders, others) => {
		const { error, json } = await runLostToGateway(orders, others);
		expect(error).toBeUndefined();
		expect(mine().map(({ requestId }) => requestId)).toEqual([json[0].request_id]);
	});

	test.each([{ error: false }, { error: null, errors: [], error_message: '' }, { success: true }])(
		'beside %j',
		async (more) => {
			emulator.fault({
				on: 'history',
				times: 'always',
				do: { rewrite: { with: more } },
			});
			expect((await runLostToGateway({})).error).toBeUndefined();
			expect(mine()).toHaveLength(1);
		},
	);
});

test('a history without rows whose page 0 fails is empty, without waiting', async () => {
	emulator.set({ historyPages: 'failingAtZero' });
	expect(await getMany()).toMatchObject({ json: [], error: undefined });
	expect((await getUsage()).json).toEqual([{ requests: 0, cost: 0 }]);
	await watchAccount().activate();
	// Get Many and Get Usage read the time range in two parts, the trigger in one. Each part takes two calls.
	expect(emulator.callsOf('history')).toHaveLength(10);
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

describe('rows of which none can be read', () => {
	const nameless = (row: Record<string, unknown>) => ({ ...row, request_id: null });

	test('are an error of Get Many, Get Usage and the trigger, not an empty history', async () => {
		const trigger = watchAccount();
		await trigger.activate();
		submitMany(3);
		await waitForJobs();
		emulator.set({ historyRow: nameless });
		for (const { failed } of [await getMany(), await getUsage()])
			expect(failed).toMatchObject([{ kind: 'unreadable' }]);
		expect(await trigger.poll()).toBeUndefined();
		expect(trigger.errors).toHaveLength(1);
	});

	test('are counted once, also on days that are read twice', async () => {
		for (const [request, days] of [27.5, 28.5, 1].entries())
			emulator.submitElsewhere({
				slug: 'nano-banana',
				input: {},
				submittedAt: Date.now() - days * 24 * HOUR_MS,
				...(request === 2 && { durationMs: 1 }),
			});
		let days: unknown[] = [];
		emulator.set({
			historyRow: (row) => {
				const isOld = Date.now() - Date.parse(String(row.created_at)) > 2 * 24 * HOUR_MS;
				days = [...new Set([...days, row.created_at])];
				return isOld ? nameless(row) : row;
			},
		});
		const { json, hints } = await getUsage();
		expect(json).toMatchObject([{ requests: 1 }]);
		expect(hints).toContain(fill(HINTS.rowsUnreadable, { item: 0, rows: 2 }));
		expect(days).toHaveLength(3);
	});
});

test.each([-72, -4, 4, 72])(
	"Get Many and the first poll decide what is new by the service's clock (%i h)",
	async (hours) => {
		emulator.set({ clockAheadMs: hours * HOUR_MS });
		const before = submitMany(3);
		await waitForJobs();
		if (Math.abs(hours) < 24) expect(idsOf((await getMany()).items)).toHaveLength(3);
		const trigger = watchAccount({ options: { emitExisting: true } });
		expect(new Set(idsOf(await trigger.activate()))).toEqual(new Set(before));
		const ids = submitMany(40);
		await waitForJobs();
		expect(new Set(idsOf(await trigger.poll()))).toEqual(new Set(ids));
	},
);

test.each(['-271821-04-20T00:00:00.000Z', '+275760-09-13', '0001-01-01', '99999999999999999'])(
	'From Date %s: an error that names it, before any call',
	async (fromDate) => {
		const { error } = await runNode({ parameters: requestParams('getMany', { fromDate }) });
		expect(error?.message).toContain('From Date');
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
