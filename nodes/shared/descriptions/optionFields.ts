import type { INodeProperties } from 'n8n-workflow';

import { conversationField } from './conversationField';
import {
	choiceField,
	collectionField,
	hideIf,
	numberField,
	showIf,
	switchField,
	textField,
} from './fields';
import { rowsField } from './inputs';

const MAKES_TEXT = { '/resource': ['text'], '/operation': ['analyze'] };
const FOR_FILES = hideIf(MAKES_TEXT);
/** Only in workflows: an agent gets URLs. */
const FOR_OUTPUT_FILES = hideIf({ ...MAKES_TEXT, '@tool': [true] });

export const DEFAULT_TIMEOUT_S = 900;
export const DEFAULT_MAX_CONCURRENCY = 20;

/** All options, sorted by display name, as in the editor (explained in docs/nodes.md, Options). */
const ALL_OPTIONS = {
	additionalParameters: rowsField(
		'additionalParameters',
		'Additional Parameters',
		"Parameters that aren't in the form. Use the names from the model's page on Segmind.",
		{ add: 'Add Parameter', name: 'e.g. aspect_ratio' },
	),
	answerInOneCall: switchField(
		'answerInOneCall',
		'Answer in One Call',
		'Whether to use version 1 of the API, which returns the output in a single call. Use this only for models that finish within a few seconds.',
	),
	pollIntervalSeconds: numberField(
		'pollIntervalSeconds',
		'Check Every (Seconds)',
		0,
		'How often to check the status of the request. If 0, the node chooses the interval.',
		{ minValue: 0 },
	),
	conversation: conversationField,
	downloadOutput: switchField(
		'downloadOutput',
		'Download Files',
		'Whether to download generated files into the binary data of the item. If an AI agent uses the node, files are downloaded only if you set this option.',
		{ default: true, ...FOR_FILES },
	),
	fileName: textField(
		'fileName',
		'File Name',
		'Name of the generated file, without extension, which the node adds. Further files get -1, -2 and so on. By default, the name has words of the prompt and a part of the request ID.',
		{ placeholder: 'e.g. {{ $json.sku }}', ...FOR_OUTPUT_FILES },
	),
	images: textField(
		'images',
		'Images',
		'Images that the model sees. Enter names of binary fields, or URLs, separated by commas.',
		{ default: 'data', ...showIf({ '/resource': ['text'] }) },
	),
	includeOtherFields: switchField(
		'includeOtherFields',
		'Include Other Input Fields',
		'Whether the output also has the fields and files of the input item, but none that could be mistaken for a result, such as a cost. A failed item keeps the fields, too, if On Error is Continue. Image: Analyze and Audio: Transcribe keep the files unless you turn this off.',
		hideIf({ '@tool': [true] }),
	),
	maximumCost: numberField(
		'maximumCost',
		'Max Cost (USD)',
		1,
		'The maximum that this node may spend in one execution, including all items, loop iterations, retries and tool calls. The default is 1 USD. A request that would exceed the limit is not sent. Until Segmind reports the cost of a request, the node counts the published average instead, so the limit is approximate.',
		{ minValue: 0, numberPrecision: 4 },
	),
	maxConcurrency: numberField(
		'maxConcurrency',
		'Max Items at Once',
		DEFAULT_MAX_CONCURRENCY,
		'How many items to process at the same time',
		{ minValue: 1 },
	),
	minimumBalance: numberField(
		'minimumBalance',
		'Min Balance (USD)',
		1,
		'The node sends nothing if the balance of the account is below this amount. The default is 1 USD.',
		{ numberPrecision: 4 },
	),
	onTimeout: choiceField(
		'onTimeout',
		'On Timeout',
		'What to do if the request has not finished in time. It keeps running on Segmind in either case.',
		[
			[
				'error',
				'Fail the Item',
				'Fail with an error that contains the request ID. A retry waits for the same request.',
			],
			[
				'returnRequest',
				'Return the Request',
				'Return the request, so that you can get its result later with Get Result',
			],
		],
		'error',
	),
	oneItemPerFile: switchField(
		'oneItemPerFile',
		'One Item per File',
		'Whether to output an item for each generated file, which is always in the first binary field. Only the first of these items has the cost.',
		FOR_OUTPUT_FILES,
	),
	outputField: textField(
		'outputField',
		'Put Output File in Field',
		"Name of the binary field for the first file, which isn't the file's own name. For further files, _1, _2 and so on are appended to the name.",
		{ default: 'data', ...FOR_FILES },
	),
	requestBody: textField(
		'requestBody',
		'Request Body (JSON)',
		'The whole request as a JSON object, sent exactly as entered. All other input fields are ignored.',
		{ type: 'json', default: '{}' },
	),
	sendAgainIfUnsure: switchField(
		'sendAgainIfUnsure',
		'Send Again If Unsure (May Charge Twice)',
		"Whether a retry may resend a request if the node can't tell whether Segmind accepted the earlier request, or if the earlier request expired before it finished. You may then be charged twice.",
	),
	sendFilesAs: choiceField(
		'sendFilesAs',
		'Send Files As',
		'How to send files from binary fields to the model',
		[
			[
				'base64',
				'Base64',
				'The encoded content inside the request, for older models that require it',
			],
			['dataUrl', 'Data URL', 'The content inside the request, for small files'],
			['url', 'URL', 'Upload each file to Segmind first and send its URL, for files of any size'],
		],
		'url',
	),
	timeoutSeconds: numberField(
		'timeoutSeconds',
		'Timeout (Seconds)',
		DEFAULT_TIMEOUT_S,
		'How long to wait for the result after Segmind accepts the request. In Get Result and in a retry, the timeout is counted from the start of that operation or retry. The maximum is one hour, because Segmind keeps requests for an hour.',
		{ minValue: 1 },
	),
};

type OptionName = keyof typeof ALL_OPTIONS;

const CREATE_OPTIONS = ['maxConcurrency', 'minimumBalance', 'sendAgainIfUnsure'] as const;
const FILE_OPTIONS = [
	'downloadOutput',
	'fileName',
	'includeOtherFields',
	'oneItemPerFile',
	'outputField',
] as const;
const WAIT_OPTIONS = [
	...FILE_OPTIONS,
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
	model: [...GENERATE_OPTIONS, 'additionalParameters', 'answerInOneCall', 'conversation', 'images'],
	workflow: GENERATE_OPTIONS,
	create: CREATE_OPTIONS,
	upload: ['maxConcurrency'],
	getResult: WAIT_OPTIONS,
};

/** Returns the collection `options` with the named members. */
export function optionsField(names: readonly OptionName[]): INodeProperties {
	const chosen = Object.values(ALL_OPTIONS).filter(({ name }) =>
		names.includes(name as OptionName),
	);
	const options = chosen.map((option) => ({ ...option }));
	return collectionField('options', 'Options', 'Add Option', options);
}
