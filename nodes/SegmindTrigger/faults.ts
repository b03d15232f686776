import type { INode } from 'n8n-workflow';

import { describeError, isExpected } from '../shared/base/describeError';
import { errorForN8n, SegmindFailure, type FailureKind } from '../shared/base/failure';
import { failureFrom } from '../shared/errors/failures';
import { say } from '../shared/errors/say';

/** Whether the next poll may succeed after this fault, for example because this poll ran out of time. */
export function isTransientFault(error: unknown): error is SegmindFailure {
	if (!(error instanceof SegmindFailure)) return false;
	const { kind, transient } = error.facts;
	return transient === true || kind === 'stopped';
}

/** Returns n8n's error for anything that was thrown. */
export function nodeError(node: INode, error: unknown): Error {
	if (error instanceof SegmindFailure) return errorForN8n(node, error.facts);
	if (isExpected(error)) return error;
	return errorForN8n(node, { message: describeError(error), description: '' });
}

/** The test event has no item. `thing`: in the user's words, such as "fine-tune job". */
export function nothingToShow(kind: FailureKind, thing: string): SegmindFailure {
	return failureFrom(kind, {
		what: say`There is no ${thing} to show`,
		charge: 'none',
		next: say`Fetch the test event again when there is one.`,
	});
}
