import { fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { undefinedPart } from '../parameters/expressions';
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
	{ run, index, parameters }: Item,
	{ path, label, isNeeded }: EmptyField,
): void {
	const expression = String(parameters.stored(path));
	if (isNeeded) throw undefinedPart(label, expression, 'empty');
	run.report.addHint({ item: index, text: fill(HINTS.leftOut, { label }) });
}
