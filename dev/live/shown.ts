import { SERVICE_FACTS } from '../base/facts';

/**
 * The only texts that reach the terminal and the report. A `Shown` is made here, of our own texts, small numbers, and words of the service that
 * have the form of a name: no value of an account can be in it.
 */
export type Shown = string & { readonly __shown: true };

/** Names we don't hold are shown up to this number. An object with more members than the second number is a map: its names are data. */
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

/** The words of our facts. */
const VOCABULARY = new Set(SERVICE_FACTS.toLowerCase().match(/[a-z]+/g));

/** Words of the service, each once. A name is shown only if it's made of words of our facts: whatever it is, it's no key, name or prompt. */
export function words(texts: readonly unknown[]): Shown {
	const isKnown = (part: string) => VOCABULARY.has(part.toLowerCase());
	const isWord = (text: string) =>
		text.length <= 32 && text.split(/[_-]|(?<=[a-z])(?=[A-Z])/).every(isKnown);
	const shown = texts.map(String).map((text) => (isWord(text) ? text : '(hidden)'));
	return own(...[...new Set(shown)].slice(0, MOST_NAMES));
}

/** Members we hold, then others whose names are words, how many more there are, and which are missing. */
export function members(value: unknown, held: readonly string[]): Shown {
	if (typeOf(value) !== 'object') return formOf(value);
	const object = value as Record<string, unknown>;
	const others = Object.keys(object).filter((name) => !held.includes(name));
	const isMap = others.length > LARGEST_OBJECT;
	const named = isMap ? [] : others.filter((name) => words([name]) === name).slice(0, MOST_NAMES);
	const present = held.filter((name) => Object.hasOwn(object, name));
	const missing = held.filter((name) => !present.includes(name));
	return own(
		...[...present, ...named].map((name) => `${name} ${formOf(object[name], name)}`),
		...(others.length > named.length ? [show`${others.length - named.length} more`] : []),
		...missing.map((name) => `no ${name}`),
	);
}

/** How IDs, times, hosts and lifetimes are written. A host may name a customer, so only those of our facts are shown. */
const FORMS: Array<[RegExp, string]> = [
	[/^[0-9a-f]{32}$/, '32 hexadecimal digits'],
	[/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'UUID'],
	[/^\d{4}-\d\d-\d\d[T ][\d:.]{8,20}(Z|[+-]\d\d:?\d\d)$/, 'ISO time with a zone'],
	[/^\d{4}-\d\d-\d\d[T ][\d:.]{8,20}$/, 'ISO time without a zone'],
	[/^\w{3}, \d\d \w{3} \d{4} /, 'HTTP date'],
	[/^https?:\/\/images\.segmind\.com\//, 'images.segmind.com'],
	[/^https?:\/\/storage\.segmind\.com\//, 'storage.segmind.com'],
	[/^https?:\/\/[\w.-]{1,100}\.segmind\.com\//, 'other host of segmind.com'],
	[/^https?:\/\/[\w.-]{1,100}\.amazonaws\.com\//, 'host of amazonaws.com'],
	[/^https?:/, 'other host'],
	[/\bmax-age=604800\b/, 'seven days'],
	[/\bmax-age=\d/, 'other age'],
];

export function typeOf(value: unknown): string {
	if (typeof value === 'object') return Array.isArray(value) ? 'list' : value ? 'object' : 'null';
	return { string: 'text', undefined: 'missing' }[typeof value as string] ?? typeof value;
}

/** The type of a value, or the form or the word of a text that has one. */
export function formOf(value: unknown, name = ''): Shown {
	if (typeof value !== 'string') return own(typeOf(value));
	if (name.endsWith('status')) return words([value]);
	return own(FORMS.find(([pattern]) => pattern.test(value))?.[1] ?? 'text');
}
