import { SegmindFailure, type FailureFacts, type FailureKind } from '../base/failure';
import { quoted, say, whole, type Said } from './say';

/** What the code that throws an error says: what happened and the one next step, a sentence each, without the full stop of the first. */
interface ErrorTexts {
	what: Said;
	/** Doesn't mention a retry, because n8n doesn't always offer one. */
	next: Said;
}

/** Texts of an error, its charge, and the facts that apply. */
export type FailureText = ErrorTexts &
	Partial<Omit<FailureFacts, 'kind' | 'message' | 'description' | 'next'>>;

/** Returns the error with these texts and facts. */
export function failureFrom(kind: FailureKind, { what, next, ...facts }: FailureText) {
	return new SegmindFailure(kind, { ...facts, message: what.said, next: next.said });
}

/** Adds to an error of this attempt that the outcome of an earlier attempt is still unknown. */
export function withOpenOutcome(error: unknown): unknown {
	if (!(error instanceof SegmindFailure) || error.facts.outcomeUnknown) return error;
	return error.with({ charge: 'earlierUnknown', outcomeUnknown: true });
}

/** Returns the error for an input that the user can correct; it's thrown before any call. */
export function badInput(what: Said, next: Said): SegmindFailure {
	return failureFrom('badInput', { what, charge: 'none', next });
}

/** Returns the error for an empty input. */
export function emptyInput(label: string, next: Said = say`Fill in ${label}.`): SegmindFailure {
	return badInput(say`${label} is empty`, next);
}

/** Returns the error for a wrong value; `wanted` describes a right one. */
export function wrongInput(label: string, value: unknown, wanted: string): SegmindFailure {
	return wrongState(label, describeValue(value), wanted);
}

/** Returns the error for an input whose state is wrong, such as a file that is `too large`. */
export function wrongState(label: string, state: string, wanted: string): SegmindFailure {
	return badInput(
		say`${label} is ${state}, but must be ${whole(wanted)}`,
		say`Correct the value, or the expression that returns it.`,
	);
}

/** Returns the error for a response that can't be used. `why`: an excerpt of it, or what is missing. `more`: what the caller knows better. */
export function unusable(
	subject: string,
	why: Said,
	more: Partial<FailureText> = {},
): SegmindFailure {
	return failureFrom('unreadable', {
		what: say`The response to ${subject} could not be used: ${why}`,
		charge: 'none',
		next: say`Run the node again.`,
		...more,
	});
}

/** Names a value for a text: a text is quoted. */
export function describeValue(value: unknown): string {
	if (value === '') return 'empty';
	if (value === null || value === undefined) return String(value);
	if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
	return quoted(value);
}

/** What a call that failed costs. `requestId`: the accepted request that it was about, which goes on whatever the call got. */
export function chargeOfFailedCall(requestId: string | undefined): 'none' | 'ifCompletes' {
	return requestId === undefined ? 'none' : 'ifCompletes';
}

export const BEFORE_EXPIRY = say`Segmind keeps the result for one hour after submission.`;

/** Returns the error for an item whose execution was stopped. `requestId`: the item's request, if it's still running. */
export function stoppedFailure(requestId?: string): SegmindFailure {
	const what = requestId
		? say`The execution was stopped before the node had the result`
		: say`The execution was stopped before this item was sent`;
	const next = requestId ? BEFORE_EXPIRY : say`Run the workflow again to send it.`;
	return failureFrom('stopped', { what, charge: chargeOfFailedCall(requestId), next, requestId });
}

/** Returns the error for an item whose execution was stopped during a call. `next`: where the user sees whether it was carried out. */
export function stoppedSending(next: Said): SegmindFailure {
	const what = say`The execution was stopped while the node was sending a request`;
	return failureFrom('stopped', { what, next });
}

/**
 * Returns the error for an item that wasn't sent, because an earlier item failed in a way in which all later items would fail too. `requestId`: the request
 * that wasn't checked.
 */
export function notSentFailure(
	{ reason, next, httpCode }: FailureFacts,
	requestId?: string,
): SegmindFailure {
	const what = requestId === undefined ? 'This item was not sent' : 'The request was not checked';
	return failureFrom('notSent', {
		what: say`${what}, because an earlier item failed: '${whole(reason)}'`,
		charge: chargeOfFailedCall(requestId),
		next: whole(next),
		httpCode,
		requestId,
	});
}

export const CHECK_STATE = say`Check the current state, or run the node again: making the same change twice does no harm.`;

/** The hint about a resent request. `found`: a sentence about the earlier request, which Segmind may have accepted. */
export function resentHint(subject: string, found: Said): Said {
	return say`the request for ${subject} was resent, although the request of an earlier attempt may have been accepted. ${found}`;
}
