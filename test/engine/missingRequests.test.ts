/** An accepted request that the service doesn't know or return, briefly or forever: it isn't resent, and errors say only what is certain. */
import { sleep } from 'n8n-workflow';

import type { CallKind, FaultAction } from '../../dev/emulator';
import { binaryData } from '../../dev/engine/version';
import { CHARGE } from '../../nodes/shared/base/failure';
import { HISTORY_SAYS } from '../../nodes/shared/errors/parts';
import { runParams } from '../helpers/inference';
import {
	READ_KINDS,
	FORMS_OF_422,
	HTML,
	runParamsWithPolling,
	errorTextOf,
	useResultWays,
	pollWorkflowParams,
} from '../helpers/resultWays';

const { emulator, runNode, inVirtualTime, firstId, ways, expectDelivered } = useResultWays();

describe("the service doesn't know the request for a moment", () => {
	test.each(ways)('%s: right after its acceptance', async (_name, ask) => {
		emulator.set({ jobMs: 60_000, history: false });
		emulator.fault({ on: ['status', 'poll'], times: 2, do: 'notFound' });
		expectDelivered(await ask({ sendAgainIfUnsure: true }));
	});

	test.each(ways)('%s: after COMPLETED', async (_name, ask) => {
		emulator.set({ history: false });
		emulator.fault({ on: { kind: ['result'], state: 'COMPLETED' }, times: 2, do: 'notFound' });
		expectDelivered(await ask({ sendAgainIfUnsure: true }));
	});

	test('status checks keep their pauses if gateway errors follow a 404', async () => {
		emulator.set({ jobMs: 30_000 });
		emulator.fault({ on: ['status', 'poll'], do: 'notFound' });
		emulator.fault({ on: ['status', 'poll'], times: 10, do: { status: 502, body: HTML } });
		expectDelivered(await runNode({ parameters: runParamsWithPolling() }));
		const times = emulator.callsOf('status').map(({ at }) => at);
		const pauses = times.slice(1).map((at, index) => at - times[index]);
		expect(Math.min(...pauses)).toBeGreaterThan(200);
	});

	test("a retry that gets a gateway's pages and then one 422 doesn't resend", async () => {
		emulator.set({ workflowUrls: 'pollOnly', jobMs: 300_000 });
		const runOf = (options: object) => ({
			node: 'segmindWorkflow' as const,
			parameters: pollWorkflowParams({ pollIntervalSeconds: 21, ...options }),
		});
		const failed = await runNode(runOf({ timeoutSeconds: 5 }));
		const on: CallKind[] = ['status', 'poll'];
		emulator.fault({ on, times: 2, do: { body: HTML, contentType: 'text/html' } });
		emulator.fault({ on, do: FORMS_OF_422['an error without a status'] });
		expectDelivered(await runNode({ ...runOf({}), retryOf: failed }));
	});
});

test('a request without URLs is checked at the standard ones', async () => {
	emulator.set({ requestUrls: 'none', history: false });
	expectDelivered(await runNode({ parameters: runParamsWithPolling() }));
});

describe('the record of a known v1 request is unreachable for a while', () => {
	test.each([
		['returns 503', 100, { status: 503, body: 'down' }],
		['returns 404', 100, 'notFound'],
		['returns an HTML page', 100, { body: HTML, contentType: 'text/html' }],
	] as Array<[string, number, FaultAction]>)(
		'the history %s for %i s',
		async (_what, seconds, action) => {
			const until = Date.now() + seconds * 1_000;
			const isRecord = (path: string) =>
				emulator.jobs.some(({ requestId }) => path.includes(requestId));
			emulator.fault({
				on: ({ kind, path, at }) => kind === 'history' && at < until && isRecord(path),
				times: 'always',
				do: action,
			});
			emulator.fault({ on: 'v1', do: 'dropAfterAccept' });
			expectDelivered(
				await runNode({
					parameters: runParams({}, { answerInOneCall: true, sendAgainIfUnsure: true }),
					tries: 3,
				}),
			);
			expect(emulator.callsOf('history').some(({ fault }) => fault !== undefined)).toBe(true);
		},
	);
});

describe("errors say nothing that isn't certain [Money 9]", () => {
	test.each([
		['none', { status: 404, body: { error: 'Not found' } }],
		['outOfReach', { body: HTML, contentType: 'text/html' }],
	] as Array<[keyof typeof HISTORY_SAYS, FaultAction]>)(
		'a request that the service does not know, if the search in the history ends with "%s"',
		async (search, action) => {
			emulator.fault({ on: [...READ_KINDS], times: 'always', do: 'notFound' });
			emulator.fault({ on: 'history', times: 'always', do: action });
			const failed = await runNode({
				parameters: runParamsWithPolling({ sendAgainIfUnsure: true }),
			});
			expect(errorTextOf(failed)).toContain(firstId());
			const statements = Object.entries(HISTORY_SAYS).filter(([, text]) =>
				errorTextOf(failed).includes(text),
			);
			expect(statements).toEqual([[search, HISTORY_SAYS[search]]]);
		},
	);

	test("a charged request isn't called free if a retry fails to read its result", async () => {
		emulator.fault({ on: 'result', times: 'always', do: { body: {} } });
		const failed = await runNode({ parameters: runParamsWithPolling({ timeoutSeconds: 5 }) });
		await inVirtualTime(sleep(2 * 3_600_000));
		emulator.set({ history: false });
		const retried = await runNode({ parameters: runParamsWithPolling(), retryOf: failed });
		expect(errorTextOf(retried)).not.toContain(CHARGE.none);
	});

	test("n8n's own error after a request was accepted names the request, and doesn't say that nothing was sent", async () => {
		const full = jest.spyOn(binaryData(), 'store').mockRejectedValue(new Error('the disk is full'));
		const parameters = runParamsWithPolling({ answerInOneCall: true });
		const failed = await runNode({ parameters });
		full.mockRestore();
		expect(failed.error?.message).toContain('the disk is full');
		expect(errorTextOf(failed)).toContain(firstId());
		expect(errorTextOf(failed)).not.toContain(CHARGE.none);
		expectDelivered(await runNode({ parameters, retryOf: failed }));
	});
});
