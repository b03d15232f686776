/**
 * The form of a model: its parameters as fields of n8n's resource mapper. Pure.
 *
 * n8n stores the fields with the workflow and deletes a value without warning if its field is missing from a newer schema, so a field that may have a
 * value stays whatever the metadata say. A hidden field stores what n8n can't store with a field: its type in the request, and the model it belongs to.
 * So a workflow sends the same values in a process that has never fetched the service's list.
 */

import type {
	FieldType,
	INodePropertyOptions,
	ResourceMapperField,
	ResourceMapperFields,
} from 'n8n-workflow';

import { isObject } from '../service/schemas';
import { cleanText, isClean, isFieldName } from '../base/clean';
import { fieldLabel, MAX_LABEL_CHARS } from './labels';
import { promptNameOf } from './prompt';
import type { CatalogueParameter, CatalogueParameterType } from './types';

/** ID of the hidden field; no parameter has this name. */
const HIDDEN_FIELD_ID = '.form';
/** What the hidden field stores as the type of the prompt. */
const PROMPT_TYPE = 'prompt';
/** A form shows at most this many fields at first, including one for a file. The others are under "Add parameter". */
const MAX_FIRST_FIELDS = 6;

/** Parameters that few users set, whatever the list says. Claude's `instruction` is set with the field System Prompt of Text: Generate. */
const RARELY_SET =
	/^(response_modalities|thinking_level|moderation|skip_moderation|(disable_)?safety_\w+|enable_safety_\w+|base64|sync_mode|model_id|instruction|bitrate_mode|interval|cfg\w*|shift|scheduler|sampler(_name)?|high_noise_fraction|refiner|go_fast|apply_\w+|use_speaker_boost|similarity_boost|output_compression|prompt_upsampling|prompt_optimizer|prompt_extend|enable_prompt_expansion|magic_prompt|mask_only|force_dc|crop|min_p|top_[kp]|repetition_penalty|diarization_threshold|timestamp_granularity)$/i;

const MAX_TOKENS = /^max_(output_|completion_)?tokens$/;

/** Expression of a node's hint: the model that the stored form belongs to; undefined if the form names none. */
export const FORM_MODEL = `($rawParameter.parameters?.schema?.[0]?.id === "${HIDDEN_FIELD_ID}" ? $rawParameter.parameters.schema[0].displayName : undefined)`;

/** The JSON type in which a parameter is sent. */
interface WireType {
	type: CatalogueParameterType;
	list: boolean;
}

/** The resource mapper's parameter as n8n stores it. Reading is tolerant, because users also write workflows by hand. */
interface StoredForm {
	/** The slug of the model that the fields belong to; '' if unknown. */
	slug: string;
	fields: ResourceMapperField[];
	/** By name, as in the model's metadata. */
	wireTypes: ReadonlyMap<string, WireType>;
	/** The model's name of the prompt parameter; undefined if unknown. */
	promptName: string | undefined;
	/**
	 * By name. The editor passes evaluated expressions: null if one failed, and no value if one is undefined. It stores nothing for an empty field, so
	 * every name here has a value that the user entered.
	 */
	values: ReadonlyMap<string, unknown>;
}

/** What a form depends on besides the model's parameters. */
interface FormSetting {
	slug: string;
	/**
	 * Whether the node is an agent's tool. Its form has plain names and no dropdowns, because n8n's AI button takes the argument's name from the field, and
	 * dropdowns have no such button.
	 */
	isTool: boolean;
	stored: StoredForm;
}

