/** Segmind Credits: the balance, and the usage from the request history. */
import type { INodeParameters } from 'n8n-workflow';

import { prompts } from '../../helpers/inference';
import { useEmulator } from '../../helpers/emulator';
import { runNode, succeed } from '../../helpers/runNode';

const emulator = useEmulator();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Noon of today, UTC, but never in the future. */
const NOON = Math.floor((Date.now() - 12 * HOUR) / DAY) * DAY + 12 * HOUR;
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
const SLUG = 'nano-banana';

const addRequest = (submittedAt: number, more: object = {}, slug = SLUG, request: object = {}) =>
	emulator.submitElsewhere({
		slug,
		input: { prompt: 'x', ...more },
		submittedAt,
		durationMs: 1_000,
		...request,
	});
const usage = async (parameters: INodeParameters = {}, timezone = 'UTC') =>
	await runNode({
		emulator,
		node: 'segmindCredits',
		parameters: { operation: 'getUsage', ...parameters },
		settings: { timezone },
	});
const UTC = { timezone: 'UTC' };
const historyCalls = () => emulator.callsOf('history');

test('outputs cost and requests by day and model, within the dates', async () => {
	for (const daysAgo of [0, 0, 3, 9]) addRequest(NOON - daysAgo * DAY);
	// Three files, each with its own row in the history.
	addRequest(NOON, { max_images: 3 }, 'seedream-4');
	const { json } = succeed(
		await usage({
			fromDate: dateOf(NOON - 5 * DAY),
			toDate: new Date(NOON + HOUR).toISOString(),
		}),
	);
	const cost = Number(json[0].cost);
	expect(cost).toBeGreaterThan(0);
	expect(json).toEqual([
		{ date: dateOf(NOON - 3 * DAY), model: SLUG, requests: 1, failed: 0, cost },
		{
			date: dateOf(NOON),
			model: SLUG,
			requests: 2,
			failed: 0,
			cost: Number((2 * cost).toFixed(10)),
		},
		{ date: dateOf(NOON), model: 'seedream-4', requests: 1, failed: 0, cost: expect.any(Number) },
	]);
});

test.each([{ credits: 'many' }, '<html>'])('the balance %j is unreadable', async (body) => {
	emulator.fault({ on: 'credits', times: Infinity, do: { status: 200, body } });
	const parameters = { operation: 'get' };
	const { failed } = await runNode({ emulator, node: 'segmindCredits', parameters });
	expect(failed).toMatchObject([{ kind: 'unreadable' }]);
});

test('a failed request counts, and costs nothing', async () => {
	addRequest(NOON, {}, SLUG, { failure: 'no' });
	const failedOne = { requests: 1, failed: 1, cost: 0 };
	expect((await usage()).json).toEqual([{ date: dateOf(NOON), model: SLUG, ...failedOne }]);
	addRequest(NOON);
	expect((await usage({ groupBy: 'total' })).json).toMatchObject([{ requests: 2, failed: 1 }]);
});

test('a cost that is not known is not 0: sums leave it out, and a hint counts the requests', async () => {
	addRequest(NOON, {}, SLUG, { failure: 'no' });
	addRequest(NOON);
	const unknown = addRequest(NOON);
	const loseCost = (row: Record<string, unknown>) => ({ ...row, credits_deduction: null });
	emulator.set({ historyRow: (row) => (row.request_id === unknown ? loseCost(row) : row) });
	const some = succeed(await usage());
	expect(some.json).toMatchObject([{ requests: 3, failed: 1, cost: expect.any(Number) }]);
	expect(some.json[0].cost).not.toBe(0);
	expect(some.hints).toHaveLength(1);
	emulator.set({ historyRow: loseCost });
	for (const groupBy of ['total', 'model', 'dayAndModel']) {
		const [sum] = succeed(await usage({ groupBy })).json;
		expect(sum).toMatchObject({ requests: 3, failed: 1 });
		expect(sum).not.toHaveProperty('cost');
	}
});

test('without requests there are no items; the history is read once for all items', async () => {
	const { items } = await runNode({
		emulator,
		node: 'segmindCredits',
		parameters: { operation: 'getUsage' },
		items: prompts(3),
	});
	expect(items).toEqual([]);
	// 30 days are read in two parts.
	const pages = historyCalls().map(({ path }) => /[?&]page=(\d+)/.exec(path)?.[1]);
	expect(pages).toEqual(['1', '1']);
});

