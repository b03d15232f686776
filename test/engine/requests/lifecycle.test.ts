/** What the lifecycle of a request guarantees about charges, over an attempt and its retry. */
import { HINTS } from '../../../nodes/shared/errors/hintTable';
import { ServerClock } from '../../../nodes/shared/service/serviceTime';
import { patternOf } from '../../helpers/errorTexts';
import { requestParams, longRunParams } from '../../helpers/inference';
import { succeed, type RunOptions } from '../../helpers/runNode';
import { stopWhen } from '../../helpers/until';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode, submits, pass } = useVirtualEngine();
const first = () => emulator.jobs[0].requestId;
const SHORT = { timeoutSeconds: 1 };
/** Presses Stop as soon as a call of this kind has arrived. */
const stopAt = (kind: 'submit' | 'result') => stopWhen(() => emulator.callsOf(kind).length > 0);

describe('COMPLETED is charged, whatever later responses say', () => {
	const completedThenFailed = () => {
		emulator.set({ failJobs: [0], jobMs: 20_000 });
		emulator.fault({ on: 'status', do: { body: { status: 'COMPLETED' } } });
	};

	test('a request that says FAILED after COMPLETED is contradicted, also for a retry', async () => {
		completedThenFailed();
		const failed = await runNode({ parameters: longRunParams() });
		expect(failed.failed).toMatchObject([{ kind: 'contradicted', status: 'COMPLETED' }]);
		const retried = await runNode({ parameters: longRunParams(), retryOf: failed });
		expect(retried.failed).toMatchObject([{ kind: 'contradicted' }]);
		expect(retried.failed[0].charge).not.toBe('none');
		expect(submits()).toHaveLength(1);
	});

	test('Get Result reports a contradicted request too', async () => {
		emulator.set({ failJobs: [0], jobMs: 20_000 });
		const { failed: timedOut } = await runNode({ parameters: longRunParams({}, SHORT) });
		const request = timedOut[0].requestId ?? '';
		emulator.fault({ on: 'status', do: { body: { status: 'COMPLETED' } } });
		const { failed } = await runNode({ parameters: requestParams('getResult', { request }) });
		expect(failed).toMatchObject([{ kind: 'contradicted', requestId: request }]);
	});

	test('COMPLETED is in the journal before the result is read: after an hour, nothing is resent', async () => {
		emulator.set({ history: false });
		emulator.fault({ on: 'result', do: 'hang' });
		const stopped = await runNode({ parameters: longRunParams(), whileRunning: stopAt('result') });
		await pass(3_700_000);
		const parameters = longRunParams({}, { sendAgainIfUnsure: true });
		const { failed } = await runNode({ parameters, retryOf: stopped });
		expect(failed).toMatchObject([{ kind: 'missing' }]);
		expect(submits()).toHaveLength(1);
	});
});

describe('a response that says nothing about acceptance', () => {
	test.each([301, 302, 307])('a redirect (%i): Retry On Fail does not resend', async (status) => {
		emulator.set({ history: false });
		const redirect = `${emulator.urls.api}/elsewhere`;
		emulator.fault({ on: 'submit', do: { redirect, status } });
		const { failed } = await runNode({ parameters: longRunParams(), tries: 3 });
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', outcomeUnknown: true }]);
		expect(submits()).toHaveLength(1);
	});

	test('after an exception, a request that was already sent is found, not resent', async () => {
		const note = jest.spyOn(ServerClock.prototype, 'note');
		note.mockImplementationOnce(() => {
			throw new Error('a bug in this package');
		});
		const { json } = succeed(await runNode({ parameters: longRunParams(), tries: 3 }));
		note.mockRestore();
		expect(json[0].request_id).toBe(first());
		expect(emulator.jobs).toHaveLength(1);
	});

	test('Stop during the call: the submission is in the journal before it is sent', async () => {
		emulator.fault({ on: 'submit', do: 'hangAfterAccept' });
		const stopped = await runNode({ parameters: longRunParams(), whileRunning: stopAt('submit') });
		await pass(120_000);
		const { json } = succeed(await runNode({ parameters: longRunParams(), retryOf: stopped }));
		expect(json[0].request_id).toBe(first());
		expect(emulator.jobs).toHaveLength(1);
	});
});

describe('a hint says what happened, and only that', () => {
	/** The published price is 0.1649 USD. */
	const TOO_LITTLE = { maximumCost: 0.01 };
	const resent = patternOf(HINTS.resent);

	test('resent, unless Max Cost forbids it', async () => {
		emulator.fault({ on: 'submit', do: { status: 504, body: '' } });
		const lost = await runNode({ parameters: longRunParams() });
		const notSent = await runNode({
			parameters: longRunParams({}, TOO_LITTLE),
			retryOf: lost,
			onError: 'continueRegularOutput',
		});
		expect(notSent.failed).toMatchObject([{ outcomeUnknown: true }]);
		expect(notSent.hints.join()).not.toMatch(resent);
		const sent = await runNode({ parameters: longRunParams(), retryOf: lost });
		expect(sent.hints.join()).toMatch(resent);
	});

	test.each<[string, Partial<RunOptions>]>([
		['Retry', {}],
		['Execute step', { mode: 'manual' }],
	])('resumed by %s: it is not charged again', async (_name, runOptions) => {
		emulator.set({ jobMs: 60_000 });
		const timedOut = await runNode({ parameters: longRunParams({}, SHORT), ...runOptions });
		await pass(15_000);
		const retryOf = runOptions.mode === 'manual' ? undefined : timedOut;
		const { hints } = await runNode({ parameters: longRunParams(), ...runOptions, retryOf });
		expect(hints.join()).toMatch(patternOf(HINTS.resumed));
		expect(hints.join()).toContain(first());
	});

	test('found in the request history; no hint for a request that was simply sent', async () => {
		emulator.fault({ on: 'submit', do: 'dropAfterAccept' });
		const found = await runNode({ parameters: longRunParams() });
		expect(found.hints.join()).toMatch(patternOf(HINTS.found));
		const plain = await runNode({ parameters: longRunParams({ prompt: 'a castle' }) });
		expect(plain.hints).toEqual([]);
	});
});

test('a failed request that was resent is no longer named, although the new one is rejected', async () => {
	emulator.set({ failJobs: [0], jobMs: 20_000 });
	const timedOut = await runNode({ parameters: longRunParams({}, SHORT) });
	await pass(60_000);
	emulator.fault({ on: 'submit', do: { status: 402, body: { error: 'Insufficient credits' } } });
	const { failed, error } = await runNode({ parameters: longRunParams(), retryOf: timedOut });
	expect(failed[0].requestId).toBeUndefined();
	expect(`${error?.message} ${error?.description}`).not.toContain(first());
});
