/** A request whose response was lost, alone in a history that can be read: it's found in bounded time, and resent only if that is free or the user asked for it. */
import { sleep, type INodeParameters } from 'n8n-workflow';

import { ServerClock } from '../../../nodes/shared/service/serviceTime';
import { model, runParams, workflowParams } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';
import { stopWhen } from '../../helpers/until';
import { useVirtualEngine } from '../../helpers/virtualEngine';
import { newProcess } from '../../helpers/virtualTime';

const { emulator, runNode, pass, submits } = useVirtualEngine();
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
		// A retry is enough.
		const next = expect.not.stringContaining('Send Again If Unsure');
		expect(once.failed).toMatchObject([{ httpCode: status, charge, message, next }]);
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
	expect(again.failed).toMatchObject([
		{ httpCode: 402, charge: 'earlierUnknown', outcomeUnknown: true },
	]);
	emulator.set({ history: true });
	const { json } = succeed(await runNode({ parameters: runParams(), retryOf: again }));
	expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
	expect(emulator.jobs).toHaveLength(1);
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
		expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
		expect(emulator.jobs).toHaveLength(1);
	});
});

test('a 504 whose request failed is free, so a retry sends it again', async () => {
	emulator.set({ failJobs: [0], history: false });
	emulator.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
	const lost = await runNode({ parameters: runParams() });
	expect(lost.failed).toMatchObject([{ kind: 'unknownOutcome' }]);
	emulator.set({ history: true });
	await pass(60_000);
	const { json } = succeed(await runNode({ parameters: runParams(), retryOf: lost }));
	expect(json[0].request_id).toBe(emulator.jobs[1].requestId);
	expect(emulator.jobs).toHaveLength(2);
});

describe('a call behind a gateway whose retry knows less', () => {
	const lose = async (credential = {}) => {
		emulator.set({ history: false });
		emulator.fault({ on: 'submit', do: { status: 504, body: '<html>', accept: true } });
		const lost = await runNode({ parameters: runParams(), credential });
		emulator.set({ history: true });
		return lost;
	};

	test('in another process, its row is a candidate, and nothing is resent', async () => {
		const retryOf = await lose();
		newProcess();
		const { failed } = await runNode({ parameters: runParams(), retryOf });
		expect(failed).toMatchObject([
			{ kind: 'unknownOutcome', candidates: [emulator.jobs[0].requestId] },
		]);
		expect(emulator.jobs).toHaveLength(1);
	});

	test.each([
		["behind a company's own gateway, which can't know what is charged", 'localhost', undefined],
		['with another credential, whose history says nothing', '127.0.0.1', 'the other credential'],
	])('%s, nothing is resent', async (_how, host, credentialId) => {
		const credential = { baseUrl: emulator.urls.api.replace('127.0.0.1', host) };
		const retryOf = await lose(credential);
		emulator.set({ history: false });
		const how = { credential, ...(credentialId && { credentialId }) };
		const { failed } = await runNode({ parameters: runParams(), retryOf, ...how });
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', retry: undefined }]);
		expect(emulator.jobs).toHaveLength(1);
	});
});

test('a v1 call whose response is cut short is not resent: the item has the request that its headers name', async () => {
	emulator.set({ history: false });
	emulator.fault({ on: 'v1', do: { truncate: 10 } });
	const parameters = runParams({}, { answerInOneCall: true });
	const { failed } = await runNode({ parameters, tries: 2 });
	expect(failed).toMatchObject([{ kind: 'missing', requestId: emulator.jobs[0].requestId }]);
	expect(emulator.jobs).toHaveLength(1);
});

test.each([301, 302, 307])('a redirect (%i): Retry On Fail does not resend', async (status) => {
	emulator.set({ history: false });
	const redirect = `${emulator.urls.api}/elsewhere`;
	emulator.fault({ on: 'submit', do: { redirect, status } });
	const { failed } = await runNode({ parameters: runParams(), tries: 3 });
	expect(failed).toMatchObject([{ kind: 'unknownOutcome', outcomeUnknown: true }]);
	expect(submits()).toHaveLength(1);
});

test('after an exception, a request that was already sent is found, not resent', async () => {
	const note = jest.spyOn(ServerClock.prototype, 'note');
	note.mockImplementationOnce(() => {
		throw new Error('a bug in this package');
	});
	const { json } = succeed(await runNode({ parameters: runParams(), tries: 3 }));
	note.mockRestore();
	expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
	expect(emulator.jobs).toHaveLength(1);
});

test.each([
	['call', 'hangAfterAccept', () => submits().length > 0],
	['search', 'dropAfterAccept', () => emulator.callsOf('history').length > 0],
] as const)('Stop during the %s: a retry finds the request', async (_when, action, isReached) => {
	emulator.set({ historyLateMs: 10_000 });
	emulator.fault({ on: 'submit', do: action });
	const stopped = await runNode({ parameters: runParams(), whileRunning: stopWhen(isReached) });
	const next = expect.stringContaining('Get Many');
	expect(stopped.failed).toMatchObject([{ kind: 'stopped', charge: 'unknown', next }]);
	await pass(120_000);
	const { json } = succeed(await runNode({ parameters: runParams(), retryOf: stopped }));
	expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
	expect(emulator.jobs).toHaveLength(1);
});

const WAYS: Array<[string, { node?: string; parameters: INodeParameters }]> = [
	['v2', { parameters: runParams() }],
	['v1', { parameters: v1() }],
	['a workflow', { node: 'segmindWorkflow', parameters: workflowParams() }],
];

test.each(WAYS)(
	'%s: the next run in the editor searches for a lost request',
	async (_name, way) => {
		emulator.set({ history: false });
		emulator.fault({ on: ['submit', 'v1'], do: 'dropAfterAccept' });
		const first = await runNode({ ...way, mode: 'manual' });
		expect(first.failed).toMatchObject([{ kind: 'unknownOutcome' }]);
		emulator.set({ history: true });
		const { json } = succeed(await runNode({ ...way, mode: 'manual' }));
		expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
		expect(emulator.jobs).toHaveLength(1);
	},
);

test.each(WAYS)(
	'%s: a gateway times out after the service accepted: one request in three attempts',
	async (_name, way) => {
		emulator.set({ jobMs: 40_000 });
		emulator.fault({
			on: ['submit', 'v1'],
			times: 'always',
			do: { status: 504, body: '<html>gateway</html>', accept: true, afterMs: 20_000 },
		});
		const { json } = succeed(await runNode({ ...way, tries: 3 }));
		expect(emulator.jobs).toHaveLength(1);
		expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
	},
);
