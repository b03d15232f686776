import { LoadOptionsContext } from 'n8n-core';
import type { ICredentialsHelper, INode, INodeType } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';

import { onlyNodeType } from './nodeTypes';
import { additionalData } from './surroundings';

/** The context in which n8n's editor calls a node's list methods, with the node as it stands there. */
export function listContext(
	nodeType: INodeType,
	node: INode,
	credentials: ICredentialsHelper,
): LoadOptionsContext {
	const workflowId = 'workflow1';
	const workflow = new Workflow({
		id: workflowId,
		nodes: [node],
		connections: {},
		nodeTypes: onlyNodeType(nodeType),
		active: false,
		settings: {},
	});
	const surroundings = additionalData({
		credentials,
		workflowId,
		nodes: [node],
		mode: 'internal',
	});
	surroundings.currentNodeParameters = node.parameters;
	return new LoadOptionsContext(workflow, node, surroundings, '');
}
