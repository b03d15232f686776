/** "Execute step" resumes an accepted request that an earlier run of the step didn't deliver, if the evaluated request is equal. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import {
	EACH_PROMPT,
	fileRow,
	idsOf,
	runParams,
	model,
	prompts,
	requestParams,
	rows,
	submitParams,
} from '../../helpers/inference';
import { fileItem, succeed, type RunOptions } from '../../helpers/runNode';
import { stopWhen, until } from '../../helpers/until';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode, pass } = useVirtualEngine();
const submittedPrompts = () => emulator.jobs.map(({ input }) => input.prompt as string).sort();

/** Presses the button once. */
const press = async (more: Partial<RunOptions> = {}) =>
	await runNode({
		parameters: runParams({ prompt: EACH_PROMPT }),
		items: prompts(3),
		mode: 'manual',
		...more,
	});

/** Three ways in which a run ends with undelivered requests. */
const ENDINGS: Record<string, () => Promise<void>> = {
	'an item failed': async () => {
		emulator.set({ failWhen: ({ prompt }) => prompt === 'prompt 1' });
		const { failed } = await press();
		expect(failed).toMatchObject([{ item: 1, kind: 'requestFailed' }]);
		emulator.set({ failWhen: null });
	},
	'it timed out': async () => {
		emulator.set({ jobMs: 120_000 });
		const { failed } = await press({
			parameters: runParams({ prompt: EACH_PROMPT }, { timeoutSeconds: 5 }),
		});
		expect(failed.map(({ kind }) => kind)).toEqual(Array(3).fill('timedOut'));
		for (const { description } of failed) expect(description).toContain('Execute step');
	},
	'it was stopped': async () => {
		emulator.set({ jobMs: 120_000 });
		const { failed } = await press({
			whileRunning: async (stop, log) => {
				await until(() => log.length === 3);
				stop();
			},
		});
		expect(failed[0]).toMatchObject({ kind: 'stopped', charge: 'ifCompletes' });
	},
};

describe.each(Object.entries(ENDINGS))('%s, and the step is executed again', (ending, leave) => {
	const again = ending === 'an item failed' ? ['prompt 1'] : [];
	const all = ['prompt 0', 'prompt 1', 'prompt 2'];

	test('resumes finished and running requests', async () => {
		await leave();
		const first = emulator.jobs.map(({ requestId }) => requestId);
		const { items, hints } = succeed(await press());
		const resumed = new RegExp(`\\b${3 - again.length} requests\\b.*Execute step`);
		expect(hints).toContainEqual(expect.stringMatching(resumed));
		expect(submittedPrompts()).toEqual([...all, ...again].sort());
		expect(first).toEqual(expect.arrayContaining([idsOf(items)[0], idsOf(items)[2]]));
		expect(items.filter(({ binary }) => binary?.data)).toHaveLength(3);
	});

	test('sends a new request for an item that was delivered', async () => {
		await leave();
		await press();
		emulator.set({ jobMs: 60 });
		const { items, browserMessages } = await press();
		expect(submittedPrompts()).toEqual([...all, ...again, ...all].sort());
		const made = emulator.jobs.slice(-3).map(({ requestId }) => requestId);
		expect(idsOf(items).sort()).toEqual(made.sort());
		for (const id of made) expect(browserMessages.join()).toContain(id);
	});
});

describe('it timed out, and the step is executed again with other items or at once', () => {
	beforeEach(ENDINGS['it timed out']);
	const all = ['prompt 0', 'prompt 1', 'prompt 2'];

	test.each([
		['the first item is removed', prompts(3).slice(1)],
		['the items are sorted', prompts(3).reverse()],
	])('resumes the request of each item when %s', async (_change, items) => {
		const { items: resumed } = succeed(await press({ items }));
		expect(submittedPrompts()).toEqual(all);
		const promptOf = (id: string) =>
			emulator.jobs.find(({ requestId }) => requestId === id)?.input.prompt;
		expect(idsOf(resumed).map(promptOf)).toEqual(items.map(({ json }) => json.prompt));
	});

	test('two runs at once never resume the same request', async () => {
		const runs = await Promise.all([press(), press()]);
		const ids = runs.flatMap(({ items }) => idsOf(items));
		expect(new Set(ids).size).toBe(6);
		expect(submittedPrompts()).toEqual([...all, ...all].sort());
	});

	test('sends a new request if the prompt from another node has changed, which the earlier request does not answer', async () => {
		const items = prompts(3).map((item, at) => (at === 2 ? { json: { prompt: 'changed' } } : item));
		emulator.set({ jobMs: 60 });
		const { json } = await press({ items });
		const made = emulator.jobs.find(({ requestId }) => requestId === json[2].request_id);
		expect(made?.input.prompt).toBe('changed');
	});
});

