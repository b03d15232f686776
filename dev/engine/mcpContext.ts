import { SupplyDataContext } from 'n8n-core';
import type {
	ICredentialsHelper,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	INodeType,
	IRunExecutionData,
} from 'n8n-workflow';

import { createTriggerWorkflow } from './triggerWorkflow';

/** Creates the context in which n8n's MCP Server Trigger runs a node as a tool. Its execution has no data, so `getContext` throws. */
export function mcpContext(
	nodeType: INodeType,
	node: INode,
	credentials: ICredentialsHelper,
	items: INodeExecutionData[],
): IExecuteFunctions {
	const options = {
		workflowId: 'workflow1',
		nodeType,
		node,
		credentials,
		mode: 'webhook',
	} as const;
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
