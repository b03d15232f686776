import type { SegmindFailure } from '../base/failure';
import { isBlank } from '../base/text';
import { badInput, describeValue, wrongState } from '../errors/failures';
import { say } from '../errors/say';
import { hasFormValue } from '../catalogue/form';
import { parseDecimal } from '../catalogue/listedParameters';
import type { Item } from '../run/item';
import { isObject, parseJson } from '../service/schemas';
import { missingValueFailure } from '../parameters/expressions';
import { readJson } from '../parameters/json';
import { booleanIn } from '../parameters/values';
import { labelOf, type BodyParameter, type BodyParameters } from './bodyParameters';
import { filesIn, type Input, type NamedInput } from './files';

/** A field of the form that has a value. */
interface FormField {
	parameter: BodyParameter;
	label: string;
	/** Whether the task needs the file of this field. */
	isNeededFile: boolean;
}

/**
 * Reads the values of the form of an item, converted to the model's types. Empty and null values are left out, so an untouched form sends nothing.
 *
 * Values are read one by one: if n8n reads `parameters.value` as a whole, it validates it against the stored schema, which may be outdated.
 * @throws SegmindFailure that names the parameter, before any call, for an expression, a number, a boolean or a file that can't be sent, or if
 * the form belongs to another model and has something to send
 */
export async function readForm(item: Item, known: BodyParameters): Promise<NamedInput[]> {
	const inputs: NamedInput[] = [];
	for (const [name, storedValue] of Object.entries(storedValues(item))) {
		if (!hasFormValue(storedValue)) continue;
		const field: FormField = {
			parameter: known.byName.get(name) ?? { name },
			label: labelOf(known, name),
			isNeededFile: name === known.neededFile,
		};
		const input = await readFormField(item, field);
		if (input) inputs.push([name, input]);
	}
	if (inputs.length > 0) assertOwnForm(item, known);
	return inputs;
}

/** @throws SegmindFailure if the form belongs to another model */
function assertOwnForm({ parameters }: Item, { slug, otherModel }: BodyParameters): void {
	if (otherModel === undefined) return;
	throw badInput(
		say`The fields under ${parameters.label('parameters')} belong to the model '${otherModel}', not to '${slug}'`,
		say`In the node, choose Refresh Parameter List in the menu beside Parameters, and fill in the fields of the chosen model.`,
	);
}

/** Returns the values of a form as the workflow stores them. @throws SegmindFailure if the form isn't in n8n's shape, so that nothing would be sent of it */
function storedValues({ parameters }: Item): Readonly<Record<string, unknown>> {
	const form = parameters.stored('parameters') ?? {};
	const { mappingMode = 'defineBelow', value = null, ...others } = isObject(form) ? form : {};
	const isWhole = isObject(form) && ('value' in form || Object.keys(others).length === 0);
	if (isWhole && mappingMode === 'defineBelow' && (value === null || isObject(value)))
		return value ?? {};
	throw wrongState(parameters.label('parameters'), "not in n8n's form", FORM_EXAMPLE);
}

const FORM_EXAMPLE =
	'an object such as {"mappingMode": "defineBelow", "value": {"aspect_ratio": "16:9"}}';

/** Returns the input in a field of the form; undefined if it's left out. */
async function readFormField(item: Item, field: FormField): Promise<Input | undefined> {
	const { parameter, label, isNeededFile } = field;
	const isRequired = parameter.required === true || isNeededFile;
	const path = `parameters.value["${parameter.name}"]`;
	const value = item.parameters.valueOf(path, { label, isRequired });
	if (!hasFormValue(value)) {
		// An agent leaves a field out by sending an empty text.
		if (item.run.isTool) return undefined;
		if (isNeededFile)
			throw missingValueFailure(label, String(item.parameters.stored(path)), 'empty');
		if (parameter.type === 'file' || value === undefined) addLeftOutHint(item, label);
		return undefined;
	}
	if (parameter.type !== 'file') return valueInput(item, value, field);
	const files = await filesIn(item, label, value, parameter.list === true);
	return files.parts.length === 0 ? undefined : files;
}

/** Adds a hint that a field isn't sent, because its expression is empty. */
export function addLeftOutHint({ run, index }: Item, label: string): void {
	const text = say`the expression in ${label} resolved to nothing, so it was left out.`;
	run.events.addHint({ item: index, text });
}

