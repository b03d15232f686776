import type {
	IDisplayOptions,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';

import { DEFAULT_MAX_CONCURRENCY, DEFAULT_MAX_FILE_MB, DEFAULT_TIMEOUT_S } from '../run/options';
import { rowFields } from './inputs';

/** All options, sorted by display name, as in the editor (explained in docs/nodes.md, Options). */
const ALL_OPTIONS = [
	{
		displayName: 'Additional Parameters',
		name: 'additionalParameters',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add parameter',
		default: {},
		description:
			"Parameters that aren't in the form. Use the names from the model's page on Segmind.",
		options: [{ displayName: 'Values', name: 'values', values: rowFields('e.g. aspect_ratio') }],
	},
	{
		displayName: 'Answer in One Call',
		name: 'answerInOneCall',
		type: 'boolean',
		default: false,
		description:
			'Whether to use version 1 of the API, which returns the output in a single call. Use this only for models that finish within a few seconds.',
	},
	{
		displayName: 'Check Every (Seconds)',
		name: 'pollIntervalSeconds',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'How often to check the status of the request. If 0, the node chooses the interval.',
	},
	{
		displayName: 'Download Files',
		name: 'downloadOutput',
		type: 'boolean',
		default: true,
		description:
			'Whether to download generated files into the binary data of the item. If an AI agent uses the node, files are downloaded only if you set this option.',
	},
	{
		displayName: 'Include Input Item',
		name: 'includeInputItem',
		type: 'boolean',
		default: true,
		description:
			'Whether to add the data of the input item to the output, in a field named <code>input</code>',
	},
	{
		displayName: 'Max Cost (USD)',
		name: 'maximumCost',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 4 },
		default: 1,
		description:
			'The maximum that this node may spend in one execution, including all items, loop iterations, retries and tool calls. The default is 1 USD. A request that would exceed the limit is not sent. Until Segmind reports the cost of a request, the node counts the published average instead, so the limit is approximate.',
	},
	{
		displayName: 'Max File Size (MB)',
		name: 'maxFileSizeMb',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_MAX_FILE_MB,
		description:
			'Larger generated files are not downloaded. Their URL is in the output, and the node shows a hint.',
	},
	{
		displayName: 'Max Items at Once',
		name: 'maxConcurrency',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_MAX_CONCURRENCY,
		description: 'How many items to process at the same time',
	},
	{
		displayName: 'Min Balance (USD)',
		name: 'minimumBalance',
		type: 'number',
		typeOptions: { numberPrecision: 4 },
		default: 1,
		description:
			'The node sends nothing if the balance of the account is below this amount. The default is 1 USD.',
	},
	{
		displayName: 'On Timeout',
		name: 'onTimeout',
		type: 'options',
		options: [
			{
				name: 'Fail the Item',
				value: 'error',
				description:
					'Fail with an error that contains the request ID. A retry waits for the same request.',
			},
			{
				name: 'Return the Request',
				value: 'returnRequest',
				description: 'Return the request, so that you can get its result later with Get Result',
			},
		],
		default: 'error',
		description:
			'What to do if the request has not finished in time. It keeps running on Segmind in either case.',
	},
	{
		displayName: 'Put Output File in Field',
		name: 'outputField',
		type: 'string',
		default: 'data',
		description:
			'Name of the binary field for the first file. For further files, _1, _2 and so on are appended to the name.',
	},
	{
		displayName: 'Request Body (JSON)',
		name: 'requestBody',
		type: 'json',
		default: '{}',
		placeholder: '{"prompt": "a lighthouse at dusk", "seed": 7}',
		description:
			'The whole request as a JSON object, sent exactly as entered. All other input fields are ignored.',
	},
	{
		displayName: 'Send Again If Unsure (May Charge Twice)',
		name: 'sendAgainIfUnsure',
		type: 'boolean',
		default: false,
		description:
			"Whether a retry may resend a request if the node can't tell whether Segmind accepted the earlier request, or if the earlier request expired before it finished. You may then be charged twice.",
	},
	{
		displayName: 'Send Files As',
		name: 'sendFilesAs',
		type: 'options',
		options: [
			{
				name: 'Base64',
				value: 'base64',
				description: 'The encoded content inside the request, for older models that require it',
			},
			{
				name: 'Data URL',
				value: 'dataUrl',
				description: 'The content inside the request, for small files',
			},
			{
				name: 'URL',
				value: 'url',
				description: 'Upload each file to Segmind first and send its URL, for files of any size',
			},
		],
		default: 'url',
		description: 'How to send files from binary fields to the model',
	},
	{
		displayName: 'Timeout (Seconds)',
		name: 'timeoutSeconds',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_TIMEOUT_S,
		description:
			'How long to wait for the result after Segmind accepts the request. In Get Result and in a retry, the timeout is counted from the start of that operation or retry. The maximum is one hour, because Segmind keeps requests for an hour.',
	},
] as const satisfies readonly INodeProperties[];

type OptionName = (typeof ALL_OPTIONS)[number]['name'];

const CREATE_OPTIONS = ['maxConcurrency', 'minimumBalance', 'sendAgainIfUnsure'] as const;
const FILE_OPTIONS = ['downloadOutput', 'maxFileSizeMb', 'outputField'] as const;
const WAIT_OPTIONS = [
	...FILE_OPTIONS,
	'includeInputItem',
	'onTimeout',
	'pollIntervalSeconds',
	'timeoutSeconds',
] as const;
const GENERATE_OPTIONS = [
	...CREATE_OPTIONS,
	...WAIT_OPTIONS,
	'maximumCost',
	'requestBody',
	'sendFilesAs',
] as const;

/** The options of each kind of operation, by name. */
export const OPTION_SETS: Record<
	'model' | 'workflow' | 'create' | 'upload' | 'getResult',
	readonly OptionName[]
> = {
	model: [...GENERATE_OPTIONS, 'additionalParameters', 'answerInOneCall'],
	workflow: GENERATE_OPTIONS,
	create: CREATE_OPTIONS,
	upload: ['maxConcurrency'],
	getResult: WAIT_OPTIONS,
};

/** Returns the collection `options` with the named members. */
export function optionsField(
	names: readonly OptionName[],
	show?: IDisplayOptions['show'],
): INodeProperties {
	const options: Array<INodeProperties | INodePropertyOptions | INodePropertyCollection> =
		ALL_OPTIONS.filter((option) => (names as readonly string[]).includes(option.name)).map(
			(option) => ({
				...option,
			}),
		);
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options,
		...(show ? { displayOptions: { show } } : {}),
	};
}
