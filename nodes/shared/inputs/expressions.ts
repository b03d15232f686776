import { safeTextOf } from '../base/redact';
import { badInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import type { Session } from '../run/session';

/**
 * Finds two mistakes that only the raw text of a parameter shows: n8n leaves out an undefined value inside a text, and passes on an expression in a
 * field set to Fixed as plain text. A request with such a text would be charged. Skipped for agents, which write texts of their own.
 * @throws SegmindFailure that names the parameter and the expression, before any call
 */
export function assertExpressions(
	{ context, isTool }: Session,
	itemIndex: number,
	raw: unknown,
	label: string,
): void {
	if (isTool || typeof raw !== 'string') return;
	if (!raw.startsWith('=')) {
		if (/\{\{\s*\$/.test(raw))
			throw badInput(INPUTS.notEvaluated, { label, value: safeTextOf(raw) });
		return;
	}
	for (const expression of raw.match(/\{\{.*?\}\}/gs) ?? [])
		if (context.evaluateExpression(expression, itemIndex) === undefined)
			throw badInput(INPUTS.undefinedPart, { label, expression: safeTextOf(expression) });
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
