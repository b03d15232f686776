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

import { renameStored } from './binaries';
import { createAdditionalData } from './additionalData';
import { runDataFor } from './version';

/** An execution to start. */
interface Execution {
	workflowId: string;
	executionId: string;
	/** The execution starts at the first node. */
	nodes: INode[];
	connections?: IConnections;
	settings?: IWorkflowSettings;
	nodeTypes: INodeTypes;
	credentials: ICredentialsHelper;
	mode: WorkflowExecuteMode;
	/** The input items of the first node, or the data of an earlier execution to resume. */
	input: INodeExecutionData[] | IRunExecutionData;
	/** Aborting the signal is like pressing Stop. */
	signal?: AbortSignal;
	/** Receives the messages that nodes send to the editor in a manual run. */
	onMessage?: (message: string) => void;
}

/**
 * Runs a workflow in the engine, as n8n does. A failed execution doesn't throw: `data.resultData.error` has its error, and `status` shows
 * whether it was stopped.
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
	// A retry uses the nodes as the workflow has them now.
	for (const stackEntry of data.executionData?.nodeExecutionStack ?? [])
		stackEntry.node = workflow.getNode(stackEntry.node.name) ?? stackEntry.node;
	const additionalData = createAdditionalData(execution);
	const running = new WorkflowExecute(additionalData, execution.mode, data).processRunExecutionData(
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

/** Returns the execution's data as n8n stores it. */
export function storedData({ data }: IRun): IRunExecutionData {
	return copyOf(data);
}

/** Returns the data with which Retry in the list of executions starts, without the failed run of the last node (as in n8n's ExecutionService). */
export function retryDataOf(stored: IRunExecutionData): IRunExecutionData {
	const data = copyOf(stored);
	delete data.resultData.error;
	const { lastNodeExecuted } = data.resultData;
	if (lastNodeExecuted) data.resultData.runData[lastNodeExecuted]?.pop();
	return data;
}

/**
 * Does what n8n does at the end of an execution that a webhook started: moves the files that were stored before the execution had an ID, and
 * replaces their IDs in the nodes' input and output, but not in a node's context. Returns the changed data.
 */
export async function renameFiles({
	stored,
	executionId,
}: {
	stored: IRunExecutionData;
	executionId: string;
}): Promise<IRunExecutionData> {
	const data = copyOf(stored);
	const inputs = (data.executionData?.nodeExecutionStack ?? []).map(
		(stackEntry) => stackEntry.data,
	);
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
		if (!moved.has(id)) await renameStored(id, binary.id);
		moved.add(id);
	}
	return data;
}

function copyOf(data: IRunExecutionData): IRunExecutionData {
	return JSON.parse(JSON.stringify(data)) as IRunExecutionData;
}
