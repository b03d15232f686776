/** A later attempt of any kind resumes accepted requests, and outputs finished items again without a charge. */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import type { CallKind, FaultAction } from '../../../dev/emulator';
import { closeConnections, runDataFor } from '../../../dev/engine/version';
import {
	EACH_PROMPT,
	fileRow,
	idsOf,
	numberRow,
	prompts,
	rows,
	runParams,
	workflowParams,
} from '../../helpers/inference';
import {
	fileItem,
	retryDataOf,
	succeed,
	type RunOptions,
	type RunResult,
} from '../../helpers/runNode';
import { stopWhen } from '../../helpers/until';
import { useVirtualEngine } from '../../helpers/virtualEngine';
import { newProcess } from '../../helpers/virtualTime';

const { emulator, runNode, submits, pass } = useVirtualEngine();
const acceptedCount = () => emulator.jobs.length;
const submittedPrompts = () => submits().map(({ body }) => (body as { prompt: string }).prompt);
const failPrompt1 = { failWhen: (input: Record<string, unknown>) => input.prompt === 'prompt 1' };

/** Only the unevaluated parameters show that the request is the same. */
const RANDOM_PROMPT = '={{ "a lighthouse " + Math.random() }}';

/** The ways to generate an image. */
const ways: Array<
	[string, { node?: string; parameters: (options?: IDataObject) => INodeParameters }]
> = [
	['v2', { parameters: (options) => runParams({ prompt: RANDOM_PROMPT }, options) }],
	['v1', { parameters: (options) => runParams({}, { answerInOneCall: true, ...options }) }],
	[
		'a workflow',
		{
			node: 'segmindWorkflow',
			parameters: (options) => workflowParams({}, { pollIntervalSeconds: 5, ...options }),
		},
	],
];

describe('Retry On Fail with one bad item of three', () => {
	const items = prompts(3).map(({ json }) =>
		fileItem({ data: { bytes: Buffer.from(`picture of ${String(json.prompt)}`) } }, json),
	);
	const seed = '={{ Math.floor(Math.random() * 1e9) }}';
	test.each<[string, INodeParameters]>([
		['without additional parameters', {}],
		['with a random seed', numberRow('seed', seed)],
		['with a file, which is uploaded once', fileRow('image_urls')],
	])(
		'%s: sends each good item once, and the failed one in each attempt [Money 8]',
		async (_name, row) => {
			emulator.set(failPrompt1);
			const additionalParameters = rows(...(row.name ? [row] : []));
			const { failed } = await runNode({
				parameters: runParams({ prompt: EACH_PROMPT }, { additionalParameters }),
				items,
				tries: 3,
			});
			expect(failed).toMatchObject([{ item: 1 }]);
			expect(submittedPrompts().sort()).toEqual([0, 1, 1, 1, 2].map((at) => `prompt ${at}`));
			expect(emulator.jobs.filter(({ charged }) => charged > 0)).toHaveLength(2);
			expect(emulator.callsOf('upload')).toHaveLength(row.type === 'file' ? 3 : 0);
		},
	);
});

// n8n 1.85 uses up all tries if the first one's first item failed, whatever the others do.
test('Retry On Fail under Continue sends each item until it succeeds, and not again [Money 8]', async () => {
	emulator.fault({ on: 'submit', do: { status: 400, body: { error: 'busy' } } });
	await runNode({
		parameters: runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1 }),
		items: prompts(3),
		tries: 3,
		onError: 'continueRegularOutput',
	});
	expect(submittedPrompts().sort()).toEqual([0, 0, 1, 2].map((at) => `prompt ${at}`));
	expect(acceptedCount()).toBe(3);
});

test('a retry polls the running request instead of sending another one [Money 2] [Money 4]', async () => {
	emulator.set({ jobMs: 1_500 });
	const parameters = runParams({}, { timeoutSeconds: 1 });
	const failed = await runNode({ parameters });
	expect(failed.failed).toMatchObject([{ kind: 'timedOut' }]);
	const retried = succeed(await runNode({ parameters, retryOf: failed }));
	expect(retried.json[0].request_id).toBe(emulator.jobs[0].requestId);
	expect(submits()).toHaveLength(1);
});

