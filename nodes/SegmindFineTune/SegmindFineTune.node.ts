import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { runItems, type ItemWork } from '../shared/items/runItems';
import { searchFineTunes } from './listSearch';
import * as createUploadUrl from './operations/createUploadUrl';
import * as get from './operations/get';
import * as getAll from './operations/getAll';
import * as getDownloadUrl from './operations/getDownloadUrl';
import * as submit from './operations/submit';
import * as updateAccess from './operations/updateAccess';
import * as upload from './operations/upload';

const resources: Record<string, Record<string, { execute: ItemWork }>> = {
	job: { getAll, get, submit, updateAccess },
	dataset: { createUploadUrl, upload },
	weight: { getDownloadUrl },
};

const properties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'Dataset', value: 'dataset' },
			{ name: 'Job', value: 'job' },
			{ name: 'Weight', value: 'weight' },
		],
		default: 'job',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['job'] } },
		options: [
			{
				name: 'Get',
				value: 'get',
				description: 'Check the status of a job, and where its model and weights are',
				action: 'Get a fine tune job',
			},
			{
				name: 'Get Many',
				value: 'getAll',
				description: 'List the jobs of the account',
				action: 'Get many fine tune jobs',
			},
			{
				name: 'Submit',
				value: 'submit',
				description: 'Start a training (deprecated: Segmind no longer accepts new jobs)',
				action: 'Submit a fine tune job',
			},
			{
				name: 'Update Access',
				value: 'updateAccess',
				description: 'Make a fine-tuned model public or private',
				action: 'Update who may use a fine tuned model',
			},
		],
		default: 'getAll',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['dataset'] } },
		options: [
			{
				name: 'Create Upload URL',
				value: 'createUploadUrl',
				description: 'Get an address that a dataset can be uploaded to by other means',
				action: 'Create an upload URL for a dataset',
			},
			{
				name: 'Upload',
				value: 'upload',
				description: 'Upload a ZIP and get the address that Submit takes',
				action: 'Upload a training dataset',
			},
		],
		default: 'upload',
	},
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['weight'] } },
		options: [
			{
				name: 'Get Download URL',
				value: 'getDownloadUrl',
				description: 'Get an address that the trained weights can be downloaded from',
				action: 'Get the download URL of trained weights',
			},
		],
		default: 'getDownloadUrl',
	},
	...getAll.description,
	...get.description,
	...submit.description,
	...updateAccess.description,
	...createUploadUrl.description,
	...upload.description,
	...getDownloadUrl.description,
];

export class SegmindFineTune implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Fine-Tune',
		name: 'segmindFineTune',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description:
			'Read, share and download fine-tuned models at Segmind. New jobs are no longer accepted (deprecated).',
		defaults: { name: 'Segmind Fine-Tune' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties,
	};

	methods = { listSearch: { searchFineTunes } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const resource = this.getNodeParameter('resource', 0) as string;
		const operation = this.getNodeParameter('operation', 0) as string;
		return await runItems(this, properties, resources[resource][operation].execute);
	}
}