function valueInput(item: Item, value: unknown, field: FormField): Input | undefined {
	const { parameter, label } = field;
	if (isBlank(value) && !isFreeText(parameter)) return undefined;
	const typed = typedValue(item, value, field);
	if (!hasFormValue(typed)) return undefined;
	// An expression may have made an object of any depth.
	return { kind: 'value', value: typeof typed === 'object' ? readJson(typed, label) : typed };
}

/** Whether a parameter is a text in which spaces may be meant. */
function isFreeText({ type, list, choices }: BodyParameter): boolean {
	return type === 'string' && list !== true && choices === undefined;
}

/** Returns the value in the type to send. @throws SegmindFailure for a wrong number or boolean */
function typedValue(item: Item, value: unknown, field: FormField): unknown {
	const { type, list, choices } = field.parameter;
	if (list) return type === 'string' ? textsIn(value) : jsonIn(value, Array.isArray);
	if (type === 'json') return jsonIn(value, () => true);
	if (type === 'boolean') return readFormBoolean(value, field);
	if (choices) return choiceIn(item, value, choices, field);
	if (type === 'number') return readFormNumber(value, field);
	return type === 'string' ? scalarAsText(value) : value;
}

/** Returns the value of a JSON text, if it's of the wanted form; anything else unchanged. */
function jsonIn(value: unknown, isWanted: (parsed: unknown) => boolean): unknown {
	const parsed = typeof value === 'string' ? parseJson(value) : undefined;
	return parsed !== undefined && isWanted(parsed) ? parsed : value;
}

/** Returns a list of texts, which a text may be: JSON, lines, words separated by commas, or one text. */
function textsIn(value: unknown): unknown {
	const text = scalarAsText(value);
	if (typeof text !== 'string') return value;
	const parsed = jsonIn(text, Array.isArray);
	if (Array.isArray(parsed)) return parsed;
	const lines = partsOf(text, '\n');
	if (lines.length > 1) return lines;
	const words = partsOf(text, ',');
	const areWords = words.length > 0 && words.every((word) => !/\s/.test(word));
	return areWords ? words : [text.trim()];
}

function partsOf(text: string, separator: string): string[] {
	const parts = text.split(separator).map((part) => part.trim());
	return parts.filter((part) => part !== '');
}

/** Returns the choice that a value is, without spaces around it; otherwise the value, with a hint that names the choices. */
function choiceIn(
	{ run, index }: Item,
	value: unknown,
	choices: ReadonlyArray<string | number>,
	{ parameter, label }: FormField,
): unknown {
	const text = scalarAsText(value);
	const trimmed = typeof text === 'string' ? text.trim() : text;
	const typed = parameter.type === 'number' ? (exactNumberIn(value) ?? text) : text;
	const choice = choices.find((known) => known === typed || known === trimmed);
	if (choice !== undefined) return choice;
	const hint = say`${label} is sent with a value that isn't one of the known ones: ${choices.map(String)}.`;
	run.events.addHint({ item: index, text: hint });
	return typed;
}

function readFormBoolean(value: unknown, field: FormField): boolean {
	const boolean = booleanIn(value);
	if (boolean !== undefined) return boolean;
	throw wrongType(value, 'true or false', field);
}

function readFormNumber(value: unknown, field: FormField): number {
	const number = exactNumberIn(value);
	if (number !== undefined) return number;
	throw wrongType(value, wantedNumber(value), field);
}

/** Returns the error for a wrong value. The form may be wrong too, because Segmind's list is (docs/service.md, traps). */
function wrongType(
	value: unknown,
	wanted: string,
	{ parameter, label }: FormField,
): SegmindFailure {
	return badInput(
		say`${label} is ${describeValue(value)}, but must be ${wanted}`,
		say`Correct the value or, if the model takes it, clear the field and add '${parameter.name}' under Options > Additional Parameters, with the type Text.`,
	);
}

function scalarAsText(value: unknown): unknown {
	const isScalar = typeof value === 'number' || typeof value === 'boolean';
	return isScalar ? String(value) : value;
}

/** Describes a right number instead of a wrong one. */
export function wantedNumber(wrong: unknown): string {
	if (parseDecimal(wrong) !== undefined) return 'a number of at most 15 digits';
	const hasComma = typeof wrong === 'string' && wrong.includes(',');
	return hasComma ? 'a number without a comma, such as 1024 or 12.5' : 'a number';
}

/** Reads a decimal number; undefined for anything else, and for a large integer, which a JSON number can't represent exactly. */
export function exactNumberIn(value: unknown): number | undefined {
	const number = parseDecimal(value);
	const isInexact = Number.isInteger(number) && !Number.isSafeInteger(number);
	return isInexact ? undefined : number;
}
