import {
	NOTHING_SENT,
	SegmindFailure,
	type FailureFacts,
	type FailureKind,
	type FailureInput,
} from '../base/failure';
import { safeTextOf } from '../base/redact';
import { capitalize } from '../base/text';
import { INPUTS } from './inputTable';
import { CAUSES, type CallPurpose, type ErrorRow } from './errorTable';
import { PARTS } from './parts';
import { NO_CREDITS, STATUSES } from './statusTable';

/** The values that replace the names in the braces of a text. */
type TextValues = Record<string, string | number | undefined>;

/** Longer names and values from outside are cut wherever a text quotes them. A request and its ID are shorter. */
const MAX_QUOTED_CHARS = 250;
/** The values that this package wrote or composed, such as sentences and lists of IDs, and the address of a result, which is of use only if it's complete. */
const WHOLE = new Set(
	'address advice existing first found ids known problem reason todo wanted why'.split(' '),
);

/** Replaces the names in braces by their values; a name without a value stays. All values are quoted, unless this package wrote them. */
export function fill(text: string, values: TextValues): string {
	return text.replace(/\{(\w+)\}/g, (brace, name: string) => {
		const value = values[name] ?? brace;
		return WHOLE.has(name) ? String(value) : quoted(value);
	});
}

/** Returns a name or value from outside as a text may quote it: one line of limited length, without secrets. */
function quoted(value: string | number): string {
	return safeTextOf(value, MAX_QUOTED_CHARS);
}

/** The facts of a failure besides its kind and texts. */
type OtherFacts = Partial<Omit<FailureFacts, 'kind' | 'message' | 'description' | 'advice'>>;

/** Returns the error that a row describes, with its texts filled in: `{request}` becomes the request ID. */
export function failureOf(
	kind: FailureKind,
	row: ErrorRow,
	values: TextValues = {},
	otherFacts: OtherFacts = {},
): SegmindFailure {
	const fillTexts = (text: string) => fill(text, { request: otherFacts.requestId, ...values });
	const filled = { ...row, what: fillTexts(row.what), todo: fillTexts(row.todo) };
	return failureFrom(kind, filled, otherFacts);
}

/** Returns the error with these texts, which have their values already. */
export function failureFrom(
	kind: FailureKind,
	{ what, charge, todo, retry }: ErrorRow,
	otherFacts: OtherFacts = {},
): SegmindFailure {
	return new SegmindFailure(kind, {
		retry,
		...otherFacts,
		message: what,
		...(charge ? { charge: otherFacts.charge ?? charge, advice: todo } : { description: todo }),
	});
}

/** Adds to an error of this attempt a sentence that the outcome of an earlier attempt is still unknown. */
export function withOpenOutcome(error: unknown, subject: string): unknown {
	if (!(error instanceof SegmindFailure) || error.facts.outcomeUnknown) return error;
	const { facts } = error;
	return new SegmindFailure(facts.kind, {
		...facts,
		charge: 'unknown',
		description: fill(PARTS.stillOpen, { subject, advice: facts.advice }),
		outcomeUnknown: true,
	});
}

/** Returns the error for an input that the user can correct; it's thrown before any call. */
export function badInput(row: ErrorRow, values: TextValues = {}): SegmindFailure {
	const advice = fill(row.todo, values);
	return new SegmindFailure('badInput', {
		message: fill(row.what, values),
		description: `${advice} ${NOTHING_SENT}`,
		advice,
		charge: 'none',
	});
}

/** Returns the error for a wrong value; `wanted` describes a right one. */
export function wrongInput(label: string, value: unknown, wanted: string): SegmindFailure {
	return wrongState(label, describeValue(value), wanted);
}

/** Returns the error for an input whose state is wrong, such as a file that is `too large`. */
export function wrongState(label: string, state: string, wanted: string): SegmindFailure {
	return badInput(INPUTS.wrong, { label, value: state, wanted });
}

function describeValue(value: unknown): string {
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
	requestId?: string;
}

/**
 * Returns what the error for a response with an error status says. Pure. It always quotes the service's message. Only HTTP 200 is charged
 * (docs/service.md S40).
 */
export function explainStatus(statusCase: StatusCase): FailureInput {
	const { status, reason, subject, requestId, purpose } = statusCase;
	const { what, todo, todoWithoutReason = todo, fatal } = rowOf(statusCase);
	const isAccepted = requestId !== undefined && (purpose === 'status' || purpose === 'result');
	return {
		message: `${capitalize(quoted(subject))}: ${what} (HTTP ${status})${reason && !what.includes(reason) ? `: ${reason}` : ''}`,
		charge: isAccepted ? 'chargedIfCompletes' : 'none',
		advice: reason === '' ? todoWithoutReason : todo,
		reason,
		httpCode: status,
		requestId,
		fatal,
	};
}

function rowOf({ status, purpose, reason, requestId }: StatusCase): ErrorRow {
	const rows: Record<string, ErrorRow | undefined> = STATUSES;
	const details = [
		...(NO_CREDITS.test(reason) ? ['noCredits'] : []),
		...(requestId ? ['request'] : []),
		purpose,
	];
	// The account API's calls manage something too.
	if (purpose === 'account' || purpose === 'apiKey') details.push('manage');
	const rowKey = [String(status), `${Math.floor(status / 100)}xx`]
		.flatMap((key) => [...details.map((detail) => `${key} ${detail}`), key])
		.find((key) => rows[key]);
	return rows[rowKey ?? 'other'] as ErrorRow;
}

/** Returns the error for an item whose execution was stopped. `requestId`: the item's request, if it's still running. */
export function stoppedFailure(requestId?: string): SegmindFailure {
	return requestId
		? failureOf('stopped', CAUSES.stoppedRunning, {}, { requestId })
		: failureOf('stopped', CAUSES.stoppedBefore);
}

/** Returns the error for an item that wasn't sent, because an earlier item failed in a way in which all later items would fail too. */
export function notSentFailure({ message, advice, httpCode }: FailureFacts): SegmindFailure {
	return failureOf('notSent', CAUSES.notSent, { why: message, found: advice }, { httpCode });
}
