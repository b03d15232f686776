import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { operationField } from '../shared/descriptions/forOperation';
import { operationOf } from '../shared/items/operation';
import { runItems } from '../shared/items/runItems';
import { environmentField } from './environment';
import { searchEndpoints, searchGpus, searchScalerTypes } from './pickers';
import * as create from './operations/create';
import * as remove from './operations/delete';
import * as getAll from './operations/getAll';
import * as update from './operations/update';

const operations = { getAll, create, update, delete: remove };

const properties: INodeProperties[] = [
	// The node has no resources.
	operationField(undefined, 'getAll', [
		{
			name: 'Create',
			value: 'create',
			description: 'Deploy a model on dedicated GPUs, charged by the hour',
			action: 'Create a dedicated endpoint',
		},
		{
			name: 'Delete',
			value: 'delete',
			description: 'Delete an endpoint permanently',
			action: 'Delete a dedicated endpoint',
		},
		{
			name: 'Get Many',
			value: 'getAll',
			description: 'List the endpoints of the account',
			action: 'Get many dedicated endpoints',
		},
		{
			name: 'Update',
			value: 'update',
			description: 'Change the number of workers of an endpoint and how it scales',
			action: 'Update the scaling of a dedicated endpoint',
		},
	]),
	environmentField,
	...getAll.description,
	...create.description,
	...update.description,
	...remove.description,
];

export class SegmindEndpoint implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Endpoint',
		name: 'segmindEndpoint',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle:
			'={{ $parameter["operation"] + ($parameter["environment"] === "staging" ? " (staging)" : "") }}',
		description: 'List, create, scale and delete dedicated endpoints on Segmind',
		defaults: { name: 'Segmind Endpoint' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties,
	};

	methods = { listSearch: { searchEndpoints, searchGpus, searchScalerTypes } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await runItems(this, properties, operationOf(this, operations));
	}
}
