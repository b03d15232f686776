/** Several requests of which one or more responses were lost: each item gets its own request, never that of another item, node, worker or person. */
import { callRegister } from '../../../nodes/shared/journal/callRegister';
import { memory } from '../../../nodes/shared/journal/memory';
import { idsOf, runParams } from '../../helpers/inference';
import { succeed, type RunOptions } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';
import { newProcess } from '../../helpers/virtualTime';

const { emulator, runNode, pass } = useVirtualEngine();
const SLUG = 'nano-banana-pro';
const BODY = { prompt: 'a lighthouse' };
const v1 = (options = {}) => runParams({}, { answerInOneCall: true, ...options });
const loseResponses = (times: number, after = 0) =>
	emulator.fault({ on: ['submit', 'v1'], do: 'dropAfterAccept', times, after });
const ids = () => emulator.jobs.map(({ requestId }) => requestId);
const equalItems = (count: number) => Array.from({ length: count }, () => ({ json: {} }));

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
		const parameters = runParams({}, { answerInOneCall });
		const results = await Promise.all(
			callers.map(async (caller) => await runNode({ parameters, ...caller })),
		);
		expect(results.map(({ error }) => error)).toEqual([undefined, undefined]);
		expect(idsOf(results.flatMap(({ items }) => items)).sort()).toEqual(ids().sort());
		expect(ids()).toHaveLength(2);
	});

	test('and a retry minutes later does not take the request of the other for its own, which never arrived', async () => {
		emulator.fault({ on: 'submit', do: 'dropBeforeAccept' });
		emulator.set({ history: false });
		const [lost] = await Promise.all(
			EXECUTIONS.map(async (caller) => await runNode({ parameters: runParams(), ...caller })),
		);
		emulator.set({ history: true });
		await pass(600_000);
		await runNode({ parameters: runParams({ prompt: 'another' }) });
		const { failed } = await runNode({ parameters: runParams(), retryOf: lost });
		expect(failed).toMatchObject([{ kind: 'unknownOutcome' }]);
		expect(ids()).toHaveLength(2);
	});

	test('and the other was answered with an error: its charged row is never taken', async () => {
		emulator.set({ v1Shape: 'videoUrl' });
		const without = ['video', 'output', 'images', 'image'];
		emulator.fault({ on: 'v1', do: { rewrite: { without, with: { error: 'Blocked' } } } });
		emulator.fault({ on: 'v1', do: 'dropBeforeAccept' });
		const parameters = v1({ maxConcurrency: 1 });
		const { failed } = await runNode({ parameters, items: equalItems(2) });
		const refused = { kind: 'requestFailed', requestId: ids()[0] };
		expect(failed).toMatchObject([refused, { kind: 'unknownOutcome' }]);
	});

	test('one after the other, as in a loop: the second never gets the result of the first', async () => {
		const first = await runNode({ parameters: runParams() });
		loseResponses(1);
		const second = await runNode({ parameters: runParams() });
		expect(idsOf([...first.items, ...second.items])).toEqual(ids());
	});

	test('a lost submission that never arrived does not adopt the row of an earlier equal request', async () => {
		const first = await runNode({ parameters: runParams() });
		emulator.fault({ on: 'submit', do: 'dropBeforeAccept' });
		const second = await runNode({ parameters: runParams(), tries: 3 });
		expect(idsOf(first.items)).toEqual(ids());
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
			const failed = await runNode({ parameters: runParams(), tries: 3 });
			expect(failed.failed).toMatchObject([
				{ kind: 'unknownOutcome', search: 'candidates', candidates: [theirs] },
			]);
			expect(emulator.callsOf('submit')).toHaveLength(1);
			const { json, hints } = succeed(
				await runNode({
					parameters: runParams({}, { sendAgainIfUnsure: true }),
					retryOf: failed,
				}),
			);
			expect(json[0].request_id).toBe(ids()[0]);
			expect(hints.join()).toContain(theirs);
		},
	);

	test('an equal row beside ours is ambiguous: the error names both', async () => {
		const theirs = emulator.submitElsewhere({ slug: SLUG, input: BODY });
		loseResponses(1);
		const { failed } = await runNode({ parameters: runParams() });
		expect(failed).toMatchObject([{ candidates: [theirs, ids()[0]] }]);
		expect(emulator.jobs).toHaveLength(1);
	});
});

test('if only some of equal requests arrived, each of them goes to one item', async () => {
	emulator.fault({ on: 'submit', times: 10, do: 'dropBeforeAccept' });
	loseResponses(Infinity);
	const { json } = await runNode({
		parameters: runParams(),
		items: equalItems(20),
		onError: 'continueRegularOutput',
	});
	const delivered = json.flatMap(({ request_id }) => (request_id ? [request_id] : []));
	expect(delivered.sort()).toEqual(ids().sort());
	expect(emulator.jobs).toHaveLength(10);
	expect(json.filter(({ error }) => error !== undefined)).toHaveLength(10);
});

