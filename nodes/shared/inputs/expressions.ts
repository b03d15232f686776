import type { INodeProperties } from 'n8n-workflow';

import { safeTextOf } from '../base/redact';
import { badInput, fill, wrongInput } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { INPUTS } from '../errors/inputTable';
import type { Session } from '../run/session';
import { isObject } from '../service/schemas';

/** A raw parameter: its label and its text or resource locator. If it `isOptional`, an expression that is all of it may be undefined. */
export type RawInput = [label: string, raw: unknown, isOptional?: boolean];

/** An expression inside a text, as n8n splits it: `\{{` is literal, and an unclosed expression ends with the text. */
const EXPRESSIONS = /(?<!\\)\{\{.*?(?:(?<!\\)\}\}|$)/gs;

/** The beginning of an expression that reads n8n's data. Other template languages use braces too. */
const N8N_EXPRESSION =
	/\{\{\s*\$(?:\(|(?:json|node|input|binary|items|now|today|vars|workflow|execution|prevNode|itemIndex|runIndex|parameter|fromAI)\s*(?:[.[(?]|\}\}))/;

/**
 * Finds mistakes that only the raw text of a parameter shows: inside a text, n8n leaves out undefined and NaN, and writes an object as
 * "[object Object]"; it passes on an expression in a field set to Fixed as plain text. A request with such a text would be charged. Adds a hint if an
 * expression made the word "undefined" or "NaN". Skipped for agents, which write texts of their own.
 * @throws SegmindFailure that names the parameter and the expression, before any call
 */
export function assertExpressions(
	session: Session,
	itemIndex: number,
	inputs: Iterable<RawInput>,
): void {
	if (session.isTool) return;
	for (const [label, raw, isOptional = false] of inputs) {
		const text = isObject(raw) && raw.__rl === true ? raw.value : raw;
		if (typeof text !== 'string') continue;
		if (!text.startsWith('=') && N8N_EXPRESSION.test(text))
			throw badInput(INPUTS.notEvaluated, { label, value: safeTextOf(text) });
		if (!text.startsWith('=')) continue;
		for (const expression of text.match(EXPRESSIONS) ?? []) {
			const value: unknown = session.context.evaluateExpression(expression, itemIndex);
			// Whatever is around an expression, even a space, makes its value a part of a text.
			const isPart = text !== `=${expression}`;
			const values = { item: itemIndex, label, expression: safeTextOf(expression) };
			const fault = isOptional && !isPart && value === undefined ? undefined : faultOf(value);
			if (fault) throw badInput(INPUTS.undefinedPart, { ...values, fault });
			if (isUnreadable(value, isPart, expression))
				throw wrongInput(`${values.expression} in ${label}`, value, 'text without an object');
			const word = madeWord(value, /\b(?:undefined|NaN)\b/, expression);
			if (word) session.hints.add(fill(HINTS.madeWord, { ...values, word }));
		}
	}
}

/** Returns what is wrong with the value of an expression; undefined if nothing is. */
function faultOf(value: unknown): string | undefined {
	if (value === undefined) return 'undefined';
	if (typeof value === 'number' && !Number.isFinite(value)) return 'not a finite number';
	return Array.isArray(value) && value.some((entry) => faultOf(entry) !== undefined)
		? 'a list with an undefined entry'
		: undefined;
}

/** Whether a value, or a part of its text, is an object that has no text of its own. */
function isUnreadable(value: unknown, isPart: boolean, expression: string): boolean {
	if (typeof value !== 'object' || value === null)
		return madeWord(value, /\[object \w+\]/, expression) !== undefined;
	try {
		return isPart && String(value).includes('[object ');
	} catch {
		return isPart;
	}
}

/** Returns the first such word of a text that the expression itself doesn't contain. */
function madeWord(value: unknown, words: RegExp, expression: string): string | undefined {
	const [word] = (typeof value === 'string' && words.exec(value)) || [];
	return word !== undefined && !expression.includes(word) ? word : undefined;
}

/** Checks the raw text of each of these parameters, like `assertExpressions`. */
export function assertFieldExpressions(
	session: Session,
	itemIndex: number,
	fields: ReadonlyArray<Pick<INodeProperties, 'name' | 'displayName'>> = [],
): void {
	const { parameters } = session.context.getNode();
	const inputs = fields.map(({ name, displayName }): RawInput => [displayName, parameters[name]]);
	assertExpressions(session, itemIndex, inputs);
}

/** Checks the raw texts of the row at a path such as `inputs.values.0`, like `assertExpressions`. */
export function assertRowExpressions(
	session: Session,
	itemIndex: number,
	label: string,
	path: string,
): void {
	const row = rawParameter(session, path);
	const values = isObject(row) ? Object.values(row) : [];
	assertExpressions(
		session,
		itemIndex,
		values.map((value): RawInput => [label, value]),
	);
}

/** Returns the member of the node's raw parameters at a path such as `inputs.values`; undefined if there is none. */
export function rawParameter({ context }: Session, path: string): unknown {
	let value: unknown = context.getNode().parameters;
	for (const name of path.split('.'))
		value = Array.isArray(value) ? value[Number(name)] : isObject(value) ? value[name] : undefined;
	return value;
}
