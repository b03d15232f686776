import type { INodeProperties } from 'n8n-workflow';

import { SHOW_IF_FILES } from '../catalogue/form';

/**
 * A condition of displayOptions that is true for expressions: strings that begin with "=", which sort between "=" and ">". `startsWith` would throw for
 * a missing value in older n8n, and `regex` has a time limit in n8n, which a busy machine exceeds.
 */
const EXPRESSION_CONDITION = { _cnd: { between: { from: '=', to: '>' } } };

/**
 * A form whose fields depend on the chosen model, made by `modelParameters` under `methods.resourceMapping`. It's hidden while an expression sets the
 * model, because n8n would clear the values whenever the expression results in another model.
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
			refreshStaleSchemaOnOpen: true,
		},
	},
	description:
		"The parameters of the chosen model. Empty fields aren't sent, and the model uses its own defaults.",
	displayOptions: { hide: { model: [EXPRESSION_CONDITION] } },
};

/** A notice above a form that has fields for files. */
export const filesNotice: INodeProperties = {
	displayName:
		'Fields marked "(file)" accept a URL or the name of a binary field, usually <code>data</code>',
	name: 'filesNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: SHOW_IF_FILES, ...parametersFormField.displayOptions },
};

/** A notice instead of the form, if an expression sets the model. */
export const parametersNotice: INodeProperties = {
	displayName:
		"The model is set by an expression, so the node can't list its parameters here. Add them by name under Options > Additional Parameters.",
	name: 'parametersNotice',
	type: 'notice',
	default: '',
	displayOptions: { show: { model: [EXPRESSION_CONDITION] } },
};

/** Returns the fields of an input row: its name, type and value. */
export function rowFields(placeholder: string): INodeProperties[] {
	return [
		{
			displayName: 'Name',
			name: 'name',
			type: 'string',
			default: '',
			placeholder,
			description: 'The name of the input, exactly as Segmind spells it',
		},
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
					description: 'Sent as text, even if it looks like a number',
				},
			],
			default: 'string',
			description: 'The type that the input expects',
		},
		{
			displayName: 'Text',
			name: 'stringValue',
			type: 'string',
			default: '',
			description: 'Sent as entered. If an AI agent leaves it empty, the input is not sent.',
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
			displayName: 'Value',
			name: 'booleanValue',
			type: 'boolean',
			default: false,
			description: 'Whether to send true (on) or false (off)',
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
				'Name of the binary field that holds the file. To send a list of files, separate the names with commas.',
			displayOptions: { show: { type: ['file'] } },
		},
	];
}