describe('of twenty equal items, ten lose their responses to a 502', () => {
	const run = async (accept: boolean) => {
		const action = { status: 502, body: '<html>', afterMs: 300, accept };
		emulator.fault({ on: 'submit', times: 10, do: action });
		return await runNode({ parameters: runParams(), items: equalItems(20), tries: 2 });
	};

	test('that Segmind did not accept: the next attempt resends them, and no item gets the request of another', async () => {
		const { items } = await run(false);
		expect(new Set(idsOf(items)).size).toBe(20);
		expect(ids()).toHaveLength(20);
	});

	test('that Segmind accepted: each of them adopts a request of its own', async () => {
		const { items } = await run(true);
		expect([...idsOf(items)].sort()).toEqual([...ids()].sort());
		expect(ids()).toHaveLength(20);
	});
});

test('in another process, the request of another item is no candidate for a lost one', async () => {
	emulator.set({ history: false, jobMs: 120_000 });
	emulator.fault({ on: 'submit', do: { status: 504, body: '<html>' } });
	const items = equalItems(2);
	const lost = await runNode({ parameters: runParams({}, { timeoutSeconds: 60 }), items });
	emulator.set({ history: true });
	newProcess();
	const { json } = await runNode({ parameters: runParams(), retryOf: lost });
	expect(json).toHaveLength(2);
	expect(ids()).toHaveLength(2);
});

describe('two workers that know only their own calls', () => {
	/** Goes to another worker; the result returns to the first. */
	const toOtherWorker = () => {
		const kept = [{ ...memory }, { ...callRegister }];
		newProcess();
		return () => void (Object.assign(memory, kept[0]), Object.assign(callRegister, kept[1]));
	};
	const short = runParams({}, { timeoutSeconds: 40 });

	test.each<[string, () => void, number]>([
		['got a 504', () => emulator.fault({ on: 'submit', do: { status: 504, body: '' } }), 1],
		['failed', () => void emulator.set({ failJobs: [0] }), 2],
	])(
		'the first call %s; the call of the second worker is resumed on the first',
		async (_end, end, count) => {
			emulator.set({ jobMs: 60_000 });
			end();
			const first = await runNode({ parameters: short });
			await pass(60_000);
			const back = toOtherWorker();
			const second = await runNode({ parameters: short, retryOf: first });
			expect(second.failed).toMatchObject([{ kind: 'timedOut' }]);
			back();
			const { json } = succeed(await runNode({ parameters: runParams(), retryOf: second }));
			expect(json[0].request_id).toBe(ids()[count - 1]);
			expect(ids()).toHaveLength(count);
		},
	);
});

test('a v1 response that names the request of another call does not count [Money 4]', async () => {
	const oneCall = (prompt: string) =>
		runNode({ parameters: runParams({ prompt }, { answerInOneCall: true }) });
	await oneCall('one');
	const headers = { 'x-request-id': ids()[0] };
	const body = { image: 'https://images.segmind.com/another.png' };
	emulator.fault({ on: 'v1', do: { status: 200, accept: true, body, headers } });
	const { json } = succeed(await oneCall('another'));
	expect(json[0].request_id).toBe(ids()[1]);
});

test('a lost v1 call does not take the request of an equal v2 call under way', async () => {
	emulator.fault({ on: 'v1', do: 'dropBeforeAccept' });
	emulator.fault({ on: 'submit', do: { delayMs: 3_000 } });
	const [lost, other] = await Promise.all([
		runNode({ parameters: v1(), executionId: 'a' }),
		runNode({ parameters: runParams(), executionId: 'b' }),
	]);
	expect(other.json[0].request_id).toBe(ids()[0]);
	expect(lost.failed).toMatchObject([{ kind: 'unknownOutcome' }]);
});

test("equal calls under way don't keep an item waiting past its own timeout", async () => {
	emulator.set({ jobMs: 3_000_000 });
	const long = runNode({ parameters: v1({ timeoutSeconds: 3_600 }), executionId: 'long' });
	emulator.fault({ on: 'v1', do: { status: 504, body: '<html>' }, after: 1 });
	const parameters = v1({ timeoutSeconds: 60 });
	const startedAt = Date.now();
	const { failed } = await runNode({ parameters, executionId: 'short' });
	expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'underWay' }]);
	expect(Date.now() - startedAt).toBeLessThan(130_000);
	await long;
});

test("the row of an equal call under way isn't taken for the lost request [Money 4]", async () => {
	emulator.set({ jobMs: 40_000 });
	emulator.fault({ on: 'v1', do: 'dropBeforeAccept' });
	const [lost, other] = await Promise.all([
		runNode({ parameters: v1({ timeoutSeconds: 120 }), executionId: 'lost' }),
		runNode({ parameters: v1({ timeoutSeconds: 120 }), executionId: 'other' }),
	]);
	expect(other.json[0].request_id).toBe(emulator.jobs[0].requestId);
	expect(lost.failed).toMatchObject([{ kind: 'unknownOutcome' }]);
});

test("a response that names another item's request isn't taken for this item's [Money 4]", async () => {
	await runNode({ parameters: runParams() });
	const body = JSON.stringify({ request_id: emulator.jobs[0].requestId, status: 'QUEUED' });
	emulator.fault({ on: 'submit', do: { status: 200, body, accept: true } });
	const { json, failed } = await runNode({ parameters: runParams({ prompt: 'another' }) });
	expect(failed).toEqual([]);
	expect(json[0].request_id).toBe(emulator.jobs[1].requestId);
});
