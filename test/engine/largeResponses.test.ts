/** No response is read beyond its maximum size: its connection is closed, memory stays bounded, and accepted requests stay accepted. */
import type { IDataObject } from 'n8n-workflow';

import type { CallKind, FaultAction } from '../../dev/emulator';
import { longRunParams } from '../helpers/inference';
import { memoryGrowthOf } from '../helpers/memory';
import { bytesOf, type RunOptions } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const MB = 1_000_000;

/** Runs a node with a fault, and expects bounded memory and no open connection afterwards. */
async function runWithFault(
	on: CallKind,
	run: Omit<RunOptions, 'emulator'>,
	action: FaultAction = 'endless',
) {
	emulator.set({ history: on === 'history', jobMs: 0, queueMs: 0 });
	const fault = emulator.fault({ on, times: 'always', do: action });
	let result: Awaited<ReturnType<typeof runNode>> | undefined;
	const growth = await memoryGrowthOf(async () => {
		result = await runNode(run);
		await emulator.whenIdle();
	});
	expect(fault.hits).toBeGreaterThan(0);
	// The maximum size of a response, twice: in chunks and joined.
	expect(growth).toBeLessThan(80 * MB);
	const [failed] = result?.error?.context?.failedItems as IDataObject[];
	return { ...result!, failed, hits: fault.hits };
}

describe('an endless response [Secrets 4]', () => {
	const parameters = longRunParams();

	test('to a status check: the request stays accepted, and the error names it', async () => {
		const { failed, hits } = await runWithFault('status', { parameters });
		expect(failed).toMatchObject({
			kind: 'unreadable',
			requestId: emulator.jobs[0].requestId,
			charge: 'chargedIfCompletes',
		});
		expect(emulator.jobs).toHaveLength(1);
		expect(hits).toBeLessThan(60);
	});

	test('to a submission: the outcome is unknown, and nothing resends it', async () => {
		const { failed, hits, stored } = await runWithFault('submit', { parameters });
		expect(failed).toMatchObject({ kind: 'unreadable', charge: 'unknown' });
		expect(hits).toBe(1);
		const again = await runNode({ parameters, retryOf: { stored } });
		expect(again.failed).toMatchObject([{ kind: 'unknownOutcome' }]);
		expect(emulator.callsOf('submit')).toHaveLength(1);
	});

	test.each<[string, FaultAction]>([
		['endless', 'endless'],
		['300 MB, compressed', { gzipBomb: 300 * MB }],
	])(
		'instead of a result (%s): the error says where it is, and the node reads it once',
		async (_how, action) => {
			// A result may be as large as one file in base64.
			const limited = longRunParams({}, { maxFileSizeMb: 10 });
			const { failed, hits } = await runWithFault('result', { parameters: limited }, action);
			const [{ requestId }] = emulator.jobs;
			expect(failed).toMatchObject({ requestId, status: 'COMPLETED', charge: 'completed' });
			expect(failed.description).toContain(`${emulator.urls.api}/v2/requests/${requestId}`);
			expect(hits).toBe(1);
		},
	);

	test('instead of a list: an error', async () => {
		const { failed } = await runWithFault('endpoint', {
			node: 'segmindEndpoint',
			parameters: { operation: 'getAll' },
		});
		expect(failed).toMatchObject({ kind: 'unreadable', httpCode: 200 });
	});

	test('instead of a page of the request history: the outcome stays unknown, and nothing is resent', async () => {
		emulator.fault({ on: 'submit', do: 'dropAfterAccept' });
		const { failed } = await runWithFault('history', { parameters });
		expect(failed).toMatchObject({ kind: 'unknownOutcome', search: 'outOfReach' });
		expect(emulator.callsOf('submit')).toHaveLength(1);
	});
});

test("Max File Size doesn't cut the output of a v1 call, which was charged", async () => {
	const bytes = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(3 * MB)]);
	emulator.fault({ on: 'v1', do: { body: bytes, contentType: 'image/png' } });
	const { items } = await runNode({
		parameters: longRunParams({}, { answerInOneCall: true, maxFileSizeMb: 1 }),
	});
	expect((await bytesOf(items[0])).equals(bytes)).toBe(true);
});
