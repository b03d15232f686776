import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { operationTitle } from '../shared/descriptions/subtitle';
import { operationOf, resourceProperties } from '../shared/items/operations';
import { runItems, type ItemWork } from '../shared/items/runItems';
import { searchFineTunes } from './fineTuneCalls';
import { dataset, job, weight } from './fineTuneOperations';

const resources = { job, dataset, weight };
const properties = resourceProperties(resources, {
	job: 'Job',
	dataset: 'Dataset',
	weight: 'Weight',
});

export class SegmindFineTune implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Fine-Tune',
		name: 'segmindFineTune',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: `={{ ${operationTitle(properties)} }}`,
		description: 'Read, share and download fine-tuned models',
		defaults: { name: 'Segmind Fine-Tune' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties,
	};

	methods = { listSearch: { searchFineTunes } };

	/** For the build, which writes the output of each operation beside the node (docs/n8n.md N273). */
	readonly operations = resources;

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const work = operationOf<ItemWork>(this, resources, ['resource', 'operation']);
		return await runItems(this, properties, work);
	}
}
