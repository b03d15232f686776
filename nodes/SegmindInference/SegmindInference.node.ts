import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes, updateDisplayOptions } from 'n8n-workflow';

import { searchModels, searchParameters } from '../shared/catalogue/listSearch';
import { modelParameters } from '../shared/catalogue/modelParameters';
import { runItems } from '../shared/items/runItems';
import { modelFields } from './model';
import * as getResult from './operations/getResult';
import * as getStatus from './operations/getStatus';
import * as run from './operations/run';
import * as submit from './operations/submit';

const operations = { run, submit, getStatus, getResult };

const properties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Run',
				value: 'run',
				description: 'Run a model and wait for its output',
				action: 'Generate an image or video or audio or text',
			},
			{
				name: 'Submit',
				value: 'submit',
				description: 'Start a model without waiting; fetch the result later',
				action: 'Start generating an image or video or audio or text',
			},
			{
				name: 'Get Status',
				value: 'getStatus',
				description: 'Check the status of a request',
				action: 'Get the status of a generation request',
			},
			{
				name: 'Get Result',
				value: 'getResult',
				description: 'Fetch the result of a submitted request',
				action: 'Get the result of a generation request',
			},
		],
		default: 'run',
	},
	...updateDisplayOptions({ show: { operation: ['run', 'submit'] } }, modelFields),
	...run.description,
	...submit.description,
	...getStatus.description,
	...getResult.description,
];

export class SegmindInference implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Inference',
		name: 'segmindInference',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		// Raw: of a picker that is the chosen value, and an expression cannot be evaluated before a run.
		subtitle:
			'={{ $parameter["operation"] + ($rawParameter["model"] && !$rawParameter["model"].startsWith("=") ? ": " + $rawParameter["model"] : "") }}',
		description: 'Generate images, video, audio or text with any Segmind model',
		defaults: { name: 'Segmind Inference' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Generates images, video, audio or text: choose the model by its slug, give the prompt, and the parameters as rows of Additional Inputs. Run waits for the file; for jobs of many minutes use Submit, a Wait node and Get Result.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties,
	};

	methods = {
		listSearch: { searchModels, searchParameters },
		resourceMapping: { modelParameters },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const operation = this.getNodeParameter('operation', 0) as keyof typeof operations;
		return await runItems(this, properties, operations[operation].execute);
	}
}
