import { safeTextOf } from '../base/redact';

/** A text for the user. Whatever it quotes is bounded and without secrets, because only `say` and `whole` make one. */
export interface Said {
	readonly said: string;
}

/** Longer names and values from outside are cut wherever a text quotes them. A request and its ID are shorter. */
const MAX_QUOTED_CHARS = 250;

/** Returns a name or value from outside as a text may quote it: one line of limited length, without secrets. */
function quote(value: string | number): string {
	return safeTextOf(value, MAX_QUOTED_CHARS);
}

/** Makes a text from a template. Every value in it is quoted, unless it is such a text itself. */
export function say(parts: TemplateStringsArray, ...values: Array<string | number | Said>): Said {
	const quoted = values.map((value) => (typeof value === 'object' ? value.said : quote(value)));
	return { said: String.raw({ raw: parts }, ...quoted) };
}

/** Marks a text that must not be cut: a sentence of this package, an excerpt, a list of IDs or an address. */
export function whole(text: string): Said {
	return { said: text };
}
