import type {
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { receive } from './receive';

export class SegmindFineTuneTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Fine-Tune Trigger',
		name: 'segmindFineTuneTrigger',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ [].concat($parameter["events"] || [], $parameter["otherEvents"] || []).join(", ").toLowerCase().replaceAll("_", " ") }}',
		// n8n also shows this text for Segmind Fine-Tune (docs/n8n.md N275).
		description:
			'Find and share models trained on Segmind, or start a workflow when the status of a fine-tune changes',
		defaults: { name: 'Segmind Fine-Tune Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{
				name: 'segmindApi',
				required: true,
				displayOptions: { show: { confirmWithSegmind: [true] } },
			},
		],
		webhooks: [
			{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' },
		],
		triggerPanel: {
			header: 'Wait for the status of a fine-tune to change',
			executionsHelp:
				'Register the Production URL in the Segmind console and publish the workflow (in n8n 1, activate it). To try it out first, register the Test URL instead and send the sample payload from the Webhooks page. Segmind calls only one webhook at a time, so register the Production URL afterwards.',
		},
		properties: [
			{
				displayName:
					'Copy the Production URL above and paste it into the <a href="https://platform.segmind.com/webhooks" target="_blank">Webhooks page</a> of the Segmind console. If you set a Secret and Secret Location is Query, append <code>?secret=</code> and your secret to the URL. Segmind keeps only one webhook at a time, so delete the existing webhook in the console first. If you need the existing webhook for something else, use the Segmind Trigger instead, which polls.',
				name: 'registerNotice',
				type: 'notice',
				default: '',
			},
			{
				displayName: 'Trigger On',
				name: 'events',
				type: 'multiOptions',
				options: [
					{
						name: 'Training Completed',
						value: 'TRAINING_COMPLETED',
						description: 'The training finished and the model can be downloaded',
						action: 'When training has completed',
					},
					{
						name: 'Inference Queued',
						value: 'INFERENCE_QUEUED',
						description: 'The model is being deployed',
						action: 'When a model is being deployed',
					},
					{
						name: 'Available',
						value: 'AVAILABLE',
						description: 'The model is deployed and ready for inference',
						action: 'When a model is available',
					},
				],
				default: ['AVAILABLE'],
				description: 'The status changes that start the workflow',
			},
			{
				displayName: 'Other Events',
				name: 'otherEvents',
				type: 'string',
				default: '',
				placeholder: 'e.g. FAILED, DEPLOYING',
				description: 'Names of further events that start the workflow, separated by commas',
			},
			{
				displayName: 'Secret',
				name: 'secret',
				type: 'string',
				typeOptions: { password: true },
				default: '',
				description:
					"A word of your choice that each delivery must contain. Without it, anyone who knows the URL can start the workflow, because Segmind doesn't sign its deliveries.",
			},
			{
				displayName: 'Secret Location',
				name: 'secretIn',
				type: 'options',
				options: [
					{
						name: 'Header',
						value: 'header',
						description: 'In a header, if a proxy in front of n8n adds it',
					},
					{
						name: 'Query',
						value: 'query',
						description: 'In the registered URL, as ?secret=…',
					},
				],
				default: 'query',
				displayOptions: { hide: { secret: [''] } },
				description: 'Where a delivery carries the secret',
			},
			{
				displayName: 'Header Name',
				name: 'headerName',
				type: 'string',
				default: 'x-webhook-secret',
				displayOptions: { show: { secretIn: ['header'] }, hide: { secret: [''] } },
				description: 'Name of the header that carries the secret',
			},
			{
				displayName: 'Confirm With Segmind',
				name: 'confirmWithSegmind',
				type: 'boolean',
				default: false,
				description:
					"Whether to check the status of the job with your API key first, and to start the workflow only if the status confirms the event, so that a forged delivery can't start it",
			},
		],
	};

	// Segmind's one webhook can be registered only in its console, so activating and deactivating don't change it.
	webhookMethods = {
		default: {
			checkExists: async (): Promise<boolean> => true,
			create: async (): Promise<boolean> => true,
			delete: async (): Promise<boolean> => true,
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}
}
