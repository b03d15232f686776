/** What the lifecycle of a request guarantees about charges, over an attempt and its retry. */
import { resentHint } from '../../../nodes/shared/errors/failures';
import { say } from '../../../nodes/shared/errors/say';
import { RequestRecord } from '../../../nodes/shared/request/record';
import { patternOf } from '../../helpers/errorTexts';
import { requestParams, runParams } from '../../helpers/inference';
import { collectGarbage } from '../../helpers/memory';
import type { RunOptions } from '../../helpers/runNode';
import { stopWhen, until } from '../../helpers/until';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode, submits, pass } = useVirtualEngine();
const first = () => emulator.jobs[0].requestId;
const SHORT = { timeoutSeconds: 1 };

describe('COMPLETED is charged, whatever later responses say', () => {
	const completedThenFailed = () => {
		emulator.set({ failJobs: [0], jobMs: 20_000 });
		emulator.fault({ on: 'status', do: { body: { status: 'COMPLETED' } } });
	};

	test('a request that says FAILED after COMPLETED is contradicted, also for a retry', async () => {
		completedThenFailed();
		const failed = await runNode({ parameters: runParams() });
		expect(failed.failed).toMatchObject([{ kind: 'contradicted', status: 'COMPLETED' }]);
		const retried = await runNode({ parameters: runParams(), retryOf: failed });
		expect(retried.failed).toMatchObject([{ kind: 'contradicted' }]);
		expect(retried.failed[0].charge).not.toBe('none');
		expect(submits()).toHaveLength(1);
	});

	test('Get Result reports a contradicted request too, but not if only the item says COMPLETED', async () => {
		emulator.set({ failJobs: [0], jobMs: 20_000 });
		const { failed: timedOut } = await runNode({ parameters: runParams({}, SHORT) });
		const request = { request_id: timedOut[0].requestId ?? '', status: 'COMPLETED' };
		const parameters = requestParams('getResult', { request: JSON.stringify(request) });
		emulator.fault({ on: 'status', do: { body: { status: 'COMPLETED' } } });
		const { failed } = await runNode({ parameters });
		expect(failed).toMatchObject([{ kind: 'contradicted', requestId: request.request_id }]);
		expect((await runNode({ parameters })).failed).toMatchObject([{ kind: 'requestFailed' }]);
	});

	test('COMPLETED is in the journal before the result is read: after an hour, nothing is resent', async () => {
		emulator.set({ history: false });
		emulator.fault({ on: 'result', do: 'hang' });
		const whileRunning = stopWhen(() => emulator.callsOf('result').length > 0);
		const stopped = await runNode({ parameters: runParams(), whileRunning });
		await pass(3_700_000);
		const parameters = runParams({}, { sendAgainIfUnsure: true });
		const { failed } = await runNode({ parameters, retryOf: stopped });
		expect(failed).toMatchObject([{ kind: 'missing' }]);
		expect(submits()).toHaveLength(1);
	});
});

describe('a hint says what happened, and only that', () => {
	/** The published price is 0.1649 USD. */
	const TOO_LITTLE = { maximumCost: 0.01 };
	const resent = patternOf(resentHint('{subject}', say`{found}`));

	test('resent, unless Max Cost forbids it', async () => {
		emulator.fault({ on: 'submit', do: { status: 504, body: '' } });
		const lost = await runNode({ parameters: runParams() });
		const notSent = await runNode({
			parameters: runParams({}, TOO_LITTLE),
			retryOf: lost,
			onError: 'continueRegularOutput',
		});
		expect(notSent.failed).toMatchObject([{ outcomeUnknown: true }]);
		expect(notSent.hints.join()).not.toMatch(resent);
		const sent = await runNode({ parameters: runParams(), retryOf: lost });
		expect(sent.hints.join()).toMatch(resent);
	});

	test('resent, although the response to the new request is lost too', async () => {
		emulator.fault({ on: 'submit', times: 2, do: { status: 504, body: '' } });
		const lost = await runNode({ parameters: runParams() });
		const again = await runNode({
			parameters: runParams(),
			retryOf: lost,
			onError: 'continueRegularOutput',
		});
		expect(again.failed).toMatchObject([{ outcomeUnknown: true }]);
		expect(submits()).toHaveLength(2);
		expect(again.hints.join()).toMatch(resent);
	});

	test.each<[string, Partial<RunOptions>]>([
		['Retry', {}],
		['Execute step', { mode: 'manual' }],
	])('resumed by %s: it is not charged again', async (_name, runOptions) => {
		emulator.set({ jobMs: 60_000 });
		const timedOut = await runNode({ parameters: runParams({}, SHORT), ...runOptions });
		await pass(15_000);
		const retryOf = runOptions.mode === 'manual' ? undefined : timedOut;
		const { hints } = await runNode({ parameters: runParams(), ...runOptions, retryOf });
		const isManual = runOptions.mode === 'manual';
		const expected = isManual ? /\b1 request\b.*Execute step/ : /\b1 request\b(?!.*Execute step)/;
		expect(hints).toContainEqual(expect.stringMatching(expected));
	});

	test('found in the request history; no hint for a request that was simply sent', async () => {
		emulator.fault({ on: 'submit', do: 'dropAfterAccept' });
		const found = await runNode({ parameters: runParams() });
		expect(found.hints).toEqual([expect.stringMatching(/\b1 request\b/)]);
		const plain = await runNode({ parameters: runParams({ prompt: 'a castle' }) });
		expect(plain.hints).toEqual([]);
	});
});

test('a failed request that was resent is no longer named, although the new one is rejected', async () => {
	emulator.set({ failJobs: [0], jobMs: 20_000 });
	const timedOut = await runNode({ parameters: runParams({}, SHORT) });
	await pass(60_000);
	emulator.fault({ on: 'submit', do: { status: 402, body: { error: 'Insufficient credits' } } });
	const { failed, error } = await runNode({ parameters: runParams(), retryOf: timedOut });
	expect(failed[0].requestId).toBeUndefined();
	expect(`${error?.message} ${error?.description}`).not.toContain(first());
});

test('while other items run, nothing keeps what an item that has ended was made of', async () => {
	const { close } = RequestRecord.prototype;
	const records: Array<WeakRef<RequestRecord>> = [];
	RequestRecord.prototype.close = function (this: RequestRecord) {
		records.push(new WeakRef(this));
		close.call(this);
	};
	const kept = async () => {
		await until(() => submits().length === 3);
		collectGarbage();
		RequestRecord.prototype.close = close;
		expect(records.map((record) => record.deref() !== undefined)).toEqual([false, false]);
	};
	const parameters = runParams({}, { maxConcurrency: 1 });
	const items = [1, 2, 3].map((sku) => ({ json: { sku } }));
	const { failed } = await runNode({ parameters, items, whileRunning: kept });
	expect(failed).toEqual([]);
});
