import type { Item } from '../run/item';

/** Reads the value of `response_format` for an answer in JSON, from the fields that n8n's own nodes have for it. */
export function readAnswerFormat(item: Item): unknown {
	return { type: 'json_schema', json_schema: { name: 'output', schema: readSchema(item) } };
}

/** Whether a language model is asked for JSON. Other tasks don't have the field. */
export function readIsJson({ parameters }: Item): boolean {
	if (!parameters.has('outputFormat')) return false;
	return parameters.choice('outputFormat', ['json', 'text']) === 'json';
}

function readSchema({ parameters }: Item): unknown {
	if (parameters.choice('schemaType', ['fromJson', 'manual']) === 'manual')
		return parameters.jsonBody('inputSchema').value;
	return schemaOf(parameters.jsonBody('jsonSchemaExample').value);
}

/** Returns the schema of values like this one. Every member is required. */
function schemaOf(example: unknown): Record<string, unknown> {
	if (Array.isArray(example)) return { type: 'array', items: schemaOf(example[0] ?? null) };
	if (example === null) return {};
	if (typeof example !== 'object') return { type: typeof example };
	const properties = Object.entries(example as object).map(([name, value]) => [
		name,
		schemaOf(value),
	]);
	return {
		type: 'object',
		properties: Object.fromEntries(properties) as unknown,
		required: Object.keys(example as object),
	};
}
