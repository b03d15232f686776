/**
 * Reads the parameters of a model from the service's list. The list is made for the service's own pages: types are informal, numbers may be strings,
 * members are missing, and names may be hostile. Anything that can't be read is left out.
 */

import { isObject, parseJson } from '../service/schemas';
import { cleanText, isClean, isFieldName } from '../base/clean';
import type { CatalogueModel, CatalogueParameter, CatalogueParameterType } from './types';

/** Further parameters of a model are left out. */
const MAX_PARAMETERS = 200;
/** Further choices of a parameter are left out. */
const MAX_CHOICES = 300;

/** The types, each with the words that the list may use for it. Only the beginning of a word counts, as in `int`, `integer` and `int32`. */
const TYPE_PATTERNS: ReadonlyArray<[RegExp, CatalogueParameterType]> = [
	[/^(image|img|video|audio|file|media|mask|picture|photo|upload)/, 'file'],
	[/^(bool|checkbox|toggle|switch)/, 'boolean'],
	[/^(u?int|float|double|decimal|num|slider|range|seed)/, 'number'],
	[/^(json|dict|object|map|array|list)/, 'json'],
	[/^(str|text|char|url|uri|prompt)/, 'string'],
];

/** Names that can only be a file's URL, whatever type the list says. */
const FILE_NAME = /(^|_)(image|video|audio|mask|frame)s?_ur[il]s?$/i;

/**
 * Returns the parameters of a model in the list's order, combined with the built-in ones. The list's choices, ranges and defaults win. The built-in
 * type wins, because the list calls some parameters numbers that the service accepts only as strings. Parameters that only the catalogue has come last.
 * Without any parameter in the list, returns none.
 */
export function listedParameters(raw: unknown, builtIn?: CatalogueModel): CatalogueParameter[] {
	const builtInParameters = builtIn?.parameters ?? [];
	const listed = entriesOf(raw)
		.filter(([name]) => isFieldName(name))
		.slice(0, MAX_PARAMETERS)
		.map(([name, entry]) => ({
			order: parseDecimal(entry.displayOrder) ?? Number.MAX_VALUE,
			parameter: parameterOf(
				name,
				entry,
				builtInParameters.find((parameter) => parameter.name === name),
			),
		}))
		.sort((one, other) => one.order - other.order)
		.map(({ parameter }) => parameter);
	const synonymKeys = new Set(listed.map(({ name }) => synonymKeyOf(name)));
	return listed.length === 0
		? []
		: [...listed, ...builtInParameters.filter(({ name }) => !synonymKeys.has(synonymKeyOf(name)))];
}

/** Returns a key that is equal for all names of one thing, such as `image`, `image_url` and `imageURLs`. */
export function synonymKeyOf(name: string): string {
	const normalized = name.toLowerCase().replace(/[^a-z0-9]/g, '');
	return normalized.replace(/ur[il]s?$/, '') || normalized;
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
	builtIn?: CatalogueParameter,
): CatalogueParameter {
	const { type, isList } = typeOf(name, entry, builtIn);
	const takesChoices = type === 'string' || type === 'number';
	const choices = takesChoices ? choicesOf(entry, type) : [];
	const [min, max] = type === 'number' ? rangeOf(entry, builtIn) : [];
	// The service accepts a prompt instead of messages (docs/service.md S139).
	const isOptional = builtIn?.required === false || name === 'messages';
	const required = isOptional ? false : parseBoolean(entry.isRequired ?? entry.required);
	const parameter: CatalogueParameter = {
		name,
		label: cleanText(entry.label) || builtIn?.label,
		type,
		required: required ?? builtIn?.required,
		choices: choices.length > 0 ? choices : builtIn?.choices,
		default: defaultOf(entry.default, type) ?? builtIn?.default,
		min,
		max,
		unit: builtIn?.unit,
		list: isList ? true : undefined,
		note: builtIn?.note,
		affectsPrice: (parseBoolean(entry.affectsPricing) ?? builtIn?.affectsPrice) ? true : undefined,
		advanced: (parseBoolean(entry.isAdvanced) ?? builtIn?.advanced) ? true : undefined,
		hidden: parseBoolean(entry.hidden) ? true : undefined,
	};
	return Object.fromEntries(
		Object.entries(parameter).filter(([, value]) => value !== undefined),
	) as unknown as CatalogueParameter;
}

function typeOf(
	name: string,
	entry: Record<string, unknown>,
	builtIn?: CatalogueParameter,
): { type: CatalogueParameterType; isList: boolean } {
	if (builtIn) return { type: builtIn.type, isList: builtIn.list === true };
	const words = [entry.type, entry.component].map((word) => cleanText(word).toLowerCase());
	const typeByWords = words.flatMap((word) =>
		TYPE_PATTERNS.filter(([pattern]) => pattern.test(word)),
	)[0]?.[1];
	const isList =
		words.some((word) => /\[\]|list|array|multi/.test(word)) || Array.isArray(entry.default);
	if (typeByWords === 'json') return { type: 'json', isList };
	if (FILE_NAME.test(name) && (typeByWords === undefined || typeByWords === 'string'))
		return { type: 'file', isList: isList || /s$/i.test(name) };
	if (typeByWords !== undefined) return { type: typeByWords, isList };
	const values = rawChoices(entry);
	if (values.length > 0 && values.every((value) => typeof value === 'number'))
		return { type: 'number', isList };
	const typeOfDefault = typeof entry.default;
	return {
		type: typeOfDefault === 'number' || typeOfDefault === 'boolean' ? typeOfDefault : 'string',
		isList,
	};
}

function rawChoices(entry: Record<string, unknown>): unknown[] {
	const listed = [entry.options, entry.values]
		.map((member) => (isObject(member) ? Object.values(member) : member))
		.find((member): member is unknown[] => Array.isArray(member) && member.length > 0);
	return (listed ?? [])
		.slice(0, MAX_CHOICES)
		.map((choice) =>
			isObject(choice) ? (choice.value ?? choice.id ?? choice.name ?? choice.label) : choice,
		);
}

/** Returns the choices in the parameter's type. A choice that n8n would show differently than it's sent is left out. */
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
	builtIn?: CatalogueParameter,
): [min?: number, max?: number] {
	const min = parseDecimal(entry.min) ?? builtIn?.min;
	const max = parseDecimal(entry.max) ?? builtIn?.max;
	// In the list, 0 for both means that there is no range.
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

/** Reads a decimal number, which may be given as a string; undefined for anything else. */
export function parseDecimal(value: unknown): number | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
	if (typeof value !== 'string' || !DECIMAL.test(value.trim())) return undefined;
	const number = Number(value);
	return Number.isFinite(number) ? number : undefined;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

/** Reads a boolean, which may be given as a number or a word; undefined for anything else. */
export function parseBoolean(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	const word = cleanText(value).toLowerCase();
	if (['true', '1', 'yes'].includes(word)) return true;
	return ['false', '0', 'no'].includes(word) ? false : undefined;
}
