import type { INodeProperties, NodeHint } from 'n8n-workflow';

import { FORM_MODEL } from '../catalogue/form';
import { choiceField, hideIf, notice, showIf, switchField, textField } from './fields';

/**
 * A condition of displayOptions that is true for expressions: strings that begin with "=", which sort between "=" and ">". `startsWith` would throw for
 * a missing value in older n8n, and `regex` has a time limit in n8n, which a busy machine exceeds.
 */
const EXPRESSION_CONDITION = { _cnd: { between: { from: '=', to: '>' } } };

/**
 * A form whose fields depend on the chosen model, made by `modelParameters` under `methods.resourceMapping`. It's hidden while an expression sets the
 * model, because n8n would clear the values whenever the expression results in another model. Without `refreshStaleSchemaOnOpen`, because with it a
 * look at a node changes it, and n8n then runs it again.
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
		"The parameters of the chosen model. Empty fields aren't sent, and the model uses its own defaults.",
	...hideIf({ model: [EXPRESSION_CONDITION] }),
};

/** Expression of a node's hint: the chosen slug; undefined or an expression's text if there is none. Of a URL, only the slug counts, as in `slugIn`. */
export const CHOSEN_SLUG =
	'$rawParameter.model?.trim().replace(/^.*\\/(models|v1|v2)\\/([^/?#]+).*$/, "$2")';

/**
 * A hint while the stored form belongs to another model than the chosen one. If an expression of the node can't be evaluated, which is so before a first
 * run, the editor doesn't load the form of the chosen model (docs/n8n.md N283).
 */
export const otherModelHint: NodeHint = {
	message:
		'The fields under Parameters belong to another model. Choose Refresh Parameter List in the menu beside Parameters.',
	type: 'warning',
	location: 'ndv',
	whenToDisplay: 'always',
	// n8n 1.85 allows no function here, reads no raw parameters, and shows no hint.
	displayCondition: `={{ Boolean($rawParameter.model && ${FORM_MODEL}) && !$rawParameter.model.startsWith("=") && ${CHOSEN_SLUG} !== ${FORM_MODEL} }}`,
};

/** A notice instead of the form, if an expression sets the model. */
export const parametersNotice: INodeProperties = {
	...notice(
		'parametersNotice',
		"The model is set by an expression, so the node can't list its parameters here. Add them by name under Options > Additional Parameters.",
	),
	...showIf({ model: [EXPRESSION_CONDITION] }),
};

/** Returns a table of inputs: a name, type and value in each row. */
export function rowsField(
	name: string,
	displayName: string,
	description: string,
	placeholders: { add: string; name: string },
): INodeProperties {
	return {
		displayName,
		name,
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: placeholders.add,
		default: {},
		description,
		options: [{ displayName: 'Values', name: 'values', values: fieldsOfRow(placeholders.name) }],
	};
}

/** The fields of a row: the name of an input, its type, and a value of each type. */
function fieldsOfRow(placeholder: string): INodeProperties[] {
	return [
		textField('name', 'Name', 'The name of the input, exactly as Segmind spells it', {
			placeholder,
		}),
		choiceField(
			'type',
			'Type',
			'The type that the input expects',
			[
				['boolean', 'Boolean'],
				['file', 'File', 'One or more files from the binary data of the item'],
				['json', 'JSON', 'A list, an object, null, or any other JSON value'],
				['number', 'Number'],
				['string', 'Text', 'Sent as text, even if it looks like a number'],
			],
			'string',
		),
		textField(
			'stringValue',
			'Text',
			'Sent as entered. If an AI agent leaves it empty, the input is not sent.',
			showIf({ type: ['string'] }),
		),
		{
			displayName: 'Number',
			name: 'numberValue',
			type: 'number',
			default: 0,
			...showIf({ type: ['number'] }),
		},
		switchField(
			'booleanValue',
			'Value',
			'Whether to send true (on) or false (off)',
			showIf({ type: ['boolean'] }),
		),
		{
			displayName: 'JSON',
			name: 'jsonValue',
			type: 'json',
			default: 'null',
			...showIf({ type: ['json'] }),
		},
		textField(
			'binaryFields',
			'Input Data Field Name',
			'Name of the binary field that holds the file. To send a list of files, separate the names with commas.',
			{ default: 'data', ...showIf({ type: ['file'] }) },
		),
	];
}

/** The images of a task that needs some. */
export const imagesField = textField(
	'images',
	'Images',
	'Names of binary fields, or URLs, separated by commas',
	{ placeholder: 'e.g. data', hint: "Leave empty to use the item's own image" },
);

/** The form of a language model's answer. Names and defaults are those of n8n's own nodes. */
export const outputFormatFields: INodeProperties[] = [
	choiceField(
		'outputFormat',
		'Output Format',
		'The form of the answer',
		[
			['json', 'JSON', 'Fields that you define; the output has them in "data"'],
			['text', 'Text'],
		],
		'text',
		{ noDataExpression: true },
	),
	choiceField(
		'schemaType',
		'Schema Type',
		'How to define the fields of the answer',
		[
			['fromJson', 'Generate From JSON Example', 'Generate a schema from an example JSON object'],
			['manual', 'Define Using JSON Schema', 'Define the JSON schema manually'],
		],
		'fromJson',
		{ noDataExpression: true, ...showIf({ outputFormat: ['json'] }) },
	),
	textField(
		'jsonSchemaExample',
		'JSON Example',
		'Example of an answer. All its fields are required.',
		{
			type: 'json',
			default: '{\n\t"title": "Red rain jacket",\n\t"tags": ["jacket", "red"]\n}',
			typeOptions: { rows: 10 },
			...showIf({ outputFormat: ['json'], schemaType: ['fromJson'] }),
		},
	),
	textField('inputSchema', 'Input Schema', 'JSON schema of the answer', {
		type: 'json',
		default:
			'{\n\t"type": "object",\n\t"properties": {\n\t\t"title": { "type": "string" }\n\t},\n\t"required": ["title"]\n}',
		typeOptions: { rows: 10 },
		...showIf({ outputFormat: ['json'], schemaType: ['manual'] }),
	}),
];
