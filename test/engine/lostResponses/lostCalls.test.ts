/** Equal calls whose responses are lost, calls that go on after their response was lost, and late responses: no item is charged twice, none gets another's request. */
import { callRegister } from '../../../nodes/shared/journal/calls';
import { memory } from '../../../nodes/shared/journal/memory';
import { fileRow, idsOf, longRunParams, rows, runParams } from '../../helpers/inference';
import { fileItem, succeed } from '../../helpers/runNode';
import { stopWhen } from '../../helpers/until';
import { useVirtualEngine } from '../../helpers/virtualEngine';
import { newProcess } from '../../helpers/virtualTime';

const { emulator, runNode, pass } = useVirtualEngine();
const ids = () => emulator.jobs.map(({ requestId }) => requestId);
const equalItems = (count: number) => Array.from({ length: count }, () => ({ json: {} }));

describe('of twenty equal items, ten lose their responses to a 502', () => {
	const run = async (accept: boolean) => {
		const action = { status: 502, body: '<html>', afterMs: 300, accept };
		emulator.fault({ on: 'submit', times: 10, do: action });
		return await runNode({ parameters: longRunParams(), items: equalItems(20), tries: 2 });
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

describe('a gateway gives up on a v1 call that still runs', () => {
	const parameters = (options = {}) =>
		runParams({}, { answerInOneCall: true, timeoutSeconds: 120, ...options });
	const lose = async () => {
		emulator.set({ jobMs: 300_000, history: false });
		const action = { status: 504, body: '<html>', accept: true, afterMs: 60_000 };
		emulator.fault({ on: 'v1', do: action });
		return await runNode({ parameters: parameters(), tries: 3 });
	};

	test('no attempt resends it', async () => {
		const lost = await lose();
		expect(lost.failed).toMatchObject([{ kind: 'unknownOutcome', outcomeUnknown: true }]);
		await pass(60_000);
		const { failed } = await runNode({ parameters: parameters(), retryOf: lost });
		expect(failed).toMatchObject([{ kind: 'unknownOutcome' }]);
		expect(emulator.callsOf('v1')).toHaveLength(1);
	});

	test('a later attempt adopts it once the history shows it', async () => {
		const lost = await lose();
		emulator.set({ history: true });
		await pass(400_000);
		const { json } = succeed(await runNode({ parameters: parameters(), retryOf: lost }));
		expect(json[0].request_id).toBe(ids()[0]);
		expect(ids()).toHaveLength(1);
	});
});

test('a 504 whose request failed is free, so a retry sends it again', async () => {
	emulator.set({ failJobs: [0], history: false });
	emulator.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
	const lost = await runNode({ parameters: longRunParams() });
	expect(lost.failed).toMatchObject([{ kind: 'unknownOutcome' }]);
	emulator.set({ history: true });
	await pass(60_000);
	const { json } = succeed(await runNode({ parameters: longRunParams(), retryOf: lost }));
	expect(json[0].request_id).toBe(ids()[1]);
	expect(ids()).toHaveLength(2);
});

test.each([
	['before', 20_000],
	['after', 0],
])('Stop, and the response arrives %s the step is executed again', async (_when, waitMs) => {
	emulator.fault({ on: 'submit', do: { delayMs: 8_000 } });
	const parameters = longRunParams();
	await runNode({
		parameters,
		mode: 'manual',
		whileRunning: stopWhen(() => emulator.callsOf('submit').length > 0),
	});
	await pass(waitMs);
	const { json } = succeed(await runNode({ parameters, mode: 'manual' }));
	expect(json[0].request_id).toBe(ids()[0]);
	expect(ids()).toHaveLength(1);
	// A delivered item is made again.
	await runNode({ parameters, mode: 'manual' });
	expect(ids()).toHaveLength(2);
});

test('a history that shortens a string inside a list names the request, and nothing is resent', async () => {
	const messages = (content: string) => ({ prompt: 'a', messages: [{ content }] });
	emulator.set({ historyRow: (row) => ({ ...row, request_body: messages('once upon') }) });
	emulator.fault({ on: 'submit', do: { status: 502, body: '<html>', accept: true } });
	const requestBody = JSON.stringify(messages('once upon a time '.repeat(60)));
	const parameters = longRunParams({ prompt: '' }, { requestBody });
	const { failed } = await runNode({ parameters, tries: 3 });
	expect(failed).toMatchObject([{ kind: 'unknownOutcome', candidates: ids() }]);
	expect(ids()).toHaveLength(1);
});

test('another task with the same model is another request, although the other inputs are the same', async () => {
	const image = fileItem({ data: { bytes: Buffer.from('an image'), fileName: 'a.png' } });
	const paramsOf = (operation: string) =>
		runParams(
			{ resource: 'image', operation },
			operation === 'edit' ? { additionalParameters: rows(fileRow('image_urls')) } : {},
		);
	emulator.set({ failWhen: ({ seed }) => seed === 1 });
	emulator.fault({ on: 'submit', after: 1, do: { status: 406, body: { error: 'no' } } });
	const items = [image, image, image];
	const failed = await runNode({ parameters: paramsOf('generate'), items });
	expect(failed.error).toBeDefined();
	const sentBefore = emulator.callsOf('submit').length;
	const { json } = await runNode({ parameters: paramsOf('edit'), items, retryOf: failed });
	expect(json).toHaveLength(3);
	const edits = emulator.callsOf('submit').slice(sentBefore);
	const edit = { body: { image_urls: expect.any(Array) } };
	expect(edits).toMatchObject([edit, edit, edit]);
});

describe('a call behind a gateway whose retry knows less', () => {
	const lose = async () => {
		emulator.set({ history: false });
		emulator.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
		const lost = await runNode({ parameters: longRunParams() });
		emulator.set({ history: true });
		return lost;
	};

	test('in another process, its row is a candidate, and nothing is resent', async () => {
		const retryOf = await lose();
		newProcess();
		const { failed } = await runNode({ parameters: longRunParams(), retryOf });
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', candidates: ids() }]);
		expect(ids()).toHaveLength(1);
	});

	test('with another credential, whose history says nothing about it, nothing is resent', async () => {
		const retryOf = await lose();
		emulator.set({ history: false });
		const credentialId = 'the other credential';
		const { failed } = await runNode({ parameters: longRunParams(), retryOf, credentialId });
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'notSearched' }]);
		expect(ids()).toHaveLength(1);
	});
});

