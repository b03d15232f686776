import type { IExecuteFunctions } from 'n8n-workflow';

import { safeTextOf } from '../base/redact';
import { numberIn } from '../base/text';
import { badInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { isObject } from '../service/schemas';

/** Reads single parameters, before any call. `label` is the parameter's display name, for the error. */

/** The trimmed text of a parameter; of a resource locator, its value. */
export function textIn(value: unknown): string {
	const inner = isObject(value) && value.__rl === true ? value.value : value;
	if (typeof inner === 'string') return inner.trim();
	return typeof inner === 'number' || typeof inner === 'boolean' ? String(inner) : '';
}

/** @throws SegmindFailure if the text is empty or is an expression that wasn't evaluated */
export function readText(value: unknown, label: string, advice = `Fill in ${label}.`): string {
	const text = textIn(value);
	if (text === '') throw badInput(INPUTS.empty, { label, todo: advice });
	if (/^=?\{\{.*\}\}$/s.test(text))
		throw badInput(INPUTS.notEvaluated, { label, value: safeTextOf(text) });
	return text;
}

/** A parameter of an item that must not be empty. */
export function readRequiredText(
	context: IExecuteFunctions,
	itemIndex: number,
	name: string,
	label: string,
	advice?: string,
): string {
	return readText(context.getNodeParameter(name, itemIndex, ''), label, advice);
}

/** A number, which may be given as text. @throws SegmindFailure if it isn't one */
export function readNumber(value: unknown, label: string, what = 'a number'): number {
	const number = numberIn(value);
	if (number !== undefined) return number;
	throw wrongValueFailure(value, label, what);
}

/** An integer of at least `least`. @throws SegmindFailure otherwise */
export function readInteger(value: unknown, label: string, least = 0): number {
	const what = `a whole number of at least ${least}`;
	const number = readNumber(value, label, what);
	if (Number.isSafeInteger(number) && number >= least) return number;
	throw wrongValueFailure(value, label, what);
}

/** One of the values that the service accepts. @throws SegmindFailure that lists them */
export function readChoice<T extends string | number>(
	value: unknown,
	label: string,
	values: readonly T[],
): T {
	const found = values.find((known) => String(known) === textIn(value));
	if (found !== undefined) return found;
	throw wrongValueFailure(
		value,
		label,
		values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`,
	);
}

/** A boolean, which may be given as text. @throws SegmindFailure otherwise */
export function readBoolean(value: unknown, label: string): boolean {
	const text = textIn(value).toLowerCase();
	if (text === 'true' || text === 'false') return text === 'true';
	throw wrongValueFailure(value, label, 'true or false');
}

/** The error for a value that isn't `what`. */
export function wrongValueFailure(value: unknown, label: string, what: string) {
	return badInput(INPUTS.wrong, { label, value: safeTextOf(value, 60), wanted: what });
}
