import type { SegmindFailure } from '../base/failure';
import { badInput, wrongInput } from '../errors/failures';
import { say } from '../errors/say';
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

/** Makes the body that has these members. Its text and its value have whole characters only. */
export function jsonBodyOf(members: Record<string, unknown>): JsonBody {
	const value = withWholeCharacters(members) as Record<string, unknown>;
	return { text: JSON.stringify(value), value };
}

/** Replaces each half of a surrogate pair in the texts of a value, such as an emoji that an expression cut, and each NUL by U+FFFD. */
function withWholeCharacters(value: unknown): unknown {
	if (typeof value === 'string') return value.replace(/[\p{Surrogate}\0]/gu, '\ufffd');
	if (Array.isArray(value)) return value.map(withWholeCharacters);
	// A date has its own JSON.
	if (!isObject(value) || 'toJSON' in value) return value;
	const members = Object.entries(value);
	return Object.fromEntries(members.map(([name, member]) => [name, withWholeCharacters(member)]));
}

/** Reads a JSON value, given as text or as the value itself. @throws SegmindFailure with the parser's message */
export function readJson(value: unknown, label: string): unknown {
	let parsed = value;
	try {
		if (typeof value === 'string') parsed = JSON.parse(value) as unknown;
	} catch (error) {
		// V8 quotes the text between dots.
		const why = (error as Error).message.replaceAll('...', '…').replace(' in JSON', '');
		throw notJson(label, why);
	}
	if (parsed === undefined) throw wrongInput(label, value, 'JSON');
	if (isDeeper(parsed)) throw notJson(label, 'it is nested too deeply');
	return parsed;
}

function notJson(label: string, why: string): SegmindFailure {
	return badInput(
		say`${label} is not valid JSON: ${why}`,
		say`Check the quotes, commas and brackets, and write a text as {{ JSON.stringify($json.text) }}, without quotes.`,
	);
}
