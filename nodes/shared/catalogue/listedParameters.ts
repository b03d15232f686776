import { isObject, parseJson } from '../service/schemas';
import { cleanText, isClean, isFieldName } from '../base/clean';
import type { CatalogueModel, CatalogueParameter, CatalogueParameterType } from './types';

/**
 * Reads the parameters of a model from the service's list. The list is made for the service's own pages: types are informal, numbers may be texts,
 * members are missing, and names may be hostile. Anything that can't be read is left out.
 */

/** Most parameters of a model, and most choices of a parameter. */
const MOST_PARAMETERS = 200;
const MOST_CHOICES = 300;

/** How the list may spell types. Compared by their beginning: `int`, `integer`, `int32`. */
const TYPE_WORDS: ReadonlyArray<[RegExp, CatalogueParameterType]> = [
	[/^(image|img|video|audio|file|media|mask|picture|photo|upload)/, 'file'],
	[/^(bool|checkbox|toggle|switch)/, 'boolean'],
	[/^(u?int|float|double|decimal|num|slider|range|seed)/, 'number'],
	[/^(json|dict|object|map|array|list)/, 'json'],
	[/^(str|text|char|url|uri|prompt)/, 'string'],
];

/** Names that can only be a file's URL, whatever type the list says. */
const FILE_NAME = /(^|_)(image|video|audio|mask|frame)s?_ur[il]s?$/i;

/**
 * The parameters of a model in the list's order, combined with the built-in ones. The list's choices, ranges and defaults win. The built-in type wins,
 * because the list calls some parameters numbers that the service accepts only as text. Parameters that only the catalogue has are last.
 */
export function listedParameters(raw: unknown, builtIn?: CatalogueModel): CatalogueParameter[] {
	const known = builtIn?.parameters ?? [];
	const listed = entriesOf(raw)
		.filter(([name]) => isFieldName(name))
		.slice(0, MOST_PARAMETERS)
		.map(([name, entry]) => ({
			order: parseDecimal(entry.displayOrder) ?? Number.MAX_VALUE,
			parameter: parameterOf(
				name,
				entry,
				known.find((parameter) => parameter.name === name),
			),
		}))
		.sort((one, other) => one.order - other.order)
		.map(({ parameter }) => parameter);
	const things = new Set(listed.map(({ name }) => synonymKeyOf(name)));
	return listed.length === 0
		? []
		: [...listed, ...known.filter(({ name }) => !things.has(synonymKeyOf(name)))];
}

/** Equal for several names of one thing, such as `image`, `image_url` and `imageURLs`. */
export function synonymKeyOf(name: string): string {
	const bare = name.toLowerCase().replace(/[^a-z0-9]/g, '');
	return bare.replace(/ur[il]s?$/, '') || bare;
}

/** Reads an object of entries by name, a list of entries with a name, or either as JSON text. Each name counts once. */
function entriesOf(raw: unknown): Array<[string, Record<string, unknown>]> {
	const value = typeof raw === 'string' ? parseJson(raw) : raw;
	const pairs = Array.isArray(value)
		? value
				.filter(isObject)
				.map((entry): [unknown, unknown] => [entry.name ?? entry.id ?? entry.key, entry])
		: isObject(value)
			? Object.entries(value)
			: [];
	const found = new Map<string, Record<string, unknown>>();
	for (const [name, entry] of pairs) {
		if (typeof name === 'string' && !found.has(name)) found.set(name, isObject(entry) ? entry : {});
	}
	return [...found];
}

