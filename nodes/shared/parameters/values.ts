/** Converts single values of parameters. `label` is the display name, for the error. An item's parameters are read by `ItemParameters`, which uses these. */
import { numberIn } from '../base/text';
import { wrongInput } from '../errors/failures';
import { isObject } from '../service/schemas';

/** Returns the value of a parameter, or of its resource locator. */
export function unwrapped(value: unknown): unknown {
	return isObject(value) && value.__rl === true ? value.value : value;
}

/** Returns the trimmed text of a parameter, or of the value of a resource locator; '' for an object, a list or null. */
export function textIn(value: unknown): string {
	const inner = unwrapped(value);
	if (typeof inner === 'string') return inner.trim();
	return typeof inner === 'number' || typeof inner === 'boolean' ? String(inner) : '';
}

/** Reads a text, which may be empty, as it was written. @throws SegmindFailure if it's no text, number or boolean */
export function readPlainText(value: unknown, label: string, wanted = 'text'): string {
	if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
	throw wrongInput(label, value, wanted);
}

/**
 * Reads a name, an ID or an address; '' if it's null, undefined or blank.
 * @throws SegmindFailure if it's an object or a list
 */
export function readName(value: unknown, label: string): string {
	const inner = unwrapped(value);
	if (typeof inner === 'object' && inner !== null) throw wrongInput(label, inner, 'text');
	return textIn(inner);
}

/** Reads a number, `min` or more, which may be given as a string. @throws SegmindFailure for any other value */
export function readNumber(
	value: unknown,
	label: string,
	{ min = -Infinity, isWhole = false } = {},
): number {
	const number = numberIn(value) ?? NaN;
	if (number >= min && (!isWhole || Number.isSafeInteger(number))) return number;
	const wanted = isWhole ? 'a whole number' : 'a number';
	throw wrongInput(label, value, min === -Infinity ? wanted : `${wanted} of at least ${min}`);
}

/** Reads one of the values that the service accepts. @throws SegmindFailure that lists them, for any other value */
export function readChoice<T extends string | number>(
	value: unknown,
	label: string,
	values: readonly T[],
): T {
	const found = values.find((known) => String(known) === textIn(value));
	if (found !== undefined) return found;
	throw wrongInput(label, value, `one of ${values.map((one) => `'${one}'`).join(', ')}`);
}

/** Reads a boolean. @throws SegmindFailure for anything that isn't one */
export function readBoolean(value: unknown, label: string): boolean {
	const boolean = booleanIn(value);
	if (boolean !== undefined) return boolean;
	throw wrongInput(label, value, 'true or false');
}

/** Reads a boolean, which may be given as 0 or 1, or as a string in any case; undefined for anything else. */
export function booleanIn(value: unknown): boolean | undefined {
	const text = textIn(value).toLowerCase();
	if (text === 'true' || text === '1') return true;
	return text === 'false' || text === '0' ? false : undefined;
}