test.each<[string, Partial<RunOptions>]>([
	['an equal node of the same execution', { executionId: 'one', nodeId: 'node2' }],
	['a later execution', {}],
])('%s does not resume a request that timed out', async (_which, other) => {
	emulator.set({ jobMs: 60_000 });
	const parameters = runParams({}, { timeoutSeconds: 5, onTimeout: 'error' });
	const run = { parameters, onError: 'continueRegularOutput' } as const;
	await runNode({ ...run, executionId: 'one' });
	await runNode({ ...run, ...other });
	expect(acceptedCount()).toBe(2);
});

test('a retry outputs a finished item again without any call [Money 2]', async () => {
	emulator.set(failPrompt1);
	const parameters = runParams({ prompt: EACH_PROMPT });
	const failed = await runNode({ parameters, items: prompts(2) });
	emulator.set({ failWhen: null });
	const before = emulator.calls.length;
	const retried = succeed(await runNode({ parameters, retryOf: failed }));
	const known = emulator.jobs[0].requestId;
	expect(retried.json.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
	expect(retried.items[0].binary?.data.mimeType).toBe('image/png');
	expect(emulator.calls.slice(before).filter(({ path }) => path.includes(known))).toEqual([]);
	expect(submits()).toHaveLength(3);
});

test('what another version of the package has stored is neither resumed nor sent again [Money 4]', async () => {
	emulator.set({ jobMs: 60_000 });
	const parameters = runParams({}, { timeoutSeconds: 5, sendAgainIfUnsure: true });
	const { stored } = await runNode({ parameters });
	const retryData = retryDataOf(stored);
	const { segmind } = retryData.executionData?.contextData['node:Segmind'] as unknown as {
		segmind: { version: number };
	};
	segmind.version = 2;
	newProcess();
	const first = await runNode({ parameters, retryData });
	const second = await runNode({ parameters, retryOf: first });
	for (const { failed } of [first, second])
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', outcomeUnknown: true }]);
	expect(submits()).toHaveLength(1);
});

test('stores nothing in an execution that succeeds', async () => {
	const { stored } = await runNode({ parameters: runParams() });
	expect(stored.executionData?.contextData['node:Segmind']).toEqual({});
});

test('logs the ID of a request in the message as soon as it is accepted [Money 7]', async () => {
	const { log, executionId } = await runNode({ parameters: runParams() });
	expect(log).toEqual([
		expect.stringMatching(
			new RegExp(`request ${emulator.jobs[0].requestId} .*${executionId}.*"Segmind".*item 1`),
		),
	]);
	expect(log.join()).not.toContain('lighthouse');
});

test("after FAILED, which is free, a retry sends a new request and doesn't check the failed one", async () => {
	emulator.set({ failJobs: [0] });
	const first = await runNode({ parameters: runParams() });
	expect(first.failed).toMatchObject([{ kind: 'requestFailed', charge: 'none' }]);
	const before = emulator.calls.length;
	const { json } = succeed(await runNode({ parameters: runParams(), retryOf: first }));
	const [failed, resent] = emulator.jobs;
	expect(json[0].request_id).toBe(resent.requestId);
	expect(JSON.stringify(emulator.calls.slice(before))).not.toContain(failed.requestId);
});

describe('a refused connection [Money 1]', () => {
	beforeEach(async () => {
		closeConnections();
		await emulator.stopListening('api');
	});

	test('is reported as unreachable if it stays refused', async () => {
		const { failed } = await runNode({ parameters: runParams() });
		await emulator.listen('api');
		expect(failed).toMatchObject([{ kind: 'noResponse', charge: 'none' }]);
	});

	test('is repeated within the attempt, so that an outage of two seconds goes unnoticed', async () => {
		const endOutage = async () => {
			await pass(2_000);
			await emulator.listen('api');
		};
		const { hints } = succeed(await runNode({ parameters: runParams(), whileRunning: endOutage }));
		expect(hints).toEqual([]);
		expect(submits()).toHaveLength(1);
	});
});

describe.each(ways)(
	'%s: a second retry of an execution starts from what the execution stored before the first retry',
	(_name, { node, parameters }) => {
		/** Runs an attempt that fails for free, and a retry that is accepted and times out. Returns the first attempt. */
		async function retriedOnce() {
			emulator.set({ failJobs: [0] });
			const first = await runNode({ node, parameters: parameters() });
			expect(first.error).toBeDefined();
			emulator.set({ failJobs: [], jobMs: 60_000 });
			const retry = { node, parameters: parameters({ timeoutSeconds: 5 }), retryOf: first };
			const second = await runNode(retry);
			expect(second.error).toBeDefined();
			expect(acceptedCount()).toBe(2);
			return first;
		}

		test('resumes the request of the first retry, which this process remembers', async () => {
			const first = await retriedOnce();
			const third = succeed(await runNode({ node, parameters: parameters(), retryOf: first }));
			expect(third.json[0].request_id).toBe(emulator.jobs[1].requestId);
			expect(acceptedCount()).toBe(2);
		});

		test('resumes the request of the first retry at once, although that node has Retry On Fail', async () => {
			emulator.set({ failJobs: [0] });
			const first = await runNode({ node, parameters: parameters(), tries: 1 });
			emulator.set({ failJobs: [], jobMs: 60_000 });
			const retry = { node, parameters: parameters({ timeoutSeconds: 5 }), retryOf: first };
			await runNode({ ...retry, tries: 2 });
			await runNode(retry);
			expect(acceptedCount()).toBe(2);
		});

		test('reuses what the first retry delivered', async () => {
			emulator.set({ failJobs: [0] });
			const first = await runNode({ node, parameters: parameters() });
			const second = succeed(await runNode({ node, parameters: parameters(), retryOf: first }));
			const third = succeed(await runNode({ node, parameters: parameters(), retryOf: first }));
			expect(third.json[0].request_id).toBe(second.json[0].request_id);
			expect(acceptedCount()).toBe(2);
		});

		test('sends a new request in another process, as the docs say', async () => {
			const first = await retriedOnce();
			newProcess();
			emulator.set({ jobMs: 60 });
			await runNode({ node, parameters: parameters(), retryOf: first });
			expect(acceptedCount()).toBe(3);
		});
	},
);

test('a second retry resumes what the first one sent when a loop ran the node again', async () => {
	emulator.set({ jobMs: 60_000 });
	const parameters = runParams({}, { timeoutSeconds: 5 });
	const twice = runDataFor({ name: 'Segmind' } as INode, [{ json: {} }]);
	const stack = twice.executionData!.nodeExecutionStack;
	stack.push({ ...stack[0] });
	const first = await runNode({ parameters, retryData: twice, mode: 'trigger' });
	await pass(60_000);
	// The first run of the node succeeds now, and the second one times out.
	const second = await runNode({ parameters, retryOf: first });
	expect(second.failed).toMatchObject([{ requestId: emulator.jobs[1].requestId }]);
	await pass(60_000);
	const third = succeed(await runNode({ parameters, retryOf: first }));
	expect(idsOf(third.items)).toEqual([emulator.jobs[1].requestId]);
	expect(acceptedCount()).toBe(2);
});

describe('credits run out during a batch, and the user chooses another credential', () => {
	const parameters = runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1 });
	const empty = { status: 402, body: { error: 'Insufficient credits' } };

	test('keeps finished items and sends the rest with the new credential', async () => {
		emulator.fault({ on: 'submit', after: 1, do: empty });
		const failed = await runNode({ parameters, items: prompts(4) });
		expect(failed.failed).toHaveLength(3);
		// Items after the rejection weren't sent.
		expect(emulator.callsOf('submit')).toHaveLength(2);
		const credentialId = 'the other credential';
		succeed(await runNode({ parameters, retryOf: failed, credentialId }));
		expect(emulator.jobs.map(({ input }) => input.prompt)).toEqual(
			prompts(4).map(({ json }) => json.prompt),
		);
	});

	test.each([false, true])(
		'fails for a request that the new credential does not find, and sends nothing (Send Again If Unsure: %s)',
		async (sendAgainIfUnsure) => {
			emulator.set({ jobMs: 60_000 });
			const failed = await runNode({ parameters: runParams({}, { timeoutSeconds: 1 }) });
			emulator.set({ history: false });
			emulator.fault({ on: ['status', 'poll', 'result'], times: 'always', do: 'notFound' });
			const retried = await runNode({
				parameters: runParams({}, { sendAgainIfUnsure }),
				retryOf: failed,
				credentialId: 'the other credential',
			});
			const [{ requestId }] = emulator.jobs;
			const charge = 'ifCompletes';
			expect(retried.failed).toMatchObject([{ kind: 'missing', charge, requestId }]);
			expect(acceptedCount()).toBe(1);
		},
	);
});

