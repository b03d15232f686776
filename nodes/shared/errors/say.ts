import { safeTextOf } from '../base/redact';

/** A text for the user. Whatever it quotes is bounded and without secrets, because only `say` and `whole` make one. */
export interface Said {
	readonly said: string;
}

/** Longer values from outside are cut, so that the text around them is still read in one breath. */
const MAX_VALUE_CHARS = 50;
/** A part of a text names one value at most, such as the request for a model. */
const MAX_PART_CHARS = 90;
const MAX_LIST_CHARS = 150;

/** What a text is made of: a name or a value from outside, a list of them, or such a text itself. */
type Part = string | number | readonly string[] | Said;

/** Makes a text from a template. Every part becomes one line of limited length, without secrets, unless it is such a text itself. */
export function say(parts: TemplateStringsArray, ...values: Part[]): Said {
	return { said: String.raw({ raw: parts }, ...values.map(textOf)) };
}

function textOf(part: Part): string {
	if (Array.isArray(part)) return safeTextOf(part.join(', '), MAX_LIST_CHARS);
	return typeof part === 'object' ? (part as Said).said : safeTextOf(part, MAX_PART_CHARS);
}

/** Quotes a value from outside. */
export function quoted(value: unknown): string {
	return `'${safeTextOf(value, MAX_VALUE_CHARS)}'`;
}

/** Marks a text that must not be cut: a sentence of this package, an excerpt, a list of IDs or an address. */
export function whole(text: string): Said {
	return { said: text };
}
