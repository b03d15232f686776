/** Waiting for requests: states, limits, timeouts and Stop; rate limits, endless responses, clocks that are set back. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { CallKind, FaultAction } from '../../../dev/emulator';
import { hasWorkflowSettings } from '../../../dev/engine/version';
import {
	EACH_PROMPT,
	idsOf,
	prompts,
	requestParams,
	runParams,
	submitParams,
} from '../../helpers/inference';
import { ENDPOINT } from '../../helpers/endpoint';
import { succeed } from '../../helpers/runNode';
import { stopWhen, until } from '../../helpers/until';
import { useVirtualEngine } from '../../helpers/virtualEngine';
import { newProcess } from '../../helpers/virtualTime';

const { emulator, runNode, submits, pass, skip } = useVirtualEngine();

test.each([
	['that its item names', {}],
	['of which only the ID is known', { request: '={{ $json.request_id }}' }],
])(
	"right after a submission, Get Status reports a request %s, and that the service doesn't know yet, as missing, not as expired",
	async (_which, more) => {
		const { items } = await runNode({ parameters: submitParams() });
		emulator.set({ recordMs: 0, history: false });
		const { failed } = await runNode({ parameters: requestParams('getStatus', more), items });
		expect(failed).toMatchObject([{ kind: 'missing', charge: 'ifCompletes' }]);
		expect(failed[0].status).not.toBe('EXPIRED');
	},
);

test('polling survives 429, 5xx, dropped and unreadable responses', async () => {
	emulator.set({ jobMs: 40_000 });
	const faults: FaultAction[] = [
		{ status: 503 },
		'dropBeforeAccept',
		{ body: '<html>proxy</html>', contentType: 'text/html' },
		{ status: 429, headers: { 'retry-after': '0' } },
	];
	for (const [after, action] of faults.entries())
		emulator.fault({ on: ['status', 'poll'], after, do: action });
	emulator.fault({ on: 'result', do: { status: 502 } });
	const { json } = succeed(await runNode({ parameters: runParams() }));
	expect(json[0].status).toBe('COMPLETED');
	expect(submits()).toHaveLength(1);
	expect(emulator.calls.filter(({ fault }) => fault !== undefined)).toHaveLength(5);
});

test('waits until a rate limit allows more calls, and sends submissions first', async () => {
	emulator.set({ rateLimit: { perMinute: 5, windowMs: 3_000 } });
	const { json } = succeed(
		await runNode({
			parameters: runParams({ prompt: EACH_PROMPT }),
			items: prompts(7),
			credentialId: 'limited',
		}),
	);
	expect(json).toHaveLength(7);
	expect(emulator.jobs).toHaveLength(7);
	// Five of the seven fit the first window; the other two come first in the next one.
	expect(submits().filter(({ status }) => status === 429)).toHaveLength(2);
});

test('items run concurrently, up to Max Items at Once', async () => {
	emulator.set({ jobMs: 300 });
	await runNode({
		parameters: runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 2 }),
		items: prompts(4),
	});
	const [first, second, third] = emulator.jobs;
	expect(second.submittedAt).toBeLessThan(first.finishedAt as number);
	expect(third.submittedAt).toBeGreaterThanOrEqual(first.finishedAt as number);
});

describe('the usual time of a model decides when its requests are checked', () => {
	/** Runs a request of this duration. Returns when its status was checked, in ms after its acceptance. */
	async function checksOf(jobMs: number, options: IDataObject = {}) {
		emulator.set({ jobMs });
		const before = emulator.callsOf('status').length;
		succeed(
			await runNode({
				parameters: runParams({}, { pollIntervalSeconds: 0, ...options }),
			}),
		);
		const { submittedAt } = emulator.jobs.at(-1)!;
		return emulator
			.callsOf('status')
			.slice(before)
			.map(({ at }) => at - submittedAt);
	}
	/** Returns the checks in the last 11 s of a request that takes 61 s. */
	const nearEnd = (checks: number[]) => checks.filter((at) => at > 50_000 && at < 61_000);
	const gaps = (checks: number[]) => checks.slice(1).map((at, index) => at - checks[index]);

	test('uses the published time for its first request', async () => {
		// The published time is 61 s.
		const checks = await checksOf(61_000);
		expect(checks[0]).toBeGreaterThanOrEqual(3_000);
		expect(nearEnd(checks).length).toBeGreaterThanOrEqual(5);
		expect(Math.max(...gaps(nearEnd(checks)))).toBeLessThanOrEqual(1_900);
		expect(Math.max(...gaps(checks.filter((at) => at < 40_000)))).toBeGreaterThan(2_700);
	});

	test('then uses the time that this process has measured, in later executions too', async () => {
		const [first] = await checksOf(5_000);
		const [later] = await checksOf(5_000);
		expect(first).toBeGreaterThanOrEqual(3_000);
		expect(later).toBeLessThanOrEqual(1_500);
	});

	test('ignores the duration of a request that had ended long before it was checked', async () => {
		emulator.set({ jobMs: 5_000 });
		const { items } = await runNode({ parameters: submitParams() });
		await pass(600_000);
		succeed(await runNode({ parameters: requestParams('getResult'), items }));
		expect(nearEnd(await checksOf(61_000)).length).toBeGreaterThanOrEqual(5);
	});

	test('ignores the duration of a request whose time of acceptance is unknown', async () => {
		emulator.set({ jobMs: 61_000 });
		const { items } = succeed(await runNode({ parameters: submitParams() }));
		await pass(50_000);
		newProcess();
		const json = { ...items[0].json, submitted_at: undefined };
		succeed(await runNode({ parameters: requestParams('getResult'), items: [{ json }] }));
		const [first] = await checksOf(5_000);
		expect(first).toBeGreaterThanOrEqual(3_000);
	});

	test('after the first of several such requests has ended, the checks of the others still have pauses', async () => {
		const ids = [10_000, 120_000].map((durationMs) =>
			emulator.submitElsewhere({ slug: 'nano-banana-pro', input: { prompt: 'x' }, durationMs }),
		);
		const parameters = requestParams('getResult', { request: '={{ $json.id }}' });
		const items = ids.map((id) => ({ json: { id } }));
		const result = succeed(await runNode({ parameters, items }));
		expect(idsOf(result.items)).toEqual(ids);
		expect(emulator.callsOf('status').length).toBeLessThan(150);
	});

	test('has no effect if the user chose an interval', async () => {
		const checks = await checksOf(20_000, { pollIntervalSeconds: 2 });
		expect(checks.length).toBeGreaterThan(5);
		for (const gap of gaps(checks)) expect(Math.abs(gap - 2_000)).toBeLessThanOrEqual(100);
	});
});