test("the error of Get Result that timed out doesn't mention Execute step, because it resumes nothing", async () => {
	emulator.set({ jobMs: 120_000 });
	const { items } = await press({ parameters: submitParams() });
	const parameters = requestParams('getResult', { options: { timeoutSeconds: 5 } });
	const { error, failed } = await press({ parameters, items });
	expect(failed).toHaveLength(3);
	expect(error?.description).not.toContain('Execute step');
});

test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
	'after Stop, the next run outputs the finished items without a charge, with On Error set to %s',
	async (onError) => {
		const oneByOne = {
			parameters: runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1 }),
			onError,
		};
		await press({
			...oneByOne,
			whileRunning: stopWhen(() => emulator.callsOf('submit').length === 2),
		});
		const { items } = await press(oneByOne);
		expect(items.filter(({ binary }) => binary?.data)).toHaveLength(3);
		expect(submittedPrompts()).toEqual(['prompt 0', 'prompt 1', 'prompt 2']);
	},
);

test.each<[string, Partial<RunOptions>, number?]>([
	['by a production run', { mode: 'trigger' }],
	['by another workflow', { workflowId: 'workflow2' }],
	['by another node', { nodeId: 'node2' }],
	['by an agent', { asTool: true }],
	['after an hour', {}, 3_600_000],
])('a request that timed out is not resumed %s', async (_name, other, ...[passMs = 0]) => {
	await ENDINGS['it timed out']();
	await pass(passMs);
	emulator.set({ jobMs: 60 });
	await press(other);
	expect(submittedPrompts()).toHaveLength(6);
});

test('after an hour, a request is not resumed, although an older one was resumed since', async () => {
	emulator.set({ jobMs: 7_200_000 });
	const run = { parameters: runParams({}, { timeoutSeconds: 5 }), mode: 'manual' } as const;
	const press = async (nodeId: string) => await runNode({ ...run, nodeId });
	await press('node1');
	await press('node2');
	await pass(3_000_000);
	await press('node1');
	expect(emulator.jobs).toHaveLength(2);
	await pass(900_000);
	await press('node2');
	expect(emulator.jobs).toHaveLength(3);
});

test("a request of a production run is not resumed in the editor, because that run's own Retry resumes it", async () => {
	emulator.set({ jobMs: 60_000 });
	const production = await press({
		mode: 'trigger',
		parameters: runParams({ prompt: EACH_PROMPT }, { timeoutSeconds: 5 }),
	});
	const inEditor = succeed(await press());
	const retried = succeed(await press({ mode: 'retry', retryOf: production }));
	const requestIds = emulator.jobs.map(({ requestId }) => requestId);
	expect([...idsOf(retried.items), ...idsOf(inEditor.items)].sort()).toEqual(requestIds.sort());
	expect(requestIds).toHaveLength(6);
});

const ANALYZE = { resource: 'image', operation: 'analyze', model: model('gpt-5.4-mini') };
describe.each<[string, INodeParameters, IDataObject]>([
	['an uploaded file', {}, { additionalParameters: rows(fileRow('image_urls')) }],
	['an image inside the request', ANALYZE, {}],
])('%s is compared by its content', (_what, parameters, options) => {
	const file = (text: string, fileName?: string): INodeExecutionData =>
		fileItem({ data: { bytes: Buffer.from(`\x89PNG\r\n\x1a\n${text}`, 'latin1'), fileName } });
	const pressWith = async (item: INodeExecutionData, timeoutSeconds: number) => {
		const all = runParams(parameters, { timeoutSeconds, ...options });
		await press({ parameters: all, items: [item] });
	};

	test.each([
		['the same bytes under another name', file('a', 'other.png'), 1],
		['other bytes under the same name', file('b'), 2],
	])('%s', async (_name, item, count) => {
		emulator.set({ jobMs: 60_000 });
		await pressWith(file('a'), 5);
		await pressWith(item, 300);
		expect(emulator.jobs).toHaveLength(count);
	});
});

