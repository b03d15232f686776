/** A later attempt of any kind resumes the requests it has, and delivers finished items again without paying twice. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { closeConnections } from '../../dev/engine/version';
import { CHARGE } from '../../nodes/shared/base/failure';
import { CAUSES } from '../../nodes/shared/errors/errorTable';
import { saying } from '../helpers/errorTexts';
import {
	EACH_PROMPT,
	fileRow,
	numberRow,
	prompts,
	rows,
	running as plain,
	runningLong as running,
	workflow,
} from '../helpers/inference';
import { fileItem } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';
import { newProcess } from '../helpers/virtualTime';

const { emulator, runNode, during } = useVirtualEngine();
const accepted = () => emulator.it.jobs.length;
const submits = () => emulator.it.callsOf('submit');
const submittedPrompts = () => submits().map(({ body }) => (body as { prompt: string }).prompt);
const failPrompt1 = { failWhen: (input: Record<string, unknown>) => input.prompt === 'prompt 1' };
const pass = async (ms: number) => await during(sleep(ms));

/** The ways to ask for one picture. */
const WAYS = {
	v2: { parameters: (options: IDataObject = {}) => running({}, options) },
	v1: {
		parameters: (options: IDataObject = {}) => running({}, { answerInOneCall: true, ...options }),
	},
	'a workflow': {
		node: 'segmindWorkflow',
		parameters: (options: IDataObject = {}) => workflow({}, { pollIntervalSeconds: 5, ...options }),
	},
};
const ways = Object.entries(WAYS) as Array<
	[string, { node?: string; parameters: (options?: IDataObject) => INodeParameters }]
>;

describe('Retry On Fail with one bad item of three', () => {
	const items = prompts(3).map(({ json }) =>
		fileItem({ data: { bytes: Buffer.from(`picture of ${String(json.prompt)}`) } }, json),
	);
	const seed = '={{ Math.floor(Math.random() * 1e9) }}';
	test.each<[string, INodeParameters]>([
		['as it is', {}],
		['with a random seed', numberRow('seed', seed)],
		['with a file, which is uploaded once', fileRow('image_urls')],
	])(
		'%s: sends each good item once, and the failed one in each attempt [Money 8]',
		async (_name, row) => {
			emulator.it.set(failPrompt1);
			const additionalParameters = rows(...(row.name ? [row] : []));
			const { error } = await runNode({
				parameters: plain({ prompt: EACH_PROMPT }, { additionalParameters }),
				items,
				tries: 3,
			});
			expect(error?.message).toContain('1 of 3 items failed');
			expect(submittedPrompts().sort()).toEqual([0, 1, 1, 1, 2].map((at) => `prompt ${at}`));
			expect(emulator.it.jobs.filter(({ charged }) => charged > 0)).toHaveLength(2);
			expect(emulator.it.callsOf('upload')).toHaveLength(row.type === 'file' ? 3 : 0);
		},
	);
});

test('a retry polls the running request instead of sending another one [Money 2] [Money 4]', async () => {
	emulator.it.set({ jobMs: 1_500 });
	const parameters = plain({}, { timeoutSeconds: 1 });
	const failed = await runNode({ parameters });
	expect(failed.error?.message).toMatch(saying(CAUSES.stillRunning.what));
	const retried = await runNode({ parameters, retryOf: failed });
	expect(retried.error).toBeUndefined();
	expect(retried.json[0].request_id).toBe(emulator.it.jobs[0].requestId);
	expect(submits()).toHaveLength(1);
});

