import type { IExecuteFunctions, INode } from 'n8n-workflow';

import type { Redact } from '../base/redact';
import { isBlank } from '../base/text';
import { emptyInput } from '../errors/failures';
import { isObject } from '../service/schemas';
import { evaluationFailure } from './evaluation';
import { expressionFailure, faultOfText, isExpression } from './expressions';
import type { Field, FindField } from './fieldFinder';
import { parseJsonBody, readJson, type JsonBody } from './json';
import { readBoolean, readChoice, readName, readNumber, readPlainText, unwrapped } from './values';

/** The run whose items have parameters. */
interface ParameterSource {
	context: IExecuteFunctions;
	/** With the parameters as the workflow stores them. */
	node: INode;
	findField: FindField;
	/** Agents write texts of their own, so their fields aren't checked for expressions. */
	isTool: boolean;
	redact: Redact;
}

/** A field that isn't in the node's description, such as a parameter of a model, or a row. */
type OtherField = Pick<Field, 'label' | 'isRequired'>;

/** A row of a fixed collection, with its name for an error. */
export interface ParameterRow {
	label: string;
	values: Readonly<Record<string, unknown>>;
	/** As the workflow stores them: with expressions. */
	stored: Readonly<Record<string, unknown>>;
}

/**
 * The only reader of the parameters of one item in one run. In one call it reads a field, checks its expressions, converts the value and, in an error, names
 * the field. `path` is n8n's, such as `options.timeoutSeconds`; the name of the field and whether it's required come from the node's description.
 *
 * Each method throws a SegmindFailure, which names the field, for a wrong value, and for a mistake that only the stored text shows: an expression that wasn't
 * evaluated, or that is undefined, NaN or an object inside a text. A request with such a text would be charged. So read all fields before the first call.
 */
export class ItemParameters {
	constructor(
		private readonly run: ParameterSource,
		private readonly itemIndex: number,
	) {}

	/** Whether an agent's tool has them. */
	get isTool(): boolean {
		return this.run.isTool;
	}

	/** Whether the node has the field. n8n stores no hidden field, and only the options that the user added. */
	has(path: string): boolean {
		return this.stored(path) !== undefined;
	}

	/** Whether the field is an expression. */
	isExpression(path: string): boolean {
		return isExpression(unwrapped(this.stored(path)));
	}

	/** Reads a value of any type; undefined if the node doesn't have the field, or if it's optional and its expression is undefined. */
	value(path: string): unknown {
		const field = this.field(path);
		return this.read(path, field, !field.isRequired);
	}

	/** Reads the value of a field that isn't in the node's description. */
	valueOf(path: string, { label, isRequired }: OtherField): unknown {
		return this.read(path, { label, isSecret: false }, !isRequired);
	}

	/** Reads a value of any type, whose expression must not be undefined; undefined if the node doesn't have the field. */
	definedValue(path: string): unknown {
		return this.read(path, this.field(path), false);
	}

	/** Reads a name, an ID, an address or a picker's choice; '' if it's optional and empty. */
	text(path: string): string {
		const field = this.field(path);
		return field.isRequired ? this.requiredText(path) : readName(this.value(path), field.label);
	}

	/** Reads a name, an ID, an address or a picker's choice, which must not be empty. */
	requiredText(path: string): string {
		const field = this.field(path);
		const text = readName(this.definedValue(path), field.label);
		if (text !== '') return text;
		throw emptyInput(field.label);
	}

	/** Reads a text exactly as it was written. It may be empty; '' if the node doesn't have the field. */
	plainText(path: string): string {
		if (!this.has(path)) return '';
		return readPlainText(this.definedValue(path), this.label(path));
	}

	/** Reads an integer, `min` or more. */
	integer(path: string, min = 0): number {
		return readNumber(this.definedValue(path), this.label(path), { min, isWhole: true });
	}

	boolean(path: string): boolean {
		return readBoolean(this.definedValue(path), this.label(path));
	}

	/** Reads one of the values that the service accepts. */
	choice<T extends string>(path: string, values: readonly T[]): T {
		return readChoice(this.definedValue(path), this.label(path), values);
	}

	/** Reads a JSON object that is sent as it was written. */
	jsonBody(path: string): JsonBody {
		return parseJsonBody(this.definedValue(path), this.label(path));
	}

