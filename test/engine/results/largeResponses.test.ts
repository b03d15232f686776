/** No response is read beyond its maximum size: its connection is closed, memory stays bounded, and accepted requests stay accepted. */
import type { IDataObject } from 'n8n-workflow';

import type { CallKind, FaultAction } from '../../../dev/emulator';
import { MAX_RESPONSE_BYTES } from '../../../nodes/shared/service/http';
import { runParams } from '../../helpers/inference';
import { memoryGrowthOf } from '../../helpers/memory';
import { bytesOf, succeed, type RunOptions } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

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
	const parameters = runParams();

	test('to a status check: the request stays accepted, and the error names it', async () => {
		const { failed, hits } = await runWithFault('status', { parameters });
		const [{ requestId }] = emulator.jobs;
		const charge = 'ifCompletes';
		expect(failed).toMatchObject({ kind: 'unreadable', requestId, charge });
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
			jest.replaceProperty(MAX_RESPONSE_BYTES, 'result', 13 * MB);
			const { failed, hits } = await runWithFault('result', { parameters }, action);
			jest.restoreAllMocks();
			const [{ requestId }] = emulator.jobs;
			expect(failed).toMatchObject({ requestId, status: 'COMPLETED', charge: 'completed' });
			expect(failed.description).toContain(`${emulator.urls.api}/v2/requests/${requestId}`);
			expect(hits).toBe(1);
		},
	);

	test('instead of a list: an error', async () => {
		const list = { node: 'segmindEndpoint', parameters: { operation: 'getAll' } };
		const { failed } = await runWithFault('endpoint', list);
		expect(failed).toMatchObject({ kind: 'unreadable', httpCode: 200 });
	});
});

test('the output of a request may be larger than other responses, because it was charged', async () => {
	const base64 = Buffer.concat([Buffer.from('ID3\x04'), Buffer.alloc(18 * MB)]).toString('base64');
	const body = { status: 'COMPLETED', audio: base64 };
	emulator.fault({ on: 'result', do: { body } });
	emulator.fault({ on: 'v1', do: { body } });
	for (const answerInOneCall of [false, true]) {
		const { items } = succeed(await runNode({ parameters: runParams({}, { answerInOneCall }) }));
		expect(await bytesOf(items[0])).toHaveLength(18 * MB + 4);
	}
});
