import type { Charge } from '../base/failure';
import { say, whole, type Said } from './say';

/** The text of an error: what happened, what it costs, what to do. */
export interface ErrorRow {
	what: Said;
	/** What it costs; comes before `todo`. `inTodo`: `todo` says what is known about the cost. */
	charge: Charge | 'inTodo';
	/** What to do. Doesn't mention a retry, because n8n doesn't always offer one. */
	todo: Said;
	/** What a retry of the execution does; shown only if n8n offers one. */
	retry?: Said;
}

/** What a retry does about an accepted request. */
export const RESUMES = say`A retry resumes this request instead of sending a new one, unless you change the inputs.`;

export const GET_RESULT = say`To get the result, use Get Result with the request ID within one hour of submission.`;

/** A response that can't be used. `why`: an excerpt of it, or what is missing. */
export interface UnusableResponse {
	subject: string;
	status: number | string;
	why: Said;
}

export function unusable({ subject, status, why }: UnusableResponse): ErrorRow {
	return {
		what: say`The response for ${subject} could not be used (HTTP ${status}): ${why}`,
		charge: 'none',
		todo: say`Run the node again.`,
	};
}

export const CHECK_STATE = say`You can check the current state, or run the node again: making the same change twice does no harm.`;

/** A change that may be made again. */
export function changeUnknown(why: Said): ErrorRow {
	return {
		what: say`The change may have been made: ${why}`,
		charge: 'inTodo',
		todo: CHECK_STATE,
	};
}

/** The response to a call that must not be made twice was lost, or can't be used. `whereToLook`: where the user sees whether it was carried out. */
export function creationUnknown(subject: string, why: Said, whereToLook: string): ErrorRow {
	return {
		what: say`It is unknown whether ${subject} succeeded: ${why}`,
		charge: 'inTodo',
		todo: whole(whereToLook),
	};
}

/** The execution was stopped during a call. `todo`: where the user sees whether it was carried out. */
export function stoppedSending(todo: Said): ErrorRow {
	return {
		what: say`The execution was stopped while the node was sending a request`,
		charge: 'inTodo',
		todo,
	};
}

/** The hint about a resent request. `found`: a sentence about the earlier request, which Segmind may have accepted. */
export function resentHint(subject: string, found: Said): Said {
	return say`the request for ${subject} was resent, although the request of an earlier attempt may have been accepted. ${found}`;
}
