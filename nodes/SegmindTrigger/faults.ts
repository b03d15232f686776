import type { INode } from 'n8n-workflow';

import { describeError, isExpected } from '../shared/base/describeError';
import { errorForN8n, SegmindFailure } from '../shared/base/failure';
import type { ErrorRow } from '../shared/errors/errorRows';
import { say } from '../shared/errors/say';

/** Of transient faults in a row, the number of the first one that is shown. */
const FIRST_SHOWN_FAULT = 5;

/** Whether the next poll may succeed after this fault, for example because this poll ran out of time. */
export function isTransientFault(error: unknown): error is SegmindFailure {
	if (!(error instanceof SegmindFailure)) return false;
	const { kind, transient } = error.facts;
	return transient === true || kind === 'stopped';
}

/** Whether a transient fault becomes a failed execution: the 5th, 10th, 20th, 40th in a row, and so on. */
export function isShownFault(consecutive: number): boolean {
	return Number.isInteger(Math.log2(consecutive / FIRST_SHOWN_FAULT));
}

/** Returns n8n's error for anything that was thrown. */
export function nodeError(node: INode, error: unknown): Error {
	if (error instanceof SegmindFailure) return errorForN8n(node, error.facts);
	if (isExpected(error)) return error;
	return errorForN8n(node, { message: describeError(error), description: '' });
}

/** The test event has no item. `thing`: in the user's words, such as "fine-tune job". */
export function nothingToShow(thing: string): ErrorRow {
	return {
		what: say`There is no ${thing} to show`,
		charge: 'none',
		todo: say`Fetch the test event again when there is one.`,
	};
}
