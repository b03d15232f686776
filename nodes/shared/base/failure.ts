import { NodeApiError, type INode } from 'n8n-workflow';

import { oneLine } from './readable';
import { redact } from './redact';

/** What a person needs to know about a failed item; becomes n8n's error or the error item (CONTRACT.md). */
export interface FailureFacts {
	/** What happened, with the request id when there is one. */
	message: string;
	/** What it costs and what to do. */
	description: string;
	/** HTTP status, when the service answered. */
	httpCode?: number;
	requestId?: string;
	/** The request's state as last seen. */
	status?: string;
	/** Set when no later item can do better (bad key, empty balance): items not yet sent fail without a call. */
	haltsRun?: true;
	/** Set when a later try may well get past it with nothing changed: no answer, 429, 5xx, an unusable body. */
	passing?: true;
	/** Set when a creating call may have been accepted although no answer came. */
	outcomeUnknown?: true;
	/** Set when the execution was stopped. */
	stopped?: true;
}

/** Longest text of a failure, characters: names and answers of any length come into it. */
const LONGEST_TEXT = 1_000;
const ITS_END = 200;

/**
 * Carries the facts of a failed item from where they are known to the item runner; its texts are one line each, of a length to be read,
 * without keys, tokens, and passwords or signatures of addresses.
 */
export class SegmindFailure extends Error {
	readonly facts: FailureFacts;

	constructor(facts: FailureFacts) {
		const message = readable(redact(facts.message));
		super(message);
		this.name = 'SegmindFailure';
		this.facts = { ...facts, message, description: readable(redact(facts.description)) };
	}
}

/**
 * A failure as a credential's preAuthentication throws it. n8n wraps that in a NodeApiError, which from 1.102 to 2.33 loses its cause; but what is
 * a NodeApiError already it hands on as it is (platform fact 4).
 */
export function throughN8n(failure: SegmindFailure): Error {
	const { message } = failure;
	return Object.assign(new NodeApiError({} as INode, {}, { message }), { cause: failure });
}

/** A text in one line without control characters; of a long one the beginning and the end. */
export function readable(text: string): string {
	const shown =
		text.length > LONGEST_TEXT
			? `${text.slice(0, LONGEST_TEXT - ITS_END)} … ${text.slice(-ITS_END)}`
			: text;
	return oneLine(shown);
}

export const CHARGE = {
	none: 'Nothing was charged.',
	ifCompletes: 'It is charged if it completes.',
	unknown: 'Whether it was accepted, and so whether it is charged, is unknown.',
} as const;

/** Refused before any call: a parameter the user can mend. */
export function badInput(message: string, advice: string): SegmindFailure {
	return new SegmindFailure({
		message,
		description: `${advice} Nothing was sent, nothing was charged.`,
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
export function notSent(halt: FailureFacts): SegmindFailure {
	// What the earlier item cost says nothing of this one.
	const advice = halt.description.replace(
		/^(Nothing was charged|The request was accepted; [^.]*)\.\s*/,
		'',
	);
	return new SegmindFailure({
		message: `Not sent, because an earlier item failed: ${halt.message}`,
		description: `${CHARGE.none} ${advice}`,
		httpCode: halt.httpCode,
	});
}
