import { WorkflowExecute } from 'n8n-core';
import { createRunExecutionData, Workflow } from 'n8n-workflow';

import { additionalData } from '../../demo/engine';
import { storedFile } from './binaries';
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
	const given =
		fileBytes === undefined ? items : [{ json: {}, binary: { data: await storedFile(fileBytes) } }];
	const workflow = new Workflow({
		id: 'bench',
		name: 'bench',
		nodes,
		connections,
		active: false,
		nodeTypes: nodeTypes(),
		settings: { executionOrder: 'v1' },
	});
	const [node] = nodes;
	const data = createRunExecutionData({
		executionData: { nodeExecutionStack: [{ node, data: { main: [given] }, source: null }] },
	});
	const surroundings = additionalData(
		{ name: 'bench', nodes, connections, settings: {} },
		credentials,
		() => {},
	);
	let stoppedAt: number | undefined;
	const { value: run, cost } = await costOf(async () => {
		const execution = new WorkflowExecute(surroundings, 'trigger', data).processRunExecutionData(
			workflow,
		);
		running(() => {
			stoppedAt = performance.now();
			execution.cancel();
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
