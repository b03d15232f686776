/**
 * Reads the parameters of a model from the service's list (docs/service.md S283). The list is made for the service's own pages, so numbers may be text and
 * names may be hostile. A parameter that isn't described in the list's usual form becomes a text field.
 */

import { cleanText, isClean, isFieldName } from '../base/clean';
import { numberIn } from '../base/text';
import { isObject } from '../service/schemas';
import type { CatalogueParameter, CatalogueParameterType } from './types';

/** Further parameters of a model are left out. */
const MAX_PARAMETERS = 200;
/** Further choices of a parameter are left out. */
const MAX_CHOICES = 300;

/** The list's words for types. After `[]`, the parameter takes a list of them. */
const TYPES = new Map<string, CatalogueParameterType>([
	['str', 'string'],
	['int', 'number'],
	['float', 'number'],
	['slider', 'number'],
	['bool', 'boolean'],
	['image', 'file'],
	['video', 'file'],
	['audio', 'file'],
	['json', 'json'],
	['dict', 'json'],
	['array', 'json'],
]);

/** Names that can only be a file's URL, even if the list calls them text. */
const FILE_NAME = /(^|_)(image|video|audio|mask|frame)s?_ur[il]s?$/i;

/** A parameter as the list describes it. */
type ListedEntry = Record<string, unknown>;

/**
 * Returns the parameters of a model in the list's order. The list's choices, ranges and defaults replace the built-in ones. The built-in type wins,
 * because the list calls some parameters numbers that the service accepts only as strings.
 */
export function listedParameters(
	raw: unknown,
	builtIn: readonly CatalogueParameter[] = [],
): CatalogueParameter[] {
	const orderOf = (entry: ListedEntry) => parseDecimal(entry.displayOrder) ?? Number.MAX_VALUE;
	return Object.entries(isObject(raw) ? raw : {})
		.filter(([name]) => isFieldName(name))
		.slice(0, MAX_PARAMETERS)
		.map(([name, entry]): [string, ListedEntry] => [name, isObject(entry) ? entry : {}])
		.sort(([, one], [, other]) => orderOf(one) - orderOf(other))
		.map(([name, entry]) =>
			parameterOf(
				name,
				entry,
				builtIn.find((parameter) => parameter.name === name),
			),
		);
}

function parameterOf(
	name: string,
	entry: ListedEntry,
	builtIn?: CatalogueParameter,
): CatalogueParameter {
	const known: CatalogueParameter = builtIn ?? { name, ...listedType(name, entry) };
	const choices = choicesOf(entry, known.type);
	// The service accepts a prompt instead of messages (docs/service.md S139).
	const isOptional = known.required === false || name === 'messages';
	return {
		...known,
		label: cleanText(entry.label) || known.label,
		required: isOptional ? false : (entry.isRequired ?? known.required) === true,
		choices: choices.length > 0 ? choices : known.choices,
		default: defaultOf(entry.default, known.type) ?? known.default,
		min: parseDecimal(entry.min) ?? known.min,
		max: parseDecimal(entry.max) ?? known.max,
		affectsPrice: flag(entry.affectsPricing ?? known.affectsPrice),
		advanced: flag(entry.isAdvanced ?? known.advanced),
		hidden: flag(entry.hidden),
	};
}

function flag(value: unknown): true | undefined {
	return value === true || undefined;
}

function listedType(name: string, entry: ListedEntry): Pick<CatalogueParameter, 'type' | 'list'> {
	const [, word = '', brackets] = /^(\w+)(\[\])?$/.exec(cleanText(entry.type)) ?? [];
	const type = TYPES.get(word) ?? 'string';
	if (type === 'string' && FILE_NAME.test(name))
		return { type: 'file', list: flag(/s$/i.test(name)) };
	return { type, list: flag(brackets !== undefined || word === 'array') };
}

/** Returns the choices in the parameter's type. A choice that n8n would show differently than it's sent is left out. */
function choicesOf(
	{ options, values }: ListedEntry,
	type: CatalogueParameterType,
): Array<string | number> {
	const listed = [options, values].find((member) => Array.isArray(member) && member.length > 0);
	const choices = ((listed ?? []) as unknown[]).slice(0, MAX_CHOICES).flatMap((choice) => {
		const value = isObject(choice) ? choice.value : choice;
		if (type === 'number') return parseDecimal(value) ?? [];
		const text = typeof value === 'number' ? String(value) : value;
		return type === 'string' && typeof text === 'string' && isClean(text) ? text : [];
	});
	return [...new Set(choices)];
}

function defaultOf(value: unknown, type: CatalogueParameterType): CatalogueParameter['default'] {
	if (type === 'number') return parseDecimal(value);
	if (type === 'string') return cleanText(value) || undefined;
	return type === 'boolean' && typeof value === 'boolean' ? value : undefined;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i;

/** Reads a decimal number, which may be given as a string; undefined for anything else. */
export function parseDecimal(value: unknown): number | undefined {
	return typeof value === 'string' && !DECIMAL.test(value.trim()) ? undefined : numberIn(value);
}
