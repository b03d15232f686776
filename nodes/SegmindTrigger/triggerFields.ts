import type { INodeProperties } from 'n8n-workflow';

import {
	choiceField,
	collectionField,
	numberField,
	pickerField,
	showIf,
	switchField,
	textField,
} from '../shared/descriptions/fields';
import { MAKING_OPTIONS } from '../shared/descriptions/options';

const ON_REQUESTS = showIf({ event: ['requestFinished'] });
const ON_ACCOUNT = showIf({ event: ['requestFinished'], watch: ['account'] });
const ON_LISTED = showIf({ event: ['requestFinished'], watch: ['requests'] });

export const fields: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Credits Below Threshold',
				value: 'creditsBelow',
				description: 'The balance fell below a threshold',
				action: 'When credits run low',
			},
			{
				name: 'Fine-Tune Status Changed',
				value: 'fineTuneStatusChanged',
				description: 'A fine-tune job has a new status',
				action: 'When the status of a fine-tune changes',
			},
			{
				name: 'Request Finished',
				value: 'requestFinished',
				description: 'A request to a model or a published workflow has completed or failed',
				action: 'When a request has finished',
			},
		],
		default: 'requestFinished',
	},
	choiceField(
		'watch',
		'Watch',
		undefined,
		[
			[
				'account',
				'All Requests of the Account',
				"All requests of your account; for a team, those of all members. This reads Segmind's request history, which isn't part of the published API. If it stops working, watch Listed Requests.",
			],
			['requests', 'Listed Requests', 'The requests that you list, each with its full result'],
		],
		'account',
		{ noDataExpression: true, ...ON_REQUESTS },
	),
	textField(
		'requests',
		'Requests',
		'The requests to watch, as a list, as JSON, or as text with one entry per line. An entry can be a request ID, a URL that Segmind returned, or an output item of a request sent with Wait for Completion off. An expression is evaluated at each poll. Each request starts the workflow once.',
		{
			typeOptions: { rows: 4 },
			required: true,
			placeholder: 'e.g. 4f0c9a7be1d34b6f8a2c5d7e9b1a3c5d',
			...ON_LISTED,
		},
	),
	choiceField(
		'states',
		'Statuses',
		'The statuses of a finished request that start the workflow. Leave it empty for both.',
		[
			['COMPLETED', 'Completed'],
			['FAILED', 'Failed'],
		],
		['COMPLETED', 'FAILED'],
		ON_REQUESTS,
	),
	{
		...pickerField(
			'model',
			'Model',
			'Watch only requests to this model or workflow. Leave it empty to watch all requests.',
			{ method: 'searchModels', placeholder: 'Every model', isPublic: true },
			{
				displayName: 'By Slug',
				name: 'slug',
				placeholder: 'e.g. nano-banana-pro',
				hint: 'The slug of a model or of a published workflow, exactly as Segmind spells it',
			},
		),
		...ON_ACCOUNT,
	},
	choiceField(
		'statuses',
		'Statuses',
		'The new statuses that start the workflow. Leave it empty for all statuses.',
		[
			['AVAILABLE', 'Available', 'Deployed, ready for inference'],
			['DATA_PROCESSING', 'Data Processing'],
			['DEPLOYING', 'Deploying'],
			['FAILED', 'Failed', 'The reason is in error_message'],
			['INFERENCE_QUEUED', 'Inference Queued', 'Being deployed'],
			['REQUESTED', 'Requested'],
			['TRAINING_COMPLETED', 'Training Completed'],
			['TRAINING_INITIATED', 'Training Initiated'],
		],
		[],
		showIf({ event: ['fineTuneStatusChanged'] }),
	),
	{
		...numberField(
			'threshold',
			'Threshold (USD)',
			5,
			'Start the workflow when the balance (credits and free credits) falls below this amount. The workflow starts once, and again only after the balance has returned to the threshold or above.',
			{ numberPrecision: 4 },
		),
		required: true,
		...showIf({ event: ['creditsBelow'] }),
	},
	{ ...MAKING_OPTIONS.simplify.field, ...ON_LISTED },
	{
		...collectionField('options', 'Options', 'Add Option', [
			switchField(
				'allowSelfStart',
				'Allow Self-Start',
				'Whether this workflow may run the models that its own trigger watches. Each run then starts the next one, and Segmind charges for each run.',
			),
		]),
		...ON_ACCOUNT,
	},
];
