import type {
	ICredentialsHelper,
	IDataObject,
	INode,
	INodeType,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { onlyNodeType } from './nodeTypes';
import { additionalData } from './surroundings';

/** A trigger in a workflow of its own. */
export interface Hooked {
	workflowId: string;
	/** Makes the node's type as a process does that has just started. */
	load: () => INodeType;
	/** The node as saved now. */
	node: (nodeType: INodeType) => INode;
	credentials: ICredentialsHelper;
}

interface Alone {
	workflowId: string;
	nodeType: INodeType;
	node: INode;
	credentials: ICredentialsHelper;
	mode: WorkflowExecuteMode;
	/** What n8n's database holds of the workflow's static data: one object a node. */
	staticData?: IDataObject;
}

/** A workflow of one node, and what n8n hands to the contexts in which it calls the node's methods. */
export function alone({ workflowId, nodeType, node, credentials, mode, staticData }: Alone) {
	const workflow = new Workflow({
		id: workflowId,
		nodes: [node],
		connections: {},
		nodeTypes: onlyNodeType(nodeType),
		active: mode !== 'internal',
		settings: {},
		staticData,
	});
	const surroundings = additionalData({ credentials, workflowId, nodes: [node], mode });
	return { workflow, surroundings };
}
