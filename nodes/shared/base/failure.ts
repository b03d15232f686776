import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { safeTextOf } from './redact';
import { toOneLine } from './text';

/** What a failed item costs, as the beginning of a sentence. */
export const CHARGE = {
	none: 'Nothing was charged',
	ifCompletes: 'The request is charged if it completes',
	completed: 'The request was charged',
	unknown: 'If Segmind accepted it, it is charged',
	earlierUnknown: 'If Segmind accepted an earlier request, it is charged',
	perhaps: 'The request may have been charged',
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
	/** The rate limit didn't allow the call in time: Segmind responded with 429, or the node's own limiter kept the call back. */
	| 'rateLimited'
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

/**
 * What a search of the request history found, if it has no result of the request. `underWay`: it wasn't searched, because the call may still get its
 * response. `completedWithoutFile`: the request completed, but not with a file, for example with text.
 */
type HistoryFinding =
	| 'outOfReach'
	| 'noHistory'
	| 'underWay'
	| 'none'
	| 'candidates'
	| 'unfinished'
	| 'completedWithoutFile';

/**
 * Who sent a response. `segmind`: it has the service's own form. `webPage`: a web page, so a proxy, a firewall or another server. `proxy`: the proxy that
 * n8n uses says so itself. `unknown`: it could be anybody's.
 */
export type Responder = 'segmind' | 'webPage' | 'proxy' | 'unknown';

/** What the user needs to know about a failed item. Becomes n8n's error or the error item (CONTRACT.md). */
export interface FailureFacts {
	kind: FailureKind;
	/** What happened, with the request ID at its end if there is one. */
	message: string;
	/** What it costs and the next step. */
	description: string;
	/** The one next step. */
	next: string;
	/** Only the cause: Segmind's reason or, if it gave none, the message. */
	reason: string;
	/** What it costs, if that depends only on the kind of failure. */
	charge?: Charge;
	/** What a retry does about a request that isn't free, unless it simply resumes one that was accepted, and doesn't resend any other. */
	retry?: 'searches' | 'resends' | 'neverResends';
	/** HTTP status, if there was a response. */
	httpCode?: number;
	/** Who sent that response, as far as its form shows. */
	responder?: Responder;
	/** The form of that response, if the node couldn't use it (`responseShape`). */
	responseShape?: object;
	requestId?: string;
	/** The last known status of the request. */
	status?: string;
	/** True if that status is from before the last checks, which showed none. */
	isStatusOld?: true;
	/** True if all later items would fail too (wrong key, no credits): they fail without a call. */
	fatal?: true;
	/** True if a later attempt may succeed unchanged: no response, 429, 5xx, an unusable body. */
	transient?: true;
	/** True if a submission may have been accepted although there was no response. */
	outcomeUnknown?: true;
	/** What the search for the request in the request history found. */
	search?: HistoryFinding;
	/** IDs of the requests that may be this one, the oldest first. */
	candidates?: string[];
	/** What n8n's own error about an expression carries, from which its editor explains the error. */
	n8nContext?: Record<string, string>;
}

/** The facts that the code that throws a failure provides. */
type FailureInput = Omit<FailureFacts, 'kind' | 'description' | 'reason'> & {
	reason?: string;
};

/** Longer texts of a failure are cut, because they may quote names and responses of any length. */
const MAX_TEXT_CHARS = 1_000;

/**
 * Carries the facts of a failed item to the item runner. Each of its texts is one line of limited length, without keys, tokens, or the passwords and
 * signatures of URLs.
 */
export class SegmindFailure extends Error {
	readonly facts: FailureFacts;

	constructor(kind: FailureKind, input: FailureInput) {
		const message = withId(safeTextOf(input.message, MAX_TEXT_CHARS), input.requestId);
		super(message);
		this.name = 'SegmindFailure';
		const next = safeTextOf(input.next, MAX_TEXT_CHARS);
		const reason = safeTextOf(input.reason || message, MAX_TEXT_CHARS);
		const cost = costOf({ kind, charge: input.charge });
		const description = (cost && `${cost}. `) + next;
		this.facts = { ...input, kind, message, description, next, reason };
	}

	/** Returns a copy with other facts. */
	with(changes: Partial<FailureInput>): SegmindFailure {
		return new SegmindFailure(this.facts.kind, { ...this.facts, ...changes });
	}
}

function withId(message: string, requestId: string | undefined): string {
	if (requestId === undefined) return message;
	const id = toOneLine(requestId);
	return message.includes(id) ? message : `${message} (request ${id})`;
}

/** Returns the beginning of a sentence about what a failed item costs; '' if nothing is known. */
export function costOf({ kind, charge }: Pick<FailureFacts, 'kind' | 'charge'>): string {
	// An earlier attempt may have sent something.
	if (kind === 'badInput' && charge === 'none') return 'Nothing was sent, so this attempt is free';
	return charge === undefined ? '' : CHARGE[charge];
}

/**
 * Converts a failure to the error that a credential's preAuthentication must throw. n8n passes a NodeApiError on unchanged, but wraps any other error
 * in one, which loses the cause from 1.102 to 2.33.
 */
export function wrapForN8n(failure: SegmindFailure): Error {
	const { message } = failure;
	return Object.assign(new NodeApiError({} as INode, {}, { message }), { cause: failure });
}

/** Returns n8n's error with exactly these texts, which are set afterwards: its constructors replace messages that contain certain words. */
export function errorForN8n(
	node: INode,
	{
		message,
		description,
		httpCode,
		responseShape,
	}: Pick<FailureFacts, 'message' | 'description' | 'httpCode' | 'responseShape'>,
): NodeApiError | NodeOperationError {
	const texts = { message, description };
	const error =
		httpCode === undefined
			? new NodeOperationError(node, message, texts)
			: new NodeApiError(node, { message }, { ...texts, httpCode: String(httpCode) });
	// n8n's editor shows it under Error details.
	if (responseShape) error.context.data = [{ response: responseShape }];
	return Object.assign(error, { message, description });
}
