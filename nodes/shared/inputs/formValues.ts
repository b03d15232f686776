import { wrongInput, wrongState } from '../errors/failures';
import { hasFormValue, type WireType } from '../catalogue/form';
import { parseDecimal } from '../catalogue/listedParameters';
import type { Item } from '../run/item';
import { isObject, parseJson } from '../service/schemas';
import { readJson } from '../parameters/json';
import { labelOf, type BodyParameter, type BodyParameters } from './bodyParameters';
import { filesIn, type Input, type NamedInput } from './files';
import { addLeftOutHint, emptyExpressionFailure } from './leftOut';

/** A field of the form that has a value. */
interface FormField {
	parameter: BodyParameter;
	label: string;
	/** Whether the task needs the file of this field. */
	isNeededFile: boolean;
}

/**
 * Reads the values of the form of an item, converted to the model's types. A value that can't be converted is sent unchanged. Empty and null values are
 * left out, so an untouched form sends nothing. `neededFile`: the parameter of the file that the task needs.
 *
 * Values are read one by one: if n8n reads `parameters.value` as a whole, it validates it against the stored schema, which may be outdated.
 * @throws SegmindFailure that names the parameter, before any call, for an expression or a file that can't be sent
 */
export async function readForm(
	item: Item,
	known: BodyParameters,
	neededFile: string | undefined,
): Promise<NamedInput[]> {
	const inputs: NamedInput[] = [];
	for (const [name, storedValue] of Object.entries(storedValues(item, known))) {
		if (!hasFormValue(storedValue)) continue;
		const field: FormField = {
			parameter: known.byName.get(name) ?? { name },
			label: labelOf(known, name),
			isNeededFile: name === neededFile,
		};
		const input = await readFormField(item, field);
		if (input) inputs.push([name, input]);
	}
	return inputs;
}

/** The members that n8n's editor stores of a form. */
const FORM_MEMBERS = [
	'mappingMode',
	'value',
	'schema',
	'matchingColumns',
	'attemptToConvertTypes',
	'convertFieldsToString',
	'ignoreTypeMismatchErrors',
];

/** Returns the values of a form as the workflow stores them. @throws SegmindFailure if the form isn't in n8n's shape, so that nothing would be sent of it */
function storedValues(
	{ parameters }: Item,
	{ byName }: BodyParameters,
): Readonly<Record<string, unknown>> {
	const form = parameters.stored('parameters') ?? {};
	const wanted = `in n8n's form, such as ${FORM_EXAMPLE}`;
	const label = parameters.label('parameters');
	if (!isObject(form)) throw wrongInput(label, form, wanted);
	const { mappingMode = DEFINE_BELOW, value = null } = form;
	if (mappingMode !== DEFINE_BELOW)
		throw wrongInput(`Mapping mode of ${label}`, mappingMode, `'${DEFINE_BELOW}', ${wanted}`);
	if (value !== null && !isObject(value)) throw wrongInput(`Value of ${label}`, value, wanted);
	// A member beside `value` would be lost.
	const lost = Object.keys(form).find(
		(name) => !FORM_MEMBERS.includes(name) && (!('value' in form) || byName.has(name)),
	);
	if (lost !== undefined) throw wrongState(label, `an object with the member '${lost}'`, wanted);
	return value ?? {};
}

const DEFINE_BELOW = 'defineBelow';
const FORM_EXAMPLE = `{"mappingMode": "${DEFINE_BELOW}", "value": {"aspect_ratio": "16:9"}}`;

/** Returns the input in a field of the form; undefined if it's left out. */
async function readFormField(item: Item, field: FormField): Promise<Input | undefined> {
	const { parameter, label, isNeededFile } = field;
	const isRequired = parameter.required === true || isNeededFile;
	const path = `parameters.value["${parameter.name}"]`;
	const value = item.parameters.valueOf(path, { label, isRequired });
	if (!hasFormValue(value)) {
		// An agent leaves a field out by sending an empty text.
		if (item.run.isTool) return undefined;
		if (isNeededFile) throw emptyExpressionFailure(item, path, label);
		if (parameter.type === 'file' || value === undefined) addLeftOutHint(item, label);
		return undefined;
	}
	if (parameter.type !== 'file') return valueInput(value, parameter, label);
	const files = await filesIn(item, label, value, parameter.list === true);
	return files.parts.length === 0 ? undefined : files;
}

function valueInput(
	value: unknown,
	{ type, list = false }: BodyParameter,
	label: string,
): Input | undefined {
	const converted = type ? convert(value, { type, list }) : value;
	if (!hasFormValue(converted)) return undefined;
	// An expression may have made an object of any depth.
	return {
		kind: 'value',
		value: typeof converted === 'object' ? readJson(converted, label) : converted,
	};
}

/** Returns the value in the type to send; unchanged if it can't be converted without loss. */
function convert(value: unknown, { type, list }: WireType): unknown {
	if (type === 'string' && !list) {
		const isScalar = typeof value === 'number' || typeof value === 'boolean';
		return isScalar ? String(value) : value;
	}
	if (typeof value !== 'string') return value;
	const text = value.trim();
	if (text === '') return undefined;
	if (list) return jsonListIn(text) ?? value;
	if (type === 'number') return exactNumberIn(text) ?? value;
	if (type === 'boolean') return booleanIn(text) ?? value;
	const parsed = parseJson(text);
	return parsed === undefined ? value : parsed;
}

function jsonListIn(text: string): unknown[] | undefined {
	const parsed = parseJson(text);
	return Array.isArray(parsed) ? parsed : undefined;
}

/** Reads a decimal number; undefined for anything else, and for a large integer, which a JSON number can't represent exactly. */
export function exactNumberIn(value: unknown): number | undefined {
	const number = parseDecimal(value);
	const isInexact = Number.isInteger(number) && !Number.isSafeInteger(number);
	return isInexact ? undefined : number;
}

function booleanIn(text: string): boolean | undefined {
	if (/^true$/i.test(text)) return true;
	return /^false$/i.test(text) ? false : undefined;
}
