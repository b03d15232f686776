import type { Item } from '../run/item';
import { assertExpressions, rawParameter } from './expressions';
import { parseJsonBody } from './json';

/** Reads the value of `response_format` from the fields that n8n's own nodes have for the form of an answer; undefined for text. */
export function readAnswerFormat(item: Item): unknown {
	const { session, index: itemIndex } = item;
	const parameter = (name: string, fallback: string): unknown =>
		session.context.getNodeParameter(name, itemIndex, fallback);
	if (parameter('outputFormat', 'text') !== 'json') return undefined;
	const isManual = parameter('schemaType', 'fromJson') === 'manual';
	if (isManual) assertExpressions(item, 'Input Schema', rawParameter(session, 'inputSchema'));
	const schema = isManual
		? parseJsonBody(parameter('inputSchema', ''), 'Input Schema').value
		: schemaOf(parseJsonBody(parameter('jsonSchemaExample', ''), 'JSON Example').value);
	return { type: 'json_schema', json_schema: { name: 'output', schema } };
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
