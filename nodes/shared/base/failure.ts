import { NodeApiError, type INode } from 'n8n-workflow';

import { oneLine } from './readable';
import { redact } from './redact';

/** What a failed item costs, in words. */
export const CHARGE = {
	none: 'Nothing was charged.',
	ifCompletes: 'It is charged if it completes.',
	acceptedIfCompletes: 'The request was accepted; it is charged if it completes.',
	completed: 'The request completed and was charged.',
	unknown: 'Whether it was accepted, and so whether it is charged, is unknown.',
} as const;
export type Charge = keyof typeof CHARGE;

/** What a person needs to know about a failed item; becomes n8n's error or the error item (CONTRACT.md). */
export interface FailureFacts {
	/** What happened, with the request id when there is one. */
	message: string;
	/** What it costs and what to do. */
	description: string;
	/** What to do, without what it costs. */
	advice: string;
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
	/** Set when the execution was stopped. */
	stopped?: true;
}

/** The facts as they are known where something fails: what it costs and what to do, or both in a description of its own. */
export type Failing = Omit<FailureFacts, 'description' | 'advice'> &
	({ description: string; advice?: string } | { charge: Charge; advice: string });

/** Longest text of a failure, characters: names and answers of any length come into it. */
const LONGEST_TEXT = 1_000;
const ITS_END = 200;

/**
 * Carries the facts of a failed item from where they are known to the item runner; its texts are one line each, of a length to be read,
 * without keys, tokens, and passwords or signatures of addresses.
 */
export class SegmindFailure extends Error {
	readonly facts: FailureFacts;

	constructor(failing: Failing) {
		const message = readable(redact(failing.message));
		super(message);
		this.name = 'SegmindFailure';
		const { description, advice = '' } = wordsOf(failing);
		const { httpCode, requestId, status, fatal, transient, outcomeUnknown, stopped } = failing;
		this.facts = {
			message,
			description: readable(redact(description)),
			advice: readable(redact(advice)),
			httpCode,
			requestId,
			status,
			...(fatal && { fatal }),
			...(transient && { transient }),
			...(outcomeUnknown && { outcomeUnknown }),
			...(stopped && { stopped }),
		};
	}
}

/** What it costs comes before what to do. */
function wordsOf(failing: Failing): { description: string; advice?: string } {
	if ('charge' in failing)
		return { description: `${CHARGE[failing.charge]} ${failing.advice}`, advice: failing.advice };
	return { description: failing.description, advice: failing.advice ?? failing.description };
}

/**
 * A failure as a credential's preAuthentication throws it. n8n wraps that in a NodeApiError, which from 1.102 to 2.33 loses its cause; but what is
 * a NodeApiError already it hands on as it is (docs/n8n.md N106).
 */
export function wrapForN8n(failure: SegmindFailure): Error {
	const { message } = failure;
	return Object.assign(new NodeApiError({} as INode, {}, { message }), { cause: failure });
}

/** A text in one line without control characters; of a long one the beginning and the end. */
function readable(text: string): string {
	const shown =
		text.length > LONGEST_TEXT
			? `${text.slice(0, LONGEST_TEXT - ITS_END)} … ${text.slice(-ITS_END)}`
			: text;
	return oneLine(shown);
}

/** Refused before any call: a parameter the user can correct. */
export function badInput(message: string, advice: string): SegmindFailure {
	return new SegmindFailure({
		message,
		description: `${advice} Nothing was sent, nothing was charged.`,
		advice,
	});
}

/** The execution was stopped. `requestId` when a job of this item is known to run on. */
export function stopped(requestId?: string): SegmindFailure {
	return new SegmindFailure({
		message: requestId
			? `The execution was stopped while request ${requestId} was running`
			: 'The execution was stopped before this item was sent',
		description: requestId
			? `The request runs on at Segmind and is charged if it completes. Fetch it with the operation Get Result and its request ID.`
			: CHARGE.none,
		requestId,
		stopped: true,
	});
}

/** After a failure that no later item can get past, those not yet sent fail without a call. */
export function notSent({ message, advice, httpCode }: FailureFacts): SegmindFailure {
	return new SegmindFailure({
		message: `Not sent, because an earlier item failed: ${message}`,
		charge: 'none',
		advice,
		httpCode,
	});
}
