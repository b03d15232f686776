/** Makes the error of one item. */
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { describeError } from '../base/describeError';
import { CHARGE, SegmindFailure, type FailureFacts } from '../base/failure';
import { redact, type Redact } from '../base/redact';
import { toOneLine } from '../base/text';
import { DELIVERY_OPTIONS, readOption } from '../descriptions/options';
import { withCompletion } from '../errors/failures';
import { say, type Said } from '../errors/say';
import { keptFields } from '../output/arrangement';
import { ItemParameters } from '../parameters/itemParameters';
import { isToolUse, type NodeRun } from '../run/run';

export function factsOf(error: unknown, redactText: Redact): FailureFacts {
	if (error instanceof SegmindFailure) return error.facts;
	const { description } = (error ?? {}) as { description?: string | null };
	return new SegmindFailure('other', {
		message: describeError(error, redactText),
		description: redactText(description || ''),
	}).facts;
}

/** Adds the request ID and the last known status to every error of an item whose request was accepted. */
function withRequest(
	failed: FailureFacts,
	{ id: requestId, status: lastStatus }: { id?: string; status?: string },
): FailureFacts {
	const description = failed.description || CHARGE.chargedIfCompletes;
	const status = failed.status ?? lastStatus;
	if (requestId === undefined) return { ...failed, description, status };
	const shownId = toOneLine(requestId);
	const message = failed.message.includes(shownId)
		? failed.message
		: `${failed.message} (request ${shownId})`;
	return { ...failed, message, description, status, requestId: failed.requestId ?? requestId };
}

/** The description of an item whose error is not ours. */
const NOTHING_KNOWN = say`As far as the node knows, nothing was sent for this item.`;

function withDescription(failed: FailureFacts): FailureFacts {
	const description = failed.description || NOTHING_KNOWN.said;
	return { ...failed, description };
}

/** Adds what a retry does. n8n offers no retry in a sub-workflow, which starts from the beginning (docs/n8n.md N139), or if failures become items. */
function withRetryNote(failed: FailureFacts, context: IExecuteFunctions): FailureFacts {
	const { retry, description } = failed;
	if (retry === undefined) return failed;
	const hasNoRetry = isCalledWorkflow(context) || context.continueOnFail();
	const note = hasNoRetry ? newRequestNote(failed).said : retry;
	return { ...failed, description: `${description} ${note}` };
}

export function newRequestNote({
	requestId,
	candidates,
}: Pick<FailureFacts, 'requestId' | 'candidates'>): Said {
	const isNamed = requestId !== undefined || candidates !== undefined;
	const instead = isNamed
		? say`use Get Result with the request ID instead`
		: say`check the request history in the Segmind console first`;
	return say`If your workflow runs this node again, the node sends a new request. To avoid paying twice, ${instead}.`;
}

export function isCalledWorkflow(context: IExecuteFunctions): boolean {
	return context.getMode() === 'integrated';
}

export const TOOL_SENDS_ANEW = say`Calling this tool again is not a retry: it sends a new request.`;

/** Adds a note for an agent: a model that calls the tool again sends a new request, which is charged. The other notes are about n8n's retries. */
function withNewRequestNote(failed: FailureFacts): FailureFacts {
	return { ...failed, description: `${failed.description} ${TOOL_SENDS_ANEW.said}` };
}

/** Returns the message of an error. For a tool it contains the description, because agents see only the message (docs/n8n.md N211). */
export function messageOf(failed: FailureFacts, isTool: boolean): string {
	return isTool ? `${failed.message.replace(/\.$/, '')}. ${failed.description}` : failed.message;
}

/** An error item names at most this many candidates. */
const MAX_CANDIDATES = 10;

export function errorMemberOf(failed: FailureFacts): IDataObject {
	const { httpCode, requestId, message, description, reason, outcomeUnknown } = failed;
	const { candidates = [] } = failed;
	const more = candidates.length - MAX_CANDIDATES;
	const status = outcomeUnknown ? 'UNKNOWN' : failed.status;
	return {
		message,
		description,
		reason,
		...(httpCode === undefined ? {} : { httpCode }),
		...(requestId === undefined ? {} : { request_id: requestId }),
		...(status === undefined ? {} : { status }),
		...(candidates.length === 0 ? {} : { candidates: candidates.slice(0, MAX_CANDIDATES) }),
		...(more > 0 ? { more_candidates: more } : {}),
	};
}

/**
 * Returns the fields of the input that a failed item has beside its error: with Include Other Input Fields, the row to act on. At the error output, n8n
 * itself adds them, and sends items with other fields than an error to the first output (docs/n8n.md N133).
 */
export function inputFieldsOf(context: IExecuteFunctions, itemIndex: number): IDataObject {
	const node = context.getNode();
	if (isToolUse(context) || node.onError === 'continueErrorOutput') return {};
	// There may be no run: the credential may be what is wrong.
	const source = { context, node, findField: () => undefined, isTool: false, redact };
	try {
		const parameters = new ItemParameters(source, itemIndex);
		const isIncluded = readOption(parameters, DELIVERY_OPTIONS.includeOtherFields) === true;
		return isIncluded ? keptFields(context.getInputData()[itemIndex].json) : {};
	} catch {
		return {};
	}
}

/** Returns the facts of a failed item, with the texts that depend on the run. */
export function factsOfFailedItem(run: NodeRun, itemIndex: number, error: unknown): FailureFacts {
	const request = run.report.requestOf(itemIndex);
	const facts = factsOf(request?.hasCompleted ? withCompletion(error) : error, run.redact);
	const described = request ? withRequest(facts, request) : withDescription(facts);
	const failed = withRetryNote(described, run.context);
	const hasEntry = run.isTool && run.journal.ofItem(itemIndex).leftEntries.length > 0;
	return hasEntry ? withNewRequestNote(failed) : failed;
}
