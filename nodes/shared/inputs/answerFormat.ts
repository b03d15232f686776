import type { Item } from '../run/item';

/** Reads the value of `response_format` from the fields that n8n's own nodes have for the form of an answer; undefined for text. */
export function readAnswerFormat(item: Item): unknown {
	if (readOutputFormat(item) !== 'json') return undefined;
	return { type: 'json_schema', json_schema: { name: 'output', schema: readSchema(item) } };
}

/** Reads the form of an answer; text for a task without a language model. */
export function readOutputFormat({ parameters }: Item): 'json' | 'text' {
	if (!parameters.has('outputFormat')) return 'text';
	return parameters.choice('outputFormat', ['json', 'text']);
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
