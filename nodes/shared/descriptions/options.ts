/**
 * The options, and the fields beside them that decide more than an input. A row is all there is of one: what n8n shows, which operations have it, and how
 * it's read. Its table says what it decides, and so what a change of it means for a retry (`journal/requestParameters.ts`).
 */
import type { INodeProperties } from 'n8n-workflow';

import { emptyInput, wrongInput } from '../errors/failures';
import { say } from '../errors/say';
import type { ItemParameters } from '../parameters/itemParameters';
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

export interface Option<Value = unknown> {
	/** The operations that have it among their options; undefined for a field beside the options. */
	of?: readonly OptionSet[];
	field: INodeProperties;
	/** Whether even its default is sent, so that adding it changes the request. */
	sendsDefault?: true;
	/** Reads it; its default if the item doesn't have it. @throws SegmindFailure that names it, for a wrong value */
	read: (parameters: ItemParameters, path: string) => Value;
}

/** The kinds of operations that have options. */
type OptionSet = 'model' | 'workflow' | 'create' | 'upload' | 'getResult';

const MODEL: readonly OptionSet[] = ['model'];
const GENERATE: readonly OptionSet[] = [...MODEL, 'workflow'];
const WAIT: readonly OptionSet[] = [...GENERATE, 'getResult'];
const CREATE: readonly OptionSet[] = [...GENERATE, 'create'];
const SEND: readonly OptionSet[] = [...CREATE, 'upload'];

const MAKES_TEXT = { '/resource': ['text'], '/operation': ['analyze'] };
const FOR_FILES = hideIf(MAKES_TEXT);
/** Only in workflows: an agent gets URLs. */
const FOR_OUTPUT_FILES = hideIf({ ...MAKES_TEXT, '@tool': [true] });

const DEFAULT_TIMEOUT_S = 900;
export const DEFAULT_MAX_CONCURRENCY = 20;
/** The binary field in which the first file is made. */
export const OUTPUT_FIELD = 'data';

const isOn: Option<boolean>['read'] = (parameters, path) => parameters.isOn(path);

