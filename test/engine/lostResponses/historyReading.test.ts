/** How the request history can be read: pages, order, late rows, its clock and faults. A lost request is found if it can be there, and else not resent. */
import type { IDataObject } from 'n8n-workflow';

import type { Orders } from '../../../dev/emulator';
import { resentHint } from '../../../nodes/shared/errors/failures';
import { say } from '../../../nodes/shared/errors/say';
import { patternOf } from '../../helpers/errorTexts';
import { limitPages, PAGE_FORMS } from '../../helpers/historyPages';
import { EACH_PROMPT, idsOf, prompts, requestParams, runParams } from '../../helpers/inference';
import { usePolling } from '../../helpers/polling';
import { succeed, type RunResult } from '../../helpers/runNode';

const { emulator, runNode, submitMany } = usePolling();
const SLUG = 'nano-banana-pro';
const BODY = { prompt: 'a lighthouse' };
const loseResponses = (times: number) =>
	emulator.fault({ on: 'submit', do: 'dropAfterAccept', times });
const loseToGateway = () =>
	emulator.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });

/** Expects each item to have the request with its own prompt. */
function expectOwnRequests(result: RunResult, items: Array<{ json: IDataObject }>): void {
	const promptOf = new Map(emulator.jobs.map(({ requestId, input }) => [requestId, input.prompt]));
	expect(succeed(result).json.map(({ request_id }) => promptOf.get(request_id as string))).toEqual(
		items.map(({ json }) => json.prompt),
	);
	expect(new Set(idsOf(result.items)).size).toBe(items.length);
}

describe('the history in any form', () => {
	const FORMS: Record<string, Partial<Orders>> = {
		'rows in the requested order': {},
		'in no order, on several pages': { historyPageRows: 10, historyOrder: 'mixed' },
		'a filter that returns other models too': { historyModelFilter: 'ignored' },
		'late rows': { historyLateMs: 12_000 },
		'rows that appear out of order': {
			historyLateMs: (_model, _input, index) => (index % 3) * 4_000,
		},
		'a clock 5 s ahead': { clockAheadMs: 5_000 },
		'a clock 5 s behind': { clockAheadMs: -5_000 },
		'a clock a day ahead': { clockAheadMs: 24 * 3_600_000 },
	};

	test.each(Object.entries(FORMS))(
		'%s: each lost request gets its own row, and equal ones get one each',
		async (_name, orders) => {
			emulator.set(orders);
			loseResponses(Infinity);
			const equal = Array.from({ length: 6 }, () => ({ json: BODY }));
			const items = [...prompts(6), ...equal];
			const parameters = runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 96 });
			expectOwnRequests(await runNode({ parameters, items }), items);
			expect(emulator.jobs).toHaveLength(items.length);
		},
	);

	/** Submits this many requests as other users of the account. */
	const submitOthers = (count: number, submittedAt?: number) => {
		for (let at = 0; at < count; at++)
			emulator.submitElsewhere({ slug: SLUG, input: { prompt: `other ${at}` }, submittedAt });
	};
	const expectFound = (result: RunResult) => {
		expect(succeed(result).json[0].request_id).toBe(emulator.jobs[0].requestId);
	};

	test('finds a request beyond the first 100 rows', async () => {
		emulator.set({ historyOrder: 'oldestFirst' });
		submitOthers(250);
		loseResponses(1);
		expectFound(await runNode({ parameters: runParams() }));
	});

	test('a history with more rows than the node reads counts as unread, not as "not found"', async () => {
		emulator.set({ historyOrder: 'oldestFirst', historyPageRows: 20 });
		submitOthers(620);
		loseResponses(1);
		const { failed } = await runNode({ parameters: runParams({}, { timeoutSeconds: 5 }) });
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
	});

	test.each([-90_000, 90_000])(
		'finds the request although the clock is %i ms off, which a later execution does not know yet, and pages are short',
		async (clockAheadMs) => {
			emulator.set({ clockAheadMs, history: false, historyPageRows: 2 });
			loseResponses(Infinity);
			const items = prompts(6);
			const parameters = runParams({ prompt: EACH_PROMPT });
			const { stored } = await runNode({ parameters, items });
			emulator.set({ history: true });
			expectOwnRequests(await runNode({ parameters, items, retryOf: { stored } }), items);
			expect(emulator.jobs).toHaveLength(6);
		},
	);

	test('reads newest first, back to the time of sending and no further', async () => {
		emulator.set({ historyOrder: 'newestFirst', historyPageRows: 20 });
		submitOthers(400, Date.now() + 1_000);
		submitOthers(800, Date.now() - 600_000);
		loseResponses(1);
		expectFound(await runNode({ parameters: runParams() }));
		const pages = emulator.callsOf('history').filter(({ path }) => path.includes('?'));
		expect(pages.length).toBeLessThan(24);
	});
});

