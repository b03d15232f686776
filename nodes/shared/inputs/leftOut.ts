import { say, type Said } from '../errors/say';
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
	run.report.addHint({ item: index, text: leftOutHint(label) });
}

export function leftOutHint(label: string): Said {
	return say`the expression in ${label} resolved to nothing, so it was left out.`;
}
