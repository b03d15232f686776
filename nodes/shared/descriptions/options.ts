import type {
	IDisplayOptions,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';

import { DEFAULT_MAX_CONCURRENCY, DEFAULT_MAX_FILE_MB } from '../run/options';

/** Every option there is, sorted by display name as the editor lists them (meanings: docs/nodes.md, Options). */
const ALL = [
	{
		displayName: 'Download Output',
		name: 'downloadOutput',
		type: 'boolean',
		default: true,
		description:
			'Whether to put generated files into the binary data of the item. When an AI agent uses the node, files are only downloaded if you set this.',
	},
	{
		displayName: 'Max Concurrency',
		name: 'maxConcurrency',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: DEFAULT_MAX_CONCURRENCY,
		description: 'How many items are worked on at once',
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
		displayName: 'Maximum Cost',
		name: 'maximumCost',
		type: 'string',
		default: '',
		placeholder: 'e.g. 2',
		description:
			'The most that one execution of this node may spend, in USD: all items, loop runs, tries, retries and tool calls together. A request that would exceed it is not sent. It counts the prices Segmind reports, and published averages until it does: an estimate, not a guarantee. Empty: no limit.',
	},
	{
		displayName: 'Minimum Balance',
		name: 'minimumBalance',
		type: 'string',
		default: '',
		placeholder: 'e.g. 5',
		description:
			'Send nothing when the balance of the account is below this many USD. Empty: no check.',
	},
	{
		displayName: 'On Timeout',
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
	{
		displayName: 'Output Field',
		name: 'outputField',
		type: 'string',
		default: 'data',
		description:
			'Name of the binary field for the first file; further files get _1, _2 and so on appended',
	},
	{
		displayName: 'Poll Interval (Seconds)',
		name: 'pollIntervalSeconds',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'How often to check whether the request has finished. 0 adapts to how long the model usually takes.',
	},
	{
		displayName: 'Resubmit When Unknown',
		name: 'resubmitWhenUnknown',
		type: 'boolean',
		default: false,
		description:
			'Whether a retry may send a request again when it is unknown whether the earlier one was accepted, or when it expired unfinished. It may then be paid twice.',
	},
	{
		displayName: 'Timeout (Seconds)',
		name: 'timeoutSeconds',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 900,
		description:
			'How long to wait for the result, counted from acceptance (in Get Result and in a retry, from their start); an hour at most, because Segmind keeps a request no longer',
	},
] as const satisfies readonly INodeProperties[];

type OptionName = (typeof ALL)[number]['name'];

const MADE = ['maxConcurrency', 'minimumBalance', 'resubmitWhenUnknown'] as const;
const PAID = [...MADE, 'maximumCost'] as const;
const WAITING = [
	'downloadOutput',
	'maxFileSizeMb',
	'onTimeout',
	'outputField',
	'pollIntervalSeconds',
	'timeoutSeconds',
] as const;

/** Options by what an operation does. */
export const OPTION_SETS: Record<
	'run' | 'submit' | 'create' | 'getStatus' | 'getResult' | 'free',
	readonly OptionName[]
> = {
	run: [...PAID, ...WAITING],
	submit: PAID,
	create: MADE,
	getStatus: ['maxConcurrency'],
	getResult: ['maxConcurrency', ...WAITING],
	free: ['maxConcurrency'],
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
