import type {
	ICredentialsHelper,
	IDataObject,
	INode,
	INodeType,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { nodeTypesBy } from './nodeTypes';
import { additionalData } from './surroundings';

/** A node after the trigger, and its type. */
export interface Follower {
	node: INode;
	nodeType: INodeType;
}

/** A trigger in a workflow of its own. */
export interface Hooked {
	workflowId: string;
	/** Makes the node's type as a process does that has just started. */
	load: () => INodeType;
	/** The node as saved now. */
	node: (nodeType: INodeType) => INode;
	credentials: ICredentialsHelper;
	/** Nodes after the trigger, one after the other. */
	followers?: Follower[];
}

interface Alone {
	workflowId: string;
	nodeType: INodeType;
	node: INode;
	credentials: ICredentialsHelper;
	mode: WorkflowExecuteMode;
	/** What n8n's database holds of the workflow's static data: one object a node. */
	staticData?: IDataObject;
	followers?: Follower[];
}

/** A workflow of one trigger and the nodes after it, and what n8n passes to the contexts in which it calls the node's methods. */
export function alone({
	workflowId,
	nodeType,
	node,
	credentials,
	mode,
	staticData,
	followers = [],
}: Alone) {
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
		nodeTypes: nodeTypesBy(typeOf),
		active: mode !== 'internal',
		settings: {},
		staticData,
	});
	const surroundings = additionalData({ credentials, workflowId, nodes: [node], mode });
	return { workflow, surroundings };
}
