import { stored, zeroBytes } from '../../engine/binaries';
import { CredentialStore } from '../../engine/credentialStore';
import { execute } from '../../engine/execution';
import { costOf } from './cost';
import type { RunReport, WorkflowRun } from './messages';
import { credentialTypes, nodeTypes } from './nodeTypes';

/** A run with an earlier run's ID would resume that run's requests. */
let started = 0;

/** Presses Stop on the execution that runs. */
export type Stop = () => void;

/** Runs a workflow from its first node, as if it were activated. If several run at once, the report covers all of them. `running` receives the function that stops them. */
export async function runWorkflow(
	{ nodes, connections, items, fileBytes, credentials, executions = 1 }: WorkflowRun,
	running: (stop: Stop) => void,
): Promise<RunReport> {
	const input =
		fileBytes === undefined ? items : [{ json: {}, binary: { data: await video(fileBytes) } }];
	const stopping = new AbortController();
	let stoppedAt: number | undefined;
	const { value: runs, cost } = await costOf(async () => {
		const all = Array.from(
			{ length: executions },
			async () =>
				await execute({
					workflowId: 'bench',
					executionId: `bench ${++started}`,
					nodes,
					connections,
					settings: { executionOrder: 'v1' },
					nodeTypes: nodeTypes(),
					credentials: new CredentialStore(credentialTypes(), credentials),
					mode: 'trigger',
					input,
					signal: stopping.signal,
				}),
		);
		running(() => {
			stoppedAt = performance.now();
			stopping.abort();
		});
		return await Promise.all(all);
	});
	const settledAt = performance.now();
	const [{ name: last }] = nodes.slice(-1);
	const outputs = runs.flatMap(({ data }) => data.resultData.runData[last] ?? []);
	const failed = runs.find(({ data }) => data.resultData.error) ?? runs[0];
	return {
		...cost,
		status: failed.status,
		error: failed.data.resultData.error?.message,
		items: outputs.flatMap((task) => task.data?.main[0] ?? []).length,
		contextBytes: bytesOf(runs.map(({ data }) => data.executionData?.contextData ?? {})),
		storedBytes: bytesOf(runs.map(({ data }) => data)),
		settleMs: stoppedAt === undefined ? undefined : settledAt - stoppedAt,
	};
}

function bytesOf(values: object[]): number {
	return values.reduce((sum, value) => sum + JSON.stringify(value).length, 0);
}

/** A video of this many zero bytes in n8n's store. */
async function video(bytes: number) {
	const binary = { data: '', fileName: 'file.mp4', mimeType: 'video/mp4' };
	return await stored(zeroBytes(bytes), binary);
}