/** Runs a request that a gateway loses, among others of the same minute, in up to three attempts. */
async function runLostToGateway(orders: Partial<Orders>, others = 0) {
	emulator.set(orders);
	submitMany(others);
	loseToGateway();
	return await runNode({ parameters: runParams({ prompt: 'mine' }), tries: 3 });
}
const mine = () => emulator.jobs.filter(({ input }) => input.prompt === 'mine');
function expectMineFound(result: RunResult): void {
	const { json } = succeed(result);
	expect(mine().map(({ requestId }) => requestId)).toEqual([json[0].request_id]);
}

afterEach(() => jest.restoreAllMocks());

test.each(Object.entries(PAGE_FORMS))(
	'a request that a gateway lost is found, not resent: %s',
	async (_form, orders) => {
		limitPages();
		expectMineFound(await runLostToGateway(orders, 30));
	},
);

describe('a history that may hide requests: nothing is resent', () => {
	test.each<[string, Partial<Orders>, number]>([
		['every page is the first', { historyPages: 'ignored', historyPageRows: 20 }, 30],
		['a row without an ID', { historyRow: ({ request_id: of, ...row }) => ({ ...row, of }) }, 5],
	])('%s', async (_name, orders, others) => {
		const { failed } = await runLostToGateway({ historyOrder: 'oldestFirst', ...orders }, others);
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
		expect(mine()).toHaveLength(1);
	});

	test.each<object>([
		{ error: 'timed out', data: [] },
		{ errors: [{ message: 'timed out' }], data: [] },
		{ error: { code: 7 }, data: [] },
		{ success: false, data: [] },
	])('%j', async (body) => {
		emulator.fault({ on: 'history', times: 'always', do: { body } });
		const { failed } = await runLostToGateway({});
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
		expect(mine()).toHaveLength(1);
		const read = await runNode({ parameters: requestParams('getMany') });
		expect(read.failed).toMatchObject([{ kind: 'unreadable' }]);
	});
});

test.each([{ error: false }, { error: null, errors: [], error_message: '' }, { success: true }])(
	'a lost request is found beside %j',
	async (more) => {
		emulator.fault({ on: 'history', times: 'always', do: { rewrite: { with: more } } });
		expectMineFound(await runLostToGateway({}));
	},
);

/** The response is lost, and the history is out of reach. */
async function loseOutOfReach(status: number) {
	loseToGateway();
	emulator.fault({ on: 'history', times: Infinity, do: { status, body: '' } });
	return await runNode({ parameters: runParams(), tries: 2 });
}

test('times without a zone, which may be those of another place, do not end the reading early', async () => {
	emulator.set({
		historyPageRows: 2,
		historyRow: ({ created_at, ...row }) => {
			const localTime = new Date(Date.parse(String(created_at)) - 36_000_000);
			return { ...row, created_at: localTime.toISOString().slice(0, 19) };
		},
	});
	const failed = await loseOutOfReach(500);
	for (let other = 0; other < 3; other++)
		emulator.submitElsewhere({ slug: 'nano-banana-pro', input: { prompt: `another ${other}` } });
	emulator.clearFaults();
	const { requestId } = emulator.jobs[0];
	const retried = await runNode({ parameters: runParams(), retryOf: failed });
	expect(retried.failed).toMatchObject([{ kind: 'unknownOutcome', candidates: [requestId] }]);
});

describe('a history that cannot be read, after a response of a gateway', () => {
	test.each([401, 403, 404])(
		'%i: there is no history, and the request is resent with a hint',
		async (status) => {
			emulator.fault({ on: 'history', times: Infinity, do: { status, body: { error: 'no' } } });
			emulator.fault({ on: 'submit', do: { status: 504, body: '<html>' } });
			const { hints } = succeed(await runNode({ parameters: runParams(), tries: 2 }));
			expect(hints.join()).toMatch(patternOf(resentHint('{subject}', say`{found}`)));
			expect(emulator.jobs).toHaveLength(1);
		},
	);

	test.each([500, 429])(
		'%i: with a transient fault, this attempt sends nothing and the next one decides',
		async (status) => {
			const failed = await loseOutOfReach(status);
			expect(failed.failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
			expect(emulator.callsOf('submit')).toHaveLength(1);
			emulator.clearFaults();
			const { json } = succeed(await runNode({ parameters: runParams(), retryOf: failed }));
			expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
			expect(emulator.jobs).toHaveLength(1);
		},
	);
});
