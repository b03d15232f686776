import type { INodeProperties } from 'n8n-workflow';

/**
 * Condition of displayOptions: a text that begins with "=", which sorts just before ">". `startsWith` would throw on a missing value in older
 * n8n, and `regex` is held to a time limit of n8n's, which a busy machine misses.
 */
const GIVEN_BY_EXPRESSION = { _cnd: { between: { from: '=', to: '>' } } };

/** How inputs are given: rows of fields, or one JSON object. */
export const inputModeField: INodeProperties = {
	displayName: 'Input Mode',
	name: 'inputMode',
	type: 'options',
	options: [
		{
			name: 'Fields',
			value: 'fields',
			description: 'Name each input; files of the item can be attached',
		},
		{
			name: 'JSON',
			value: 'json',
			description: 'Write all inputs as one JSON object, sent exactly as written',
		},
	],
	default: 'fields',
	description: 'How to give the inputs',
};

export const inputsJsonField: INodeProperties = {
	displayName: 'Inputs (JSON)',
	name: 'inputsJson',
	type: 'json',
	default: '{}',
	description:
		'All inputs as a JSON object, for example {"prompt": "a lighthouse at dusk", "seed": 7}',
	displayOptions: { show: { inputMode: ['json'] } },
};

/**
 * A form whose fields depend on the chosen model; `modelParameters` under `methods.resourceMapping` makes it. Hidden while an expression
 * gives the model: n8n would clear what was typed whenever it resolves to another one.
 */
export const parametersFormField: INodeProperties = {
	displayName: 'Parameters',
	name: 'parameters',
	type: 'resourceMapper',
	default: { mappingMode: 'defineBelow', value: null },
	noDataExpression: true,
	typeOptions: {
		loadOptionsDependsOn: ['model.value'],
		resourceMapper: {
			resourceMapperMethod: 'modelParameters',
			mode: 'map',
			valuesLabel: 'Parameters',
			fieldWords: { singular: 'parameter', plural: 'parameters' },
			addAllFields: true,
			supportAutoMap: false,
		},
	},
	description:
		'The parameters of the chosen model. Whatever is left empty is not sent, and the model uses its own default.',
	displayOptions: { show: { inputMode: ['fields'] }, hide: { model: [GIVEN_BY_EXPRESSION] } },
};

/** What stands in the place of the form then. */
export const parametersNotice: INodeProperties = {
	displayName:
		'An expression gives the model, so its parameters are not known here. Add them by name under Additional Inputs.',
	name: 'parametersNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { inputMode: ['fields'], model: [GIVEN_BY_EXPRESSION] } },
};

/** Rows of inputs. `name` is the field that holds an input's name: a picker on Inference, plain text on Workflow. */
export function inputsField(
	name: INodeProperties,
	description: string,
	displayName = 'Inputs',
): INodeProperties {
	return {
		displayName,
		name: 'inputs',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add input',
		default: {},
		description,
		displayOptions: { show: { inputMode: ['fields'] } },
		options: [
			{
				displayName: 'Values',
				name: 'values',
				values: rowFields(name),
			},
		],
	};
}

/** The fields of a row, in the order a person fills them in. */
function rowFields(name: INodeProperties): INodeProperties[] {
	return [
		name,
		{
			displayName: 'Type',
			name: 'type',
			type: 'options',
			options: [
				{ name: 'Boolean', value: 'boolean' },
				{
					name: 'File',
					value: 'file',
					description: 'One or more files from the binary data of the item',
				},
				{
					name: 'JSON',
					value: 'json',
					description: 'A list, an object, null, or any other JSON value',
				},
				{ name: 'Number', value: 'number' },
				{
					name: 'Text',
					value: 'string',
					description: 'Sent as text, also when it looks like a number',
				},
			],
			default: 'string',
			description: 'The type the model expects',
		},
		{
			displayName: 'Text',
			name: 'stringValue',
			type: 'string',
			default: '',
			description:
				'Sent as it is. When an AI agent uses the node, an empty text leaves the input out.',
			displayOptions: { show: { type: ['string'] } },
		},
		{
			displayName: 'Number',
			name: 'numberValue',
			type: 'number',
			default: 0,
			displayOptions: { show: { type: ['number'] } },
		},
		{
			displayName: 'Enabled',
			name: 'booleanValue',
			type: 'boolean',
			default: false,
			description: 'Whether the input is true',
			displayOptions: { show: { type: ['boolean'] } },
		},
		{
			displayName: 'JSON',
			name: 'jsonValue',
			type: 'json',
			default: 'null',
			displayOptions: { show: { type: ['json'] } },
		},
		{
			displayName: 'Binary Fields',
			name: 'binaryFields',
			type: 'string',
			default: 'data',
			description:
				'Name of the binary field that holds the file; several, separated by commas, make a list',
			displayOptions: { show: { type: ['file'] } },
		},
		{
			displayName: 'Send As',
			name: 'sendAs',
			type: 'options',
			options: [
				{
					name: 'Base64',
					value: 'base64',
					description: 'The bare content, for older models that ask for it',
				},
				{
					name: 'Data URL',
					value: 'dataUrl',
					description: 'The content inside the request; for small files',
				},
				{
					name: 'URL',
					value: 'url',
					description: 'Upload the file to Segmind first and send its URL; for any size',
				},
			],
			default: 'url',
			description: 'How the file reaches the model',
			displayOptions: { show: { type: ['file'] } },
		},
		{
			displayName: 'As List',
			name: 'asList',
			type: 'boolean',
			default: false,
			description:
				'Whether to send a list even for a single file. Not needed for parameters that are known to take a list.',
			displayOptions: { show: { type: ['file'] } },
		},
	];
}
