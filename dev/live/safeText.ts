import { SERVICE_FACTS } from '../base/facts';

/**
 * Text that may reach the terminal and the report; no other text does. Only the functions below create it, from our own text, small numbers, and
 * the service's words that docs/service.md contains, so it can't contain any value of an account.
 */
export type SafeText = string & { readonly __shown: true };

/** How many names that we didn't expect are shown. */
const MAX_NAMES = 8;
/** An object with more unexpected members than this is a map, and their names are data. */
const MAX_OBJECT_MEMBERS = 40;

/** Makes safe text from a template. A number of 100,000 or more may be data, so it's hidden. */
export function safeText(
	texts: TemplateStringsArray,
	...values: Array<SafeText | number>
): SafeText {
	const isSmall = (value: number) => Math.abs(value) < 100_000;
	const text = (value: SafeText | number) =>
		typeof value !== 'number' ? value : isSmall(value) ? String(Number(value.toFixed(1))) : '?';
	return String.raw({ raw: texts }, ...values.map(text)) as SafeText;
}

/** Makes safe text from names that are known to be safe, such as names in our code. */
export function trustedNames(...names: string[]): SafeText {
	return (names.join(', ') || 'none') as SafeText;
}

/** All words in docs/service.md. */
const VOCABULARY = new Set(SERVICE_FACTS.toLowerCase().match(/[a-z]+/g));

/** Makes safe text from the service's words, each once. A word is shown only if all its parts are in the vocabulary: then it's no key, name or prompt. */
export function knownWords(texts: readonly unknown[]): SafeText {
	const isKnown = (part: string) => VOCABULARY.has(part.toLowerCase());
	const isWord = (text: string) =>
		text.length <= 32 && text.split(/[_-]|(?<=[a-z])(?=[A-Z])/).every(isKnown);
	const shown = texts.map(String).map((text) => (isWord(text) ? text : '(hidden)'));
	return trustedNames(...[...new Set(shown)].slice(0, MAX_NAMES));
}

/** Describes an object: the expected members, other members whose names are known words, how many more there are, and the missing members. */
export function describeMembers(value: unknown, expected: readonly string[]): SafeText {
	if (typeOf(value) !== 'object') return describeForm(value);
	const object = value as Record<string, unknown>;
	const others = Object.keys(object).filter((name) => !expected.includes(name));
	const isMap = others.length > MAX_OBJECT_MEMBERS;
	const named = isMap
		? []
		: others.filter((name) => knownWords([name]) === name).slice(0, MAX_NAMES);
	const present = expected.filter((name) => Object.hasOwn(object, name));
	const missing = expected.filter((name) => !present.includes(name));
	return trustedNames(
		...[...present, ...named].map((name) => `${name} ${describeForm(object[name], name)}`),
		...(others.length > named.length ? [safeText`${others.length - named.length} more`] : []),
		...missing.map((name) => `no ${name}`),
	);
}

/** Forms of IDs, times, URLs and lifetimes. A host's name may contain a customer's name, so only hosts in docs/service.md are shown. */
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

/** Describes a value by its type, or a string by its form. The value of a status is shown as a word. */
function describeForm(value: unknown, name = ''): SafeText {
	if (typeof value !== 'string') return trustedNames(typeOf(value));
	if (name.endsWith('status')) return knownWords([value]);
	return trustedNames(FORMS.find(([pattern]) => pattern.test(value))?.[1] ?? 'text');
}
