import { safeTextOf } from '../base/redact';
import { badInput, wrongInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { isDeeper, isObject } from '../service/schemas';

/** A request body: the exact text to send, and its value. */
export interface JsonBody {
	text: string;
	value: Record<string, unknown>;
}

/**
 * Reads a JSON parameter that is a whole body; `label` is its display name. Text is parsed only to check it, and is sent exactly as written.
 * @throws SegmindFailure with the parser's message, or if it isn't a JSON object
 */
export function parseJsonBody(value: unknown, label: string): JsonBody {
	const parsed = value === '' ? value : readJson(value, label);
	if (!isObject(parsed)) throw wrongInput(label, parsed, 'a JSON object, such as {"name": value}');
	return { text: typeof value === 'string' ? value.trim() : JSON.stringify(value), value: parsed };
}

/** Reads a JSON value, given as text or as the value itself. @throws SegmindFailure with the parser's message */
export function readJson(value: unknown, label: string): unknown {
	let parsed = value;
	try {
		if (typeof value === 'string') parsed = JSON.parse(value) as unknown;
	} catch (error) {
		const why = safeTextOf((error as Error).message, 200);
		throw badInput(INPUTS.notJson, { label, why });
	}
	if (parsed === undefined) throw wrongInput(label, value, 'JSON');
	if (isDeeper(parsed)) throw badInput(INPUTS.notJson, { label, why: 'it is nested too deeply' });
	return parsed;
}
