import { safeTextOf } from '../base/redact';
import { isObject } from '../service/schemas';
import { fieldLabel, rangeText } from './labels';
import type { CatalogueParameter, ModelMetadata } from './types';

/** Most sentences. */
const MOST = 8;
/** Longest quotation of a value, characters. */
const LONGEST_VALUE = 60;
/** Most similar names to list for an unknown one. */
const MOST_NAMES = 20;

/**
 * The places where a body contradicts what is known of the model, one sentence each, for the description of an error of the service. Never used to
 * prevent a request, because the metadata may be older than the model. Pure.
 */
export function findContradictions(
	sentBody: Readonly<Record<string, unknown>>,
	metadata: ModelMetadata,
): string[] {
	const { parameters, source } = metadata;
	if (source === 'none') return [];
	const known = new Set(parameters.map(({ name }) => name));
	const unknown = Object.keys(sentBody)
		.filter((name) => !known.has(name))
		.map((name) => unknownName(name, metadata));
	const missing = parameters
		.filter(({ name, required }) => required && !isSent(sentBody, name))
		.map(missingParameter);
	return [...missing, ...findWrongValues(sentBody, metadata), ...unknown].slice(0, MOST);
}

/** The values that contradict what is known of their parameters, one sentence each, as in `contradictions`. Pure. */
export function findWrongValues(
	sentBody: Readonly<Record<string, unknown>>,
	{ parameters }: ModelMetadata,
): string[] {
	const known = new Map(parameters.map((parameter) => [parameter.name, parameter]));
	return Object.entries(sentBody)
		.flatMap(([name, value]) => {
			const parameter = known.get(name);
			return parameter ? (contradictionOf(parameter, value) ?? []) : [];
		})
		.slice(0, MOST);
}

/** A file's field is shown under its label, and its name never appears in the editor. */
function missingParameter(parameter: CatalogueParameter): string {
	const { name, type } = parameter;
	return type === 'file'
		? `'${name}' is required, but no file was sent. Enter a URL or the name of a binary field in '${fieldLabel(parameter)}', or connect a node that outputs such a file.`
		: `'${name}' is required, but was not sent.`;
}

function isSent(body: Readonly<Record<string, unknown>>, name: string): boolean {
	return Object.hasOwn(body, name) && body[name] !== null && body[name] !== '';
}

function unknownName(name: string, { parameters, source }: ModelMetadata): string {
	const names = parameters.map((parameter) => parameter.name);
	const near = names.find((other) => bare(other) === bare(name));
	const quoted = `'${safeTextOf(name, LONGEST_VALUE)}'`;
	if (near !== undefined) return `${quoted} is not a parameter of the model; it has '${near}'.`;
	const listed = `${names.slice(0, MOST_NAMES).join(', ')}${names.length > MOST_NAMES ? ', …' : ''}`;
	return source === 'list'
		? `${quoted} is not a parameter of the model; it has ${listed}.`
		: `${quoted} is not one of the model's known parameters (${listed}); the model may have others.`;
}

/** A name without case, separators and plural, so that `imageURLs` is similar to `image_url`. */
function bare(name: string): string {
	return name
		.toLowerCase()
		.replace(/[^a-z0-9]/g, '')
		.replace(/s$/, '');
}

function contradictionOf(parameter: CatalogueParameter, value: unknown): string | undefined {
	const { name, list, type } = parameter;
	// For many models null means "none".
	if (value === null) return undefined;
	if (list) {
		if (!Array.isArray(value)) return `'${name}' takes a list, but ${described(value)} was sent.`;
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
		return `'${name}' takes one of ${choices.join(', ')}, but ${described(value)} was sent.`;
	if (typeof value !== 'number') return undefined;
	if ((min !== undefined && value < min) || (max !== undefined && value > max))
		return `'${name}' is ${value}, but takes ${rangeText(parameter)}.`;
	return undefined;
}

const TAKES = {
	number: 'a number',
	boolean: 'true or false',
	string: 'text',
	file: "a file's URL",
	json: 'JSON',
};

function wrongType({ name, type }: CatalogueParameter, value: unknown): string | undefined {
	if (type === 'json' || typeof value === (type === 'file' ? 'string' : type)) return undefined;
	return `'${name}' takes ${TAKES[type]}, but ${described(value)} was sent.`;
}

function described(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (isObject(value)) return 'an object';
	if (typeof value !== 'string') return `the ${typeof value} ${String(value)}`;
	return `the text '${safeTextOf(value, LONGEST_VALUE)}'`;
}
