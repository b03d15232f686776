import type { INode, INodeExecutionData } from 'n8n-workflow';

import { readExample, type WorkflowFile } from '../base/workflows';

/** A node of an example to run, and its input. */
export interface Step {
	/** The name of the example. */
	name: string;
	node: INode;
	items: INodeExecutionData[];
}

/** Returns what to run: one picture, then a batch. The first prompt is for the picture, the others are the batch; an empty list keeps the examples' own prompts. */
export function planDemo([first, ...others]: string[], model?: string): Step[] {
	const [single, batch] = ['text-to-image', 'batch-of-prompts'].map((name) => {
		const example = readExample(`${name}.json`);
		const node = nodeOf(example, 'n8n-nodes-segmind.segmind');
		if (model !== undefined) {
			node.parameters.model = { __rl: true, mode: 'slug', value: model };
			// The emulator finishes much sooner than real models, whose usual durations would determine when to check.
			node.parameters.options = { pollIntervalSeconds: 0.5 };
		}
		return { name, example, node };
	});
	// n8n treats a value that begins with = as an expression.
	if (first !== undefined) single.node.parameters.prompt = first.replace(/^=/, ' =');
	const prompts = first === undefined ? promptsOf(batch.example) : others;
	return [
		{ ...single, items: [{ json: {} }] },
		{ ...batch, items: prompts.map((prompt) => ({ json: { prompt } })) },
	].filter(({ items }) => items.length > 0);
}

/** Returns the prompts in the example's Edit Fields node. */
function promptsOf(example: WorkflowFile): string[] {
	const { jsonOutput } = nodeOf(example, 'n8n-nodes-base.set').parameters;
	return (JSON.parse(jsonOutput as string) as { prompts: string[] }).prompts;
}

function nodeOf({ name, nodes }: WorkflowFile, type: string): INode {
	const node = nodes.find((candidate) => candidate.type === type);
	if (node === undefined) throw new Error(`The example '${name}' has no node ${type}`);
	return node;
}
