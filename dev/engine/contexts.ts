/** The contexts in which n8n calls a node without an execution that it stores. */
import { LoadOptionsContext, SupplyDataContext } from 'n8n-core';
import type {
	ICredentialsHelper,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeType,
	IRunExecutionData,
} from 'n8n-workflow';

import { createTriggerWorkflow } from './triggerWorkflow';

const workflowId = 'workflow1';

/** Creates the context in which n8n's editor calls a node's list methods, with the node's current parameters. */
export function listContext(
	nodeType: INodeType,
	node: INode,
	credentials: ICredentialsHelper,
): LoadOptionsContext {
	const options = { workflowId, nodeType, node, credentials, mode: 'internal' } as const;
	const { workflow, additionalData } = createTriggerWorkflow(options);
	additionalData.currentNodeParameters = node.parameters;
	return new LoadOptionsContext(workflow, node, additionalData, '');
}

/** Creates the context in which n8n's MCP Server Trigger runs a node as a tool. Its execution has no data, so `getContext` throws. */
export function mcpContext(
	nodeType: INodeType,
	node: INode,
	credentials: ICredentialsHelper,
	items: INodeExecutionData[],
): IExecuteFunctions {
	const options = { workflowId, nodeType, node, credentials, mode: 'webhook' } as const;
	const { workflow, additionalData } = createTriggerWorkflow(options);
	const data = { resultData: { runData: {} } } as IRunExecutionData;
	const input = { ai_tool: [items] };
	const context = new SupplyDataContext(
		workflow,
		node,
		additionalData,
		'webhook',
		data,
		0,
		items,
		input,
		'ai_tool',
		{ node, data: input, source: null },
		[],
	);
	return context as unknown as IExecuteFunctions;
}
