import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { shown } from './redact';

/** What a failed item costs, in words. */
export const CHARGE = {
	none: 'Nothing was charged.',
	ifCompletes: 'It is charged if it completes.',
	acceptedIfCompletes: 'The request was accepted, and is charged if it completes.',
	completed: 'The request completed and was charged.',
	unknown: 'If Segmind accepted it, it is charged when it completes.',
} as const;
export type Charge = keyof typeof CHARGE;

/** What went wrong, one word for each cause. */
export type FailureKind =
	| 'badInput'
	/** An address that the credential does not trust. */
	| 'foreignOrigin'
	/** Held back: an earlier item's failure, a limit of cost or balance. */
	| 'notSent'
	| 'stopped'
	| 'rejected'
	| 'noResponse'
	/** A call that creates or changes something may have been carried out: its answer is lost. */
	| 'unknownOutcome'
	/** A success, or the result of a completed request, that could not be used. */
	| 'unreadable'
	/** The status says COMPLETED, the result FAILED. */
	| 'contradicted'
	| 'requestFailed'
	/** The service has none, or no record of it any more. */
	| 'missing'
	| 'timedOut'
	/** Charged in an earlier try, and neither kept nor to be asked for. */
	| 'outputLost'
	/** A file could not be read, sent or fetched. */
	| 'file'
	/** Not ours: an error of n8n's, such as an expression's. */
	| 'other';

/** What the request history said of a request that it did not give; `withoutFile`: it completed with a text, say. */
export type HistorySays =
	| 'notSearched'
	| 'outOfReach'
	| 'none'
	| 'candidates'
	| 'unfinished'
	| 'withoutFile';

/** What a person needs to know about a failed item; becomes n8n's error or the error item (CONTRACT.md). */
export interface FailureFacts {
	kind: FailureKind;
	/** What happened, with the request id when there is one. */
	message: string;
	/** What it costs and what to do. */
	description: string;
	/** What to do, without what it costs. */
	advice: string;
	/** What a retry of the execution does; told only where n8n offers one. */
	retry?: string;
	/** What it costs, where that can be said in general. */
	charge?: Charge;
	/** HTTP status, when the service answered. */
	httpCode?: number;
	requestId?: string;
	/** The request's state as last seen. */
	status?: string;
	/** Set when no later item can do better (bad key, empty balance): items not yet sent fail without a call. */
	fatal?: true;
	/** Set when a later try may well get past it with nothing changed: no answer, 429, 5xx, an unusable body. */
	transient?: true;
	/** Set when a creating call may have been accepted although no answer came. */
	outcomeUnknown?: true;
	search?: HistorySays;
	/** Ids of the requests that may be it. */
	candidates?: string[];
}

/** The facts as they are known where something fails: what it costs and what to do, or both in a description of its own. */
export type Failing = Omit<FailureFacts, 'kind' | 'description' | 'advice'> &
	(
		| { description: string; advice?: string }
		| { charge: Charge; advice: string; description?: undefined }
	);

/** Longest text of a failure, characters: names and answers of any length come into it. */
const LONGEST_TEXT = 1_000;

/**
 * Carries the facts of a failed item from where they are known to the item runner; its texts are one line each, of a length to be read,
 * without keys, tokens, and passwords or signatures of addresses.
 */
export class SegmindFailure extends Error {
	readonly facts: FailureFacts;

	constructor(kind: FailureKind, failing: Failing) {
		const message = shown(failing.message, LONGEST_TEXT);
		super(message);
		this.name = 'SegmindFailure';
		// What it costs comes before what to do.
		const description = failing.description ?? `${CHARGE[failing.charge]} ${failing.advice}`;
		this.facts = {
			...failing,
			kind,
			message,
			description: shown(description, LONGEST_TEXT),
			advice: shown(failing.advice ?? description, LONGEST_TEXT),
		};
	}
}

/**
 * A failure as a credential's preAuthentication throws it. n8n wraps that in a NodeApiError, which from 1.102 to 2.33 loses its cause; but what is
 * a NodeApiError already it hands on as it is (docs/n8n.md N106).
 */
export function wrapForN8n(failure: SegmindFailure): Error {
	const { message } = failure;
	return Object.assign(new NodeApiError({} as INode, {}, { message }), { cause: failure });
}

/** n8n's error with these texts as they are: its constructors put sentences of their own in place of messages that contain certain words. */
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

/** Ends the description of every error that is thrown before any call. */
export const NOTHING_SENT = 'This attempt sent nothing, so it costs nothing.';
