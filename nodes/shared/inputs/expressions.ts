import { badInput, wrongInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import type { Session } from '../run/session';
import { isObject } from '../service/schemas';

/** An expression inside a text, as n8n splits it: `\{{` is literal, and an unclosed expression ends with the text. */
const EXPRESSIONS = /(?<!\\)\{\{.*?(?:(?<!\\)\}\}|$)/gs;

/** The beginning of an expression that reads n8n's data. Other template languages use braces too. */
const N8N_EXPRESSION =
	/\{\{\s*\$(?:\(|(?:json|node|input|binary|items|now|today|vars|workflow|execution|prevNode|itemIndex|runIndex|parameter|fromAI)\s*(?:[.[(?]|\}\}))/;

/** How JavaScript writes an object in a text. */
const OBJECT = /\[object \w+\]/;

/**
 * Finds mistakes that only the raw text of a parameter, or of each field of a row, shows: inside a text, n8n leaves out undefined and NaN, and writes an
 * object as "[object Object]"; it passes on an expression in a field set to Fixed as plain text. A request with such a text would be charged. If the
 * parameter `isOptional`, an expression that is all of it may be undefined. Skipped for agents, which write texts of their own.
 * @throws SegmindFailure that names the parameter and the expression, before any call
 */
export function assertExpressions(
	session: Session,
	itemIndex: number,
	label: string,
	raw: unknown,
	isOptional = false,
): void {
	if (session.isTool) return;
	for (const text of isObject(raw) ? Object.values(raw) : [raw]) {
		if (typeof text !== 'string') continue;
		if (!text.startsWith('=') && N8N_EXPRESSION.test(text))
			throw badInput(INPUTS.notEvaluated, { label, value: text });
		for (const expression of (text.startsWith('=') && text.match(EXPRESSIONS)) || []) {
			const value: unknown = session.context.evaluateExpression(expression, itemIndex);
			// Whatever is around an expression, even a space, makes its value a part of a text.
			const isPart = text !== `=${expression}`;
			const values = { label, expression, fault: 'undefined or not a finite number' };
			const mayBeUndefined = isOptional && !isPart && value === undefined;
			if (!mayBeUndefined && [value].flat().some(isMissing))
				throw badInput(INPUTS.undefinedPart, values);
			const written = isPart || typeof value === 'string' ? String(value) : '';
			if (OBJECT.test(written) && !OBJECT.test(expression))
				throw wrongInput(`${values.expression} in ${label}`, value, 'text without an object');
		}
	}
}

function isMissing(value: unknown): boolean {
	return value === undefined || (typeof value === 'number' && !Number.isFinite(value));
}

/** Returns the member of the node's raw parameters at a path such as `inputs.values`; undefined if there is none. */
export function rawParameter({ context }: Session, path: string): unknown {
	let value: unknown = context.getNode().parameters;
	for (const name of path.split('.'))
		value = Array.isArray(value) ? value[Number(name)] : isObject(value) ? value[name] : undefined;
	return value;
}
