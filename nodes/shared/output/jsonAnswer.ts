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

/** Returns the only object in a text. Undefined if there is none, if there are several, or if a list contains it. */
function objectIn(answer: string): string | undefined {
	const groups = groupsIn(answer).filter((group) => group.includes('{'));
	return groups.length === 1 && groups[0].startsWith('{') ? groups[0] : undefined;
}

const CLOSERS: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** Returns the outermost groups in braces and brackets. In a text whose braces and brackets don't match, there are none. */
function groupsIn(text: string): string[] {
	const groups: string[] = [];
	const open: string[] = [];
	let start = 0;
	let isString = false;
	for (const { 0: token, index } of text.matchAll(/\\.|["{}[\]]/gs)) {
		if (token === '"') isString = open.length > 0 && !isString;
		if (isString || token === '"' || token.startsWith('\\')) continue;
		if (token in CLOSERS) {
			if (open.length === 0) start = index;
			open.push(CLOSERS[token]);
			continue;
		}
		if (open.pop() !== token) return [];
		if (open.length === 0) groups.push(text.slice(start, index + 1));
	}
	return open.length === 0 ? groups : [];
}