test('in another process, the request of another item is no candidate for a lost one', async () => {
	emulator.set({ history: false, jobMs: 120_000 });
	emulator.fault({ on: 'submit', do: { status: 504, body: '<html>' } });
	const items = equalItems(2);
	const lost = await runNode({ parameters: longRunParams({}, { timeoutSeconds: 60 }), items });
	emulator.set({ history: true });
	newProcess();
	const { json } = await runNode({ parameters: longRunParams(), retryOf: lost });
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
	const short = longRunParams({}, { timeoutSeconds: 40 });

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
			const { json } = succeed(await runNode({ parameters: longRunParams(), retryOf: second }));
			expect(json[0].request_id).toBe(ids()[count - 1]);
			expect(ids()).toHaveLength(count);
		},
	);
});

test('a v1 response that names the request of another call does not count [Money 4]', async () => {
	const oneCall = (prompt: string) =>
		runNode({ parameters: longRunParams({ prompt }, { answerInOneCall: true }) });
	await oneCall('one');
	const headers = { 'x-request-id': ids()[0] };
	const body = { image: 'https://images.segmind.com/another.png' };
	emulator.fault({ on: 'v1', do: { status: 200, accept: true, body, headers } });
	const { json } = succeed(await oneCall('another'));
	expect(json[0].request_id).toBe(ids()[1]);
});

test('a v1 call whose response is cut short is not resent: the item has the request that its headers name', async () => {
	emulator.set({ history: false });
	emulator.fault({ on: 'v1', do: { truncate: 10 } });
	const parameters = longRunParams({}, { answerInOneCall: true });
	const { failed } = await runNode({ parameters, tries: 2 });
	expect(failed).toMatchObject([{ kind: 'missing', requestId: ids()[0] }]);
	expect(ids()).toHaveLength(1);
});

test('a lost v1 call does not take the request of an equal v2 call under way', async () => {
	emulator.fault({ on: 'v1', do: 'dropBeforeAccept' });
	emulator.fault({ on: 'submit', do: { delayMs: 3_000 } });
	const [v1, v2] = await Promise.all([
		runNode({ parameters: longRunParams({}, { answerInOneCall: true }), executionId: 'a' }),
		runNode({ parameters: longRunParams(), executionId: 'b' }),
	]);
	expect(v2.json[0].request_id).toBe(ids()[0]);
	expect(v1.failed).toMatchObject([{ kind: 'unknownOutcome' }]);
});
