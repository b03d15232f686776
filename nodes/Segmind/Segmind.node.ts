import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { otherModelHint } from '../shared/descriptions/inputs';
import { operationTitle } from '../shared/descriptions/subtitle';
import { operationOf, resourceProperties } from '../shared/items/operations';
import { runItems, type ItemWork } from '../shared/items/runItems';
import { generateFields, generateItem } from './generateItem';
import { modelParameters, searchModels } from './modelFields';
import { models } from './modelOperations';
import { otherTaskHints } from './otherTask';
import { requests } from './requestOperations';
import { RESOURCE_NAMES, taskOperations } from './taskOperations';

const tasks = taskOperations(generateItem);
const resources = {
	...tasks,
	model: { ...tasks.model, ...models },
	request: requests,
};

const properties: INodeProperties[] = [
	...resourceProperties(resources, RESOURCE_NAMES),
	...generateFields,
];

export class Segmind implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind',
		name: 'segmind',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		// Reading the parameter returns only the value; the display name is in the raw parameters. An expression can't be evaluated before a run.
		subtitle: `={{ $parameter["operation"] !== "getMany" && $parameter["resource"] !== "request" && $rawParameter["model"] && !$rawParameter["model"].startsWith("=") ? ($parameter.toJSON?.().model.cachedResultName ?? $rawParameter["model"]).split(" · ")[0].split("/models/").pop() : ${operationTitle(properties)} }}`,
		description: 'Generate images, video, audio and text',
		defaults: { name: 'Segmind' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Generates images, video, audio or text: choose the resource by what you want to make, choose the model from the list, and enter the prompt. For requests that take many minutes, turn Wait for Completion off and add a Wait node of 66 seconds or more, then Request: Get Result.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		hints: [otherModelHint, ...otherTaskHints],
		properties,
	};

	methods = {
		listSearch: { searchModels },
		resourceMapping: { modelParameters },
	};

	/** For the build, which writes the output of each operation beside the node (docs/n8n.md N273). */
	readonly operations = resources;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const work = operationOf<ItemWork>(this, resources, ['resource', 'operation']);
		return await runItems(this, properties, work);
	}
}
