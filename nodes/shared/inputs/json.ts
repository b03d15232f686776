import { type SegmindFailure } from '../base/failure';
import { badInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { isDeeper, isObject } from '../service/schemas';

/** A request body: the exact text to send, and its value. */
export interface JsonBody {
	text: string;
	value: Record<string, unknown>;
}

/**
 * Reads a JSON parameter that is a whole body; `label` is its display name. Text is parsed only to check it, and is sent exactly as written.
 * @throws SegmindFailure that names the position, if it isn't a JSON object
 */
export function parseJsonBody(value: unknown, label: string): JsonBody {
	const notAnObject = (found: string) => badInput(INPUTS.notAnObject, { label, value: found });
	if (isDeeper(value)) throw tooDeepFailure(label);
	if (isObject(value)) return { text: JSON.stringify(value), value };
	if (Array.isArray(value)) throw notAnObject('a list');
	if (value === null || value === undefined) throw notAnObject(String(value));
	if (typeof value !== 'string') throw notAnObject(`a ${typeof value}`);
	const text = value.trim();
	if (text === '') throw notAnObject('empty');
	let parsed: unknown;
	try {
		parsed = JSON.parse(text) as unknown;
	} catch (error) {
		const at = value.indexOf(text) + faultAt(messageOf(error), text);
		throw badInput(INPUTS.notJson, {
			label,
			why: `${describePosition(value, at)}: ${wordsOf(messageOf(error))}`,
		});
	}
	if (isDeeper(parsed)) throw tooDeepFailure(label);
	if (isObject(parsed)) return { text, value: parsed };
	throw notAnObject(
		Array.isArray(parsed) ? 'a list' : parsed === null ? 'null' : `a ${typeof parsed}`,
	);
}

/** Returns the error for a JSON value that is nested too deep; `label` is its name. */
export function tooDeepFailure(label: string): SegmindFailure {
	return badInput(INPUTS.tooDeep, { label });
}

/** Describes a position, such as "position 20 (line 2, column 5)". */
function describePosition(text: string, at: number): string {
	const before = text.slice(0, at).split('\n');
	return `position ${at} (line ${before.length}, column ${before[before.length - 1].length + 1})`;
}

/** Returns the JSON parser's message without position and quotation, whose wording differs between Node versions. */
function wordsOf(message: string): string {
	return message.split(/ in JSON| at position|, "|, \.\.\."/)[0];
}

/** Returns the index of the fault in `text`. */
function faultAt(message: string, text: string): number {
	const position = / at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message)?.[1];
	return position === undefined ? unexpectedTokenAt(text) : Number(position);
}

/** Finds an unexpected token whose position the JSON parser doesn't report: the shortest beginning of the text with the same error ends with it. */
function unexpectedTokenAt(text: string): number {
	let lengthWithoutToken = 0;
	let lengthWithToken = text.length + 1;
	while (lengthWithToken - lengthWithoutToken > 1) {
		const middle = (lengthWithoutToken + lengthWithToken) >> 1;
		if (hasUnexpectedToken(text.slice(0, middle))) lengthWithToken = middle;
		else lengthWithoutToken = middle;
	}
	return lengthWithToken - 1;
}

function hasUnexpectedToken(text: string): boolean {
	try {
		JSON.parse(text);
		return false;
	} catch (error) {
		return messageOf(error).startsWith('Unexpected token');
	}
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
