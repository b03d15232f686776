import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { runItems } from '../shared/items/runItems';
import * as get from './operations/get';

const properties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Get',
				value: 'get',
				description: 'Get the balance in USD',
				action: 'Get the credit balance',
			},
		],
		default: 'get',
	},
];

export class SegmindCredits implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Credits',
		name: 'segmindCredits',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] }}',
		description: 'Read the credit balance of a Segmind account',
		defaults: { name: 'Segmind Credits' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, properties, get.execute);
	}
}
