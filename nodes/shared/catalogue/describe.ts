import type { CatalogueParameter, CatalogueParameterType } from './types';

const TYPE_WORDS: Record<CatalogueParameterType, string> = {
	string: 'text',
	number: 'number',
	boolean: 'boolean',
	json: 'JSON',
	file: 'file',
};

/** Longest name of a field in the form, characters. */
const LONGEST_LABEL = 140;
/** A default longer than this is no hint any more, characters. */
const LONGEST_DEFAULT = 40;

/**
 * One line for a picker, in the order type, choices or range, default, required, note:
 * `text · 5, 10 · required · not a number`. A type is called as in the row's field Type.
 */
export function describeParameter(parameter: CatalogueParameter): string {
	return [
		parameter.list ? `${TYPE_WORDS[parameter.type]} list` : TYPE_WORDS[parameter.type],
		parameter.choices?.join(', ') ?? rangeText(parameter),
		defaultText(parameter),
		parameter.required && 'required',
		parameter.note,
	]
		.filter(Boolean)
		.join(' · ');
}

/**
 * Name of a parameter's field in the form, which has no other place for what is known: `steps (1 to 50, default 4)`. Choices, and the
 * default beside them, are left out: the dropdown has them.
 */
export function fieldLabel(parameter: CatalogueParameter): string {
	const hints = [
		parameter.required && 'required',
		parameter.type === 'file' && (parameter.list ? 'URLs or binary fields' : 'URL or binary field'),
		parameter.type === 'json' && !parameter.list && 'JSON',
		parameter.type !== 'file' && parameter.list && 'JSON list',
		rangeText(parameter) ?? parameter.unit,
		parameter.choices || parameter.type === 'boolean' ? undefined : defaultText(parameter),
		parameter.note,
	].filter(Boolean);
	const label = hints.length > 0 ? `${parameter.name} (${hints.join(', ')})` : parameter.name;
	return label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL - 2)}…)` : label;
}

/** `1 to 50`, `at least 2 seconds`; undefined where no limit is known. */
export function rangeText({ min, max, unit }: CatalogueParameter): string | undefined {
	const counted = unit === undefined ? '' : ` ${unit}`;
	if (min !== undefined && max !== undefined) return `${min} to ${max}${counted}`;
	if (min !== undefined) return `at least ${min}${counted}`;
	return max === undefined ? undefined : `at most ${max}${counted}`;
}

function defaultText({ default: value }: CatalogueParameter): string | undefined {
	if (value === undefined || String(value).length > LONGEST_DEFAULT) return undefined;
	return `default ${value}`;
}