test('a retry outputs a finished item again without any call [Money 2]', async () => {
	emulator.it.set(failPrompt1);
	const parameters = plain({ prompt: EACH_PROMPT });
	const failed = await runNode({ parameters, items: prompts(2) });
	emulator.it.set({ failWhen: null });
	const before = emulator.it.calls.length;
	const retried = await runNode({ parameters, retryOf: failed });
	const known = emulator.it.jobs[0].requestId;
	expect(retried.json.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
	expect(retried.items[0].binary?.data.mimeType).toBe('image/png');
	expect(emulator.it.calls.slice(before).filter(({ path }) => path.includes(known))).toEqual([]);
	expect(submits()).toHaveLength(3);
});

test('stores nothing in an execution that succeeds', async () => {
	const { stored } = await runNode({ parameters: plain() });
	expect(stored.executionData?.contextData['node:Segmind']).toEqual({});
});

test('logs the ID of a request in the message as soon as it is accepted [Money 7]', async () => {
	const { log, executionId } = await runNode({ parameters: plain() });
	expect(log).toEqual([
		expect.stringMatching(
			new RegExp(`request ${emulator.it.jobs[0].requestId} .*${executionId}.*"Segmind".*item 0`),
		),
	]);
	expect(log.join()).not.toContain('lighthouse');
});

test("after FAILED, which is free, a retry sends a new request and doesn't check the failed one", async () => {
	emulator.it.set({ failJobs: [0] });
	const first = await runNode({ parameters: plain() });
	expect(first.failed).toMatchObject([{ kind: 'requestFailed', charge: 'none' }]);
	const before = emulator.it.calls.length;
	const { json } = await runNode({ parameters: plain(), retryOf: first });
	const [failed, made] = emulator.it.jobs;
	expect(json[0].request_id).toBe(made.requestId);
	expect(JSON.stringify(emulator.it.calls.slice(before))).not.toContain(failed.requestId);
});

test('a refused connection is retried, and then reported as unreachable [Money 1]', async () => {
	closeConnections();
	await emulator.it.stopListening('api');
	const { error } = await runNode({ parameters: plain() });
	await emulator.it.listen('api');
	expect(error?.message).toMatch(saying(CAUSES.noResponse.what));
	expect(error?.description).toContain(CHARGE.none);
});

describe('a second retry of an execution starts from its first snapshot', () => {
	describe.each(ways)('%s', (_name, { node, parameters }) => {
		/** The first attempt fails for free; its retry is accepted and times out. */
		async function retriedOnce() {
			emulator.it.set({ failJobs: [0] });
			const first = await runNode({ node, parameters: parameters() });
			expect(first.error).toBeDefined();
			emulator.it.set({ failJobs: [], jobMs: 60_000 });
			const second = await runNode({
				node,
				parameters: parameters({ timeoutSeconds: 5 }),
				retryOf: first,
			});
			expect(second.error).toBeDefined();
			expect(accepted()).toBe(2);
			return first;
		}

		test('resumes the request of the first retry, which this process remembers', async () => {
			const first = await retriedOnce();
			const third = await runNode({
				node,
				parameters: parameters({ timeoutSeconds: 300 }),
				retryOf: first,
			});
			expect(third.error).toBeUndefined();
			expect(third.json[0].request_id).toBe(emulator.it.jobs[1].requestId);
			expect(accepted()).toBe(2);
		});

		test('sends a new request after an hour or in another process, as the docs say', async () => {
			const first = await retriedOnce();
			newProcess();
			emulator.it.set({ jobMs: 60 });
			await runNode({ node, parameters: parameters(), retryOf: first });
			expect(accepted()).toBe(3);
		});
	});
});

describe('credits run out during a batch, and the user chooses another credential', () => {
	const parameters = running({ prompt: EACH_PROMPT }, { maxConcurrency: 1 });
	const empty = {
		on: 'submit',
		after: 1,
		do: { status: 402, body: { error: 'Insufficient credits' } },
	} as const;

	test('keeps finished items and sends the rest with the new credential', async () => {
		emulator.it.fault(empty);
		const failed = await runNode({ parameters, items: prompts(4) });
		expect(failed.error?.message).toContain('3 of 4 items failed');
		// Items after the rejection weren't sent.
		expect(emulator.it.callsOf('submit')).toHaveLength(2);
		const retried = await runNode({
			parameters,
			retryOf: failed,
			credentialId: 'the other credential',
		});
		expect(retried.error).toBeUndefined();
		expect(emulator.it.jobs.map(({ input }) => input.prompt)).toEqual(
			prompts(4).map(({ json }) => json.prompt),
		);
	});

	test.each([false, true])(
		'fails for a request that the new credential does not find, and sends nothing (Send Again If Unsure: %s)',
		async (sendAgainIfUnsure) => {
			emulator.it.set({ jobMs: 60_000 });
			const failed = await runNode({ parameters: running({}, { timeoutSeconds: 1 }) });
			emulator.it.set({ history: false });
			emulator.it.fault({ on: ['status', 'poll', 'result'], times: 'always', do: 'notFound' });
			const retried = await runNode({
				parameters: running({}, { sendAgainIfUnsure }),
				retryOf: failed,
				credentialId: 'the other credential',
			});
			expect(retried.error?.message).toContain(emulator.it.jobs[0].requestId);
			expect(retried.failed).toMatchObject([{ kind: 'missing', charge: 'acceptedIfCompletes' }]);
			expect(retried.error?.description).toMatch(saying(CAUSES.missingNow.todo));
			expect(accepted()).toBe(1);
		},
	);
});

describe("a finished request isn't resent if its result wasn't kept", () => {
	const MB = 1_000_000;
	/** The second item has no prompt that n8n could read: it fails without a call. */
	const items = [{ json: { prompt: 'a lighthouse' } }, { json: {} }];
	const bad = rows(numberRow('seed', '={{ $json.prompt ? 1 : "no number" }}'));

	test('its files were too large to keep, and its record has expired, with Send Again If Unsure', async () => {
		emulator.it.set({ fileBytes: 7 * MB });
		const parameters = running(
			{ prompt: EACH_PROMPT },
			{ additionalParameters: bad, sendAgainIfUnsure: true },
		);
		const failed = await runNode({ parameters, items });
		expect(failed.error?.message).toContain('1 of 2 items failed');
		await pass(2 * 3_600_000);
		emulator.it.set({ history: false });
		const retried = await runNode({ parameters, retryOf: failed });
		expect(accepted()).toBe(1);
		expect(retried.error?.message).toContain(emulator.it.jobs[0].requestId);
		expect(retried.error?.message).toMatch(saying(CAUSES.missing.what));
	});

	test('its result was never read, and its record has expired, with Send Again If Unsure [Money 2]', async () => {
		emulator.it.fault({ on: 'result', times: 'always', do: { body: {} } });
		const failed = await runNode({ parameters: running({}, { timeoutSeconds: 5 }) });
		expect(failed.failed).toMatchObject([{ charge: 'completed' }]);
		await pass(2 * 3_600_000);
		// The request history doesn't show it either.
		emulator.it.set({ historyLateMs: Infinity });
		const parameters = running({}, { sendAgainIfUnsure: true });
		const retried = await runNode({ parameters, retryOf: failed });
		expect(retried.error?.message).toContain(emulator.it.jobs[0].requestId);
		expect(accepted()).toBe(1);
	});

	test.each([1, 7])('a v1 response of %i MB, and there is no request history', async (size) => {
		emulator.it.set({ fileBytes: size * MB, history: false });
		const parameters = running(
			{ prompt: EACH_PROMPT },
			{ answerInOneCall: true, additionalParameters: bad },
		);
		const failed = await runNode({ parameters, items });
		expect(failed.error?.message).toContain('1 of 2 items failed');
		const same = await runNode({ parameters, retryOf: failed, onError: 'continueRegularOutput' });
		expect(same.items[0].binary?.data).toBeDefined();
		expect(emulator.it.callsOf('v1').length).toBe(1);
	});
});

test.each(ways)(
	'%s: a gateway times out after the service accepted: one request in three attempts',
	async (_name, { node, parameters }) => {
		emulator.it.set({ jobMs: 40_000 });
		emulator.it.fault({
			on: ['submit', 'v1'],
			times: 'always',
			do: { status: 504, body: '<html>gateway</html>', accept: true, afterMs: 20_000 },
		});
		const { json, error } = await runNode({ node, parameters: parameters(), tries: 3 });
		expect(error).toBeUndefined();
		expect(accepted()).toBe(1);
		expect(json[0].request_id).toBe(emulator.it.jobs[0].requestId);
	},
);