test('each item gets the usage of its own dates', async () => {
	for (const daysAgo of [1, 2, 3]) addRequest(NOON - daysAgo * DAY);
	const day = (daysAgo: number) => dateOf(NOON - daysAgo * DAY);
	const items = [
		{ from: day(9), to: day(2) },
		{ from: day(9), to: day(0) },
		{ from: day(1), to: day(0) },
	].map((json) => ({ json }));
	const dates = { fromDate: '={{ $json.from }}', toDate: '={{ $json.to }}' };
	const parameters = { operation: 'getUsage', groupBy: 'total', ...dates };
	const { json } = succeed(
		await runNode({ emulator, node: 'segmindCredits', parameters, items, settings: UTC }),
	);
	expect(json.map(({ requests }) => requests)).toEqual([1, 3, 1]);
});

test('a total is always one item, even without requests', async () => {
	expect((await usage({ groupBy: 'total' })).json).toEqual([{ requests: 0, failed: 0, cost: 0 }]);
});

test('a range of months is read in parts that the service allows, with many pages', async () => {
	for (let at = 0; at < 250; at++) addRequest(NOON - 27 * DAY - at * 1_000);
	for (const daysAgo of [27, 28, 29, 55, 56, 57, 80]) addRequest(NOON - daysAgo * DAY);
	const { json } = succeed(await usage({ fromDate: dateOf(NOON - 84 * DAY) }));
	expect(json.reduce((sum, { requests }) => sum + Number(requests), 0)).toBe(257);
});

test("days and dates are those of the workflow's time zone", async () => {
	const zone = 'Pacific/Kiritimati';
	addRequest(NOON - DAY);
	// Noon in UTC is two o'clock of the next morning there.
	const { json } = await usage({}, zone);
	expect(json).toMatchObject([{ date: dateOf(NOON), requests: 1 }]);
	expect((await usage({ fromDate: `${dateOf(NOON)}T01:00:00` }, zone)).json).toHaveLength(1);
	expect((await usage({ fromDate: `${dateOf(NOON)}T03:00:00` }, zone)).json).toEqual([]);
	for (const fromDate of ['={{ $now.minus({ days: 2 }) }}', `={{ new Date(${NOON - 2 * DAY}) }}`])
		expect((await usage({ fromDate }, zone)).json).toHaveLength(1);
	expect((await usage({ fromDate: `${dateOf(NOON)} 02:00+14` }, zone)).json).toHaveLength(1);
});

test.each<[string, INodeParameters]>([
	['Group By', { groupBy: '={{ "day" }}' }],
	['From Date', { fromDate: 'yesterday-ish' }],
	['To Date', { toDate: 'soon' }],
	// Another format isn't certain, and a day that doesn't exist is a mistake.
	...[
		'05/11/2026',
		'11-05-2026',
		'2026-02-30',
		'2026-13-01',
		'2026-01-01T25:00',
		'Thu, 05 Nov 2026 10:00:00 GMT',
		'={{ 1793872800000 }}',
		'1793872800000',
		'={{ ["2026-11-05"] }}',
		'={{ DateTime.fromISO("2026-02-30") }}',
	].map((fromDate): [string, INodeParameters] => ['From Date', { fromDate }]),
	['To Date', { fromDate: '2026-02-01', toDate: '2026-01-01' }],
	// The service accepts only years with four digits.
	['Date', { fromDate: '={{ DateTime.utc(12000) }}', toDate: '={{ DateTime.utc(12001) }}' }],
])('the error names %s, and nothing is sent: %j', async (field, parameters) => {
	const { failed } = await usage(parameters);
	expect(failed).toMatchObject([{ kind: 'badInput', message: expect.stringContaining(field) }]);
	expect(emulator.calls).toEqual([]);
});

test('Get Balance outputs the balance with its total, with one call for all items', async () => {
	emulator.set({ balance: { credits: -0.3, freeCredits: 0.1 } });
	const { json } = await runNode({
		emulator,
		node: 'segmindCredits',
		parameters: { operation: 'get' },
		items: prompts(3),
	});
	expect(json).toEqual(
		Array.from({ length: 3 }, () => ({ credits: -0.3, 'free-credits': 0.1, total: -0.2 })),
	);
	expect(emulator.callsOf('credits')).toHaveLength(1);
});
