/** Reads the JSON that a language model was asked for. Never repairs it, and never chooses between two values. Pure, in linear time. */
import { parseResult } from '../service/schemas';

const FENCE = '```';
/** Some models write their thoughts first. */
const START_OF_THOUGHTS = /^\s*<think>/;
const END_OF_THOUGHTS = '</think>';

/**
 * Reads the object or list in an answer: the whole answer, or what follows its thoughts; there, also the only block in a fence of Markdown or, without a
 * fence, the only object among words. Undefined if there is none, or more than one.
 */
export function jsonAnswer(text: string): object | undefined {
	const whole = parsedObject(text);
	if (whole) return whole;
	const end = text.lastIndexOf(END_OF_THOUGHTS);
	if (end < 0 && START_OF_THOUGHTS.test(text)) return undefined;
	const answer = end < 0 ? text : text.slice(end + END_OF_THOUGHTS.length);
	return parsedObject(answer) ?? parsedObject(blockIn(answer) ?? objectIn(answer) ?? '');
}

function parsedObject(text: string): object | undefined {
	const value = parseResult(text);
	return typeof value === 'object' && value !== null ? value : undefined;
}

/** Returns what is in the fences, from the first one to the last one, without the name of the language. Undefined if there aren't two fences. */
function blockIn(answer: string): string | undefined {
	const first = answer.indexOf(FENCE);
	const last = answer.lastIndexOf(FENCE);
	if (first === last) return undefined;
	// The text between the first and the last of several blocks isn't JSON.
	return answer.slice(first + FENCE.length, last).replace(/^\w{0,20}/, '');
}

/** Returns the text from the first brace to the last one, which is JSON only if it's a single object. Undefined if a list contains it. */
function objectIn(answer: string): string | undefined {
	const [, before = '', object, after = ''] = /^([^{]*)(\{.*\})([^}]*)$/s.exec(answer) ?? [];
	const isPart = before.includes('}') || before.trimEnd().endsWith('[') || after.includes('{');
	return isPart ? undefined : object;
}
