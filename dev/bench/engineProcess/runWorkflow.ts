import { builtCredentials } from '../../base/builtNodes';
import { stored, zeroBytes } from '../../engine/binaries';
import { CredentialStore } from '../../engine/credentialStore';
import { execute } from '../../engine/execution';
import { costOf } from './cost';
import type { RunReport, WorkflowRun } from './messages';
import { nodeTypes } from './nodeTypes';

/** Presses Stop on the execution that runs. */
export type Stop = () => void;

/** Runs a workflow as an activated one runs, from its first node on. `running` gets what stops it. */
export async function runWorkflow(
	{ nodes, connections, items, fileBytes, credentials }: WorkflowRun,
	running: (stop: Stop) => void,
): Promise<RunReport> {
	const input =
		fileBytes === undefined ? items : [{ json: {}, binary: { data: await video(fileBytes) } }];
	const stopping = new AbortController();
	let stoppedAt: number | undefined;
	const { value: run, cost } = await costOf(async () => {
		const execution = execute({
			workflowId: 'bench',
			executionId: 'bench',
			nodes,
			connections,
			settings: { executionOrder: 'v1' },
			nodeTypes: nodeTypes(),
			credentials: new CredentialStore(builtCredentials(), credentials),
			mode: 'trigger',
			input,
			signal: stopping.signal,
		});
		running(() => {
			stoppedAt = performance.now();
			stopping.abort();
		});
		return await execution;
	});
	const settledAt = performance.now();
	const { runData, error } = run.data.resultData;
	const last = runData[nodes[nodes.length - 1].name] ?? [];
	return {
		...cost,
		status: run.status,
		error: error?.message,
		items: last.flatMap((task) => task.data?.main[0] ?? []).length,
		contextBytes: JSON.stringify(run.data.executionData?.contextData ?? {}).length,
		settleMs: stoppedAt === undefined ? undefined : settledAt - stoppedAt,
	};
}

/** A video of so many zero bytes in n8n's store. */
async function video(bytes: number) {
	const binary = { data: '', fileName: 'file.mp4', mimeType: 'video/mp4' };
	return await stored(zeroBytes(bytes), binary);
}
