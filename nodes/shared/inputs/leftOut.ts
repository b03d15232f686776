import { badInput, fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { INPUTS } from '../errors/inputTable';
import type { Item } from '../run/item';

/** A field whose expression is empty. */
interface EmptyField {
	path: string;
	label: string;
	/** Whether the task makes no sense without it. */
	isNeeded: boolean;
}

/** Adds a hint that a field isn't sent, because its expression is empty. @throws SegmindFailure if the task needs the field */
export function sayLeftOut(
	{ session, index, parameters }: Item,
	{ path, label, isNeeded }: EmptyField,
): void {
	const expression = String(parameters.stored(path));
	const values = { label, expression, fault: 'empty' };
	if (isNeeded) throw badInput(INPUTS.undefinedPart, values);
	session.report.addHint({ item: index, text: fill(HINTS.leftOut, values) });
}
