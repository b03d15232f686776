import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { operationField } from '../shared/descriptions/forOperation';
import { runItems } from '../shared/items/runItems';
import * as upload from './operations/upload';

const properties: INodeProperties[] = [
	// The node has no resources.
	operationField(undefined, 'upload', [
		{
			name: 'Upload',
			value: 'upload',
			description: 'Upload one or more files and get their URLs',
			action: 'Upload a file',
		},
	]),
	...upload.description,
];

export class SegmindAsset implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Asset',
		name: 'segmindAsset',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: 'upload a file',
		description: 'Upload files to Segmind and use their URLs as inputs for models and workflows',
		defaults: { name: 'Segmind Asset' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, properties, upload.execute);
	}
}