describe('Timeout', () => {
	beforeEach(() => emulator.set({ jobMs: 60_000 }));

	test('can return the request for Get Result instead of an error', async () => {
		const { json } = succeed(
			await runNode({
				parameters: runParams({}, { timeoutSeconds: 1, onTimeout: 'returnRequest' }),
			}),
		);
		expect(json[0]).toEqual({
			request_id: emulator.jobs[0].requestId,
			status: 'PROCESSING',
			submitted_at: new Date(emulator.jobs[0].submittedAt).toISOString(),
			model: 'nano-banana-pro',
			poll_url: expect.stringContaining('/v1/requests/'),
			status_url: expect.stringMatching(/\/v2\/requests\/.*\/status$/),
			response_url: expect.stringContaining('/v2/requests/'),
		});
	});

	test.each([0, 7, 100])(
		'makes a last status check at the timeout (Check Every %i)',
		async (pollIntervalSeconds) => {
			emulator.set({ jobMs: 9_500 });
			const options = { pollIntervalSeconds, timeoutSeconds: 10, onTimeout: 'returnRequest' };
			const { json, endedAt } = succeed(await runNode({ parameters: runParams({}, options) }));
			expect(json[0].status).toBe('COMPLETED');
			expect(endedAt - emulator.jobs[0].submittedAt).toBeLessThan(20_000);
		},
	);

	(hasWorkflowSettings ? test.each : test.skip.each)([true, false])(
		"a hint says if the workflow's own timeout comes first, and the node waits: %s",
		async (waitForCompletion) => {
			const { hints } = await runNode({
				parameters: runParams({ waitForCompletion }, { timeoutSeconds: 2 }),
				settings: { executionTimeout: 1 },
				onError: 'continueRegularOutput',
			});
			expect(hints.some((hint) => /\b1 s\b.*\b2 s\b/.test(hint))).toBe(waitForCompletion);
		},
	);
});

