/** An hour after a request was accepted, its record expires: only the request history still has it. */
import { model, requestParams, runParams, submitParams } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';
import { newProcess } from '../../helpers/virtualTime';

const { emulator, runNode, submits, pass } = useVirtualEngine();
const RESULT_EXPIRED = { kind: 'missing', status: 'COMPLETED', charge: 'completed' };
/** Returns the IDs of requests whose records were read from the history. */
const recordsRead = () =>
	emulator
		.callsOf('history')
		.flatMap(({ status, requestId }) => (status === 200 && requestId ? [requestId] : []));

test('an expired unfinished request is resent only with Send Again If Unsure', async () => {
	emulator.set({ jobMs: 60_000, history: false });
	const parameters = runParams({}, { timeoutSeconds: 1 });
	const failed = await runNode({ parameters });
	emulator.set({ recordMs: 0, jobMs: 50 });
	const withSendAgain = runParams({}, { timeoutSeconds: 1, sendAgainIfUnsure: true });
	for (const again of [parameters, withSendAgain]) {
		const unseen = await runNode({ parameters: again, retryOf: failed });
		expect(unseen.failed).toMatchObject([{ kind: 'missing', charge: 'ifCompletes' }]);
	}
	await pass(3_700_000);
	const expired = await runNode({ parameters, retryOf: failed });
	expect(expired.failed).toMatchObject([{ kind: 'missing', status: 'EXPIRED', search: 'none' }]);
	expect(submits()).toHaveLength(1);
	emulator.set({ recordMs: 3_600_000 });
	emulator.fault({ on: 'submit', do: { status: 400, body: {} } });
	const rejected = await runNode({ parameters: withSendAgain, retryOf: expired });
	expect(rejected.failed).toMatchObject([{ kind: 'rejected', charge: 'earlierUnknown' }]);
	const resent = await runNode({ parameters: withSendAgain, retryOf: expired });
	expect(resent.hints.join()).toContain(emulator.jobs[0].requestId);
	expect(submits()).toHaveLength(3);
});

test('a retry after more than an hour does not make the request look new: Get Result with its ID says that it has expired', async () => {
	emulator.set({ jobMs: 60_000, history: false });
	const parameters = runParams({}, { timeoutSeconds: 1 });
	const failed = await runNode({ parameters });
	await pass(3_700_000);
	newProcess();
	await runNode({ parameters, retryOf: failed });
	const { requestId: request } = emulator.jobs[0];
	const checked = await runNode({
		parameters: requestParams('getResult', { request, waitForCompletion: false }),
	});
	expect(checked.failed).toMatchObject([{ kind: 'missing', status: 'EXPIRED' }]);
});

test('a lost request that a retry adopts later expires an hour after it was sent', async () => {
	emulator.set({ jobMs: 7_200_000, history: false });
	emulator.fault({ on: 'submit', do: 'dropAfterAccept' });
	const parameters = runParams({}, { timeoutSeconds: 5 });
	const lost = await runNode({ parameters });
	expect(lost.failed).toMatchObject([{ outcomeUnknown: true }]);
	await pass(3_000_000);
	emulator.set({ history: true });
	const adopted = await runNode({ parameters, retryOf: lost });
	expect(adopted.failed).toMatchObject([{ kind: 'timedOut' }]);
	await runNode({ parameters, retryOf: adopted });
	await pass(900_000);
	emulator.set({ history: false });
	const request = emulator.jobs[0].requestId;
	const { failed } = await runNode({ parameters: requestParams('getStatus', { request }) });
	expect(failed).toMatchObject([{ kind: 'missing', status: 'EXPIRED' }]);
	expect(submits()).toHaveLength(1);
});