	/** Reads a JSON value, given as text or as the value itself. */
	json(path: string): unknown {
		return readJson(this.definedValue(path), this.label(path));
	}

	/** Reads a number, `min` or more; undefined if it's empty or isn't added. */
	optionalNumber(path: string, min: number): number | undefined {
		const value = this.optional(path);
		return value === undefined ? undefined : readNumber(value, this.label(path), { min });
	}

	/** Reads one of the values; undefined if it's empty or isn't added. */
	optionalChoice<T extends string>(path: string, values: readonly T[]): T | undefined {
		const value = this.optional(path);
		return value === undefined ? undefined : readChoice(value, this.label(path), values);
	}

	/** Reads a switch; undefined if it's empty or isn't added. */
	optionalBoolean(path: string): boolean | undefined {
		const value = this.optional(path);
		return value === undefined ? undefined : readBoolean(value, this.label(path));
	}

	/** Whether a switch is on; its default if it's empty, isn't added, or is hidden. */
	isOn(path: string): boolean {
		return this.optionalBoolean(path) ?? this.run.findField(path)?.default === true;
	}

	/**
	 * Reads the rows of a fixed collection. `labelOf` names a row. The values are evaluated, but not converted. `mayBeUndefined`: whether an expression
	 * that is a whole member may be undefined.
	 */
	rows(
		path: string,
		labelOf: (values: ParameterRow['values'], at: number) => string,
		mayBeUndefined: (values: ParameterRow['values'], member: string) => boolean = () => false,
	): ParameterRow[] {
		const stored = this.stored(path);
		if (!Array.isArray(stored)) return [];
		const rows = this.evaluate(path, this.field(path)) as Array<ParameterRow['values']>;
		return rows.map((values, at): ParameterRow => {
			const label = labelOf(values, at);
			const members = stored[at] as Record<string, unknown>;
			for (const [name, text] of Object.entries(members)) {
				const field = { label, isSecret: false };
				this.check(field, { stored: text, value: values[name] }, mayBeUndefined(values, name));
			}
			return { label, values, stored: members };
		});
	}

	/** The name of a field for the user. */
	label(path: string): string {
		return this.field(path).label;
	}

	/** Returns a field, or all fields below a path, as the workflow stores them: with expressions. Undefined if there is none. */
	stored(path: string): unknown {
		let value: unknown = this.run.node.parameters;
		for (const name of namesIn(path)) value = isObject(value) ? value[name] : undefined;
		return value;
	}

	private field(path: string): Field {
		const unknown = { label: path, isRequired: false, isSecret: false, default: undefined };
		return this.run.findField(path) ?? unknown;
	}

	/** Reads a field; undefined if it's empty. */
	private optional(path: string): unknown {
		const value = this.read(path, this.field(path), true);
		return isBlank(value) ? undefined : value;
	}

	private read(
		path: string,
		field: Pick<Field, 'label' | 'isSecret'>,
		mayBeUndefined: boolean,
	): unknown {
		const stored = this.stored(path);
		if (stored === undefined) return undefined;
		const value = this.evaluate(path, field);
		this.check(field, { stored: unwrapped(stored), value: unwrapped(value) }, mayBeUndefined);
		return value;
	}

	/** @throws SegmindFailure with n8n's explanation if n8n can't evaluate an expression */
	private evaluate(path: string, field: Pick<Field, 'label' | 'isSecret'>): unknown {
		try {
			return this.run.context.getNodeParameter(path, this.itemIndex);
		} catch (error) {
			throw evaluationFailure(field, error, this.run.redact);
		}
	}

	/** @throws SegmindFailure if a stored text has a wrong expression */
	private check(
		field: Pick<Field, 'label' | 'isSecret'>,
		{ stored, value }: { stored: unknown; value: unknown },
		mayBeUndefined: boolean,
	): void {
		const { context, isTool } = this.run;
		if (isTool || typeof stored !== 'string') return;
		const fault = faultOfText({ stored, value, mayBeUndefined }, (expression) =>
			context.evaluateExpression(expression, this.itemIndex),
		);
		if (fault) throw expressionFailure(field, fault);
	}
}

/** Splits a path. A name with dots is the last one, in brackets and quotes. */
function namesIn(path: string): string[] {
	const [, parent, name] = /^(.*)\["(.*)"\]$/s.exec(path) ?? [];
	return name === undefined ? path.split('.') : [...parent.split('.'), name];
}
