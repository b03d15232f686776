import { WorkflowExecute } from 'n8n-core';
import type {
	IConnections,
	ICredentialsHelper,
	INode,
	INodeExecutionData,
	INodeTypes,
	IRun,
	IRunExecutionData,
	IWorkflowSettings,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { moveStored } from './binaries';
import { additionalData } from './surroundings';
import { runDataFor } from './version';

/** An execution to start. */
export interface Execution {
	workflowId: string;
	executionId: string;
	/** The first one is where it starts. */
	nodes: INode[];
	connections?: IConnections;
	settings?: IWorkflowSettings;
	nodeTypes: INodeTypes;
	credentials: ICredentialsHelper;
	mode: WorkflowExecuteMode;
	/** What the first node gets, or the data of an earlier execution to go on with. */
	input: INodeExecutionData[] | IRunExecutionData;
	/** Pressing Stop. */
	signal?: AbortSignal;
	/** Gets what nodes tell the person who watches a manual run. */
	told?: (message: string) => void;
}

/**
 * Runs a workflow in the engine, as n8n does. A failed execution is no throw: look at `data.resultData.error`, and at `status` for a
 * stopped one.
 */
export async function execute(execution: Execution): Promise<IRun> {
	const { workflowId: id, nodes, connections = {}, settings = {}, nodeTypes, input } = execution;
	const workflow = new Workflow({
		id,
		name: id,
		nodes,
		connections,
		settings,
		active: false,
		nodeTypes,
	});
	const data = Array.isArray(input) ? runDataFor(nodes[0], input) : input;
	// A retry finds the nodes of the workflow as saved now.
	for (const waiting of data.executionData?.nodeExecutionStack ?? [])
		waiting.node = workflow.getNode(waiting.node.name) ?? waiting.node;
	const surroundings = additionalData(execution);
	const running = new WorkflowExecute(surroundings, execution.mode, data).processRunExecutionData(
		workflow,
	);
	const { signal } = execution;
	const stop = () => running.cancel();
	signal?.addEventListener('abort', stop, { once: true });
	try {
		return await running;
	} finally {
		signal?.removeEventListener('abort', stop);
	}
}

/** The execution as n8n would have stored it. */
export function storedData({ data }: IRun): IRunExecutionData {
	return copyOf(data);
}

/** What the executions list's Retry starts from: the failed run's data is dropped, the rest stays (n8n's ExecutionService). */
export function forRetry(stored: IRunExecutionData): IRunExecutionData {
	const data = copyOf(stored);
	delete data.resultData.error;
	const { lastNodeExecuted } = data.resultData;
	if (lastNodeExecuted) data.resultData.runData[lastNodeExecuted]?.pop();
	return data;
}

/**
 * The stored data of an execution that a webhook started: when it ends, n8n moves the files that were stored before it had an id, and renames
 * them in the nodes' input and output; nowhere else, so not in a node's context.
 */
export async function renamedFiles({
	stored,
	executionId,
}: {
	stored: IRunExecutionData;
	executionId: string;
}): Promise<IRunExecutionData> {
	const data = copyOf(stored);
	const inputs = (data.executionData?.nodeExecutionStack ?? []).map((waiting) => waiting.data);
	const outputs = Object.values(data.resultData.runData).flatMap((runs) =>
		runs.map((task) => task.data),
	);
	const items = [...inputs, ...outputs]
		.flatMap((connections) => connections?.main ?? [])
		.flatMap((branch) => branch ?? []);
	const moved = new Set<string>();
	for (const binary of items.flatMap((item) => Object.values(item.binary ?? {}))) {
		const id = binary.id ?? '';
		if (!id.includes('/temp/')) continue;
		binary.id = id.replace('/temp/', `/${executionId}/`);
		if (!moved.has(id)) await moveStored(id, binary.id);
		moved.add(id);
	}
	return data;
}

function copyOf(data: IRunExecutionData): IRunExecutionData {
	return JSON.parse(JSON.stringify(data)) as IRunExecutionData;
}