test('two items with the same prompt never resume the same request, whichever items are there next', async () => {
	emulator.set({ jobMs: 60_000 });
	const items = (...names: string[]) => names.map((name) => ({ json: { name } }));
	await press({ parameters: runParams({}, { timeoutSeconds: 5 }), items: items('a', 'b') });
	const run = await press({ parameters: runParams(), items: items('c', 'd', 'a') });
	expect(new Set(idsOf(run.items)).size).toBe(3);
	expect(emulator.jobs).toHaveLength(3);
});

test('equal items are resumed if others before them are removed', async () => {
	emulator.set({ jobMs: 60_000 });
	const items = ['a', 'b', 'c', 'c'].map((prompt) => ({ json: { prompt } }));
	await press({ parameters: runParams({ prompt: EACH_PROMPT }, { timeoutSeconds: 5 }), items });
	const { json } = succeed(await press({ items: items.slice(2) }));
	expect(new Set(json.map(({ request_id }) => request_id)).size).toBe(2);
	expect(emulator.jobs).toHaveLength(4);
});

test('after the last attempt of Retry On Fail, the next run resumes the request at once', async () => {
	emulator.set({ jobMs: 120_000 });
	await press({
		parameters: runParams({ prompt: EACH_PROMPT }, { timeoutSeconds: 5 }),
		tries: 2,
	});
	succeed(await press());
	expect(submittedPrompts()).toEqual(['prompt 0', 'prompt 1', 'prompt 2']);
});

test('a call under way is not sent again after Stop, even with Send Again If Unsure', async () => {
	emulator.set({ history: false });
	emulator.fault({ on: 'submit', do: { delayMs: 100_000 } });
	const parameters = runParams({}, { sendAgainIfUnsure: true });
	const isSent = () => emulator.callsOf('submit').length === 1;
	const whileRunning = stopWhen(isSent);
	await runNode({ parameters, mode: 'manual', whileRunning });
	const { failed } = await runNode({ parameters, mode: 'manual' });
	expect(failed).toMatchObject([{ kind: 'unknownOutcome', outcomeUnknown: true }]);
	expect(isSent()).toBe(true);
});

test('a late response to a stopped run does not replace what a later run left', async () => {
	emulator.fault({ on: 'submit', do: { delayMs: 20_000 } });
	emulator.set({ jobMs: 100_000 });
	const whileRunning = stopWhen(() => emulator.callsOf('submit').length === 1);
	await runNode({ parameters: runParams({ prompt: 'a' }), mode: 'manual', whileRunning });
	for (const timeoutSeconds of [40, 300])
		await runNode({
			parameters: runParams({ prompt: 'b' }, { timeoutSeconds }),
			mode: 'manual',
		});
	expect(submittedPrompts()).toEqual(['a', 'b']);
});

test('a workflow that was never saved resumes nothing', async () => {
	emulator.set({ jobMs: 60_000 });
	const unsaved = { workflowId: '', mode: 'manual' } as const;
	await runNode({ parameters: runParams({}, { timeoutSeconds: 5 }), ...unsaved });
	emulator.set({ jobMs: 60 });
	succeed(await runNode({ parameters: runParams(), ...unsaved }));
	expect(emulator.jobs).toHaveLength(2);
});

test('a run in the editor does not resume a request of a run that has not ended', async () => {
	emulator.set({ jobMs: 60_000 });
	const parameters = runParams();
	const running = runNode({ parameters, mode: 'manual' });
	await pass(10_000);
	const [first, second] = await Promise.all([running, runNode({ parameters, mode: 'manual' })]);
	expect(first.json[0].request_id).not.toBe(second.json[0].request_id);
	expect(emulator.jobs).toHaveLength(2);
});

test('when a run ends, the request of a later run that has not ended is not freed', async () => {
	emulator.set({ jobMs: 60_000 });
	const step = async (timeoutSeconds: number) =>
		await runNode({ parameters: runParams({}, { timeoutSeconds }), mode: 'manual' });
	const first = step(20);
	await pass(10_000);
	const second = step(300);
	await first;
	await Promise.all([step(300), second]);
	expect(emulator.jobs).toHaveLength(3);
});

