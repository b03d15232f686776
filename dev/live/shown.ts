/**
 * The only texts that reach the terminal and the report. A `Shown` is made here, of our own texts, small numbers, and words of the service that
 * have the form of a name: no value of an account can be in it.
 */
export type Shown = string & { readonly __shown: true };

/** Names we don't hold are shown up to this number. More members than the second number are a map: their names are data. */
const MOST_NAMES = 8;
const LARGEST_OBJECT = 40;

/** A text of ours with values that may be shown; a number over 100,000 may be data. */
export function show(texts: TemplateStringsArray, ...values: Array<Shown | number>): Shown {
	const isSmall = (value: number) => Math.abs(value) < 100_000;
	const text = (value: Shown | number) =>
		typeof value !== 'number' ? value : isSmall(value) ? String(Number(value.toFixed(1))) : '?';
	return String.raw({ raw: texts }, ...values.map(text)) as Shown;
}

/** Names that are in our code. */
export function own(...names: string[]): Shown {
	return (names.join(', ') || 'none') as Shown;
}

/** Words of the service, each once: letters, with hyphens or underscores between them. Keys, IDs, URLs and sentences are none. */
export function words(texts: readonly unknown[]): Shown {
	const isWord = (text: unknown) => /^(?=.{1,32}$)[a-z]+([_-][a-z]+)*$/i.test(String(text));
	const shown = texts.map((text) => (isWord(text) ? String(text) : '(hidden)'));
	return own(...[...new Set(shown)].slice(0, MOST_NAMES));
}

/** The JSON type of a value. */
export function typeOf(value: unknown): Shown {
	const type = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;
	return own({ string: 'text', undefined: 'missing' }[type as string] ?? type);
}

/** Names and types of the members we hold, then of others that are words, how many more there are, and which are missing. */
export function members(value: unknown, held: readonly string[]): Shown {
	if (typeOf(value) !== 'object') return typeOf(value);
	const object = value as Record<string, unknown>;
	const others = Object.keys(object).filter((name) => !held.includes(name));
	const isMap = others.length > LARGEST_OBJECT;
	const named = isMap ? [] : others.filter((name) => words([name]) === name).slice(0, MOST_NAMES);
	const [present, missing] = [true, false].map((isThere) =>
		held.filter((name) => Object.hasOwn(object, name) === isThere),
	);
	const typed = [...present, ...named].map((name) => `${name} ${typeOf(object[name])}`);
	const more = others.length > named.length ? [show`${others.length - named.length} more`] : [];
	return own(...typed, ...more, ...missing.map((name) => `no ${name}`));
}

/** How IDs, dates and hosts are written. A host may name a customer, so only those of our facts are shown, or their domain. */
const FORMS: Array<[RegExp, string]> = [
	[/^[0-9a-f]{32}$/, '32 hexadecimal digits'],
	[/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'a UUID'],
	[/^1\d{12}$/, 'epoch ms'],
	[/^1\d{9}(\.\d+)?$/, 'epoch seconds'],
	[/^\d{4}-\d\d-\d\d[T ][\d:.]{8,20}(Z|[+-]\d\d:?\d\d)$/, 'ISO with a time zone'],
	[/^\d{4}-\d\d-\d\d[T ][\d:.]{8,20}$/, 'ISO without a time zone'],
	[/^\w{3}, \d\d \w{3} \d{4} /, 'an HTTP date'],
	[/^https?:\/\/images\.segmind\.com\//, 'images.segmind.com'],
	[/^https?:\/\/storage\.segmind\.com\//, 'storage.segmind.com'],
	[/^https?:\/\/[\w.-]{1,100}\.segmind\.com\//, 'another host of segmind.com'],
	[/^https?:\/\/[\w.-]{1,100}\.amazonaws\.com\//, 'a host of amazonaws.com'],
	[/^https?:/, 'another host'],
];

export function formOf(value: unknown): Shown {
	return own(FORMS.find(([form]) => form.test(String(value)))?.[1] ?? 'another form');
}