describe('a text whose record has expired, and which the history shows only as completed', () => {
	const textParams = (options = {}) =>
		runParams({ model: model('gpt-5.5') }, { timeoutSeconds: 1, ...options });
	/** Runs a request until it times out, then lets more than an hour pass. */
	const timeOutLongAgo = async (jobMs: number) => {
		emulator.set({ jobMs });
		const failed = await runNode({ parameters: textParams() });
		expect(failed.failed).toMatchObject([{ kind: 'timedOut' }]);
		await pass(3_700_000);
		return failed;
	};

	test('it is not resent, not even with Send Again If Unsure', async () => {
		const failed = await timeOutLongAgo(60_000);
		for (const parameters of [textParams(), textParams({ sendAgainIfUnsure: true })]) {
			const { failed: unread } = await runNode({ parameters, retryOf: failed });
			expect(unread).toMatchObject([RESULT_EXPIRED]);
		}
		expect(submits()).toHaveLength(1);
	});

	test('the status that an earlier attempt saw does not count if the request has completed or is out of reach now', async () => {
		const failed = await timeOutLongAgo(4_500_000);
		const expired = await runNode({ parameters: textParams(), retryOf: failed });
		expect(expired.failed).toMatchObject([{ kind: 'missing', search: 'unfinished' }]);
		emulator.fault({ on: 'history', times: Infinity, do: { status: 500, body: '' } });
		const again = { parameters: textParams({ sendAgainIfUnsure: true }), retryOf: expired };
		const unread = await runNode(again);
		expect(unread.failed).toMatchObject([{ kind: 'missing', search: 'outOfReach' }]);
		emulator.clearFaults();
		await pass(1_000_000);
		expect((await runNode(again)).failed).toMatchObject([RESULT_EXPIRED]);
		expect(submits()).toHaveLength(1);
	});

	test('Get Result fails with that reason, so a loop ends', async () => {
		emulator.set({ queueMs: 0, jobMs: 0 });
		const submitted = succeed(
			await runNode({ parameters: submitParams({ model: model('gpt-5.5') }) }),
		);
		emulator.set({ recordMs: 0 });
		await pass(3_700_000);
		for (const waitForCompletion of [true, false]) {
			const parameters = requestParams('getResult', { waitForCompletion });
			const { failed } = await runNode({ parameters, items: [{ json: submitted.json[0] }] });
			expect(failed).toMatchObject([RESULT_EXPIRED]);
		}
	});
});

test('an expired request gets its file from the history', async () => {
	emulator.set({ queueMs: 0, jobMs: 0 });
	const submitted = succeed(await runNode({ parameters: submitParams() }));
	emulator.set({ recordMs: 0 });
	const { json, items } = succeed(
		await runNode({
			parameters: requestParams('getResult'),
			items: [{ json: submitted.json[0] }],
		}),
	);
	expect(json[0]).toMatchObject({
		request_id: submitted.json[0].request_id,
		model: 'nano-banana-pro',
		status: 'COMPLETED',
	});
	expect(recordsRead()).toEqual([submitted.json[0].request_id]);
	expect(items[0].binary?.data.mimeType).toBe('image/png');
});

test('a request with a row FAILED beside a row COMPLETED counts as completed: for a retry, Get Result and Get Many', async () => {
	emulator.set({ jobMs: 60_000 });
	const timedOut = await runNode({ parameters: runParams({}, { timeoutSeconds: 1 }) });
	await pass(3_700_000);
	const [{ requestId: request }] = emulator.jobs;
	const made = {
		request_id: request,
		model_name: 'nano-banana-pro',
		created_at: new Date(Date.now() - 3_600_000).toISOString(),
		credits_deduction: 0.1,
		generation_url: `${emulator.urls.files}/a.png`,
	};
	const data = ['FAILED', 'COMPLETED'].map((model_status) => ({ ...made, model_status }));
	emulator.fault({ on: 'history', times: 'always', do: { body: { data } } });
	const many = (status: string) => requestParams('getMany', { filters: { status } });
	for (const run of [
		{ parameters: many('COMPLETED') },
		{ parameters: requestParams('getResult', { request }) },
		{ parameters: runParams(), retryOf: timedOut },
	])
		expect((await runNode(run)).json).toMatchObject([{ request_id: request, status: 'COMPLETED' }]);
	expect((await runNode({ parameters: many('FAILED') })).json).toEqual([]);
	expect(submits()).toHaveLength(1);
});