/** What is sent: another value makes another request, as does that of any parameter without a row. `inputs` reads those without a reader. */
export const REQUEST_OPTIONS = {
	additionalParameters: {
		of: MODEL,
		field: rowsField(
			'additionalParameters',
			'Additional Parameters',
			"Parameters that aren't in the form. Use the names from the model's page on Segmind.",
			{ add: 'Add Parameter', name: 'e.g. aspect_ratio' },
		),
	},
	answerInOneCall: {
		of: MODEL,
		field: switchField(
			'answerInOneCall',
			'Answer in One Call',
			'Whether to use version 1 of the API, which returns the output in a single call. Use this only for models that finish within a few seconds.',
		),
		read: isOn,
	},
	conversation: {
		of: MODEL,
		field: conversationField,
	},
	images: {
		of: MODEL,
		sendsDefault: true,
		field: textField(
			'images',
			'Images',
			'Images that the model sees. Enter names of binary fields, or URLs, separated by commas.',
			{ default: 'data', ...showIf({ '/resource': ['text'] }) },
		),
	},
	requestBody: {
		of: GENERATE,
		sendsDefault: true,
		field: textField(
			'requestBody',
			'Request Body (JSON)',
			'The whole request as a JSON object, sent exactly as entered. All other input fields are ignored.',
			{ type: 'json', default: '{}' },
		),
		read: (parameters, path) => (parameters.has(path) ? parameters.jsonBody(path) : undefined),
	},
	sendFilesAs: {
		of: GENERATE,
		field: choiceField(
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
		read: (parameters, path) =>
			parameters.optionalChoice(path, ['base64', 'dataUrl', 'url'] as const) ?? 'url',
	},
} satisfies Record<string, Omit<Option, 'read'> & Partial<Option>>;

/** How the output is made of the result. If one changes before a retry, the result is fetched again. */
export const MAKING_OPTIONS = {
	simplify: {
		field: switchField(
			'simplify',
			'Simplify',
			'Whether to return a simplified version of the response instead of the raw data',
			{ default: true },
		),
		read: isOn,
	},
	downloadOutput: {
		of: WAIT,
		field: switchField(
			'downloadOutput',
			'Download Files',
			'Whether to download generated files into the binary data of the item. If an AI agent uses the node, files are downloaded only if you set this option.',
			{ default: true, ...FOR_FILES },
		),
		read: (parameters, path) => parameters.optionalBoolean(path) ?? !parameters.isTool,
	},
} satisfies Record<string, Option>;

/** How an output, new or kept, becomes the items that leave the node. */
export const DELIVERY_OPTIONS = {
	fileName: {
		of: WAIT,
		field: textField(
			'fileName',
			'File Name',
			'Name of the generated file, without extension, which the node adds. Further files get -1, -2 and so on. By default, the name has words of the prompt and a code that differs for each request.',
			{ placeholder: 'e.g. {{ $json.sku }}', ...FOR_OUTPUT_FILES },
		),
		read: (parameters, path) => parameters.text(path),
	},
	includeOtherFields: {
		of: WAIT,
		field: switchField(
			'includeOtherFields',
			'Include Other Input Fields',
			'Whether the output also has the fields and files of the input item, but none that could be mistaken for a result, such as a cost. A failed item keeps the fields, too, if On Error is Continue. Image: Analyze and Audio: Transcribe keep the files unless you turn this off.',
			hideIf({ '@tool': [true] }),
		),
		read: (parameters, path) => parameters.optionalBoolean(path),
	},
	oneItemPerFile: {
		of: WAIT,
		field: switchField(
			'oneItemPerFile',
			'One Item per File',
			'Whether to output an item for each generated file, which is always in the first binary field. Only the first of these items has the cost.',
			FOR_OUTPUT_FILES,
		),
		read: isOn,
	},
	outputField: {
		of: WAIT,
		field: textField(
			'outputField',
			'Put Output File in Field',
			"Name of the binary field for the first file, which isn't the file's own name. For further files, _1, _2 and so on are appended to the name.",
			{ default: 'data', ...FOR_FILES },
		),
		read: readOutputField,
	},
} satisfies Record<string, Option>;

/** How the node works: how long it waits, and what it may spend. */
export const RUN_OPTIONS = {
	waitForCompletion: {
		field: switchField(
			'waitForCompletion',
			'Wait for Completion',
			'Whether to wait until the request has finished. If off, the node returns an unfinished request at once, with its status, and you get its result later with Get Result.',
			{ default: true },
		),
		read: isOn,
	},
	dryRun: {
		of: GENERATE,
		field: switchField(
			'dryRun',
			'Dry Run',
			'Whether to check all items and output what a run would send and cost, without sending anything',
			{ default: true, ...hideIf({ '@tool': [true] }) },
		),
		// An expression that resolves to nothing must not send requests.
		read: (parameters, path) => parameters.has(path) && parameters.boolean(path),
	},
	pollIntervalMs: {
		of: WAIT,
		field: numberField(
			'pollIntervalSeconds',
			'Check Every (Seconds)',
			0,
			'How often to check the status of the request. If 0, the node chooses the interval.',
			{ minValue: 0 },
		),
		read: (parameters, path) => (parameters.optionalNumber(path, 0) ?? 0) * 1_000,
	},
	maximumCost: {
		of: GENERATE,
		field: numberField(
			'maximumCost',
			'Max Cost (USD)',
			1,
			'The maximum that this node may spend in one execution, including all items, loop iterations, retries and tool calls. The default is 1 USD. A request that would exceed the limit is not sent. Until Segmind reports the cost of a request, the node counts the published average instead, so the limit is approximate.',
			{ minValue: 0, numberPrecision: 4 },
		),
		read: (parameters, path) => readAmount(parameters, path, 0),
	},
	maxConcurrency: {
		of: SEND,
		field: numberField(
			'maxConcurrency',
			'Max Items at Once',
			DEFAULT_MAX_CONCURRENCY,
			'How many items to process at the same time',
			{ minValue: 1 },
		),
		read: (parameters, path) =>
			Math.floor(parameters.optionalNumber(path, 1) ?? DEFAULT_MAX_CONCURRENCY),
	},
	minimumBalance: {
		of: CREATE,
		field: numberField(
			'minimumBalance',
			'Min Balance (USD)',
			1,
			'The node sends nothing if the balance of the account is below this amount. The default is 1 USD.',
			{ numberPrecision: 4 },
		),
		read: (parameters, path) => readAmount(parameters, path, -Infinity),
	},
	onTimeout: {
		of: WAIT,
		field: choiceField(
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
		read: (parameters, path) =>
			parameters.optionalChoice(path, ['error', 'returnRequest'] as const) ?? 'error',
	},
	sendAgainIfUnsure: {
		of: CREATE,
		field: switchField(
			'sendAgainIfUnsure',
			'Send Again If Unsure (May Charge Twice)',
			"Whether a retry may resend a request if the node can't tell whether Segmind accepted the earlier request, or if the earlier request expired before it finished. You may then be charged twice.",
		),
		read: isOn,
	},
	timeoutMs: {
		of: WAIT,
		field: numberField(
			'timeoutSeconds',
			'Timeout (Seconds)',
			DEFAULT_TIMEOUT_S,
			'How long to wait for the result after Segmind accepts the request. In Get Result and in a retry, the timeout is counted from the start of that operation or retry. More than an hour has no effect, because Segmind keeps requests for an hour.',
			{ minValue: 1 },
		),
		read: (parameters, path) => (parameters.optionalNumber(path, 1) ?? DEFAULT_TIMEOUT_S) * 1_000,
	},
} satisfies Record<string, Option>;

/** Returns the collection `options` of a kind of operations, sorted by what the editor shows. */
export function optionsField(set: OptionSet): INodeProperties {
	const tables = [REQUEST_OPTIONS, MAKING_OPTIONS, DELIVERY_OPTIONS, RUN_OPTIONS];
	const rows = tables.flatMap((table): Array<Pick<Option, 'of' | 'field'>> => Object.values(table));
	const fields = rows.filter(({ of }) => of?.includes(set)).map(({ field }) => ({ ...field }));
	fields.sort((one, other) => (one.displayName < other.displayName ? -1 : 1));
	return collectionField('options', 'Options', 'Add Option', fields);
}

/** Reads an option of an item. @throws as its reader */
export function readOption<Value>(parameters: ItemParameters, option: Option<Value>): Value {
	const { of, field, read } = option;
	return read(parameters, of ? `options.${field.name}` : field.name);
}

/** The values of a table's options. */
export type ValuesOf<Table> = {
	[Name in keyof Table]: Table[Name] extends Option<infer Value> ? Value : never;
};

/** Reads all options of a table. @throws as their readers */
export function readOptions<Table extends Record<string, Option>>(
	parameters: ItemParameters,
	table: Table,
): ValuesOf<Table> {
	const values = Object.entries(table).map(([name, option]) => [
		name,
		readOption(parameters, option),
	]);
	return Object.fromEntries(values) as ValuesOf<Table>;
}

/** How the node works for an item; times in ms, amounts in USD. */
export type RunOptions = ValuesOf<typeof RUN_OPTIONS>;

/** Reads an amount that protects the user's credits; undefined if the option isn't added. @throws SegmindFailure if it's added but empty */
function readAmount(parameters: ItemParameters, path: string, min: number): number | undefined {
	const amount = parameters.optionalNumber(path, min);
	if (amount === undefined && parameters.has(path))
		throw emptyInput(parameters.label(path), say`Enter an amount in USD, or remove the option.`);
	return amount;
}

/** Reads the binary field of the first file. @throws SegmindFailure for a name that no field can have */
function readOutputField(parameters: ItemParameters, path: string): string {
	const name = parameters.text(path);
	if (name === '__proto__') throw wrongInput(parameters.label(path), name, 'another name');
	return name === '' ? OUTPUT_FIELD : name;
}
