import type {
	FieldType,
	INodePropertyOptions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { isObject } from '../service/schemas';
import { cleanText, isClean, isFieldName } from './clean';
import { fieldLabel } from './describe';
import type { CatalogueParameter, CatalogueParameterType, ModelMetadata } from './types';

/**
 * The form of a model: its parameters as fields of n8n's resource mapper. Pure.
 *
 * n8n stores the fields with the workflow and silently deletes a value whose field is missing from a newer schema, so a field that may have
 * a value stays whatever the metadata say. What n8n cannot store with a field (its type on the wire, the model it belongs to) stands in one more
 * field, which is never shown: a workflow then sends the same in a process that has never seen the service's list.
 */

/** Id of the field that is never shown; no parameter is called so. */
const RECORD = '.form';

/** How a parameter travels. */
export interface WireType {
	type: CatalogueParameterType;
	list: boolean;
}

/** The mapper's parameter as n8n has it stored; read tolerantly, since workflows are also written by hand. */
interface StoredForm {
	/** The slug the fields belong to; '' when they do not say. */
	slug: string;
	fields: ResourceMapperField[];
	/** By name, as the slug's metadata had them. */
	wireTypes: ReadonlyMap<string, WireType>;
	/**
	 * By name. The editor hands expressions over evaluated, null for one that failed and nothing for one that came out undefined; it stores
	 * nothing for an empty field, so whatever has a name here was typed.
	 */
	values: ReadonlyMap<string, unknown>;
}

interface FormSetting {
	slug: string;
	/** Sent from the field Prompt, so not in the form. */
	promptName: string;
	/** An agent's tool: plain names and no dropdowns, because n8n's AI button makes the argument's name from the field's and dropdowns have none. */
	isTool: boolean;
	stored: StoredForm;
}

/** The fields for what is known of a model. No fields when nothing is known, and none may have a value. */
export function formOf(metadata: ModelMetadata, setting: FormSetting): ResourceMapperFields {
	const { slug, promptName, isTool, stored } = setting;
	const isSet = (name: string) => stored.slug === slug && stored.values.has(name);
	// What is on the form may have an expression that is undefined for the item at hand (docs/n8n.md N200).
	const onForm = new Set(
		stored.slug === slug
			? stored.fields.filter(({ removed }) => removed !== true).map(({ id }) => id)
			: [],
	);
	const mayBeSet = (name: string) => onForm.has(name) || isSet(name);
	const shown = metadata.parameters.filter(
		({ name, hidden }) => isFieldName(name) && name !== promptName && (!hidden || mayBeSet(name)),
	);
	const names = new Set(shown.map(({ name }) => name));
	const kept = stored.fields.filter(({ id }) => !names.has(id) && mayBeSet(id));
	const wireTypes = new Map<string, WireType>([
		...kept.flatMap(({ id }): Array<[string, WireType]> => {
			const wireType = stored.wireTypes.get(id);
			return wireType ? [[id, wireType]] : [];
		}),
		...shown.map((parameter): [string, WireType] => [parameter.name, wireTypeOf(parameter)]),
	]);
	const fields = [
		...shown.map((parameter) => {
			const { name, advanced } = parameter;
			const chosen = isSet(name) ? setChoice(stored, name) : undefined;
			const field = isTool ? toolField(parameter) : fieldOf(parameter, chosen);
			return advanced && !mayBeSet(name) ? { ...field, removed: true } : field;
		}),
		// n8n runs no node with a required field that is empty, and does not let it be removed.
		...kept.map((field) => ({ ...field, required: false })),
	];
	return withRecord(slug, fields, wireTypes);
}

/** The fields a workflow has stored, for a model of which nothing is known here. */
export function storedFormOf({ slug, fields, wireTypes }: StoredForm): ResourceMapperFields {
	return withRecord(slug, fields, new Map(wireTypes));
}

function withRecord(
	slug: string,
	fields: ResourceMapperField[],
	wireTypes: Map<string, WireType>,
): ResourceMapperFields {
	if (fields.length === 0 || !isClean(slug)) return { fields };
	const options = [...wireTypes].map(([name, { type, list }]) => ({
		name,
		value: `${type}${list ? '[]' : ''}`,
	}));
	return {
		fields: [...fields, { ...plainField(RECORD, slug), display: false, type: 'string', options }],
	};
}

function plainField(id: string, displayName: string): ResourceMapperField {
	return {
		id,
		displayName,
		required: false,
		defaultMatch: false,
		canBeUsedToMatch: false,
		display: true,
	};
}

/**
 * What is set, kept as a choice of a dropdown: n8n does not run a node whose fixed value is not one. Of a dropdown only what was a
 * choice, since the value of an expression need not be one and changes with the data.
 */
function setChoice({ fields, values }: StoredForm, name: string): INodePropertyOptions | undefined {
	const value = values.get(name);
	const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
	if (!isPlain || value === '' || (typeof value === 'string' && !isClean(value))) return undefined;
	const options = fields.find(({ id }) => id === name)?.options;
	if (options) return options.find((option) => option.value === value);
	return { name: String(value), value: value as string | number | boolean };
}

function fieldOf(
	parameter: CatalogueParameter,
	chosen?: INodePropertyOptions,
): ResourceMapperField {
	const options = optionsOf(parameter, chosen);
	return {
		...plainField(parameter.name, fieldLabel(parameter)),
		required: parameter.required === true,
		type: options ? 'options' : typeOf(parameter),
		...(options && { options }),
	};
}

/** Without dropdowns; the choices of a number are numbers, everything else that has choices is text. */
function toolField(parameter: CatalogueParameter): ResourceMapperField {
	return {
		...plainField(parameter.name, parameter.name),
		required: parameter.required === true,
		type: parameter.type === 'boolean' ? 'string' : typeOf(parameter),
	};
}

function typeOf({ type, list }: CatalogueParameter): FieldType {
	// The names of several files are one text, separated by commas.
	if (type === 'file') return 'string';
	if (list) return 'array';
	return type === 'json' ? 'object' : type;
}

/** The choices of a dropdown: nothing by default, which n8n stores as no value, and what is set even when it is no choice any more. */
function optionsOf(
	{ type, choices, list, required, default: fallback }: CatalogueParameter,
	chosen?: INodePropertyOptions,
): INodePropertyOptions[] | undefined {
	if (list || type === 'file' || type === 'json') return undefined;
	const known =
		type === 'boolean'
			? [
					{ name: 'True', value: true },
					{ name: 'False', value: false },
				]
			: choices?.map((choice) => ({ name: String(choice), value: choice }));
	if (known === undefined) return undefined;
	const name = fallback === undefined ? "Model's Default" : `Model's Default (${fallback})`;
	const none = required && fallback === undefined ? [] : [{ name, value: '' }];
	const isLost = chosen !== undefined && !known.some(({ value }) => value === chosen.value);
	return [...none, ...known, ...(isLost ? [chosen] : [])];
}

function wireTypeOf({ type, list }: CatalogueParameter): WireType {
	return { type, list: list === true };
}

/** Reads the stored parameter; hostile and broken fields are left out. */
export function readStoredForm(parameter: unknown): StoredForm {
	const { schema, value } = isObject(parameter) ? parameter : {};
	const entries = Array.isArray(schema) ? schema.filter(isObject) : [];
	const record = entries.find(({ id }) => id === RECORD);
	const fields = entries.flatMap((entry) => storedField(entry) ?? []);
	const values = isObject(value) ? Object.entries(value) : [];
	return {
		slug: cleanText(record?.displayName),
		fields: [...new Map(fields.map((field) => [field.id, field])).values()],
		wireTypes: new Map(storedOptions(record?.options).flatMap(readWireType)),
		values: new Map(values.filter(([id]) => isFieldName(id))),
	};
}

/** False for what the form does not send. */
export function isGiven(value: unknown): boolean {
	return value !== undefined && value !== null && value !== '';
}

const TYPES: readonly string[] = ['string', 'number', 'boolean', 'json', 'file'];

function readWireType({ name, value }: INodePropertyOptions): Array<[string, WireType]> {
	const [, type = '', list] = /^(\w+)(\[\])?$/.exec(String(value)) ?? [];
	if (!TYPES.includes(type)) return [];
	return [[name, { type: type as CatalogueParameterType, list: list !== undefined }]];
}

const FIELD_TYPES: readonly string[] = ['string', 'number', 'options', 'array', 'object'];

function storedField(entry: Record<string, unknown>): ResourceMapperField | undefined {
	const { id, displayName, required, type, removed, options, display } = entry;
	if (typeof id !== 'string' || !isFieldName(id) || display === false) return undefined;
	const known = typeof type === 'string' && FIELD_TYPES.includes(type) ? type : 'string';
	return {
		...plainField(id, cleanText(displayName) || id),
		required: required === true,
		type: known as FieldType,
		...(known === 'options' && { options: storedOptions(options) }),
		...(typeof removed === 'boolean' && { removed }),
	};
}

function storedOptions(options: unknown): INodePropertyOptions[] {
	if (!Array.isArray(options)) return [];
	return options.filter(isObject).flatMap(({ name, value }) => {
		const isPlain = ['string', 'number', 'boolean'].includes(typeof value);
		if (!isPlain || (typeof value === 'string' && value !== '' && !isClean(value))) return [];
		return [{ name: cleanText(name) || String(value), value: value as string | number | boolean }];
	});
}
