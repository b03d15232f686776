/** A submission whose response was lost finds its own request in the history, never another's, and isn't resent. */
import type { IDataObject } from 'n8n-workflow';

import type { Orders } from '../../../dev/emulator';
import { EACH_PROMPT, idsOf, prompts, longRunParams } from '../../helpers/inference';
import { succeed, type RunOptions, type RunResult } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const SLUG = 'nano-banana-pro';
const BODY = { prompt: 'a lighthouse' };
const lost = { on: ['submit', 'v1'] as const, do: 'dropAfterAccept' } as const;
const loseResponses = (times: number, after = 0) =>
	emulator.fault({ ...lost, on: [...lost.on], times, after });
const jobIds = () => emulator.jobs.map(({ requestId }) => requestId);

/** Expects each item to have the request with its own prompt. */
function expectOwnRequests(result: RunResult, items: Array<{ json: IDataObject }>): void {
	const promptOf = new Map(emulator.jobs.map(({ requestId, input }) => [requestId, input.prompt]));
	expect(succeed(result).json.map(({ request_id }) => promptOf.get(request_id as string))).toEqual(
		items.map(({ json }) => json.prompt),
	);
	expect(new Set(idsOf(result.items)).size).toBe(items.length);
}

describe('two equal requests at once, and the response of one is lost', () => {
	const NODES: Array<Partial<RunOptions>> = [
		{ executionId: 'one', nodeId: 'node1' },
		{ executionId: 'one', nodeId: 'node2' },
	];
	const EXECUTIONS: typeof NODES = [{ executionId: 'first' }, { executionId: 'second' }];
	test.each([
		['two executions, the first', EXECUTIONS, 0, true],
		['two executions, the second', EXECUTIONS, 1, false],
		['two nodes of one execution, the first', NODES, 0, true],
		['two nodes of one execution, the second', NODES, 1, false],
	])('%s: each outputs its own request', async (_which, callers, after, answerInOneCall) => {
		emulator.set({ jobMs: 5_000 });
		loseResponses(1, after);
		const parameters = longRunParams({}, { answerInOneCall });
		const results = await Promise.all(
			callers.map(async (caller) => await runNode({ parameters, ...caller })),
		);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(idsOf(results.flatMap(({ items }) => items)).sort()).toEqual(jobIds().sort());
		expect(jobIds()).toHaveLength(2);
	});

	test('one after the other, as in a loop: the second never gets the result of the first', async () => {
		const first = await runNode({ parameters: longRunParams() });
		loseResponses(1);
		const second = await runNode({ parameters: longRunParams() });
		expect(idsOf([...first.items, ...second.items])).toEqual(jobIds());
	});

	test('a lost submission that never arrived does not adopt the row of an earlier equal request', async () => {
		const first = await runNode({ parameters: longRunParams() });
		emulator.fault({ on: 'submit', do: 'dropBeforeAccept' });
		const second = await runNode({ parameters: longRunParams(), tries: 3 });
		expect(idsOf(first.items)).toEqual(jobIds());
		expect(second.failed).toMatchObject([{ kind: 'unknownOutcome' }]);
	});
});

describe('a submission that never arrived, while somebody else sends a similar one', () => {
	test.each(['dropBeforeAccept', 'gateway'] as const)(
		'the error names the candidates, and nothing is resent except with Send Again If Unsure, with a hint (%s)',
		async (how) => {
			const theirs = emulator.submitElsewhere({ slug: SLUG, input: { ...BODY, seed: 1 } });
			const page = { status: 504, body: '<html>' };
			emulator.fault({ on: 'submit', do: how === 'gateway' ? page : how });
			const failed = await runNode({ parameters: longRunParams(), tries: 3 });
			expect(failed.failed).toMatchObject([
				{ kind: 'unknownOutcome', search: 'candidates', candidates: [theirs] },
			]);
			expect(emulator.callsOf('submit')).toHaveLength(1);
			const { json, hints } = succeed(
				await runNode({
					parameters: longRunParams({}, { sendAgainIfUnsure: true }),
					retryOf: failed,
				}),
			);
			expect(json[0].request_id).toBe(jobIds()[0]);
			expect(hints.join()).toContain(theirs);
		},
	);

	test('an equal row beside ours is ambiguous: the error names both', async () => {
		const theirs = emulator.submitElsewhere({ slug: SLUG, input: BODY });
		loseResponses(1);
		const { failed } = await runNode({ parameters: longRunParams() });
		expect(failed).toMatchObject([{ candidates: [theirs, jobIds()[0]] }]);
		expect(emulator.jobs).toHaveLength(1);
	});
});

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
			const parameters = longRunParams({ prompt: EACH_PROMPT }, { maxConcurrency: 96 });
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
		expect(succeed(result).json[0].request_id).toBe(jobIds()[0]);
	};

	test('finds a request beyond the first 100 rows', async () => {
		emulator.set({ historyOrder: 'oldestFirst' });
		submitOthers(250);
		loseResponses(1);
		expectFound(await runNode({ parameters: longRunParams() }));
	});

	test('a history with more rows than the node reads counts as unread, not as "not found"', async () => {
		emulator.set({ historyOrder: 'oldestFirst', historyPageRows: 20 });
		submitOthers(620);
		loseResponses(1);
		const { failed } = await runNode({ parameters: longRunParams({}, { timeoutSeconds: 5 }) });
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
	});

	test.each([-90_000, 90_000])(
		'finds the request although the clock is %i ms off, which a later execution does not know yet, and pages are short',
		async (clockAheadMs) => {
			emulator.set({ clockAheadMs, history: false, historyPageRows: 2 });
			loseResponses(Infinity);
			const items = prompts(6);
			const parameters = longRunParams({ prompt: EACH_PROMPT });
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
		expectFound(await runNode({ parameters: longRunParams() }));
		const pages = emulator.callsOf('history').filter(({ path }) => path.includes('?'));
		expect(pages.length).toBeLessThan(24);
	});
});

test('if only some of equal requests arrived, each of them goes to one item', async () => {
	emulator.fault({ on: 'submit', times: 10, do: 'dropBeforeAccept' });
	loseResponses(Infinity);
	const { json } = await runNode({
		parameters: longRunParams(),
		items: Array.from({ length: 20 }, () => ({ json: {} })),
		onError: 'continueRegularOutput',
	});
	const delivered = json.flatMap(({ request_id }) => (request_id ? [request_id] : []));
	expect(delivered.sort()).toEqual(jobIds().sort());
	expect(emulator.jobs).toHaveLength(10);
	expect(json.filter(({ error }) => error !== undefined)).toHaveLength(10);
});
