import type {
	IConnections,
	ICredentialDataDecryptedObject,
	INode,
	INodeExecutionData,
} from 'n8n-workflow';

/** The messages to and from the measuring process. Times are in ms, sizes in bytes. */

export interface WorkflowRun {
	nodes: INode[];
	connections: IConnections;
	/** Given to the first node. */
	items: INodeExecutionData[];
	/** Instead of items, one whose `data` is a file of this many zero bytes in n8n's store. */
	fileBytes?: number;
	/** By type. */
	credentials: Record<string, ICredentialDataDecryptedObject>;
	/** This many executions at once, each with the same input; one by default. */
	executions?: number;
}

export type Request =
	| { kind: 'run'; run: WorkflowRun }
	/** Presses Stop on the workflow that runs. */
	| { kind: 'stop' };

/** What a piece of work did to the process. */
export interface Cost {
	tookMs: number;
	cpuMs: number;
	/** Highest value above the one before. */
	rssGrowth: number;
	heapGrowth: number;
}

export interface RunReport extends Cost {
	status: string;
	/** Message of a failed execution. */
	error?: string;
	/** Items of the last node's output, over all its runs. */
	items: number;
	/** What n8n stores of the nodes' contexts, as JSON: the journal is in it. */
	contextBytes: number;
	/** What n8n stores of all the executions, as JSON. */
	storedBytes: number;
	/** From Stop to the end of the execution. */
	settleMs?: number;
}

export type Answer =
	/** The process is ready; versions of what it loaded. */
	| { kind: 'ready'; versions: Record<string, string> }
	| { kind: 'ran'; report: RunReport }
	| { kind: 'broke'; problem: string };