describe("a finished request isn't resent, whether or not its result was kept", () => {
	const MB = 1_000_000;
	/** The second item fails without a call: it has no prompt, so `badSeed` gives it a seed that isn't a number. */
	const items = [{ json: { prompt: 'a lighthouse' } }, { json: {} }];
	const badSeed = rows(numberRow('seed', '={{ $json.prompt ? 1 : "no number" }}'));

	test('its files were too large to keep, and its record has expired, with Send Again If Unsure', async () => {
		emulator.set({ fileBytes: 7 * MB });
		const parameters = runParams(
			{ prompt: EACH_PROMPT },
			{ additionalParameters: badSeed, sendAgainIfUnsure: true },
		);
		const failed = await runNode({ parameters, items });
		expect(failed.failed).toHaveLength(1);
		await pass(2 * 3_600_000);
		emulator.set({ history: false });
		const retried = await runNode({ parameters, retryOf: failed });
		expect(acceptedCount()).toBe(1);
		const [{ requestId }] = emulator.jobs;
		expect(retried.failed[0]).toMatchObject({ kind: 'missing', status: 'EXPIRED', requestId });
	});

	test('its result was never read, and its record has expired, with Send Again If Unsure [Money 2]', async () => {
		emulator.fault({ on: 'result', times: 'always', do: { body: {} } });
		const failed = await runNode({ parameters: runParams({}, { timeoutSeconds: 5 }) });
		expect(failed.failed).toMatchObject([{ charge: 'completed' }]);
		await pass(2 * 3_600_000);
		// The request history doesn't show it either.
		emulator.set({ historyLateMs: Infinity });
		const parameters = runParams({}, { sendAgainIfUnsure: true });
		const retried = await runNode({ parameters, retryOf: failed });
		expect(retried.failed).toMatchObject([{ requestId: emulator.jobs[0].requestId }]);
		expect(acceptedCount()).toBe(1);
	});

	test.each([1, 7])('a v1 response of %i MB, and there is no request history', async (size) => {
		emulator.set({ fileBytes: size * MB, history: false });
		const parameters = runParams(
			{ prompt: EACH_PROMPT },
			{ answerInOneCall: true, additionalParameters: badSeed },
		);
		const failed = await runNode({ parameters, items });
		expect(failed.failed).toHaveLength(1);
		const same = await runNode({ parameters, retryOf: failed, onError: 'continueRegularOutput' });
		expect(same.items[0].binary?.data).toBeDefined();
		expect(emulator.callsOf('v1').length).toBe(1);
	});
});

