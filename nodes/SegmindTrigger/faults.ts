import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { errorForN8n, SegmindFailure } from '../shared/base/failure';

/** Of transient faults in a row, the number of the first one that is shown. After it, a fault is shown each time the number has doubled. */
const FIRST_SHOWN_FAULT = 5;

/** Whether the next poll may succeed after this fault, for example because this poll ran out of time. */
export function isTransientFault(error: unknown): error is SegmindFailure {
	if (!(error instanceof SegmindFailure)) return false;
	const { kind, transient, httpCode = 0 } = error.facts;
	return transient === true || kind === 'stopped' || httpCode === 429 || httpCode >= 500;
}

/**
 * Whether a fault of a poll becomes a failed execution. Pure. A transient fault becomes one only if it lasts. At the first poll every fault becomes one:
 * without a record of existing requests, a later poll can't know which requests are new.
 * @param earlierFaults transient faults in a row before this one
 * @returns `consecutive`, including this one; 0 if it isn't transient
 */
export function assessFault(
	error: unknown,
	earlierFaults: number,
	isFirstPoll: boolean,
): { shown: boolean; consecutive: number } {
	if (!isTransientFault(error)) return { shown: true, consecutive: 0 };
	const consecutive = earlierFaults + 1;
	return { shown: isFirstPoll || isShownAt(consecutive), consecutive };
}

/** Whether this is the 5th, 10th, 20th, 40th fault, and so on. */
function isShownAt(consecutive: number): boolean {
	let at = FIRST_SHOWN_FAULT;
	while (at < consecutive) at *= 2;
	return at === consecutive;
}

/** Returns n8n's error for anything that was thrown, with the failure's message, description and HTTP status. */
export function nodeError(node: INode, error: unknown): Error {
	if (!(error instanceof SegmindFailure))
		return error instanceof Error ? error : new NodeOperationError(node, String(error));
	const { message, description, httpCode } = error.facts;
	return errorForN8n(node, {
		message: withoutMarkup(message),
		description: withoutMarkup(description),
		httpCode,
	});
}

/** Replaces angle brackets, because n8n shows an error as HTML, and the IDs and reasons in it come from outside. */
function withoutMarkup(text: string): string {
	return text.replaceAll('<', '‹').replaceAll('>', '›');
}
