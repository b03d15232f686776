import type { INodeProperties } from 'n8n-workflow';

import { simplifyField } from '../shared/descriptions/requests';

const onRequests = { show: { event: ['requestFinished'] } };
const onAccount = { show: { event: ['requestFinished'], watch: ['account'] } };
const onListed = { show: { event: ['requestFinished'], watch: ['requests'] } };
const optionOnListed = { show: { '/event': ['requestFinished'], '/watch': ['requests'] } };

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
	{
		displayName: 'Watch',
		name: 'watch',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'All Requests of the Account',
				value: 'account',
				description:
					'All requests of your account. For a team, this includes the requests of all members.',
			},
			{
				name: 'Listed Requests',
				value: 'requests',
				description: 'The requests that you list, each with its full result',
			},
		],
		default: 'account',
		displayOptions: onRequests,
	},
	{
		displayName:
			"This reads Segmind's request history, which is part of Segmind's own SDK but not of the published API. If it stops working, set Watch to Listed Requests.",
		name: 'historyNotice',
		type: 'notice',
		default: '',
		displayOptions: onAccount,
	},
	{
		displayName: 'Requests',
		name: 'requests',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		required: true,
		placeholder: 'e.g. 4f0c9a7be1d34b6f8a2c5d7e9b1a3c5d',
		description:
			'The requests to watch, as a list, as JSON, or as text with one entry per line. An entry can be a request ID, a URL that Segmind returned, or an output item of a request sent with Wait for Completion off. An expression is evaluated at each poll. Each request starts the workflow once.',
		displayOptions: onListed,
	},
	{
		displayName: 'Statuses',
		name: 'states',
		type: 'multiOptions',
		options: [
			{ name: 'Completed', value: 'COMPLETED' },
			{ name: 'Failed', value: 'FAILED' },
		],
		default: ['COMPLETED', 'FAILED'],
		required: true,
		description: 'The statuses of a finished request that start the workflow',
		displayOptions: onRequests,
	},
	{
		displayName: 'Model',
		name: 'model',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		description:
			'Watch only requests to this model or workflow. Leave it empty to watch all requests.',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Every model',
				typeOptions: {
					searchListMethod: 'searchModels',
					searchable: true,
					skipCredentialsCheckInRLC: true,
				},
			},
			{
				displayName: 'By Slug',
				name: 'slug',
				type: 'string',
				placeholder: 'e.g. nano-banana-pro',
				hint: 'The slug of a model or of a published workflow, exactly as Segmind spells it',
			},
		],
		displayOptions: onAccount,
	},
	{
		displayName: 'Statuses',
		name: 'statuses',
		type: 'multiOptions',
		options: [
			{ name: 'Available', value: 'AVAILABLE', description: 'Deployed, ready for inference' },
			{ name: 'Data Processing', value: 'DATA_PROCESSING' },
			{ name: 'Deploying', value: 'DEPLOYING' },
			{ name: 'Failed', value: 'FAILED', description: 'The reason is in error_message' },
			{ name: 'Inference Queued', value: 'INFERENCE_QUEUED', description: 'Being deployed' },
			{ name: 'Requested', value: 'REQUESTED' },
			{ name: 'Training Completed', value: 'TRAINING_COMPLETED' },
			{ name: 'Training Initiated', value: 'TRAINING_INITIATED' },
		],
		default: [],
		description: 'The new statuses that start the workflow. Leave it empty for all statuses.',
		displayOptions: { show: { event: ['fineTuneStatusChanged'] } },
	},
	{
		displayName: 'Threshold',
		name: 'threshold',
		type: 'number',
		typeOptions: { numberPrecision: 4 },
		default: 5,
		required: true,
		description:
			'Start the workflow when the balance (credits and free credits, in USD) falls below this amount. The workflow starts once, and again only after the balance has returned to the threshold or above.',
		displayOptions: { show: { event: ['creditsBelow'] } },
	},
	{ ...simplifyField, displayOptions: onListed },
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Allow Self-Start',
				name: 'allowSelfStart',
				type: 'boolean',
				default: false,
				description:
					'Whether this workflow may run the models that its own trigger watches. Each run then starts the next one, and Segmind charges for each run.',
				displayOptions: { show: { '/event': ['requestFinished'], '/watch': ['account'] } },
			},
			{
				displayName: 'Download Files',
				name: 'downloadOutput',
				type: 'boolean',
				default: false,
				description: 'Whether to put generated files into the binary data of the item',
				displayOptions: optionOnListed,
			},
			{
				displayName: 'Emit Existing',
				name: 'emitExisting',
				type: 'boolean',
				default: false,
				description:
					'Whether publishing the workflow (in n8n 1, activating it) also starts it for what already exists: requests of the last 3 hours that have finished, all jobs, or a balance below the threshold',
				displayOptions: { hide: { '/watch': ['requests'] } },
			},
			{
				displayName: 'Emit Expired',
				name: 'emitExpired',
				type: 'boolean',
				default: false,
				description:
					'Whether to also start the workflow for a request that Segmind cannot find, because it is older than an hour, its ID is wrong, or it belongs to another account',
				displayOptions: optionOnListed,
			},
			{
				displayName: 'Put Output File in Field',
				name: 'outputField',
				type: 'string',
				default: 'data',
				description:
					'Name of the binary field for the first file. For further files, _1, _2 and so on are appended to the name.',
				displayOptions: optionOnListed,
			},
		],
	},
];
