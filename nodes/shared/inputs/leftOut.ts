/** What is said about a field whose expression is empty. */
import type { SegmindFailure } from '../base/failure';
import { say } from '../errors/say';
import { missingValueFailure } from '../parameters/expressions';
import type { Item } from '../run/item';

/** Adds a hint that a field isn't sent, because its expression is empty. */
export function addLeftOutHint({ run, index }: Item, label: string): void {
	const text = say`the expression in ${label} resolved to nothing, so it was left out.`;
	run.events.addHint({ item: index, text });
}

/** Returns the error for a field that the task needs, and whose expression is empty. */
export function emptyExpressionFailure(label: string, stored: unknown): SegmindFailure {
	return missingValueFailure(label, String(stored), 'empty');
}