/** Returns the fields for the known parameters of a model, except the prompt; none if nothing is known. */
export function formOf(
	parameters: readonly CatalogueParameter[],
	setting: FormSetting,
): ResourceMapperFields {
	const { slug, isTool } = setting;
	// A form that was stored for another model is ignored.
	const stored = setting.stored.slug === slug ? setting.stored : readStoredForm(undefined);
	// A field on the form may have an expression that is undefined for the current item (docs/n8n.md N200).
	const onForm = new Set(
		stored.fields.filter(({ removed }) => removed !== true).map(({ id }) => id),
	);
	const mayBeSet = (name: string) => onForm.has(name) || stored.values.has(name);
	const promptName = promptNameOf(slug, parameters);
	const known = parameters
		.filter(({ name }) => isFieldName(name) && name !== promptName)
		.filter(({ name, hidden }) => !hidden || mayBeSet(name));
	const names = new Set(known.map(({ name }) => name));
	const keptFields = stored.fields.filter(({ id }) => !names.has(id) && mayBeSet(id));
	const keptTypes = [...stored.wireTypes].filter(([name]) =>
		keptFields.some(({ id }) => id === name),
	);
	const shownFirst = firstFields(known);
	const inOrder = [...new Set([...shownFirst, ...known])].sort(
		(one, other) => Number(other.required === true) - Number(one.required === true),
	);
	const fields = [
		...inOrder.map((parameter) => {
			const { name } = parameter;
			const field = isTool ? toolField(parameter) : formField(parameter, stored);
			return shownFirst.has(parameter) || mayBeSet(name) ? field : { ...field, removed: true };
		}),
		// n8n marks an empty required field, and doesn't let users remove it.
		...keptFields.map((field) => ({ ...field, required: false })),
	];
	return resourceFields({
		slug,
		fields,
		wireTypes: new Map([
			...keptTypes,
			...known.map(({ name, type, list = false }) => [name, { type, list }] as const),
		]),
		promptName: parameters.some(({ name }) => name === promptName) ? promptName : undefined,
	});
}

/** Returns a form as n8n stores it, with the hidden field, which stores the slug and the wire types. */
export function resourceFields({
	slug,
	fields,
	wireTypes,
	promptName,
}: Omit<StoredForm, 'values'>): ResourceMapperFields {
	if (fields.length === 0 || !isClean(slug)) return { fields };
	const options = [
		...[...wireTypes].map(([name, { type, list }]) => ({
			name,
			value: `${type}${list ? '[]' : ''}`,
		})),
		...(promptName === undefined ? [] : [{ name: promptName, value: PROMPT_TYPE }]),
	];
	return {
		fields: [
			{
				id: HIDDEN_FIELD_ID,
				displayName: slug,
				...PLAIN,
				display: false,
				type: 'string',
				options,
			},
			...fields,
		],
	};
}

/** What fields have unless their parameter says otherwise. */
const PLAIN = { required: false, defaultMatch: false, canBeUsedToMatch: false, display: true };

/**
 * Returns the current value as a choice of the dropdown, because n8n doesn't run a node whose fixed value isn't a choice. If the field was a dropdown
 * before, only one of its choices counts: any other value comes from an expression, and changes with the data.
 */
function currentChoiceOf(
	{ fields, values }: StoredForm,
	name: string,
): INodePropertyOptions | undefined {
	const [choice] = storedOptions([{ value: values.get(name) }]);
	const options = fields.find(({ id }) => id === name)?.options;
	return options ? options.find(({ value }) => value === choice?.value) : choice;
}

/** Returns the field of a parameter, with the label that the workflow has: n8n shows a form as outdated if its labels change (docs/n8n.md N202). */
function formField(parameter: CatalogueParameter, stored: StoredForm): ResourceMapperField {
	const { name } = parameter;
	const options = choiceOptions(parameter, currentChoiceOf(stored, name));
	const { displayName: label = '' } = stored.fields.find(({ id }) => id === name) ?? {};
	const isLabel = label !== '' && label !== name && label.length <= MAX_LABEL_CHARS;
	return {
		id: name,
		displayName: isLabel ? label : fieldLabel(parameter),
		...PLAIN,
		required: isFieldRequired(parameter),
		type: options ? 'options' : fieldType(parameter),
		...(options && { options }),
	};
}

function isFieldRequired(parameter: CatalogueParameter): boolean {
	return parameter.required === true && !isJson(parameter);
}

/** Returns the field of a parameter in an agent's tool, which has no dropdowns: a boolean becomes text, and choices have the parameter's own type. */
function toolField(parameter: CatalogueParameter): ResourceMapperField {
	return {
		id: parameter.name,
		displayName: parameter.name,
		...PLAIN,
		required: isFieldRequired(parameter),
		type: parameter.type === 'boolean' ? 'string' : fieldType(parameter),
	};
}