test.each<[string, Partial<RunOptions>, Parameters<typeof emulator.fault>[0]?]>([
	['the key is rejected', { credential: { apiKey: 'wrong-key' } }],
	[
		'a proxy responds',
		{},
		{ on: ['status', 'poll'], times: 'always', do: { status: 403, body: '<html>' } },
	],
	[
		'a proxy does not find it',
		{},
		{ on: ['status', 'poll'], times: 'always', do: { status: 404, body: '<html>' } },
	],
	[
		'the status stays unreadable',
		{},
		{ on: ['status', 'poll'], times: 'always', do: { body: 'no' } },
	],
	[
		'it is stopped',
		{ whileRunning: stopWhen(() => emulator.callsOf('result').length === 2) },
		{ on: 'result', do: { delayMs: 20_000 } },
	],
])(
	'after COMPLETED was seen, every later attempt says that the request was charged [Money 9]: %s',
	async (_what, more, ...[fault]) => {
		emulator.set({ history: false });
		emulator.fault({ on: 'result', do: { status: 401, body: { error: 'Unauthorized' } } });
		const first = await runNode({ parameters: runParams() });
		expect(first.failed).toMatchObject([{ kind: 'unreadable', charge: 'completed' }]);
		if (fault) emulator.fault(fault);
		const { failed } = await runNode({ parameters: runParams(), retryOf: first, ...more });
		expect(failed).toMatchObject([{ charge: 'completed', requestId: emulator.jobs[0].requestId }]);
		expect(emulator.jobs).toHaveLength(1);
	},
);

