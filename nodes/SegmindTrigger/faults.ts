import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { errorForN8n, SegmindFailure } from '../shared/base/failure';

/** The first fault to be shown among transient ones in a row; after it, one at every doubling. */
const FIRST_SHOWN = 5;

/** True for a fault that the next poll may get past. The end of this poll's time is one. */
export function isTransientFault(error: unknown): error is SegmindFailure {
	if (!(error instanceof SegmindFailure)) return false;
	const { kind, transient, httpCode = 0 } = error.facts;
	return transient === true || kind === 'stopped' || httpCode === 429 || httpCode >= 500;
}

/**
 * Whether a fault of a poll becomes a failed execution. Pure. A transient one does not, until it lasts. At a first poll every fault does:
 * without a record of what was there, it could not be known later what is new.
 * @param before transient faults in a row before this one
 * @returns `consecutive` with this one counted; 0 when it is not transient
 */
export function faultOf(
	error: unknown,
	before: number,
	first: boolean,
): { shown: boolean; consecutive: number } {
	if (!isTransientFault(error)) return { shown: true, consecutive: 0 };
	const consecutive = before + 1;
	return { shown: first || isShownAt(consecutive), consecutive };
}

/** True for the 5th, 10th, 20th, 40th and so on. */
function isShownAt(consecutive: number): boolean {
	let at = FIRST_SHOWN;
	while (at < consecutive) at *= 2;
	return at === consecutive;
}

/** n8n's error for whatever was thrown, with the failure's own message, description and HTTP status. */
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

/** n8n renders an error as HTML, and ids and reasons in it are foreign text. */
function withoutMarkup(text: string): string {
	return text.replaceAll('<', '‹').replaceAll('>', '›');
}
