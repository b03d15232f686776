import type { INode } from 'n8n-workflow';

import { TASKS } from '../../nodes/Segmind/tasks';
import { readExample, type WorkflowFile } from '../base/workflows';

/** An example to run, and the number of input items of its Segmind node. */
export interface PlannedExample {
	/** Name of the file in examples/, without its extension. */
	file: string;
	example: WorkflowFile;
	/** Slug of the model that the example uses. */
	model: string;
	items: number;
}

/** What to change in the examples. */
export interface Changes {
	/** The first prompt is for the single picture. The others are the batch; without others there is no batch. An empty list keeps the examples' own prompts. */
	prompts: readonly string[];
	model?: string;
	/** A fixed interval of status checks, instead of the adaptive schedule, which depends on the usual duration of a model. */
	pollIntervalSeconds?: number;
}

/** Returns the examples to run: one picture, then a batch. */
export function plan({ prompts, model, pollIntervalSeconds }: Changes): PlannedExample[] {
	const single = readExample('text-to-image.json');
	const batch = readExample('batch-of-prompts.json');
	const promptsNode = nodeOf(batch, 'n8n-nodes-base.set');
	const [first, ...others] = prompts;
	if (first !== undefined) {
		// n8n treats a value that begins with = as an expression.
		generatorOf(single).parameters.prompt = first.replace(/^=/, ' =');
		promptsNode.parameters.jsonOutput = JSON.stringify({ prompts: others });
	}
	const { prompts: batchPrompts } = JSON.parse(promptsNode.parameters.jsonOutput as string) as {
		prompts: string[];
	};
	for (const { parameters } of [generatorOf(single), generatorOf(batch)]) {
		if (model !== undefined) parameters.model = { __rl: true, mode: 'slug', value: model };
		if (pollIntervalSeconds !== undefined) parameters.options = { pollIntervalSeconds };
	}
	return [
		planExample('text-to-image', single, 1),
		planExample('batch-of-prompts', batch, batchPrompts.length),
	].filter(({ items }) => items > 0);
}

/** Returns the Segmind node of an example, which makes the example's output. */
export function generatorOf(example: WorkflowFile): INode {
	return nodeOf(example, 'n8n-nodes-segmind.segmind');
}

/** Returns a workflow with only the node that reads the balance. */
export function balanceCheck(): WorkflowFile {
	const example = readExample('balance-guard.json');
	const nodes = [nodeOf(example, 'n8n-nodes-segmind.segmindCredits')];
	return { ...example, nodes, connections: {} };
}

function planExample(file: string, example: WorkflowFile, items: number): PlannedExample {
	// The editor doesn't store default values.
	const model = generatorOf(example).parameters.model as { value: string } | undefined;
	return { file, example, model: model?.value ?? TASKS[0].model.slug, items };
}

function nodeOf(example: WorkflowFile, type: string): INode {
	const node = example.nodes.find((candidate) => candidate.type === type);
	if (node === undefined) throw new Error(`The example '${example.name}' has no node ${type}`);
	return node;
}
