import type { INodeProperties } from 'n8n-workflow';

import { safeTextOf } from '../base/redact';
import { badInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import type { Session } from '../run/session';
import { isObject } from '../service/schemas';

/** An expression inside a text, as n8n splits it: `\{{` is literal, and an unclosed expression ends with the text. */
const EXPRESSIONS = /(?<!\\)\{\{.*?(?:(?<!\\)\}\}|$)/gs;

/** The beginning of an expression that reads n8n's data. Other template languages use braces too. */
const N8N_EXPRESSION =
	/\{\{\s*\$(?:\(|(?:json|node|input|binary|items|now|today|vars|workflow|execution|prevNode|itemIndex|runIndex|parameter|fromAI)\s*(?:[.[(?]|\}\}))/;

/**
 * Finds mistakes that only the raw text of a parameter shows: inside a text, n8n leaves out undefined and NaN, and writes an object as
 * "[object Object]"; it passes on an expression in a field set to Fixed as plain text. A request with such a text would be charged. Skipped for agents,
 * which write texts of their own. `raw` can be a resource locator.
 * @throws SegmindFailure that names the parameter and the expression, before any call
 */
export function assertExpressions(
	{ context, isTool }: Session,
	itemIndex: number,
	raw: unknown,
	label: string,
): void {
	const text = isObject(raw) && raw.__rl === true ? raw.value : raw;
	if (isTool || typeof text !== 'string') return;
	if (!text.startsWith('=')) {
		if (N8N_EXPRESSION.test(text))
			throw badInput(INPUTS.notEvaluated, { label, value: safeTextOf(text) });
		return;
	}
	for (const expression of text.match(EXPRESSIONS) ?? []) {
		const value: unknown = context.evaluateExpression(expression, itemIndex);
		const values = { label, expression: safeTextOf(expression) };
		const fault = faultOf(value);
		if (fault) throw badInput(INPUTS.undefinedPart, { ...values, fault });
		// Whatever is around an expression, even a space, makes its value a part of a text.
		const isPart = text !== `=${expression}`;
		if (isPart && isUnreadable(value)) throw badInput(INPUTS.objectPart, values);
	}
}

/** Checks the raw text of each of these parameters, like `assertExpressions`. */
export function assertFieldExpressions(
	session: Session,
	itemIndex: number,
	fields: readonly INodeProperties[] = [],
): void {
	const { parameters } = session.context.getNode();
	for (const { name, displayName } of fields)
		assertExpressions(session, itemIndex, parameters[name], displayName);
}

/** Returns what is wrong with the value of an expression; undefined if nothing is. */
function faultOf(value: unknown): string | undefined {
	if (value === undefined) return 'undefined';
	if (typeof value === 'number' && !Number.isFinite(value)) return 'not a finite number';
	return Array.isArray(value) && value.some((entry) => faultOf(entry) !== undefined)
		? 'a list with an undefined entry'
		: undefined;
}

/** Whether a value has no text of its own. */
function isUnreadable(value: unknown): boolean {
	if (typeof value !== 'object' || value === null) return false;
	try {
		return String(value).includes('[object ');
	} catch {
		return true;
	}
}

/** Returns the member of a raw value at a path such as `inputs.values`; undefined if there is none. */
export function rawIn(value: unknown, path: string): unknown {
	return path
		.split('.')
		.reduce<unknown>(
			(inner, name) =>
				typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name)
					? (inner as Record<string, unknown>)[name]
					: undefined,
			value,
		);
}
