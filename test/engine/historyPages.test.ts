/** Nobody documents the pages of the request history: whatever they are like, every reader of the history reads all of it. */
import type { IDataObject } from 'n8n-workflow';

import type { Orders } from '../../dev/emulator';
import { requested, runningLong } from '../helpers/inference';
import { idsOf, usePolling } from '../helpers/polling';

const { emulator, runNode, account, submitMany, finished } = usePolling();
const HOUR_MS = 3_600_000;

let rows = 0;
const padded = (characters: number) => (row: Record<string, unknown>) => ({
	...row,
	padding: 'x'.repeat(characters),
});
const FORMS: Record<string, Partial<Orders>> = {
	'few rows on a page, and another number said': { historyPageRows: 7 },
	'pages that begin at 0': { historyPages: 'fromZero' },
	'rows in no order': { historyPageRows: 7, historyOrder: 'mixed' },
	'pages with too many bytes': { historyRow: padded(500_000) },
};

const getMany = async () =>
	await runNode({ parameters: requested('getMany', { returnAll: true }) });
const getUsage = async (groupBy = 'total') =>
	await runNode({ node: 'segmindCredits', parameters: { operation: 'getUsage', groupBy } });

describe.each(Object.entries(FORMS))('%s', (_form, orders) => {
	test('Get Many, Get Usage and the trigger find every request', async () => {
		const trigger = account();
		await trigger.activate();
		emulator.it.set(orders);
		const ids = submitMany(60);
		await finished();
		expect(new Set(idsOf((await getMany()).items))).toEqual(new Set(ids));
		expect((await getUsage()).json).toMatchObject([{ requests: 60 }]);
		expect(new Set(idsOf(await trigger.poll()))).toEqual(new Set(ids));
	});

	test('a request that a gateway lost is found, not sent again', async () => {
		emulator.it.set(orders);
		submitMany(30);
		emulator.it.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
		const before = emulator.it.jobs.length;
		const { json, error } = await runNode({
			parameters: runningLong({ prompt: 'mine' }),
			tries: 2,
		});
		expect(error).toBeUndefined();
		const mine = emulator.it.jobs.filter(({ input }) => input.prompt === 'mine');
		expect(mine.map(({ requestId }) => requestId)).toEqual([json[0].request_id]);
		expect(emulator.it.jobs.length - before).toBe(1);
	});
});

describe('rows that name no request', () => {
	const some = (row: Record<string, unknown>) => ({
		...row,
		...(++rows % 2 && { request_id: null }),
	});

	test('are counted by Get Usage, which says how many', async () => {
		emulator.it.set({ historyRow: some });
		submitMany(10);
		await finished();
		const { json, hints } = await getUsage();
		expect(json).toMatchObject([{ requests: 5 }]);
		expect(hints.join()).toContain('5 rows');
	});

	test('may be the lost request: nothing is sent again', async () => {
		emulator.it.set({ historyRow: (row) => ({ ...row, request_id: undefined }) });
		emulator.it.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
		const { failed } = await runNode({ parameters: runningLong(), tries: 2 });
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
		expect(emulator.it.jobs).toHaveLength(1);
	});
});

test('rows beside an error are not complete: nothing is sent again', async () => {
	emulator.it.fault({
		on: 'history',
		times: 'always',
		do: { body: { error: 'timed out', data: [] } },
	});
	emulator.it.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
	const { failed } = await runNode({ parameters: runningLong(), tries: 2 });
	expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
	expect(emulator.it.jobs).toHaveLength(1);
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
		emulator.it.fault({
			on: ({ kind, path }) => kind === 'history' && path.includes(`page=${page}&`),
			times: 'always',
			do: { body: { data: all.slice((page - 1) * 100, page * 100) } },
		});
	const { json } = await getMany();
	expect(json.map(({ urls }) => (urls as IDataObject[]).length)).toEqual([250]);
});

test.each([-4, 4])("the first poll goes by the service's clock (%i h)", async (hours) => {
	emulator.it.set({ clockAheadMs: hours * HOUR_MS });
	const trigger = account();
	await trigger.activate();
	const ids = submitMany(40);
	await finished();
	expect(new Set(idsOf(await trigger.poll()))).toEqual(new Set(ids));
});
