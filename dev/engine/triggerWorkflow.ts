import type {
	ICredentialsHelper,
	IDataObject,
	INode,
	INodeType,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { createNodeTypes } from './nodeTypes';
import { additionalData } from './surroundings';

/** A node after the trigger, and its type. */
export interface Follower {
	node: INode;
	nodeType: INodeType;
}

/** A trigger node in a workflow, and what n8n needs to run it. */
export interface TriggerSetup {
	workflowId: string;
	/** Makes the node type anew, like a process that has just started. */
	load: () => INodeType;
	/** The node as the workflow has it now. */
	node: (nodeType: INodeType) => INode;
	credentials: ICredentialsHelper;
	/** Nodes after the trigger, one after the other. */
	followers?: Follower[];
}

interface TriggerWorkflowOptions {
	workflowId: string;
	nodeType: INodeType;
	node: INode;
	credentials: ICredentialsHelper;
	mode: WorkflowExecuteMode;
	/** The workflow's static data in n8n's database, an object for each node. */
	staticData?: IDataObject;
	followers?: Follower[];
}

/** A workflow of a trigger and the nodes after it, and the additional data that n8n passes to the contexts in which it calls the trigger's methods. */
export function createTriggerWorkflow({
	workflowId,
	nodeType,
	node,
	credentials,
	mode,
	staticData,
	followers = [],
}: TriggerWorkflowOptions) {
	const nodes = [node, ...followers.map((follower) => follower.node)];
	const typeOf = (type: string) =>
		followers.find((follower) => follower.node.type === type)?.nodeType ?? nodeType;
	const workflow = new Workflow({
		id: workflowId,
		nodes,
		connections: Object.fromEntries(
			nodes
				.slice(1)
				.map(({ name }, at) => [
					nodes[at].name,
					{ main: [[{ node: name, type: 'main' as const, index: 0 }]] },
				]),
		),
		nodeTypes: createNodeTypes(typeOf),
		active: mode !== 'internal',
		settings: {},
		staticData,
	});
	const surroundings = additionalData({ credentials, workflowId, nodes: [node], mode });
	return { workflow, surroundings };
}