test.each([
	['has been delivered by then', 17_000],
	['is delivered while the later run waits', 5_000],
])(
	"when a run whose item %s ends, the item's request of a later run is not forgotten",
	async (_when, passMs) => {
		emulator.set({ jobMs: 10_000 });
		const step = async (timeoutSeconds: number, count = 1) => {
			const options = { timeoutSeconds, maxConcurrency: 1 };
			const parameters = runParams({ prompt: EACH_PROMPT }, options);
			return await press({ parameters, items: prompts(count) });
		};
		const first = step(300, 2);
		await pass(passMs);
		emulator.set({ jobMs: 60_000 });
		const second = await step(20);
		await first;
		expect(second.failed).toMatchObject([{ kind: 'timedOut' }]);
		succeed(await step(300));
		expect(submittedPrompts()).toEqual(['prompt 0', 'prompt 0', 'prompt 1']);
	},
);

test('an output that arrived in one call follows a changed field for its file', async () => {
	emulator.fault({ on: 'v1', after: 1, do: { status: 400, body: {} } });
	for (const outputField of ['data', 'picture']) {
		const options = { answerInOneCall: true, maxConcurrency: 1, outputField };
		const parameters = runParams({ prompt: EACH_PROMPT }, options);
		const { items } = await press({ parameters, items: prompts(2) });
		for (const { binary } of items) expect(Object.keys(binary!)).toEqual([outputField]);
	}
	expect(emulator.callsOf('v1')).toHaveLength(3);
});

test.each(['the next run', 'a retry'])(
	'a text that arrives in one call after Stop is delivered by %s',
	async (by) => {
		emulator.set({ history: false });
		emulator.fault({ on: 'v1', do: { delayMs: 3_000 } });
		const parameters = runParams({ model: model('gpt-5.5') }, { answerInOneCall: true });
		const step = { parameters, items: prompts(1) };
		const whileRunning = stopWhen(() => emulator.callsOf('v1').length === 1);
		const stopped = await press({ ...step, whileRunning });
		await pass(5_000);
		const isRetry = by === 'a retry';
		const { json } = await press(isRetry ? { ...step, mode: 'retry', retryOf: stopped } : step);
		expect(json).toMatchObject([{ request_id: emulator.jobs[0].requestId }]);
		expect(emulator.jobs).toHaveLength(1);
	},
);

test.each([
	['up to 20,000 characters is kept', 19_000, [1]],
	['more is not kept, nor bought again', 20_000, [0, 1]],
])('of a text that arrived in one call, %s', async (_what, length, failedItems) => {
	emulator.set({ history: false });
	const content = 'x'.repeat(length);
	emulator.fault({ on: 'v1', do: { rewrite: { with: { choices: [{ message: { content } }] } } } });
	emulator.fault({ on: 'v1', times: 'always', do: { status: 400, body: {} } });
	const options = { answerInOneCall: true, maxConcurrency: 1 };
	const parameters = runParams({ model: model('gpt-5.5'), prompt: EACH_PROMPT }, options);
	const step = { parameters, items: prompts(2) };
	await press(step);
	const { failed } = await press({ ...step, onError: 'continueRegularOutput' });
	expect(failed.map(({ item }) => item)).toEqual(failedItems);
	// The second run sent only the item that was rejected.
	expect(emulator.callsOf('v1')).toHaveLength(3);
});

test.each([
	['before', 20_000],
	['after', 0],
])('Stop, and the response arrives %s the step is executed again', async (_when, waitMs) => {
	emulator.fault({ on: 'submit', do: { delayMs: 8_000 } });
	const parameters = runParams();
	await runNode({
		parameters,
		mode: 'manual',
		whileRunning: stopWhen(() => emulator.callsOf('submit').length > 0),
	});
	await pass(waitMs);
	const { json } = succeed(await runNode({ parameters, mode: 'manual' }));
	expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
	expect(emulator.jobs).toHaveLength(1);
	// A delivered item is made again.
	await runNode({ parameters, mode: 'manual' });
	expect(emulator.jobs).toHaveLength(2);
});
