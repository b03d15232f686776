import type {
	ICredentialsHelper,
	IDataObject,
	INode,
	INodeType,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { createNodeTypes } from './node';
import { createAdditionalData } from './additionalData';

/** A node after the trigger, and its type. */
export interface Follower {
	node: INode;
	nodeType: INodeType;
}

/** A trigger node in a workflow, and what n8n needs to run it. */
export interface TriggerSetup {
	workflowId: string;
	/** Creates a new instance of the node type, like a process that has just started. */
	load: () => INodeType;
	/** The node as the workflow has it now. */
	node: (nodeType: INodeType) => INode;
	credentials: ICredentialsHelper;
	/** Nodes that follow the trigger, in order. */
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

/** Creates a workflow of a trigger and its followers, and the additional data for the contexts in which n8n calls the trigger's methods. */
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
	const additionalData = createAdditionalData({ credentials, workflowId, nodes: [node], mode });
	return { workflow, additionalData };
}
