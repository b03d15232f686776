/** The loop Submit, Wait, Get Result without waiting: the items of each round (docs/long-jobs.md). */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { FaultAction, FaultTarget } from '../../../dev/emulator';
import { MAX_RESPONSE_BYTES } from '../../../nodes/shared/service/http';
import { bytesOf, succeed } from '../../helpers/runNode';
import {
	EACH_PROMPT,
	prompts,
	runParams,
	submitParams,
	workflowParams,
} from '../../helpers/inference';
import { useVirtualEngine } from '../../helpers/virtualEngine';
import { newProcess } from '../../helpers/virtualTime';

const { emulator, runNode } = useVirtualEngine();

/** The time between two status checks. */
const ROUND_MS = 66_000;
/** Lets time pass while nothing is under way. */
const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);
const nextRound = async () => await pass(ROUND_MS);

const NODES = {
	segmind: { submit: submitParams({ prompt: EACH_PROMPT }), label: { model: 'nano-banana-pro' } },
	segmindWorkflow: {
		submit: workflowParams(
			{ waitForCompletion: false },
			{ requestBody: '={{ { prompt: $json.prompt } }}' },
		),
		label: { workflow: 'product-photo' },
	},
};
type NodeName = keyof typeof NODES;
const NODE_NAMES = Object.keys(NODES) as NodeName[];

async function submit(node: NodeName = 'segmind', count = 1): Promise<INodeExecutionData[]> {
	const { items } = succeed(
		await runNode({
			node,
			parameters: NODES[node].submit,
			items: prompts(count),
		}),
	);
	return items;
}

async function getResult(
	items: INodeExecutionData[],
	node: NodeName = 'segmind',
	more: INodeParameters = {},
	options: IDataObject = {},
) {
	return await runNode({
		node,
		parameters: {
			...(node === 'segmind' && { resource: 'request' }),
			operation: 'getResult',
			waitForCompletion: false,
			...more,
			options,
		} as INodeParameters,
		items,
		onError: 'continueErrorOutput',
	});
}

const URL_FIELDS = ['poll_url', 'status_url', 'response_url'] as const;
const urlsOf = (json: IDataObject) =>
	Object.fromEntries(URL_FIELDS.map((name) => [name, json[name]]));

