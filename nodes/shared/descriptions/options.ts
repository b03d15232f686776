import type {
	IDisplayOptions,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';

import { DEFAULT_MAX_CONCURRENCY, DEFAULT_MAX_FILE_MB, DEFAULT_TIMEOUT_S } from '../run/options';
import { rowFields } from './inputs';

/** Every option there is, sorted by display name as the editor lists them (meanings: docs/nodes.md, Options). */
const ALL = [
	{
		displayName: 'Additional Parameters',
		name: 'additionalParameters',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add parameter',
		default: {},
		description:
			'Parameters that the form does not have, by the names that the page of the model at Segmind uses',
		options: [{ displayName: 'Values', name: 'values', values: rowFields('e.g. aspect_ratio') }],
	},
	{
		displayName: 'Answer in One Call',
		name: 'answerInOneCall',
		type: 'boolean',
		default: false,
		description:
			'Whether to use version 1 of the API, where one call answers with the output itself. Only for models that take a few seconds.',
	},
	{
		displayName: 'Check Every (Seconds)',
		name: 'pollIntervalSeconds',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'How often to check whether the request has finished. 0 checks as often as is sensible.',
	},
	{
		displayName: 'Download Files',
		name: 'downloadOutput',
		type: 'boolean',
		default: true,
		description:
			'Whether to put generated files into the binary data of the item. When an AI agent uses the node, files are only downloaded if you set this.',
	},
	{
		displayName: 'Include Input Item',
		name: 'includeInputItem',
		type: 'boolean',
		default: false,
		description: 'Whether to put the data of the incoming item into the output, under input',
	},
	{
		displayName: 'Max Cost (USD)',
		name: 'maximumCost',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 4 },
		default: 1,
		description:
			'The most that one execution of this node may spend, 1 USD unless you change it: all items, loop runs, tries, retries and tool calls together. A request that would exceed it is not sent. It counts the prices Segmind reports, and published averages until it does: a brake, not a guarantee.',
	},
	{
		displayName: 'Max File Size (MB)',
		name: 'maxFileSizeMb',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_MAX_FILE_MB,
		description:
			'A generated file that is larger is not downloaded: its URL is in the output, and a hint says so',
	},
	{
		displayName: 'Max Items at Once',
		name: 'maxConcurrency',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_MAX_CONCURRENCY,
		description: 'How many items are worked on at the same time',
	},
	{
		displayName: 'Min Balance (USD)',
		name: 'minimumBalance',
		type: 'number',
		typeOptions: { numberPrecision: 4 },
		default: 1,
		description:
			'Send nothing when the balance of the account is below this, 1 USD unless you change it',
	},
	{
		displayName: 'Put Output File in Field',
		name: 'outputField',
		type: 'string',
		default: 'data',
		description:
			'Name of the binary field for the first file; further files get _1, _2 and so on appended',
	},
	{
		displayName: 'Request Body (JSON)',
		name: 'requestBody',
		type: 'json',
		default: '{}',
		placeholder: '{"prompt": "a lighthouse at dusk", "seed": 7}',
		description:
			'The whole request as a JSON object, sent exactly as written; all other fields for inputs are then not read',
	},
	{
		displayName: 'Send Again If Unsure (May Pay Twice)',
		name: 'sendAgainIfUnsure',
		type: 'boolean',
		default: false,
		description:
			'Whether a retry may send a request again when nobody can know whether the earlier one was accepted, or when it expired unfinished. It may then be paid twice.',
	},
	{
		displayName: 'Send Files As',
		name: 'sendFilesAs',
		type: 'options',
		options: [
			{
				name: 'Base64',
				value: 'base64',
				description: 'The bare content inside the request, for older models that ask for it',
			},
			{
				name: 'Data URL',
				value: 'dataUrl',
				description: 'The content inside the request; for small files',
			},
			{
				name: 'URL',
				value: 'url',
				description: 'Upload each file to Segmind first and send its URL; for any size',
			},
		],
		default: 'url',
		description: 'How files from binary fields reach the model',
	},
	{
		displayName: 'Timeout (Seconds)',
		name: 'timeoutSeconds',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_TIMEOUT_S,
		description:
			'How long to wait for the result, counted from acceptance (in Get Result and in a retry, from their start); an hour at most, because Segmind keeps a request no longer',
	},
	{
		displayName: 'When Time Is Up',
		name: 'onTimeout',
		type: 'options',
		options: [
			{
				name: 'Fail the Item',
				value: 'error',
				description: 'The error names the request ID; a retry goes on waiting for the same request',
			},
			{
				name: 'Return the Request',
				value: 'returnRequest',
				description: 'Give the request instead, to fetch its result later with Get Result',
			},
		],
		default: 'error',
		description:
			'What to do when the request has not finished in time. It continues at Segmind either way.',
	},
] as const satisfies readonly INodeProperties[];

type OptionName = (typeof ALL)[number]['name'];

const CREATING = ['maxConcurrency', 'minimumBalance', 'sendAgainIfUnsure'] as const;
const FILES = ['downloadOutput', 'maxFileSizeMb', 'outputField'] as const;
const WAITING = [
	...FILES,
	'includeInputItem',
	'onTimeout',
	'pollIntervalSeconds',
	'timeoutSeconds',
] as const;
const GENERATING = [...CREATING, ...WAITING, 'maximumCost', 'requestBody', 'sendFilesAs'] as const;

/** Options by what an operation does. */
export const OPTION_SETS: Record<
	'model' | 'workflow' | 'create' | 'upload' | 'getResult',
	readonly OptionName[]
> = {
	model: [...GENERATING, 'additionalParameters', 'answerInOneCall'],
	workflow: GENERATING,
	create: CREATING,
	upload: ['maxConcurrency'],
	getResult: WAITING,
};

/** The collection `options` with the named members. */
export function optionsField(
	names: readonly OptionName[],
	show?: IDisplayOptions['show'],
): INodeProperties {
	const options: Array<INodeProperties | INodePropertyOptions | INodePropertyCollection> =
		ALL.filter((option) => (names as readonly string[]).includes(option.name)).map((option) => ({
			...option,
		}));
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