function fieldType({ type, list }: CatalogueParameter): FieldType {
	// The names of several files are one string with commas.
	if (type === 'file') return 'string';
	// n8n would refuse a text that isn't a JSON list.
	if (list) return type === 'string' ? 'string' : 'array';
	return type === 'json' ? 'object' : type;
}

/** Returns the choices of a dropdown, with an empty default, which n8n doesn't store, and with the current value even if it's no longer a choice. */
function choiceOptions(
	{ type, choices, list, required, default: fallback }: CatalogueParameter,
	currentChoice?: INodePropertyOptions,
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
	const ofDefault = known.find(({ value }) => value === fallback)?.name ?? fallback;
	const name = ofDefault === undefined ? "Model's Default" : `Model's Default (${ofDefault})`;
	const none = required && fallback === undefined ? [] : [{ name, value: '' }];
	const isMissing =
		currentChoice !== undefined && !known.some(({ value }) => value === currentChoice.value);
	return [...none, ...known, ...(isMissing ? [currentChoice] : [])];
}

/** Reads the stored parameter. Hostile and invalid fields are left out. */
export function readStoredForm(parameter: unknown): StoredForm {
	const { schema, value } = isObject(parameter) ? parameter : {};
	const entries = Array.isArray(schema) ? schema.filter(isObject) : [];
	const hiddenField = entries.find(({ id }) => id === HIDDEN_FIELD_ID);
	const hiddenOptions = storedOptions(hiddenField?.options);
	const fields = entries.flatMap((entry) => readField(entry) ?? []);
	const values = isObject(value) ? Object.entries(value) : [];
	return {
		slug: cleanText(hiddenField?.displayName),
		fields: [...new Map(fields.map((field) => [field.id, field])).values()],
		wireTypes: new Map(hiddenOptions.flatMap(readWireType)),
		promptName: hiddenOptions.find(({ name, value }) => value === PROMPT_TYPE && isFieldName(name))
			?.name,
		values: new Map(values.filter(([id]) => isFieldName(id))),
	};
}

/** Whether the form sends a value. */
export function hasFormValue(value: unknown): boolean {
	return value !== undefined && value !== null && value !== '';
}

const WIRE_TYPES: readonly string[] = ['string', 'number', 'boolean', 'json', 'file'];

function readWireType({ name, value }: INodePropertyOptions): Array<[string, WireType]> {
	const [, type = '', list] = /^(\w+)(\[\])?$/.exec(String(value)) ?? [];
	if (!WIRE_TYPES.includes(type)) return [];
	return [[name, { type: type as CatalogueParameterType, list: list !== undefined }]];
}

const FIELD_TYPES: readonly string[] = ['string', 'number', 'options', 'array', 'object'];

function readField(entry: Record<string, unknown>): ResourceMapperField | undefined {
	const { id, displayName, required, type, removed, options, display } = entry;
	if (typeof id !== 'string' || !isFieldName(id) || display === false) return undefined;
	const known = typeof type === 'string' && FIELD_TYPES.includes(type) ? type : 'string';
	return {
		id,
		displayName: cleanText(displayName) || id,
		...PLAIN,
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

/** Returns what a form shows at first: the first file, required parameters, a language model's Max Tokens and Temperature, then common ones. */
function firstFields(parameters: readonly CatalogueParameter[]): Set<CatalogueParameter> {
	const isLanguage = parameters.some(({ name }) => name === 'messages' || MAX_TOKENS.test(name));
	const languageFields = parameters.filter(
		({ name }) => isLanguage && (name === 'temperature' || MAX_TOKENS.test(name)),
	);
	const common = parameters.filter(
		(parameter) =>
			!isJson(parameter) &&
			(parameter.required === true ||
				(parameter.advanced !== true && !RARELY_SET.test(parameter.name))),
	);
	const file = common.filter(({ type }) => type === 'file').slice(0, 1);
	const required = common.filter((parameter) => parameter.required === true);
	return new Set(
		[...new Set([...file, ...required, ...languageFields, ...common])].slice(0, MAX_FIRST_FIELDS),
	);
}

/** Whether a parameter is JSON, whose empty field has a red dot in the editor. */
function isJson({ type, list }: CatalogueParameter): boolean {
	return type === 'json' || (list === true && type !== 'file' && type !== 'string');
}
