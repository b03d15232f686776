/** An accepted request that the service doesn't know or return, briefly or forever: it isn't resent, and errors say only what is certain. */
import type { FaultAction } from '../../../dev/emulator';
import { binaryData } from '../../../dev/engine/version';
import { runParams } from '../../helpers/inference';
import { READ_KINDS, HTML, useResultWays } from '../../helpers/resultWays';

const { emulator, runNode, pass, firstId, ways, expectDelivered } = useResultWays();
/** A row of the history about another request. */
const OTHER_ROW = {
	request_id: 'another',
	model_status: 'COMPLETED',
	generation_url: 'https://files.example/another.png',
};

describe("the service doesn't know the request for a moment", () => {
	test.each(ways)(
		'%s: right after its acceptance, and gateway errors follow',
		async (_name, ask) => {
			emulator.set({ jobMs: 60_000, history: false });
			emulator.fault({ on: ['status', 'poll'], times: 4, do: 'notFound' });
			emulator.fault({ on: ['status', 'poll'], times: 10, do: { status: 502, body: HTML } });
			expectDelivered(await ask({ sendAgainIfUnsure: true }));
			// After a 404, poll_url is asked at once.
			const times = emulator.callsOf('status').map(({ at }) => at);
			const pauses = times.slice(1).map((at, index) => at - times[index]);
			expect(Math.min(...pauses)).toBeGreaterThan(200);
		},
	);

	test.each(ways)('%s: after COMPLETED', async (_name, ask) => {
		emulator.set({ history: false });
		emulator.fault({ on: { kind: ['result'], state: 'COMPLETED' }, times: 2, do: 'notFound' });
		expectDelivered(await ask({ sendAgainIfUnsure: true }));
	});
});

test('a result that stays missing is read from the history', async () => {
	emulator.fault({ on: 'result', times: 'always', do: 'notFound' });
	expectDelivered(await runNode({ parameters: runParams() }));
});

test('a v1 request that was found in the history is read again while its record is out of reach', async () => {
	const until = Date.now() + 100_000;
	const isRecord = (path: string) =>
		emulator.jobs.some(({ requestId }) => path.includes(requestId));
	const fault = emulator.fault({
		on: ({ kind, path, at }) => kind === 'history' && at < until && isRecord(path),
		times: 'always',
		do: { status: 503, body: 'down' },
	});
	emulator.fault({ on: 'v1', do: 'dropAfterAccept' });
	const parameters = runParams({}, { answerInOneCall: true, sendAgainIfUnsure: true });
	expectDelivered(await runNode({ parameters, tries: 3 }));
	expect(fault.hits).toBeGreaterThan(0);
});

describe("errors say nothing that isn't certain [Money 9]", () => {
	test.each<[string, FaultAction]>([
		['none', { status: 404, body: { error: 'Not found' } }],
		['none', { body: { data: [] } }],
		// A reading that isn't only about this request, in either form.
		['none', { body: { data: [OTHER_ROW] } }],
		['none', { body: OTHER_ROW }],
		['outOfReach', { body: HTML, contentType: 'text/html' }],
	])('about a request that the service does not know, searched for: %s', async (search, action) => {
		emulator.fault({ on: [...READ_KINDS], times: 'always', do: 'notFound' });
		emulator.fault({ on: 'history', times: 'always', do: action });
		const { failed } = await runNode({
			parameters: runParams({}, { sendAgainIfUnsure: true }),
		});
		expect(failed).toMatchObject([{ kind: 'missing', requestId: firstId(), search }]);
	});

	test("a charged request isn't called free if a retry fails to read its result", async () => {
		emulator.fault({ on: 'result', times: 'always', do: { body: {} } });
		const failed = await runNode({ parameters: runParams({}, { timeoutSeconds: 5 }) });
		await pass(2 * 3_600_000);
		emulator.set({ history: false });
		const retried = await runNode({ parameters: runParams(), retryOf: failed });
		expect(retried.failed).toMatchObject([{ kind: 'missing', requestId: firstId() }]);
		expect(retried.failed[0].charge).toBe('completed');
	});

	test("n8n's own error after a request was accepted names the request, and doesn't say that nothing was sent", async () => {
		const full = jest.spyOn(binaryData(), 'store').mockRejectedValue(new Error('the disk is full'));
		const parameters = runParams({}, { answerInOneCall: true });
		const lost = await runNode({ parameters });
		full.mockRestore();
		expect(lost.failed).toMatchObject([{ kind: 'other', requestId: firstId() }]);
		expect(lost.failed[0].charge).not.toBe('none');
		expectDelivered(await runNode({ parameters, retryOf: lost }));
	});
});
