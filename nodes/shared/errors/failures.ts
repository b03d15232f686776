import {
	NOTHING_SENT,
	SegmindFailure,
	type Charge,
	type FailureFacts,
	type FailureKind,
	type FailureInput,
} from '../base/failure';
import { safeTextOf } from '../base/redact';
import { capitalize } from '../base/text';
import { GET_RESULT, type ErrorRow } from './errorRows';
import { quote, say, whole, type Said } from './say';
import { STATUSES, type CallPurpose, type StatusRow } from './statusTable';

/** The facts of a failure besides its kind and texts. */
type OtherFacts = Partial<Omit<FailureFacts, 'kind' | 'message' | 'description' | 'advice'>>;

/** Returns the error that a row describes. */
export function failureFrom(
	kind: FailureKind,
	{ what, charge, todo, retry }: ErrorRow,
	otherFacts: OtherFacts = {},
): SegmindFailure {
	const facts = { retry: retry?.said, ...otherFacts, message: what.said, advice: todo.said };
	if (charge === 'inTodo') return new SegmindFailure(kind, { ...facts, description: todo.said });
	const known = otherFacts.charge ?? charge;
	return new SegmindFailure(kind, { ...facts, charge: known, description: undefined });
}

/** Adds to an error of this attempt a sentence that the outcome of an earlier attempt is still unknown. */
export function withOpenOutcome(error: unknown, subject: string): unknown {
	if (!(error instanceof SegmindFailure) || error.facts.outcomeUnknown) return error;
	const { facts } = error;
	return new SegmindFailure(facts.kind, {
		...facts,
		charge: 'unknown',
		description:
			say`Segmind may have accepted an earlier request for ${subject} and may charge for it. ${whole(facts.advice)}`
				.said,
		outcomeUnknown: true,
	});
}

/** Says in an error about a request that has completed that it was charged, whatever the last call about it shows. */
export function withCompletion(error: unknown): unknown {
	if (!(error instanceof SegmindFailure)) return error;
	const { facts } = error;
	// A request that is also reported as failed may not have been charged.
	if (facts.kind === 'contradicted') return error;
	return new SegmindFailure(facts.kind, { ...facts, charge: 'completed', description: undefined });
}

/** Returns the error for an input that the user can correct; it's thrown before any call. */
export function badInput({ what, todo }: Pick<ErrorRow, 'what' | 'todo'>): SegmindFailure {
	return new SegmindFailure('badInput', {
		message: what.said,
		description: `${todo.said} ${NOTHING_SENT}`,
		advice: todo.said,
		charge: 'none',
	});
}

/** Returns the error for an empty input. */
export function emptyInput(label: string, todo: Said = say`Fill in ${label}.`): SegmindFailure {
	return badInput({ what: say`${label} is empty`, todo });
}

/** Returns the error for a wrong value; `wanted` describes a right one. */
export function wrongInput(label: string, value: unknown, wanted: string): SegmindFailure {
	return wrongState(label, describeValue(value), wanted);
}

/** Returns the error for an input whose state is wrong, such as a file that is `too large`. */
export function wrongState(label: string, state: string, wanted: string): SegmindFailure {
	return badInput({
		what: say`${label} is ${state}, but must be ${whole(wanted)}`,
		todo: say`Correct the value in the node, or the expression that returns it.`,
	});
}

/** Names a value for a text: a text is quoted. */
export function describeValue(value: unknown): string {
	if (value === '') return 'empty';
	if (value === null || value === undefined) return String(value);
	if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
	return `'${safeTextOf(value, 60)}'`;
}

/** A response with an error status, and the call that got it. */
interface StatusCase {
	purpose: CallPurpose;
	status: number;
	/** The service's message; '' if there is none. */
	reason: string;
	/** What was called, in the user's words: "model 'x'", "workflow 'y'", "request z". */
	subject: string;
	/** The accepted request that the call was about. */
	requestId?: string;
	/** Whether a proxy may have sent the response, because its form isn't known. */
	mayBeFromProxy?: boolean;
	/** The cause that the response names. */
	namedCause?: StatusRow;
}

const MAYBE_A_PROXY = ', or a proxy between n8n and Segmind answered';
const CHECK_PROXY = 'Otherwise, check the proxy or firewall between n8n and Segmind.';

/**
 * Returns what the error for a response with an error status says. Pure. It always quotes the service's message. Only HTTP 200 is charged
 * (docs/service.md S40).
 */
export function explainStatus(statusCase: StatusCase): FailureInput {
	const { status, reason, subject, requestId, mayBeFromProxy } = statusCase;
	const row = statusCase.namedCause ?? rowOf(statusCase);
	const { what, todo, todoWithoutReason = todo, fatal } = row;
	const causes = mayBeFromProxy ? `${what}${MAYBE_A_PROXY}` : what;
	const advice = reason === '' ? todoWithoutReason : todo;
	return {
		message: `${capitalize(quote(subject))}: ${causes} (HTTP ${status})${reason && !what.includes(reason) ? `: ${reason}` : ''}`,
		charge: chargeOfRejected(requestId),
		advice: mayBeFromProxy ? `${advice} ${CHECK_PROXY}` : advice,
		reason,
		httpCode: status,
		requestId,
		fatal,
	};
}

/** What a rejected call costs. `requestId`: the accepted request that it was about, which goes on whatever the call got. */
export function chargeOfRejected(requestId: string | undefined): Charge {
	return requestId === undefined ? 'none' : 'chargedIfCompletes';
}

function rowOf({ status, purpose, requestId }: StatusCase): StatusRow {
	const rows: Record<string, StatusRow | undefined> = STATUSES;
	const details = [...(requestId ? ['request'] : []), purpose];
	// The account API's calls manage something too.
	if (purpose === 'account' || purpose === 'apiKey') details.push('manage');
	const rowKey = [String(status), `${Math.floor(status / 100)}xx`]
		.flatMap((key) => [...details.map((detail) => `${key} ${detail}`), key])
		.find((key) => rows[key]);
	return rows[rowKey ?? 'other'] as StatusRow;
}

/** Returns the error for an item whose execution was stopped. `requestId`: the item's request, if it's still running. */
export function stoppedFailure(requestId?: string): SegmindFailure {
	if (!requestId)
		return failureFrom('stopped', {
			what: say`The execution was stopped before this item was sent`,
			charge: 'none',
			todo: say`Run the workflow again to send it.`,
		});
	const row: ErrorRow = {
		what: say`The execution was stopped before the node had the result of request ${requestId}`,
		charge: 'chargedIfCompletes',
		todo: GET_RESULT,
	};
	return failureFrom('stopped', row, { requestId });
}

/**
 * Returns the error for an item that wasn't sent, because an earlier item failed in a way in which all later items would fail too. `requestId`: the request
 * that wasn't checked.
 */
export function notSentFailure(
	{ message, advice, httpCode }: FailureFacts,
	requestId?: string,
): SegmindFailure {
	const what = requestId === undefined ? say`Not sent` : say`Request ${requestId} was not checked`;
	const row: ErrorRow = {
		what: say`${what}, because an earlier item failed: ${whole(message)}`,
		charge: chargeOfRejected(requestId),
		todo: whole(advice),
	};
	return failureFrom('notSent', row, { httpCode, requestId });
}
