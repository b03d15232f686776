/** What a second try, of whatever kind, must not pay for again. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { CAUSES } from '../../nodes/shared/errors/errorTable';
import { saying } from '../helpers/errorTexts';
import {
	EACH_PROMPT,
	numberRow,
	prompts,
	rows,
	runningLong as running,
	workflow,
} from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';
import { newProcess } from '../helpers/virtualTime';

const { emulator, runNode, during } = useVirtualEngine();
const accepted = () => emulator.it.jobs.length;
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

describe('a second retry of an execution starts from its first snapshot', () => {
	describe.each(ways)('%s', (_name, { node, parameters }) => {
		/** The first try fails for free, its retry is accepted and times out. */
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

describe('the balance runs out in the middle of a batch, and another credential is chosen', () => {
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
		// What came after the refusal was not even tried.
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
		'one that is not known there fails, and says that another credential may have made it (Send Again If Unsure: %s)',
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

	test('its files were too large, its record has expired, and Send Again If Unsure is on', async () => {
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

	test('its result was never read, its record has expired, and Send Again If Unsure is on [Money 2]', async () => {
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

	test.each([1, 7])('a v1 answer of %i MB, and the history has nothing', async (size) => {
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
