import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes, updateDisplayOptions } from 'n8n-workflow';

import { runItems } from '../shared/items/runItems';
import { workflowFields } from './workflow';
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
				description: 'Run a published workflow and wait for its outputs',
				action: 'Run a published generative workflow',
			},
			{
				name: 'Submit',
				value: 'submit',
				description: 'Start a workflow without waiting; fetch the result later',
				action: 'Start a published generative workflow',
			},
			{
				name: 'Get Status',
				value: 'getStatus',
				description: 'Check the status of a run',
				action: 'Get the status of a workflow run',
			},
			{
				name: 'Get Result',
				value: 'getResult',
				description: 'Fetch the outputs of a submitted run',
				action: 'Get the outputs of a workflow run',
			},
		],
		default: 'run',
	},
	...updateDisplayOptions({ show: { operation: ['run', 'submit'] } }, workflowFields),
	...run.description,
	...submit.description,
	...getStatus.description,
	...getResult.description,
];

export class SegmindWorkflow implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Workflow',
		name: 'segmindWorkflow',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		// Raw: an expression cannot be evaluated before a run.
		subtitle:
			'={{ $parameter["operation"] + ($rawParameter["slug"] && !$rawParameter["slug"].startsWith("=") ? ": " + $rawParameter["slug"] : "") }}',
		description: 'Run workflows published in the Segmind workflow builder',
		defaults: { name: 'Segmind Workflow' },
		usableAsTool: true,
		builderHint: {
			searchHint:
				'Runs a workflow that was published in the Segmind builder: give its slug and its inputs by the names of its input nodes. To run a single model use Segmind Inference.',
		},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true }],
		properties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const operation = this.getNodeParameter('operation', 0) as keyof typeof operations;
		return await runItems(this, properties, operations[operation].execute);
	}
}
