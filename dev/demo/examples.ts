import type { INode } from 'n8n-workflow';

import { TASKS } from '../../nodes/Segmind/tasks';
import { readExample, type WorkflowFile } from '../base/workflows';

/** An example to run, and how many items its generating node gets. */
export interface Planned {
	/** Name of the file in examples/, without its ending. */
	file: string;
	example: WorkflowFile;
	/** Slug of the model it uses. */
	model: string;
	items: number;
}

/** What to change in the examples. */
export interface Changes {
	/** The first is for the single picture, the others are the batch, which is left out when there are none. Empty: as they are. */
	prompts: readonly string[];
	model?: string;
	/** Replaces the adaptive schedule, which goes by how long a model usually takes. */
	pollIntervalSeconds?: number;
}

/** The examples to run: one picture, then a batch. */
export function plan({ prompts, model, pollIntervalSeconds }: Changes): Planned[] {
	const single = readExample('text-to-image.json');
	const batch = readExample('batch-of-prompts.json');
	const list = nodeOf(batch, 'n8n-nodes-base.set');
	const [first, ...others] = prompts;
	if (first !== undefined) {
		// n8n takes a value that begins with = for an expression.
		generatorOf(single).parameters.prompt = first.replace(/^=/, ' =');
		list.parameters.jsonOutput = JSON.stringify({ prompts: others });
	}
	const { prompts: batched } = JSON.parse(list.parameters.jsonOutput as string) as {
		prompts: string[];
	};
	for (const { parameters } of [generatorOf(single), generatorOf(batch)]) {
		if (model !== undefined) parameters.model = { __rl: true, mode: 'slug', value: model };
		if (pollIntervalSeconds !== undefined) parameters.options = { pollIntervalSeconds };
	}
	return [
		planned('text-to-image', single, 1),
		planned('batch-of-prompts', batch, batched.length),
	].filter(({ items }) => items > 0);
}

/** The node whose output an example is about. */
export function generatorOf(example: WorkflowFile): INode {
	return nodeOf(example, 'n8n-nodes-segmind.segmind');
}

/** A workflow of nothing but the node that reads the balance. */
export function balanceCheck(): WorkflowFile {
	const example = readExample('balance-guard.json');
	const nodes = [nodeOf(example, 'n8n-nodes-segmind.segmindCredits')];
	return { ...example, nodes, connections: {} };
}

function planned(file: string, example: WorkflowFile, items: number): Planned {
	// The editor stores no default.
	const chosen = generatorOf(example).parameters.model as { value: string } | undefined;
	return { file, example, model: chosen?.value ?? TASKS[0].model.slug, items };
}

function nodeOf(example: WorkflowFile, type: string): INode {
	const node = example.nodes.find((candidate) => candidate.type === type);
	if (node === undefined) throw new Error(`The example '${example.name}' has no node ${type}`);
	return node;
}
