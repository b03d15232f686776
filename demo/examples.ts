/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IConnections, INode, IWorkflowSettings } from 'n8n-workflow';

import { ROOT } from './builtPackage';

/** A workflow as n8n exports and imports it; the members used here. */
export interface Example {
	name: string;
	nodes: INode[];
	connections: IConnections;
	settings: IWorkflowSettings;
}

/** An example to run, and how many items its generating node gets. */
export interface Planned {
	/** Name of the file in examples/, without its ending. */
	file: string;
	example: Example;
	/** Slug of the model it uses. */
	model: string;
	items: number;
}

/**
 * The examples to run: one picture, then a batch. Given prompts take the place of theirs: the first is the picture, the others are the
 * batch, which is left out when there are none.
 */
export function plan(prompts: readonly string[], model?: string): Planned[] {
	const single = readExample('text-to-image');
	const batch = readExample('batch-of-prompts');
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
	return [
		planned('text-to-image', single, 1, model),
		planned('batch-of-prompts', batch, batched.length, model),
	].filter(({ items }) => items > 0);
}

/** The node whose output an example is about. */
export function generatorOf(example: Example): INode {
	return nodeOf(example, 'n8n-nodes-segmind.segmindInference');
}

/** A workflow of nothing but the node that reads the balance. */
export function balanceCheck(): Example {
	const example = readExample('balance-guard');
	const nodes = [nodeOf(example, 'n8n-nodes-segmind.segmindCredits')];
	return { ...example, nodes, connections: {} };
}

function planned(file: string, example: Example, items: number, model?: string): Planned {
	const { parameters } = generatorOf(example);
	if (model !== undefined) parameters.model = { __rl: true, mode: 'id', value: model };
	const { value } = parameters.model as { value: string };
	return { file, example, model: value, items };
}

function readExample(file: string): Example {
	return JSON.parse(readFileSync(join(ROOT, 'examples', `${file}.json`), 'utf8')) as Example;
}

function nodeOf(example: Example, type: string): INode {
	const node = example.nodes.find((candidate) => candidate.type === type);
	if (node === undefined) throw new Error(`The example '${example.name}' has no node ${type}`);
	return node;
}
