import { LoadOptionsContext } from 'n8n-core';
import type { ICredentialsHelper, INode, INodeType } from 'n8n-workflow';

import { createTriggerWorkflow } from './triggerWorkflow';

/** Creates the context in which n8n's editor calls a node's list methods, with the node's current parameters. */
export function listContext(
	nodeType: INodeType,
	node: INode,
	credentials: ICredentialsHelper,
): LoadOptionsContext {
	const options = {
		workflowId: 'workflow1',
		nodeType,
		node,
		credentials,
		mode: 'internal',
	} as const;
	const { workflow, additionalData } = createTriggerWorkflow(options);
	additionalData.currentNodeParameters = node.parameters;
	return new LoadOptionsContext(workflow, node, additionalData, '');
}
