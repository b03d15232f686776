import { badInput } from '../failure';
import { isObject } from '../schemas';

/** A request body: the exact text to send, and its value. */
export interface JsonBody {
	text: string;
	value: Record<string, unknown>;
}

/**
 * Reads `inputsJson`: text is parsed to check it and then sent exactly as written, an object is sent as it is.
 * @throws SegmindFailure naming the position when it is not a JSON object
 */
export function parseInputsJson(value: unknown): JsonBody {
	if (isObject(value)) return { text: JSON.stringify(value), value };
	if (Array.isArray(value)) throw notAnObject('a list');
	if (typeof value !== 'string') throw notAnObject(value === null ? 'null' : `a ${typeof value}`);
	const text = value.trim();
	if (text === '') throw notAnObject('empty');
	let parsed: unknown;
	try {
		parsed = JSON.parse(text) as unknown;
	} catch (error) {
		throw badInput(
			`Inputs (JSON) is not valid JSON: ${positionOf(error, text)}`,
			'Check quotes, commas and brackets there.',
		);
	}
	if (isObject(parsed)) return { text, value: parsed };
	throw notAnObject(
		Array.isArray(parsed) ? 'a list' : parsed === null ? 'null' : `a ${typeof parsed}`,
	);
}

function notAnObject(found: string) {
	return badInput(
		`Inputs (JSON) is ${found}, at position 0, but must be an object`,
		'Write the inputs as {"name": value}.',
	);
}

/** "line 2, column 5: Unexpected token", from the engine's message, whose wording differs between Node versions. */
function positionOf(error: unknown, text: string): string {
	const message = error instanceof Error ? error.message : String(error);
	const told = /position (\d+)/.exec(message)?.[1];
	const at = told === undefined ? text.length : Number(told);
	const before = text.slice(0, at).split('\n');
	const what = message.split(/ in JSON| at position| \(line|, "/)[0];
	return `position ${at} (line ${before.length}, column ${before[before.length - 1].length + 1}): ${what}`;
}
