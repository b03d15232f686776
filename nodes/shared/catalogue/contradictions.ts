import { safeTextOf } from '../base/redact';
import { isObject } from '../service/schemas';
import { fieldLabel, rangeText } from './labels';
import type { CatalogueParameter, ModelMetadata } from './types';

/** An error lists at most this many contradictions. */
const MAX_SENTENCES = 8;
/** Longer values and names are cut when they are quoted. */
const MAX_VALUE_CHARS = 60;
/** For an unknown name, at most this many of the model's parameters are listed. */
const MAX_NAMES = 20;

/**
 * Describes each contradiction between a body and what is known of the model in a sentence, for the error if the service rejects the body. Never used
 * to prevent a request, because the metadata may be older than the model. Pure.
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
		.map((name) => unknownNameSentence(name, metadata));
	const missing = parameters
		.filter(({ name, required }) => required && !isSent(sentBody, name))
		.map(missingSentence);
	return [...missing, ...findWrongValues(sentBody, metadata), ...unknown].slice(0, MAX_SENTENCES);
}

/** Describes each value that contradicts what is known of its parameter in a sentence, as in `findContradictions`. Pure. */
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
		.slice(0, MAX_SENTENCES);
}

/** Describes a missing parameter. For a file, quotes the label of its field, because the parameter's name never appears in the editor. */
function missingSentence(parameter: CatalogueParameter): string {
	const { name, type } = parameter;
	return type === 'file'
		? `'${name}' is required, but no file was sent. Enter a URL or the name of a binary field in '${fieldLabel(parameter)}', or connect a node that outputs such a file.`
		: `'${name}' is required, but was not sent.`;
}

function isSent(body: Readonly<Record<string, unknown>>, name: string): boolean {
	return Object.hasOwn(body, name) && body[name] !== null && body[name] !== '';
}

function unknownNameSentence(name: string, { parameters, source }: ModelMetadata): string {
	const names = parameters.map((parameter) => parameter.name);
	const near = names.find((other) => normalizeName(other) === normalizeName(name));
	const quoted = `'${safeTextOf(name, MAX_VALUE_CHARS)}'`;
	if (near !== undefined) return `${quoted} is not a parameter of the model; it has '${near}'.`;
	const listed = `${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? ', …' : ''}`;
	return source === 'list'
		? `${quoted} is not a parameter of the model; it has ${listed}.`
		: `${quoted} is not one of the model's known parameters (${listed}); the model may have others.`;
}

/** Removes case, separators and a plural s, so that `imageURLs` equals `image_url`. */
function normalizeName(name: string): string {
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
		if (!Array.isArray(value))
			return `'${name}' takes a list, but ${describeValue(value)} was sent.`;
		return value.flatMap((entry) => contradictionOfValue(parameter, entry) ?? [])[0];
	}
	if (Array.isArray(value) && type !== 'json')
		return `'${name}' takes one value, but a list was sent.`;
	return contradictionOfValue(parameter, value);
}

function contradictionOfValue(parameter: CatalogueParameter, value: unknown): string | undefined {
	const { name, choices, min, max } = parameter;
	const wrong = typeContradiction(parameter, value);
	if (wrong !== undefined) return wrong;
	if (choices !== undefined && !choices.some((choice) => choice === value))
		return `'${name}' takes one of ${choices.join(', ')}, but ${describeValue(value)} was sent.`;
	if (typeof value !== 'number') return undefined;
	if ((min !== undefined && value < min) || (max !== undefined && value > max))
		return `'${name}' is ${value}, but takes ${rangeText(parameter)}.`;
	return undefined;
}

const TYPE_TEXTS = {
	number: 'a number',
	boolean: 'true or false',
	string: 'text',
	file: "a file's URL",
	json: 'JSON',
};

function typeContradiction({ name, type }: CatalogueParameter, value: unknown): string | undefined {
	if (type === 'json' || typeof value === (type === 'file' ? 'string' : type)) return undefined;
	return `'${name}' takes ${TYPE_TEXTS[type]}, but ${describeValue(value)} was sent.`;
}

function describeValue(value: unknown): string {
	if (Array.isArray(value)) return 'a list';
	if (isObject(value)) return 'an object';
	if (typeof value !== 'string') return `the ${typeof value} ${String(value)}`;
	return `the text '${safeTextOf(value, MAX_VALUE_CHARS)}'`;
}
