/** A search in the request history ends when the call has ended, or with the item's own time, and keeps every id it was told. */
import { sleep } from 'n8n-workflow';

import { model, running } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const v1 = (options = {}) => running({}, { answerInOneCall: true, ...options });

/** What the virtual clock says it took, s. */
async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
	const begunAt = Date.now();
	return [await work(), (Date.now() - begunAt) / 1_000];
}

describe('a v1 call answered 200 without a usable body', () => {
	test("has ended: the request history isn't searched until the timeout", async () => {
		emulator.it.set({ history: false });
		emulator.it.fault({ on: 'v1', do: { body: '', contentType: 'application/json' } });
		const [{ failed }, took] = await timed(async () => await runNode({ parameters: v1() }));
		expect(failed).toMatchObject([{ kind: 'unreadable', charge: 'unknown', outcomeUnknown: true }]);
		expect(took).toBeLessThan(60);
	});

	test('keeps the ID that it was given, and a retry checks that request', async () => {
		emulator.it.set({ history: false });
		emulator.it.set({ v1Shape: 'videoUrl' });
		emulator.it.fault({ on: 'v1', do: { rewrite: { nulls: true } } });
		const [failed, took] = await timed(async () => await runNode({ parameters: v1() }));
		const [{ requestId }] = emulator.it.jobs;
		expect(failed.failed).toMatchObject([{ kind: 'unreadable', charge: 'completed', requestId }]);
		expect(took).toBeLessThan(90);
		emulator.it.set({ history: true });
		const { json } = await runNode({ parameters: v1(), retryOf: failed });
		expect(json[0].request_id).toBe(requestId);
		expect(emulator.it.jobs).toHaveLength(1);
	});
});

test('a v1 response without an ID that arrives after Stop is reported as charged', async () => {
	emulator.it.fault({ on: 'v1', do: { status: 200, body: { text: 'made' }, afterMs: 5_000 } });
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
	expect(emulator.it.callsOf('v1')).toHaveLength(1);
});

test("equal calls under way don't keep an item waiting past its own timeout", async () => {
	emulator.it.set({ jobMs: 3_000_000 });
	const long = runNode({ parameters: v1({ timeoutSeconds: 3_600 }), executionId: 'long' });
	emulator.it.fault({ on: 'v1', do: { status: 504, body: '<html>' }, after: 1 });
	const parameters = v1({ timeoutSeconds: 60 });
	const [{ failed }, took] = await timed(
		async () => await runNode({ parameters, executionId: 'short' }),
	);
	expect(failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
	expect(took).toBeLessThan(130);
	await long;
});

test("the row of an equal call under way isn't taken for the lost request [Money 4]", async () => {
	emulator.it.set({ jobMs: 40_000 });
	emulator.it.fault({ on: 'v1', do: 'dropBeforeAccept' });
	const [lost, other] = await Promise.all([
		runNode({ parameters: v1({ timeoutSeconds: 120 }), executionId: 'lost' }),
		runNode({ parameters: v1({ timeoutSeconds: 120 }), executionId: 'other' }),
	]);
	expect(other.json[0].request_id).toBe(emulator.it.jobs[0].requestId);
	expect(lost.failed).toMatchObject([{ kind: 'unknownOutcome', search: 'none' }]);
});

test.each([
	[7, 'none'],
	// A row may still appear: that there is none was not seen.
	[3, 'outOfReach'],
])(
	'a Timeout of %i s ends the search of a lost submission too: %s',
	async (timeoutSeconds, search) => {
		emulator.it.set({ historyLateMs: 3_600_000 });
		emulator.it.fault({ on: 'submit', do: 'dropAfterAccept' });
		const parameters = running({ model: model('nano-banana-pro') }, { timeoutSeconds });
		const [{ failed }, took] = await timed(async () => await runNode({ parameters }));
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', search }]);
		expect(took).toBeLessThan(10);
	},
);

test('while a v1 call may still be running nothing is sent, not even with Send Again If Unsure', async () => {
	emulator.it.fault({ on: 'v1', do: { status: 504, body: '<html>' } });
	emulator.it.fault({ on: 'history', times: 'always', do: { status: 500, body: '' } });
	const lost = await runNode({
		parameters: v1({ timeoutSeconds: 600 }),
		whileRunning: async (stop) => {
			await sleep(20_000);
			stop();
		},
	});
	const parameters = v1({ timeoutSeconds: 5, sendAgainIfUnsure: true });
	const { failed } = await runNode({ parameters, retryOf: lost });
	expect(failed).toMatchObject([{ kind: 'unknownOutcome' }]);
	expect(emulator.it.callsOf('v1')).toHaveLength(1);
});