describe('Stop', () => {
	const LIMITED: FaultAction = { status: 429, headers: { 'retry-after': '30' }, body: {} };
	const dataUrl = 'data:image/png;base64,AAAA';

	test.each<[CallKind, FaultAction, string, INodeParameters]>([
		['submit', LIMITED, 'segmind', runParams()],
		['endpoint', LIMITED, 'segmindEndpoint', { operation: 'create', ...ENDPOINT }],
		['upload', 'hang', 'segmindAsset', { operation: 'upload', source: 'dataUrl', dataUrl }],
		['account', 'hang', 'segmindAccount', { resource: 'session', operation: 'getProfile' }],
	])('while %s waits: nothing is charged [Money 9]', async (on, action, node, parameters) => {
		emulator.fault({ on, do: action });
		const hasWaited = () => emulator.callsOf(on).some(({ at }) => Date.now() - at > 500);
		const { failed } = await runNode({ node, parameters, whileRunning: stopWhen(hasWaited) });
		expect(failed).toMatchObject([{ kind: 'stopped', charge: 'none' }]);
	});

	test.each(['submit', 'status'] as const)('at a %s: ends at once, with the ID', async (kind) => {
		emulator.set({ jobMs: 60_000 });
		emulator.fault({ on: 'status', do: 'hang' });
		let pressedAt = 0;
		const { log, endedAt } = await runNode({
			parameters: runParams({}, { pollIntervalSeconds: 30 }),
			whileRunning: async (stop, accepted) => {
				await until(() => accepted.length === 1 && emulator.callsOf(kind).length === 1);
				pressedAt = Date.now();
				stop();
			},
		});
		expect(endedAt - pressedAt).toBeLessThan(500);
		expect(log.join()).toContain(emulator.jobs[0].requestId);
	});

	test('during a submission: the call finishes, and its request ID is logged', async () => {
		emulator.fault({ on: 'submit', do: { delayMs: 400 } });
		const { log } = await runNode({
			parameters: runParams(),
			whileRunning: async (stop) => {
				await until(() => emulator.callsOf('submit').length === 1);
				stop();
				await emulator.whenIdle();
				await until(() => emulator.jobs.length === 1);
			},
			logUntil: (lines) => lines.length === 1,
		});
		expect(log[0]).toContain(emulator.jobs[0].requestId);
		expect(emulator.callsOf('status')).toEqual([]);
	});

	test('with items still to submit: none is submitted, not even when Retry On Fail calls the node again [Money 8]', async () => {
		emulator.set({ jobMs: 60_000 });
		await runNode({
			parameters: runParams({ prompt: EACH_PROMPT }, { maxConcurrency: 1 }),
			items: prompts(3),
			tries: 3,
			whileRunning: stopWhen(() => emulator.callsOf('status').length > 0),
		});
		const calls = emulator.calls.length;
		await emulator.whenIdle();
		expect(submits()).toHaveLength(1);
		expect(emulator.calls).toHaveLength(calls);
	});
});

test.each(
	([429, 503] as const).flatMap((status) =>
		(['submit', 'status', 'result'] as const).map((on) => [status, on] as const),
	),
)(
	'after %i with Retry-After: 7, the next call for a %s waits 7 s [Money 1]',
	async (status, on) => {
		emulator.fault({ on, do: { status, headers: { 'retry-after': '7' }, body: {} } });
		succeed(await runNode({ parameters: runParams() }));
		const [limited, next] = emulator.callsOf(on).slice(-2);
		expect(limited.status).toBe(status);
		expect(next.at - limited.at).toBeGreaterThanOrEqual(7_000);
		expect(next.at - limited.at).toBeLessThan(9_000);
		expect(emulator.jobs).toHaveLength(1);
	},
);

const AT_ONCE: Array<Record<string, string>> = [
	{ 'retry-after': '0' },
	// A time in the past.
	{ 'x-rate-limit-reset-at-utc': new Date(0).toISOString() },
	{},
];

test.each(
	[429, 503].flatMap((status) =>
		AT_ONCE.map((headers): FaultAction => ({ status, headers, body: {} })),
	),
)(
	'a service that says "retry at once" isn\'t flooded: after %j one item sends at most 15 in a minute',
	async (action) => {
		emulator.fault({ on: 'submit', times: 'always', do: action });
		const { failed } = await runNode({ parameters: runParams({}, { timeoutSeconds: 60 }) });
		expect(failed).toMatchObject([{ charge: 'none' }]);
		expect(submits().length).toBeGreaterThan(1);
		expect(submits().length).toBeLessThanOrEqual(15);
	},
);

test.each(['status', 'result', 'submit'] as const)(
	'a response to a %s that comes byte by byte without end is cut off by the timeout of its call',
	async (on) => {
		emulator.fault({ on, times: 'always', do: { dripMs: 5_000 } });
		const startedAt = Date.now();
		const { error } = await runNode({
			parameters: runParams({}, { timeoutSeconds: 60, pollIntervalSeconds: 5 }),
		});
		// A submission whose response is too slow is found in the history.
		expect(error === undefined).toBe(on === 'submit');
		expect(Date.now() - startedAt).toBeLessThan(60_000 + 150_000);
		expect(emulator.jobs).toHaveLength(1);
	},
);

test("a clock that is set back doesn't make any wait longer", async () => {
	emulator.set({ jobMs: 600_000 });
	const endedAt = runNode({
		parameters: runParams({ prompt: EACH_PROMPT }, { timeoutSeconds: 60, pollIntervalSeconds: 5 }),
		items: prompts(2),
	}).then(({ failed }) => {
		expect(failed).toMatchObject([{ kind: 'timedOut' }, { kind: 'timedOut' }]);
		return Date.now();
	});
	await pass(20_000);
	// Set back by less than the request's age: the emulator uses this clock too, and wouldn't know a request from the future.
	skip(-15_000);
	const setBackTo = Date.now();
	expect((await endedAt) - setBackTo).toBeLessThan(48_000);
});
