/** Reads single values of parameters. `label` is the display name, for the error. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { numberIn } from '../base/text';
import { badInput, wrongInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { isObject } from '../service/schemas';

/** Returns the trimmed text of a parameter, or of the value of a resource locator; '' for an object, a list or null. */
export function textIn(value: unknown): string {
	const inner = isObject(value) && value.__rl === true ? value.value : value;
	if (typeof inner === 'string') return inner.trim();
	return typeof inner === 'number' || typeof inner === 'boolean' ? String(inner) : '';
}

/** Reads a text, which may be empty, as it was written. @throws SegmindFailure if it's no text, number or boolean */
export function readPlainText(value: unknown, label: string, wanted = 'text'): string {
	if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
	throw wrongInput(label, value, wanted);
}

/** Reads a text that must not be empty. @throws SegmindFailure if it's empty or is an expression that wasn't evaluated */
export function readText(value: unknown, label: string, todo = `Fill in ${label}.`): string {
	const text = textIn(value);
	if (text === '') throw badInput(INPUTS.empty, { label, todo });
	if (/^=?\{\{.*\}\}$/s.test(text)) throw badInput(INPUTS.notEvaluated, { label, value: text });
	return text;
}

/** Reads the text of a required parameter for one item. @throws SegmindFailure if it's empty */
export function readRequiredText(
	context: IExecuteFunctions,
	itemIndex: number,
	name: string,
	label: string,
): string {
	return readText(context.getNodeParameter(name, itemIndex, ''), label);
}

/** Reads a number, which may be given as a string. @throws SegmindFailure if the value isn't a number */
export function readNumber(value: unknown, label: string): number {
	const number = numberIn(value);
	if (number === undefined) throw wrongInput(label, value, 'a number');
	return number;
}

/** Reads an integer, `min` or more. @throws SegmindFailure for any other value */
export function readInteger(value: unknown, label: string, min = 0): number {
	const number = numberIn(value) ?? NaN;
	if (Number.isSafeInteger(number) && number >= min) return number;
	throw wrongInput(label, value, `a whole number of at least ${min}`);
}

/** Reads one of the values that the service accepts. @throws SegmindFailure that lists them, for any other value */
export function readChoice<T extends string | number>(
	value: unknown,
	label: string,
	values: readonly T[],
): T {
	const found = values.find((known) => String(known) === textIn(value));
	if (found !== undefined) return found;
	throw wrongInput(label, value, `one of ${values.join(', ')}`);
}

/** Reads a boolean, which may be given as a string. @throws SegmindFailure for any other value */
export function readBoolean(value: unknown, label: string): boolean {
	const text = textIn(value).toLowerCase();
	if (text === 'true' || text === 'false') return text === 'true';
	throw wrongInput(label, value, 'true or false');
}

/** Reads the limit of an item; Infinity if Return All is on. @throws SegmindFailure if it isn't an integer above 0 */
export function readItemLimit(
	{ context }: { context: IExecuteFunctions },
	itemIndex: number,
): number {
	if (context.getNodeParameter('returnAll', itemIndex, false) === true) return Infinity;
	return readInteger(context.getNodeParameter('limit', itemIndex, 50), 'Limit', 1);
}
