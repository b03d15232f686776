import type {
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { errorForN8n } from '../shared/base/failure';
import { notice, switchField, textField } from '../shared/descriptions/fields';
import { hasSecretField, mustConfirm, receive } from './receive';

const displayOptions = { show: { confirmWithSegmind: [true] } };

export class SegmindFineTuneTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Fine-Tune Trigger',
		name: 'segmindFineTuneTrigger',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle:
			'={{ [].concat($parameter["events"] || []).join(", ").toLowerCase().replaceAll("_", " ").toTitleCase() }}',
		// n8n also shows this text for Segmind Fine-Tune.
		description: 'Manage fine-tuned models, receive events',
		defaults: { name: 'Segmind Fine-Tune Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindApi', required: true, displayOptions }],
		webhooks: [
			{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' },
		],
		triggerPanel: {
			header: 'Wait for the status of a fine-tune to change',
			executionsHelp:
				'Register the Production URL in the Segmind console and publish the workflow (in n8n 1, activate it). To try it out first, register the Test URL instead and send the sample payload from the Developer tab of the console. Segmind calls only one webhook at a time, so register the Production URL afterwards.',
		},
		properties: [
			notice(
				'registerNotice',
				'Copy the Production URL above and register it in the <a href="https://platform.segmind.com/webhooks" target="_blank">Developer tab</a> of the Segmind console. Set a Secret, and append <code>?secret=</code> and your secret to the URL, or turn on Confirm With Segmind. The workflow needs one of them to be published. Segmind keeps only one webhook at a time, so delete the existing webhook in the console first. If you need the existing webhook for something else, use the Segmind Trigger instead, which polls.',
			),
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
			},
			textField(
				'secret',
				'Secret',
				"Letters and digits of your choice that each delivery must contain in its URL, as ?secret=…. Segmind doesn't sign its deliveries, so without a secret anyone who knows the URL can send them.",
				{ typeOptions: { password: true } },
			),
			switchField(
				'confirmWithSegmind',
				'Confirm With Segmind',
				"Whether to check the status of the job with your API key first, and to start the workflow only if the status confirms the event, so that a forged delivery can't start it",
			),
		],
	};

	// Segmind's one webhook can be registered only in its console, so activating and deactivating don't change it.
	webhookMethods = {
		default: {
			// n8n calls `create`, which checks the node, only if this returns false.
			checkExists: async (): Promise<boolean> => false,
			async create(this: IHookFunctions): Promise<boolean> {
				assertProtected(this);
				return true;
			},
			delete: async (): Promise<boolean> => true,
		},
	};

	async webhook(this: IWebhookFunctions) {
		return await receive(this);
	}
}

/**
 * Checks that strangers can't start the workflow. The test URL is free, because a user waits for it in the editor.
 * @throws the error that n8n shows instead of activating the workflow
 */
function assertProtected(context: IHookFunctions): void {
	const isTest = context.getActivationMode() === 'manual';
	if (isTest || hasSecretField(context) || mustConfirm(context)) return;
	const node = context.getNode();
	throw errorForN8n(node, {
		// When a workflow is published, n8n shows only the message.
		message: `Set Secret in '${node.name}' or turn on Confirm With Segmind: without them, anyone who learns its URL could start this workflow`,
		description: 'Append ?secret= and your secret to the URL that you register at Segmind.',
	});
}
