/** The messages to and from the measuring process. Times are in ms, sizes in bytes. */
import type {
	IConnections,
	ICredentialDataDecryptedObject,
	INode,
	INodeExecutionData,
} from 'n8n-workflow';

export interface WorkflowRun {
	nodes: INode[];
	connections: IConnections;
	/** The input of the first node. */
	items: INodeExecutionData[];
	/** Replaces the items with one item, whose binary field `data` is a file of this many zero bytes in n8n's storage. */
	fileBytes?: number;
	/** Values of credentials by type. */
	credentials: Record<string, ICredentialDataDecryptedObject>;
	/** The number of simultaneous executions, each with the same input; one by default. */
	executions?: number;
}

export type EngineRequest =
	| { kind: 'run'; run: WorkflowRun }
	/** Presses Stop in the running workflow. */
	| { kind: 'stop' };

/** What some work cost the process. */
export interface Cost {
	tookMs: number;
	cpuMs: number;
	/** Resident memory: the highest value during the work minus the value before it. */
	rssGrowth: number;
	/** Used heap, measured like `rssGrowth`. */
	heapGrowth: number;
}

export interface RunReport extends Cost {
	status: string;
	/** The message of a failed execution's error. */
	error?: string;
	/** The number of items that the last node output in all its runs. */
	items: number;
	/** The size of the nodes' contexts, which contain the journal, as n8n stores them. */
	contextBytes: number;
	/** The size of all executions as n8n stores them. */
	storedBytes: number;
	/** The time from Stop to the end of the execution. */
	settleMs?: number;
}

export type EngineMessage =
	/** The process is ready and has loaded these versions. */
	| { kind: 'ready'; versions: Record<string, string> }
	| { kind: 'ran'; report: RunReport }
	| { kind: 'broke'; problem: string };
