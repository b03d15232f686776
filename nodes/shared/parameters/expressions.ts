/** Finds expressions that n8n left in a field, or that spoil the text around them. */
import type { SegmindFailure } from '../base/failure';
import { HIDDEN } from '../base/redact';
import { badInput, wrongInput } from '../errors/failures';
import { quoted, say } from '../errors/say';
import type { Field } from './fieldFinder';

/** An expression inside a text, as n8n splits it: `\{{` is literal, and an unclosed expression ends with the text. */
const EXPRESSIONS = /(?<!\\)\{\{.*?(?:(?<!\\)\}\}|$)/gs;

/** The beginning of an expression that reads n8n's data. Other template languages use braces too. */
const N8N_EXPRESSION =
	/\{\{\s*\$(?:\(|(?:json|node|input|binary|items|now|today|vars|workflow|execution|prevNode|itemIndex|runIndex|parameter|fromAI)\s*(?:[.[(?]|\}\}))/;

/** A whole text that reads n8n's data, but without the braces of an expression: $json.photo, $('Form').item.json["a b"]. */
const WITHOUT_BRACES =
	/^=?\s*\$(?:json|input|binary|node|items|\([^()]*\))(?:\.\w+(?:\([^()]*\))?|\[[^\]]*\])+\s*$/;

/** How JavaScript writes an object in a text. */
const OBJECT = /\[object \w+\]/;

/** What is wrong with an expression of a field. */
type ExpressionFault =
	/** n8n passes on an expression in a field set to Fixed as plain text. */
	| { kind: 'notEvaluated'; text: string }
	/** Inside a text, n8n leaves out undefined and NaN. */
	| { kind: 'undefined' | 'notFinite'; expression: string }
	/** Inside a text, n8n writes an object as "[object Object]". */
	| { kind: 'object'; expression: string; value: unknown };

/** A text of a field. */
interface FieldText {
	/** As the workflow stores it. */
	stored: string;
	/** As n8n evaluates it. */
	value: unknown;
	/** Whether an expression that is the whole text may be undefined. */
	mayBeUndefined: boolean;
}

export function isExpression(stored: unknown): stored is string {
	return typeof stored === 'string' && stored.startsWith('=');
}

/** Returns what is wrong with a text. `evaluate` returns the value of an expression that is only a part of it. */
export function faultOfText(
	{ stored, value, mayBeUndefined }: FieldText,
	evaluate: (expression: string) => unknown,
): ExpressionFault | undefined {
	if (WITHOUT_BRACES.test(stored)) return { kind: 'notEvaluated', text: stored };
	if (!isExpression(stored))
		return N8N_EXPRESSION.test(stored) ? { kind: 'notEvaluated', text: stored } : undefined;
	for (const expression of stored.match(EXPRESSIONS) ?? []) {
		// Whatever is around an expression, even a space, makes its value a part of a text.
		const isWhole = stored === `=${expression}`;
		const fault = isWhole
			? faultOfWhole(expression, value, mayBeUndefined)
			: faultOfPart(expression, evaluate(expression));
		if (fault) return fault;
	}
	return undefined;
}

function faultOfWhole(
	expression: string,
	value: unknown,
	mayBeUndefined: boolean,
): ExpressionFault | undefined {
	if (value === undefined && mayBeUndefined) return undefined;
	const missing = faultOfMissing(expression, value);
	if (missing) return missing;
	return typeof value === 'string' ? faultOfObjectIn(value, expression, value) : undefined;
}

function faultOfPart(expression: string, value: unknown): ExpressionFault | undefined {
	return faultOfMissing(expression, value) ?? faultOfObjectIn(String(value), expression, value);
}

/** Returns a fault if a text has an object in it that the expression itself doesn't write. */
function faultOfObjectIn(
	text: string,
	expression: string,
	value: unknown,
): ExpressionFault | undefined {
	const isSpoiled = OBJECT.test(text) && !OBJECT.test(expression);
	return isSpoiled ? { kind: 'object', expression, value } : undefined;
}

/** Returns a fault if a value, or an entry of a list, is undefined or not a finite number. */
function faultOfMissing(expression: string, value: unknown): ExpressionFault | undefined {
	const values = Array.isArray(value) ? (value as unknown[]) : [value];
	if (values.includes(undefined)) return { kind: 'undefined', expression };
	const isSpoiled = values.some((one) => typeof one === 'number' && !Number.isFinite(one));
	return isSpoiled ? { kind: 'notFinite', expression } : undefined;
}

/** Returns the error for a fault of a field. It doesn't quote a secret field. */
export function expressionFailure(
	{ label, isSecret }: Pick<Field, 'label' | 'isSecret'>,
	fault: ExpressionFault,
): SegmindFailure {
	const shown = (text: string) => (isSecret ? HIDDEN : text);
	switch (fault.kind) {
		case 'notEvaluated': {
			const text = shown(fault.text).replace(/^=/, '').trim();
			const braces = fault.text.includes('{{') ? '' : say`, and write {{ ${text} }}`;
			return badInput(
				say`${label} contains the text of an expression: ${quoted(shown(fault.text))}`,
				say`Switch the field from Fixed to Expression${braces}, so that n8n evaluates it.`,
			);
		}
		case 'undefined':
			return missingValueFailure(label, shown(fault.expression), 'undefined');
		case 'notFinite':
			return missingValueFailure(label, shown(fault.expression), 'not a finite number');
		case 'object': {
			const where = `${shown(fault.expression)} in ${label}`;
			const value = isSecret ? HIDDEN : fault.value;
			return wrongInput(where, value, 'text, such as {{ $json.field }}');
		}
	}
}

/** Returns the error for an expression whose value is missing, such as `empty`. */
export function missingValueFailure(
	label: string,
	expression: string,
	fault: string,
): SegmindFailure {
	return badInput(
		say`${label} contains ${quoted(expression)}, which is ${fault} for this item`,
		say`Drag the field from an earlier node in the input panel or, if the value is optional, give it a default, as in {{ $json.field ?? '' }}.`,
	);
}
