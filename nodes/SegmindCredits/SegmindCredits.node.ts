import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { operationField } from '../shared/descriptions/forOperation';
import { operationSubtitle } from '../shared/descriptions/subtitle';
import { operationOf } from '../shared/items/operation';
import { runItems } from '../shared/items/runItems';
import * as get from './operations/get';
import * as getUsage from './operations/getUsage';

const operations = { get, getUsage };

const properties: INodeProperties[] = [
	// The node has no resources.
	operationField(undefined, 'get', [
		{
			name: 'Get Balance',
			value: 'get',
			description: 'Get the balance in USD',
			action: 'Get the balance',
		},
		{
			name: 'Get Usage',
			value: 'getUsage',
			description: 'Get the cost and number of requests, from the request history',
			action: 'Get the usage',
		},
	]),
	...getUsage.description,
];

export class SegmindCredits implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Credits',
		name: 'segmindCredits',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: operationSubtitle(properties),
		description: 'Read the credit balance of a Segmind account, and what you spent on each model',
		defaults: { name: 'Segmind Credits' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, properties, operationOf(this, operations));
	}
}
