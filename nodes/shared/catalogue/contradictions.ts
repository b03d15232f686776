import { isObject } from '../service/schemas';
import { rangeText } from './describe';
import { numeric } from './listedParameters';
import type { CatalogueParameter, ModelMetadata } from './types';

/** More than this is no help, sentences. */
const MOST = 8;
/** A value is quoted up to this many characters. */
const LONGEST_VALUE = 60;
/** Names listed for an unknown one. */
const MOST_NAMES = 20;

/**
 * Where a body that was sent contradicts what is known of the model: one sentence each, for the description of an error of the
 * service; none when nothing is known. Not for refusing a request: the metadata may be older than the model. Values are quoted cut, not
 * redacted. Pure.
 */
export function contradictions(
	sentBody: Readonly<Record<string, unknown>>,
	metadata: ModelMetadata,
): string[] {
	const { parameters, source } = metadata;
	if (source === 'none' || source === 'analogy') return [];
	const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
	const said = Object.entries(sentBody).flatMap(([name, value]) => {
		const parameter = known.get(name);
		return (parameter ? contradictionOf(parameter, value) : unknownName(name, metadata)) ?? [];
	});
	const missing = parameters
		.filter(({ name, required }) => required && !isGiven(sentBody, name))
		.map(({ name }) => `'${name}' is required, but was not sent.`);
	return [...missing, ...said].slice(0, MOST);
}

function isGiven(body: Readonly<Record<string, unknown>>, name: string): boolean {
	return Object.hasOwn(body, name) && body[name] !== null && body[name] !== '';
}

function unknownName(name: string, { parameters, source }: ModelMetadata): string {
	const names = parameters.map((parameter) => parameter.name);
	const near = names.find((other) => bare(other) === bare(name));
	const quoted = `'${name.slice(0, LONGEST_VALUE)}'`;
	if (near !== undefined) return `${quoted} is not a parameter of the model; it has '${near}'.`;
	const listed = `${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ', …' : ''}`;
	return source === 'list'
		? `${quoted} is not a parameter of the model; it has ${listed}.`
		: `${quoted} is not among the parameters known of the model (${listed}); it may have more.`;
}

/** Without case, separators and plural: `imageURLs` is near `image_url`. */
function bare(name: string): string {
	return name
		.toLowerCase()
		.replace(/[^a-z0-9]/g, '')
		.replace(/s$/, '');
}

function contradictionOf(parameter: CatalogueParameter, value: unknown): string | undefined {
	const { name, list, type } = parameter;
	// Null is how many models take "none".
	if (value === null) return undefined;
	if (list) {
		if (!Array.isArray(value)) return `'${name}' takes a list, but ${shown(value)} was sent.`;
		return value.flatMap((entry) => ofOne(parameter, entry) ?? [])[0];
	}
	if (Array.isArray(value) && type !== 'json')
		return `'${name}' takes one value, but a list was sent.`;
	return ofOne(parameter, value);
}

function ofOne(parameter: CatalogueParameter, value: unknown): string | undefined {
	const { name, choices, min, max } = parameter;
	const wrong = wrongType(parameter, value);
	if (wrong !== undefined) return wrong;
	if (choices !== undefined && !choices.some((choice) => choice === value))
		return `'${name}' is ${shown(value)}, which is not among its choices ${choices.join(', ')}.`;
	if (typeof value !== 'number') return undefined;
	if ((min !== undefined && value < min) || (max !== undefined && value > max))
		return `'${name}' is ${value}, but takes ${rangeText(parameter)}.`;
	return undefined;
}

function wrongType({ name, type }: CatalogueParameter, value: unknown): string | undefined {
	const sent = `but ${shown(value)} was sent`;
	switch (type) {
		case 'number':
			if (typeof value === 'number') return undefined;
			return numeric(value) === undefined
				? `'${name}' takes a number, ${sent}.`
				: `'${name}' takes a number, but the text ${shown(value)} was sent.`;
		case 'boolean':
			if (typeof value === 'boolean') return undefined;
			return `'${name}' takes true or false, ${typeof value === 'string' ? `but the text ${shown(value)} was sent` : sent}.`;
		case 'string':
			if (typeof value === 'string') return undefined;
			return typeof value === 'number' || typeof value === 'boolean'
				? `'${name}' takes text, but the ${typeof value} ${value} was sent; as text it is "${value}".`
				: `'${name}' takes text, ${sent}.`;
		case 'file':
			return typeof value === 'string' ? undefined : `'${name}' takes a file's URL, ${sent}.`;
		default:
			return undefined;
	}
}

function shown(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (isObject(value)) return 'an object';
	if (typeof value !== 'string') return String(value);
	return `'${value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}…` : value}'`;
}
