import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { operationTitle } from '../shared/descriptions/subtitle';
import { operationOf, operationProperties } from '../shared/items/operations';
import { runItems } from '../shared/items/runItems';
import { operations } from './workflowOperations';

const properties = operationProperties(operations);

export class SegmindWorkflow implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Workflow',
		name: 'segmindWorkflow',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		// The slug comes from the raw parameters, because n8n can't evaluate an expression before a run.
		subtitle: `={{ $parameter["operation"] === "run" && $rawParameter["slug"] && !$rawParameter["slug"].startsWith("=") ? "Run: " + $rawParameter["slug"] : ${operationTitle(properties)} }}`,
		description: 'Run workflows published on Segmind',
		defaults: { name: 'Segmind Workflow' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Runs a workflow published in the Segmind workflow builder. Enter its slug, and its inputs by the names of its input nodes. To run a single model, use the Segmind node.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties,
	};

	/** For the build, which writes the output of each operation beside the node (docs/n8n.md N273). */
	readonly operations = operations;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, properties, operationOf(this, operations));
	}
}
