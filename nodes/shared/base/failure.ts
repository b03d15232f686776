import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { safeTextOf } from './redact';

/** What a failed item costs, as text. */
export const CHARGE = {
	none: 'Nothing was charged.',
	ifCompletes: 'It is charged if it completes.',
	acceptedIfCompletes: 'The request was accepted, and is charged if it completes.',
	completed: 'The request completed and was charged.',
	unknown: 'If Segmind accepted it, it is charged when it completes.',
} as const;
export type Charge = keyof typeof CHARGE;

/** The kinds of failures, one for each cause. */
export type FailureKind =
	| 'badInput'
	/** A URL outside the credential's origins. */
	| 'foreignOrigin'
	/** Not sent, because of an earlier item's failure or a limit of cost or balance. */
	| 'notSent'
	| 'stopped'
	| 'rejected'
	| 'noResponse'
	/** A call that creates or changes something may have been carried out, but its response was lost. */
	| 'unknownOutcome'
	/** A successful response, or the result of a completed request, that could not be used. */
	| 'unreadable'
	/** The service reported both COMPLETED and FAILED. */
	| 'contradicted'
	| 'requestFailed'
	/** The service has no record of the request. */
	| 'missing'
	| 'timedOut'
	/** An earlier attempt was charged, but its output wasn't kept and can't be fetched. */
	| 'outputLost'
	/** A file could not be read, sent or fetched. */
	| 'file'
	/** An error that isn't ours, such as n8n's error for an expression. */
	| 'other';

/** What the request history showed of a request whose result it doesn't have. `withoutFile`: the request completed, for example with a text. */
export type HistoryFinding =
	| 'notSearched'
	| 'outOfReach'
	| 'none'
	| 'candidates'
	| 'unfinished'
	| 'withoutFile';

/** What the user needs to know about a failed item. Becomes n8n's error or the error item (CONTRACT.md). */
export interface FailureFacts {
	kind: FailureKind;
	/** What happened, with the request ID if there is one. */
	message: string;
	/** What it costs and what to do. */
	description: string;
	/** What to do, without what it costs. */
	advice: string;
	/** What a retry of the execution does; shown only if n8n offers one. */
	retry?: string;
	/** What it costs, if that depends only on the kind of failure. */
	charge?: Charge;
	/** HTTP status, if there was a response. */
	httpCode?: number;
	requestId?: string;
	/** The last status of the request. */
	status?: string;
	/** True if all later items would fail too (wrong key, no credits): they fail without a call. */
	fatal?: true;
	/** True if a later attempt may succeed unchanged: no response, 429, 5xx, an unusable body. */
	transient?: true;
	/** True if a submission may have been accepted although there was no response. */
	outcomeUnknown?: true;
	search?: HistoryFinding;
	/** IDs of the requests that may be this one. */
	candidates?: string[];
}

/** The facts that the place of a failure provides: cost and advice, or a description with both. */
export type FailureInput = Omit<FailureFacts, 'kind' | 'description' | 'advice'> &
	(
		| { description: string; advice?: string }
		| { charge: Charge; advice: string; description?: undefined }
	);

/** Longest text of a failure, characters: it may quote names and responses of any length. */
const LONGEST_TEXT = 1_000;

/**
 * Carries the facts of a failed item to the item runner. Each of its texts is one line of limited length, without keys, tokens, or the passwords and
 * signatures of URLs.
 */
export class SegmindFailure extends Error {
	readonly facts: FailureFacts;

	constructor(kind: FailureKind, failing: FailureInput) {
		const message = safeTextOf(failing.message, LONGEST_TEXT);
		super(message);
		this.name = 'SegmindFailure';
		// The cost comes before the advice.
		const description = failing.description ?? `${CHARGE[failing.charge]} ${failing.advice}`;
		this.facts = {
			...failing,
			kind,
			message,
			description: safeTextOf(description, LONGEST_TEXT),
			advice: safeTextOf(failing.advice ?? description, LONGEST_TEXT),
		};
	}
}

/**
 * A failure in the form that a credential's preAuthentication throws. n8n wraps other errors in a NodeApiError, which loses the cause from 1.102 to
 * 2.33, but passes a NodeApiError on unchanged (docs/n8n.md N106).
 */
export function wrapForN8n(failure: SegmindFailure): Error {
	const { message } = failure;
	return Object.assign(new NodeApiError({} as INode, {}, { message }), { cause: failure });
}

/** n8n's error with exactly these texts. Its constructors replace messages that contain certain words by sentences of their own. */
export function errorForN8n(
	node: INode,
	{ message, description, httpCode }: Pick<FailureFacts, 'message' | 'description' | 'httpCode'>,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	const texts = { message, description, itemIndex };
	const error =
		httpCode === undefined
			? new NodeOperationError(node, message, texts)
			: new NodeApiError(node, { message }, { ...texts, httpCode: String(httpCode) });
	return Object.assign(error, { message, description });
}

/** The end of the description of every error that is thrown before any call. */
export const NOTHING_SENT = 'This attempt sent nothing, so it costs nothing.';
