import type { INode, INodeExecutionData } from 'n8n-workflow';

import { readExample, type WorkflowFile } from '../base/workflows';

/** A node of an example to run, and its input. */
interface Step {
	/** The name of the example. */
	name: string;
	node: INode;
	items: INodeExecutionData[];
}

/** Returns what to run: one picture, then a batch. */
export function planDemo(): Step[] {
	return ['text-to-image', 'batch-of-prompts'].map((name) => {
		const example = readExample(`${name}.json`);
		const prompts = promptsOf(example);
		return {
			name,
			node: nodesOf(example, 'n8n-nodes-segmind.segmind')[0],
			items: prompts ? prompts.map((prompt) => ({ json: { prompt } })) : [{ json: {} }],
		};
	});
}

/** Returns the prompts in the example's Edit Fields node, if it has one. */
function promptsOf(example: WorkflowFile): string[] | undefined {
	const [fields] = nodesOf(example, 'n8n-nodes-base.set');
	return (
		fields && (JSON.parse(fields.parameters.jsonOutput as string) as { prompts: string[] }).prompts
	);
}

function nodesOf({ nodes }: WorkflowFile, type: string): INode[] {
	return nodes.filter((node) => node.type === type);
}
