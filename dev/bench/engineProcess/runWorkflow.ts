import { storeBinary, zeroBytes } from '../../engine/binaries';
import { CredentialStore } from '../../engine/credentialStore';
import { execute } from '../../engine/execution';
import { measureResources } from './resourceUse';
import type { RunReport, WorkflowRun } from './messages';
import { loadCredentialTypes, loadNodeTypes } from './nodeTypes';

/** Makes execution IDs unique, because an execution with an earlier ID would resume that execution's requests. */
let executionCount = 0;

/** Presses Stop in the running executions. */
export type Stop = () => void;

/**
 * Runs a workflow from its first node, as if the workflow were active. The report covers all simultaneous executions. `onStarted` receives the
 * function that stops them.
 */
export async function runWorkflow(
	{ nodes, connections, items, fileBytes, credentials, executions = 1 }: WorkflowRun,
	onStarted: (stop: Stop) => void,
): Promise<RunReport> {
	const input =
		fileBytes === undefined ? items : [{ json: {}, binary: { data: await storeVideo(fileBytes) } }];
	const controller = new AbortController();
	let stoppedAt: number | undefined;
	const { value: runs, cost } = await measureResources(async () => {
		const running = Array.from(
			{ length: executions },
			async () =>
				await execute({
					workflowId: 'bench',
					executionId: `bench ${++executionCount}`,
					nodes,
					connections,
					settings: { executionOrder: 'v1' },
					nodeTypes: loadNodeTypes(),
					credentials: new CredentialStore(loadCredentialTypes(), credentials),
					mode: 'trigger',
					input,
					signal: controller.signal,
				}),
		);
		onStarted(() => {
			stoppedAt = performance.now();
			controller.abort();
		});
		return await Promise.all(running);
	});
	const settledAt = performance.now();
	const [{ name: last }] = nodes.slice(-1);
	const outputs = runs.flatMap(({ data }) => data.resultData.runData[last] ?? []);
	const shown = runs.find(({ data }) => data.resultData.error) ?? runs[0];
	return {
		...cost,
		status: shown.status,
		error: shown.data.resultData.error?.message,
		items: outputs.flatMap((task) => task.data?.main[0] ?? []).length,
		contextBytes: bytesOf(runs.map(({ data }) => data.executionData?.contextData ?? {})),
		storedBytes: bytesOf(runs.map(({ data }) => data)),
		settleMs: stoppedAt === undefined ? undefined : settledAt - stoppedAt,
	};
}

function bytesOf(values: object[]): number {
	return values.reduce((sum, value) => sum + JSON.stringify(value).length, 0);
}

/** Stores a video of this many zero bytes in n8n's storage. */
async function storeVideo(bytes: number) {
	const binary = { data: '', fileName: 'file.mp4', mimeType: 'video/mp4' };
	return await storeBinary(zeroBytes(bytes), binary);
}
