import { safeTextOf } from '../base/redact';
import { badInput, fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { hasFormValue, type WireType } from '../catalogue/form';
import { parseDecimal } from '../catalogue/listedParameters';
import { INPUTS } from '../errors/inputTable';
import type { Item } from '../run/item';
import { isObject, parseJson } from '../service/schemas';
import { assertExpressions, rawParameter } from './expressions';
import { readJson } from './json';
import { labelOf, type BodyParameters } from './bodyParameters';
import { readFileField, type NamedInput } from './files';

/**
 * Reads the values of the form of an item, converted to the model's types. A value that can't be converted is sent unchanged. Empty and null values are
 * left out, so an untouched form sends nothing. `neededFile`: the parameter of the file that the task needs.
 *
 * Values are read one by one: if n8n reads `parameters.value` as a whole, it validates it against the stored schema, which may be outdated.
 * @throws SegmindFailure that names the parameter, before any call, for an expression or a file that can't be sent
 */
export function readForm(
	item: Item,
	known: BodyParameters,
	neededFile: string | undefined,
): NamedInput[] {
	const { session, index: itemIndex } = item;
	const raw = rawParameter(session, 'parameters.value');
	const entries = Object.entries(isObject(raw) ? raw : {});
	return entries.flatMap(([name, rawValue]): NamedInput[] => {
		if (!hasFormValue(rawValue)) return [];
		const label = labelOf(known, name);
		const { type, list = false, required } = known.byName.get(name) ?? {};
		const isOptional = required !== true && name !== neededFile;
		assertExpressions(item, label, rawValue, isOptional);
		const path = `parameters.value["${name}"]`;
		const value: unknown = session.context.getNodeParameter(path, itemIndex, '');
		if (!hasFormValue(value)) {
			const values = { item: itemIndex, label, expression: safeTextOf(rawValue), fault: 'empty' };
			// An agent leaves a field out by sending an empty text.
			if (session.isTool) return [];
			if (name === neededFile) throw badInput(INPUTS.undefinedPart, values);
			if (type === 'file' || value === undefined) session.hints.add(fill(HINTS.leftOut, values));
			return [];
		}
		if (type !== 'file') {
			const converted = type ? convert(value, { type, list }) : value;
			if (!hasFormValue(converted)) return [];
			// An expression may have made an object of any depth.
			return [
				[name, { value: typeof converted === 'object' ? readJson(converted, label) : converted }],
			];
		}
		const files = readFileField(item, label, value, list);
		return files.parts.length === 0 ? [] : [[name, files]];
	});
}

/** Returns the value in the type to send; unchanged if it can't be converted without loss. */
function convert(value: unknown, { type, list }: WireType): unknown {
	if (type === 'string' && !list)
		return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
	if (typeof value !== 'string') return value;
	const text = value.trim();
	if (text === '') return undefined;
	const parsed = parseJson(text);
	if (list) return Array.isArray(parsed) ? parsed : value;
	const number = parseDecimal(text);
	// JSON numbers can't represent large integers exactly, so they stay text.
	const isInexact = Number.isInteger(number) && !Number.isSafeInteger(number);
	if (type === 'number') return isInexact ? value : (number ?? value);
	if (type === 'boolean') return /^(true|false)$/i.test(text) ? /^true$/i.test(text) : value;
	return parsed === undefined ? value : parsed;
}
