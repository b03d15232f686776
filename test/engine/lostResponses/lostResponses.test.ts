/** A request whose response was lost is searched for in the request history, in bounded time, and resent only if that is free or the user asked for it. */
import { sleep } from 'n8n-workflow';

import { model, runParams } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode, submits } = useVirtualEngine();
const v1 = (options = {}) => runParams({}, { answerInOneCall: true, ...options });

/** Returns the result of some work and its duration in seconds of virtual time. */
async function measureSeconds<T>(work: () => Promise<T>): Promise<[T, number]> {
	const startedAt = Date.now();
	return [await work(), (Date.now() - startedAt) / 1_000];
}

describe('a v1 response of 200 without a usable body', () => {
	test('ends the call, instead of searching the request history until the timeout', async () => {
		emulator.set({ history: false });
		emulator.fault({ on: 'v1', do: { body: '', contentType: 'application/json' } });
		const [{ failed }, took] = await measureSeconds(
			async () => await runNode({ parameters: v1() }),
		);
		expect(failed).toMatchObject([{ kind: 'unreadable', charge: 'unknown', outcomeUnknown: true }]);
		expect(took).toBeLessThan(60);
	});

	test('still has an ID, and a retry checks that request', async () => {
		emulator.set({ history: false });
		emulator.set({ v1Shape: 'videoUrl' });
		emulator.fault({ on: 'v1', do: { rewrite: { nulls: true } } });
		const [failed, took] = await measureSeconds(async () => await runNode({ parameters: v1() }));
		const [{ requestId }] = emulator.jobs;
		expect(failed.failed).toMatchObject([{ kind: 'missing', requestId }]);
		expect(took).toBeLessThan(90);
		emulator.set({ history: true });
		const { json } = succeed(await runNode({ parameters: v1(), retryOf: failed }));
		expect(json[0].request_id).toBe(requestId);
		expect(emulator.jobs).toHaveLength(1);
	});
});

test('a v1 response without an ID that arrives after Stop is reported as charged', async () => {
	emulator.fault({ on: 'v1', do: { status: 200, body: { text: 'made' }, afterMs: 5_000 } });
	await runNode({
		parameters: v1(),
		mode: 'manual',
		whileRunning: async (stop) => {
			await sleep(1_000);
			stop();
		},
	});
	const { failed } = await runNode({ parameters: v1(), mode: 'manual' });
	expect(failed).toMatchObject([{ kind: 'outputLost', charge: 'completed' }]);
	expect(emulator.callsOf('v1')).toHaveLength(1);
});

test("equal calls under way don't keep an item waiting past its own timeout", async () => {
	emulator.set({ jobMs: 3_000_000 });
	const long = runNode({ parameters: v1({ timeoutSeconds: 3_600 }), executionId: 'long' });
	emulator.fault({ on: 'v1', do: { status: 504, body: '<html>' }, after: 1 });
	const parameters = v1({ timeoutSeconds: 60 });
	const [{ failed }, took] = await measureSeconds(
		async () => await runNode({ parameters, executionId: 'short' }),
	);
	expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
	expect(took).toBeLessThan(130);
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

test.each([
	[7, 'none'],
	// A row may still appear, so its absence proves nothing yet.
	[3, 'outOfReach'],
])(
	'a Timeout of %i s also ends the search for a lost submission: %s',
	async (timeoutSeconds, search) => {
		emulator.set({ historyLateMs: 3_600_000 });
		emulator.fault({ on: 'submit', do: 'dropAfterAccept' });
		const parameters = runParams({ model: model('nano-banana-pro') }, { timeoutSeconds });
		const [{ failed }, took] = await measureSeconds(async () => await runNode({ parameters }));
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', search }]);
		expect(took).toBeLessThan(10);
	},
);

test("a request of unknown outcome isn't resent, not even by Retry On Fail, and its status is UNKNOWN [Money 1] [Money 2]", async () => {
	emulator.set({ history: false });
	emulator.fault({ on: 'submit', do: 'dropAfterAccept' });
	const more = { tries: 3, onError: 'continueErrorOutput' } as const;
	const { errorItems, failed } = await runNode({ parameters: runParams(), ...more });
	expect(failed).toMatchObject([{ outcomeUnknown: true }]);
	expect(errorItems).toMatchObject([{ json: { error: { status: 'UNKNOWN' } } }]);
	expect(submits()).toHaveLength(1);
});

test.each([500, 502, 504])(
	'after %i the item fails, and a later retry resends it [Money 1]',
	async (status) => {
		emulator.fault({ on: 'submit', do: { status, body: { error: 'backend down' } } });
		const once = await runNode({ parameters: runParams() });
		const message = expect.stringContaining('backend down');
		const charge = status === 500 ? 'none' : 'unknown';
		expect(once.failed).toMatchObject([{ httpCode: status, charge, message }]);
		expect(submits()).toHaveLength(1);
		succeed(await runNode({ parameters: runParams(), retryOf: once }));
	},
);

test('if a resend is rejected, the lost request before it is searched for again and not resent [Money 9]', async () => {
	emulator.set({ history: false });
	emulator.fault({ on: 'submit', do: 'dropAfterAccept' });
	const lost = await runNode({ parameters: runParams() });
	emulator.fault({ on: 'submit', do: { status: 402, body: { error: 'Insufficient credits' } } });
	const parameters = runParams({}, { sendAgainIfUnsure: true });
	const again = await runNode({ parameters, retryOf: lost });
	expect(again.failed).toMatchObject([{ httpCode: 402, charge: 'unknown', outcomeUnknown: true }]);
	emulator.set({ history: true });
	const { json } = succeed(await runNode({ parameters: runParams(), retryOf: again }));
	expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
	expect(emulator.jobs).toHaveLength(1);
});

test("a response that names another item's request isn't taken for this item's [Money 4]", async () => {
	await runNode({ parameters: runParams() });
	const body = JSON.stringify({ request_id: emulator.jobs[0].requestId, status: 'QUEUED' });
	emulator.fault({ on: 'submit', do: { status: 200, body, accept: true } });
	const { json, failed } = await runNode({ parameters: runParams({ prompt: 'another' }) });
	expect(failed).toEqual([]);
	expect(json[0].request_id).toBe(emulator.jobs[1].requestId);
});