describe.each(NODE_NAMES)('%s', (node) => {
	const { label } = NODES[node];

	test.each([true, false])(
		'an item in the loop keeps what the next status check needs (Simplify: %s)',
		async (simplify) => {
			emulator.set({ jobMs: 3 * ROUND_MS });
			const submitted = await submit(node);
			let items = submitted;
			for (let round = 0; round < 2; round++) {
				await nextRound();
				const unfinished = succeed(await getResult(items, node, { simplify }));
				expect(unfinished).toMatchObject({ errorItems: [], hints: [] });
				expect(unfinished.json[0]).toMatchObject({
					...label,
					request_id: emulator.jobs[0].requestId,
					status: 'PROCESSING',
					...urlsOf(submitted[0].json),
				});
				expect(unfinished.json[0]).not.toHaveProperty('error');
				items = unfinished.items;
			}
			await nextRound();
			await nextRound();
			const { json, items: finished } = succeed(await getResult(items, node, { simplify }));
			const { requestId } = emulator.jobs[0];
			expect(json[0]).toMatchObject({ request_id: requestId, status: 'COMPLETED' });
			expect((await bytesOf(finished[0])).length).toBeGreaterThan(0);
			expect(emulator.callsOf('submit')).toHaveLength(1);
		},
	);

	test('a batch with finished, running, failed and unknown requests: only the running one continues', async () => {
		emulator.set({
			jobMs: (_model, _input, index) => (index === 1 ? 1.5 * ROUND_MS : 1_000),
			failJobs: [2],
		});
		const submitted = await submit(node, 3);
		const [{ json }] = submitted;
		const unknown = JSON.stringify(json).replaceAll(String(json.request_id), 'gone');
		// Without submitted_at, nothing shows that this request was ever accepted.
		const gone = { json: { ...(JSON.parse(unknown) as IDataObject), submitted_at: undefined } };
		await nextRound();
		const first = await getResult([...submitted, gone], node);
		const [finished, unfinished, failed] = emulator.jobs.map(({ requestId }) => requestId);
		expect(first.json).toMatchObject([
			{ request_id: finished, status: 'COMPLETED' },
			{ request_id: unfinished, status: 'PROCESSING' },
		]);
		expect(first.items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
		expect(first.errorItems.map((item) => item.json.error)).toMatchObject([
			{ request_id: failed, status: 'FAILED', message: expect.stringContaining(failed) },
			{ request_id: 'gone', status: 'EXPIRED' },
		]);
		await nextRound();
		const second = await getResult([first.items[1]], node);
		expect(second.json).toMatchObject([{ request_id: unfinished, status: 'COMPLETED' }]);
		expect(emulator.callsOf('submit')).toHaveLength(3);
	});
});

test('another process uses submitted_at to know whether an unknown request has expired', async () => {
	emulator.set({ history: false });
	const [{ json }] = await submit();
	expect(json.submitted_at).toBe(new Date(emulator.jobs[0].submittedAt).toISOString());
	newProcess();
	emulator.fault({ on: ['status', 'poll'], times: 'always', do: 'notFound' });
	const young = await getResult([{ json }]);
	expect(young.json).toMatchObject([{ status: 'QUEUED', submitted_at: json.submitted_at }]);
	await pass(3_700_000);
	newProcess();
	const old = await getResult(young.items);
	expect(old.failed).toMatchObject([{ status: 'EXPIRED' }]);
});

describe('a failed status check leaves the request unfinished, without delay and with a hint', () => {
	const FAULTS: Array<[string, FaultAction]> = [
		['429', { status: 429, headers: { 'retry-after': '30' } }],
		['a gateway', { status: 502, body: '<html>Bad Gateway</html>' }],
		['a lost connection', 'dropAfterAccept'],
		['no response', 'hangAfterAccept'],
		['half of a response head', 'halfHead'],
		['half of a body', { stall: 40 }],
		['an unusable body', { body: 'I am a teapot', contentType: 'text/plain' }],
		['a cut body', { rewrite: { cut: true } }],
	];

	test.each(
		FAULTS.flatMap(([name, action]) =>
			(['status', 'result'] as const).map((on) => [on, name, action] as const),
		),
	)('%s: %s', async (on, name, action) => {
		emulator.set({ jobMs: on === 'status' ? 1.5 * ROUND_MS : 60 });
		const submitted = await submit();
		await nextRound();
		emulator.fault({ on, times: 'always', do: action });
		const faulty = await getResult(submitted);
		const isSlow = /^no|^half/.test(name);
		expect(faulty.tookMs).toBeLessThanOrEqual(on === 'result' ? 16_000 : isSlow ? 10_000 : 1_000);
		expect(emulator.callsOf('status')).toHaveLength(1);
		expect(faulty.errorItems).toEqual([]);
		const [{ json }] = submitted;
		const status = expect.stringMatching(/^(QUEUED|PROC)/);
		const known = { ...urlsOf(json), request_id: json.request_id, status };
		expect(faulty.json).toMatchObject([known]);
		expect(faulty.hints).toHaveLength(1);
		emulator.clearFaults();
		await nextRound();
		expect((await getResult(faulty.items)).json[0]).toMatchObject({ status: 'COMPLETED' });
	});

	test('finished items do not wait for the failed check', async () => {
		const submitted = await submit('segmind', 3);
		await nextRound();
		const slow = submitted[1].json.request_id;
		const on: FaultTarget = ({ kind, requestId }) => kind === 'status' && requestId === slow;
		emulator.fault({ on, times: 'always', do: 'hang' });
		const { json, tookMs } = await getResult(submitted);
		expect(tookMs).toBeLessThan(10_000);
		expect(json.map(({ status }) => status)).toEqual(['COMPLETED', 'QUEUED', 'COMPLETED']);
	});

	test('a rate limit does not delay a batch: items that it leaves no call for stay unfinished', async () => {
		const submitted = await submit('segmind', 60);
		await nextRound();
		const action = { status: 429, headers: { 'retry-after': '50' } };
		emulator.fault({ on: 'status', times: 'always', do: action });
		const { json, tookMs, errorItems } = await getResult(submitted);
		expect(tookMs).toBeLessThan(10_000);
		expect(errorItems).toEqual([]);
		expect(json).toHaveLength(60);
		expect(emulator.callsOf('status').length).toBeLessThanOrEqual(20);
	});

	test.each(['status', 'result'] as const)(
		'a key that is rejected at the %s is an error, since no later check can succeed',
		async (on) => {
			const submitted = await submit();
			await nextRound();
			const action = { status: 401, body: { error: 'Invalid API key' } };
			emulator.fault({ on, times: 'always', do: action });
			const { json, errorItems } = await getResult(submitted);
			expect(json).toEqual([]);
			expect(errorItems).toHaveLength(1);
		},
	);
});

const failure = { message: 'Nothing left', description: 'Top up.', httpCode: 402 };
test.each<[string, IDataObject, IDataObject]>([
	['of Submit', { error: failure }, failure],
	['of another node', { error: 'The table is gone' }, { message: 'The table is gone' }],
])('an item that failed in an earlier node keeps its own error: %s', async (_name, json, error) => {
	const [submitted] = await submit();
	await nextRound();
	const result = await getResult([{ json }, submitted]);
	expect(result.errorItems[0].json.error).toMatchObject(error);
	expect(result.json).toMatchObject([{ status: 'COMPLETED' }]);
});

describe('Wait For Completion with a short Timeout and Return Request', () => {
	const OPTIONS = { timeoutSeconds: 5, onTimeout: 'returnRequest' };
	const wait = async (items: INodeExecutionData[], node: NodeName) =>
		await getResult(items, node, { waitForCompletion: true }, OPTIONS);

	test.each(NODE_NAMES)('%s continues in the loop until it finishes', async (node) => {
		emulator.set({ jobMs: 1.5 * ROUND_MS });
		const submitted = await submit(node, 2);
		await nextRound();
		const first = await wait(submitted, node);
		expect(first.json).toEqual(submitted.map(({ json }) => ({ ...json, status: 'PROCESSING' })));
		await nextRound();
		const completed = { status: 'COMPLETED' };
		expect((await wait(first.items, node)).json).toMatchObject([completed, completed]);
	});

	test.each(['status', 'result'] as const)(
		'if the service cannot respond, the request stays unfinished with its last known status: %s',
		async (kind) => {
			emulator.set({ jobMs: 1.5 * ROUND_MS });
			const submitted = await submit();
			await nextRound();
			const { items } = await wait(submitted, 'segmind');
			if (kind === 'result') await nextRound();
			emulator.fault({ on: kind, times: 'always', do: { status: 503 } });
			const faulty = await wait(items, 'segmind');
			expect(faulty.errorItems).toEqual([]);
			expect(faulty.json).toEqual([{ ...submitted[0].json, status: 'PROCESSING' }]);
			emulator.clearFaults();
			await nextRound();
			expect((await wait(faulty.items, 'segmind')).json).toMatchObject([{ status: 'COMPLETED' }]);
		},
	);
});

test.each<[string, FaultAction]>([
	['Segmind denies access', { status: 403, body: { error: 'Forbidden' } }],
	['it is too large', 'endless'],
])('a result that can never be read is an error in the first round: %s', async (_why, action) => {
	jest.replaceProperty(MAX_RESPONSE_BYTES, 'result', 1_000_000);
	const submitted = await submit();
	await nextRound();
	emulator.fault({ on: 'result', times: 'always', do: action });
	const { items, errorItems } = await getResult(submitted);
	await emulator.whenIdle();
	jest.restoreAllMocks();
	expect(items).toEqual([]);
	expect(errorItems).toMatchObject([
		{ json: { error: { status: 'COMPLETED', charge: 'completed' } } },
	]);
});

test.each<[string, number, 'manual' | 'trigger', boolean]>([
	['a worker was held for more than five minutes', 6 * 60_000, 'trigger', true],
	['it was shorter', 4 * 60_000, 'trigger', false],
	['it runs in the editor', 6 * 60_000, 'manual', false],
])(
	'Run suggests the loop only after a long wait of a production execution: %s',
	async (_name, jobMs, mode, isHinted) => {
		emulator.set({ jobMs });
		const parameters = runParams({}, { pollIntervalSeconds: jobMs / 1_000 + 10 });
		const { hints } = succeed(await runNode({ parameters, mode }));
		expect(hints.some((hint) => hint.includes('Wait for Completion'))).toBe(isHinted);
	},
);
