/** Makes the error of one item. */
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { describeError } from '../base/describeError';
import { costOf, SegmindFailure, type Charge, type FailureFacts } from '../base/failure';
import { redact, type Redact } from '../base/redact';
import { DELIVERY_OPTIONS, readOption } from '../descriptions/options';
import { fieldsOfFailed } from '../output/arrangement';
import { ItemParameters } from '../parameters/itemParameters';
import { isToolUse, type NodeRun } from '../run/run';

/** Returns the facts of anything that was thrown. What n8n's own error describes is the next step. */
export function factsOf(error: unknown, redactText: Redact): FailureFacts {
	if (error instanceof SegmindFailure) return error.facts;
	const { description } = (error ?? {}) as { description?: string | null };
	return new SegmindFailure('other', {
		message: describeError(error, redactText),
		next: redactText(description || ''),
	}).facts;
}

/**
 * How a failed item runs again. `retry`: n8n's. `step`: "Execute step" in the editor, in a saved workflow. The others send a new request: `newRun`, because
 * n8n offers no retry if failures become items, after Stop, or in a sub-workflow, which starts from the beginning; `newCall` of an agent.
 */
type Again = 'retry' | 'step' | 'newRun' | 'newCall';

export function againOf(run: NodeRun, itemIndex: number, isStopped: boolean): Again {
	const { context, isTool, isManual } = run;
	if (isTool) return 'newCall';
	if (context.continueOnFail() && !isStopped) return 'newRun';
	if (run.journal.ofItem(itemIndex).slot?.isStep) return 'step';
	return isManual || isStopped || context.getMode() === 'integrated' ? 'newRun' : 'retry';
}

/** What a retry does about a request, by its charge. */
const RETRY_BY_CHARGE: Partial<Record<Charge, string>> = {
	ifCompletes: 'waits for it',
	completed: 'gets its result',
	unknown: "doesn't send it again",
	perhaps: "doesn't send it again",
};
const RETRY = {
	neverResends: "doesn't send it again",
	searches: "sends it again if the history still doesn't show it",
	resends: 'sends it again',
};

export const NEW_REQUEST = {
	newRun: 'a new run is charged as well',
	newCall: 'another call is charged as well',
};

/** Says in a sentence what a failed item costs, and whether it resumes its request if it runs again. */
export function costSentence(
	facts: Pick<FailureFacts, 'kind' | 'charge' | 'retry' | 'requestId'>,
	again: Again,
): string {
	const { charge, retry, requestId } = facts;
	const cost = costOf(facts);
	const done = retry ? RETRY[retry] : charge && RETRY_BY_CHARGE[charge];
	if (done === undefined) return cost && `${cost}.`;
	if (again === 'step') {
		const isSent = retry === 'searches' || retry === 'resends';
		return `${cost}, and Execute step ${done}${isSent ? '' : ' (for an hour, in this n8n process)'}.`;
	}
	const isResumed = !retry && (charge === 'ifCompletes' || charge === 'completed');
	if (again === 'retry')
		return `${cost}, and a retry ${done}${isResumed ? ' without sending a new one' : ''}.`;
	const canGet = isResumed && requestId !== undefined;
	return canGet
		? `${cost}: get its result with Get Result and its ID, because ${NEW_REQUEST[again]}.`
		: `${cost}, and ${NEW_REQUEST[again]}.`;
}

/** Returns the message of an error. For a tool it contains the description, because agents see only the message (docs/n8n.md N211). */
export function messageOf(failed: FailureFacts, isTool: boolean): string {
	return isTool ? `${failed.message.replace(/\.$/, '')}. ${failed.description}` : failed.message;
}

/** An error item names at most this many candidates. */
const MAX_CANDIDATES = 10;

export function errorMemberOf(failed: FailureFacts): IDataObject {
	const { httpCode, requestId, message, description, reason, charge, outcomeUnknown } = failed;
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
		...(charge === undefined ? {} : { charge }),
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
		return isIncluded ? fieldsOfFailed(context.getInputData()[itemIndex].json) : {};
	} catch {
		return {};
	}
}

/** Returns what a failed item costs. A completed request was charged, whatever the last call about it shows, unless it's also reported as failed. */
function chargeOf(
	{ kind, charge }: FailureFacts,
	isOurs: boolean,
	request?: { hasCompleted?: boolean },
): Charge | undefined {
	if (request?.hasCompleted && kind !== 'contradicted') return 'completed';
	return request && !isOurs ? 'ifCompletes' : charge;
}

const NOTHING_KNOWN = 'As far as the node knows, nothing was sent for this item.';

/** Returns the facts of a failed item, with what the run knows: the request, its last known status, and what happens if the item runs again. */
export function factsOfFailedItem(run: NodeRun, itemIndex: number, error: unknown): FailureFacts {
	const thrown = factsOf(error, run.redact);
	const isOurs = error instanceof SegmindFailure;
	const request = run.events.requestOf(itemIndex);
	const { facts } = new SegmindFailure(thrown.kind, {
		...thrown,
		requestId: thrown.requestId ?? request?.id,
		status: thrown.status ?? request?.status,
		charge: chargeOf(thrown, isOurs, request),
		next: thrown.next || (request ? '' : NOTHING_KNOWN),
	});
	const hasSent = run.journal.ofItem(itemIndex).leftEntries.length > 0;
	if (!hasSent) return facts;
	const again = againOf(run, itemIndex, facts.kind === 'stopped');
	return { ...facts, description: `${costSentence(facts, again)} ${facts.next}`.trim() };
}