describe('a retry does what the error before it says [Money 9]', () => {
	const saidBy = ({ failed: [{ charge, retry }] }: RunResult) => {
		if (charge === 'none' || retry === 'searches' || retry === 'resends') return 'sends';
		const isResumed = charge === 'ifCompletes' || charge === 'completed';
		return isResumed && !retry ? 'gets the result' : 'fails';
	};
	const doneBy = ({ calls, items }: RunResult) => {
		if (calls.some(({ kind }) => kind === 'submit' || kind === 'v1')) return 'sends';
		return items.length > 0 ? 'gets the result' : 'fails';
	};
	const SENDING: CallKind[] = ['submit', 'v1'];
	const lose = (action: FaultAction) => () => emulator.fault({ on: SENDING, do: action });

	/** How the first attempt ends, and what happens before a second one. */
	const ENDINGS: Record<string, [() => void, (() => Promise<void> | void)?]> = {
		failed: [() => emulator.set({ failJobs: [0] })],
		rejected: [lose({ status: 400, body: { error: 'no' } })],
		'timed out': [() => emulator.set({ jobMs: 60_000 })],
		lost: [lose('dropBeforeAccept')],
		'lost by a gateway': [lose({ status: 504, body: '<html>' })],
		'answered with an error': [() => emulator.fault({ on: 'v1', do: { body: { error: 'no' } } })],
		'lost, with a candidate': [
			() => {
				emulator.set({ history: false });
				lose('dropAfterAccept')();
			},
			() => {
				emulator.set({ history: true });
				newProcess();
			},
		],
		'completed, and expired before its result was read': [
			() => {
				emulator.set({ historyLateMs: Infinity });
				emulator.fault({ on: 'result', times: 'always', do: { body: {} } });
			},
			async () => await pass(7_200_000),
		],
	};
	const rowsOf = (name: string) =>
		[false, true].flatMap((sendAgainIfUnsure) =>
			[false, true].map((answerInOneCall) => ({ name, sendAgainIfUnsure, answerInOneCall })),
		);
	test.each(Object.keys(ENDINGS).flatMap(rowsOf))('%j', async ({ name, ...options }) => {
		const [arrange, beforeRetry] = ENDINGS[name];
		arrange();
		let failed = await runNode({ parameters: runParams({}, { timeoutSeconds: 5, ...options }) });
		if (beforeRetry) {
			await beforeRetry();
			failed = await runNode({ parameters: runParams({}, options), retryOf: failed });
		}
		// Some attempts succeed: a later one may resend.
		if (failed.failed.length === 0) return;
		emulator.set({ failJobs: [], jobMs: 60 });
		emulator.clearFaults();
		const retried = await runNode({ parameters: runParams({}, options), retryOf: failed });
		expect(doneBy(retried)).toBe(saidBy(failed));
	});
});
