import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { operationOf, operationProperties } from '../shared/items/operations';
import { runItems } from '../shared/items/runItems';
import { upload } from './uploadAsset';

const operations = { upload };
const properties = operationProperties(operations);

export class SegmindAsset implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Asset',
		name: 'segmindAsset',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: 'Upload File',
		description: 'Upload files for models and workflows',
		defaults: { name: 'Segmind Asset' },
		usableAsTool: true,
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