function parameterOf(
	name: string,
	entry: Record<string, unknown>,
	known?: CatalogueParameter,
): CatalogueParameter {
	const { type, isList } = typeOf(name, entry, known);
	const takesChoices = type === 'string' || type === 'number';
	const choices = takesChoices ? choicesOf(entry, type) : [];
	const [min, max] = type === 'number' ? rangeOf(entry, known) : [];
	// The service accepts a prompt instead of messages (docs/service.md S139).
	const isOptional = known?.required === false || name === 'messages';
	const required = isOptional ? false : parseBoolean(entry.isRequired ?? entry.required);
	const parameter: CatalogueParameter = {
		name,
		label: cleanText(entry.label) || known?.label,
		type,
		required: required ?? known?.required,
		choices: choices.length > 0 ? choices : known?.choices,
		default: defaultOf(entry.default, type) ?? known?.default,
		min,
		max,
		unit: known?.unit,
		list: isList ? true : undefined,
		note: known?.note,
		affectsPrice: (parseBoolean(entry.affectsPricing) ?? known?.affectsPrice) ? true : undefined,
		advanced: (parseBoolean(entry.isAdvanced) ?? known?.advanced) ? true : undefined,
		hidden: parseBoolean(entry.hidden) ? true : undefined,
	};
	return Object.fromEntries(
		Object.entries(parameter).filter(([, value]) => value !== undefined),
	) as unknown as CatalogueParameter;
}

function typeOf(
	name: string,
	entry: Record<string, unknown>,
	known?: CatalogueParameter,
): { type: CatalogueParameterType; isList: boolean } {
	if (known) return { type: known.type, isList: known.list === true };
	const words = [entry.type, entry.component].map((word) => cleanText(word).toLowerCase());
	const named = words.flatMap((word) => TYPE_WORDS.filter(([form]) => form.test(word)))[0]?.[1];
	const isList =
		words.some((word) => /\[\]|list|array|multi/.test(word)) || Array.isArray(entry.default);
	if (named === 'json') return { type: 'json', isList };
	if (FILE_NAME.test(name) && (named === undefined || named === 'string'))
		return { type: 'file', isList: isList || /s$/i.test(name) };
	if (named !== undefined) return { type: named, isList };
	const values = rawChoices(entry);
	if (values.length > 0 && values.every((value) => typeof value === 'number'))
		return { type: 'number', isList };
	const byDefault = typeof entry.default;
	return {
		type: byDefault === 'number' || byDefault === 'boolean' ? byDefault : 'string',
		isList,
	};
}

function rawChoices(entry: Record<string, unknown>): unknown[] {
	const listed = [entry.options, entry.values]
		.map((member) => (isObject(member) ? Object.values(member) : member))
		.find((member): member is unknown[] => Array.isArray(member) && member.length > 0);
	return (listed ?? [])
		.slice(0, MOST_CHOICES)
		.map((choice) =>
			isObject(choice) ? (choice.value ?? choice.id ?? choice.name ?? choice.label) : choice,
		);
}

/** The choices, in the parameter's type. A choice that n8n would show differently than it's sent is left out. */
function choicesOf(
	entry: Record<string, unknown>,
	type: 'string' | 'number',
): Array<string | number> {
	const values = rawChoices(entry).flatMap((value): Array<string | number> => {
		const number = type === 'number' ? parseDecimal(value) : undefined;
		if (type === 'number') return number === undefined ? [] : [number];
		const text = typeof value === 'string' ? value : cleanText(value);
		return isClean(text) ? [text] : [];
	});
	return [...new Set(values)];
}

function rangeOf(
	entry: Record<string, unknown>,
	known?: CatalogueParameter,
): [min?: number, max?: number] {
	const min = parseDecimal(entry.min) ?? known?.min;
	const max = parseDecimal(entry.max) ?? known?.max;
	// Both 0 means that there is no range.
	return min !== undefined && max !== undefined && min >= max ? [] : [min, max];
}

function defaultOf(
	value: unknown,
	type: CatalogueParameterType,
): string | number | boolean | undefined {
	if (type === 'number') return parseDecimal(value);
	if (type === 'boolean') return parseBoolean(value);
	if (type !== 'string') return undefined;
	return cleanText(value) || undefined;
}

/** A number, which may be given as text. */
export function parseDecimal(value: unknown): number | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
	if (typeof value !== 'string' || !DECIMAL.test(value.trim())) return undefined;
	const number = Number(value);
	return Number.isFinite(number) ? number : undefined;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

/** A boolean, which may be given as a number or a word; otherwise undefined. */
export function parseBoolean(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	const word = cleanText(value).toLowerCase();
	if (['true', '1', 'yes'].includes(word)) return true;
	return ['false', '0', 'no'].includes(word) ? false : undefined;
}
