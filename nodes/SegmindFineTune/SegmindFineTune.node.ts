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
import { runItems, type ItemWork } from '../shared/items/runItems';
import { searchFineTunes } from './fineTunePicker';
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
	operationField('job', 'getAll', [
		{ name: 'Get Job', value: 'get', action: 'Get a fine-tune job' },
		{ name: 'Get Many', value: 'getAll', action: 'Get many fine-tune jobs' },
		{
			name: 'Submit Job',
			value: 'submit',
			description: 'Closed: Segmind has deprecated training and accepts no new jobs',
			action: 'Submit a fine-tune job (closed)',
		},
		{
			name: 'Update Model Access',
			value: 'updateAccess',
			description: 'Make a fine-tuned model public or private',
			action: 'Update who may use a fine-tuned model',
		},
	]),
	operationField('dataset', 'upload', [
		{
			name: 'Create Dataset Upload URL',
			value: 'createUploadUrl',
			description: 'Get a URL for uploading a dataset with another tool',
			action: 'Create an upload URL for a dataset',
		},
		{
			name: 'Upload Dataset',
			value: 'upload',
			description: 'Upload a ZIP file and get its URL for Submit Job',
			action: 'Upload a training dataset',
		},
	]),
	operationField('weight', 'getDownloadUrl', [
		{
			name: 'Get Weights Download URL',
			value: 'getDownloadUrl',
			description:
				'The URL is valid for one hour, except for Fast Flux, whose weights are always public',
			action: 'Get the download URL of trained weights',
		},
	]),
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
		subtitle: operationSubtitle(properties),
		description:
			'Read, share and download fine-tuned models on Segmind. Training is deprecated: Segmind accepts no new jobs.',
		defaults: { name: 'Segmind Fine-Tune' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties,
	};

	methods = { listSearch: { searchFineTunes } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const operation = operationOf<ItemWork>(this, resources, ['resource', 'operation']);
		return await runItems(this, properties, operation);
	}
}
