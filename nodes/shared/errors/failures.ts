import {
	NOTHING_SENT,
	SegmindFailure,
	type FailureFacts,
	type FailureKind,
	type FailureInput,
} from '../base/failure';
import { capitalize } from '../base/text';
import { CAUSES, type CallPurpose, type Row } from './errorTable';
import { CAUSES_OF_406, STATUSES } from './statusTable';

/** What fills the braces of a text. */
type Values = Record<string, string | number | undefined>;

export function fill(text: string, values: Values): string {
	return text.replace(/\{(\w+)\}/g, (brace, name: string) => String(values[name] ?? brace));
}

/** What else is known of a failure. */
type Known = Partial<Omit<FailureFacts, 'kind' | 'message' | 'description' | 'advice'>>;

/** The error that a row describes, with its texts filled in; `{request}` becomes the ID. */
export function failureOf(
	kind: FailureKind,
	row: Row,
	values: Values = {},
	known: Known = {},
): SegmindFailure {
	const filled = (text: string) => fill(text, { request: known.requestId, ...values });
	const todo = filled(row.todo);
	return new SegmindFailure(kind, {
		retry: row.retry,
		...known,
		message: filled(row.what),
		...(row.charge ? { charge: known.charge ?? row.charge, advice: todo } : { description: todo }),
	});
}

/** An input that the user can correct; thrown before any call. */
export function badInput(row: Row, values: Values = {}): SegmindFailure {
	const advice = fill(row.todo, values);
	return new SegmindFailure('badInput', {
		message: fill(row.what, values),
		description: `${advice} ${NOTHING_SENT}`,
		advice,
		charge: 'none',
	});
}

export interface StatusCase {
	purpose: CallPurpose;
	status: number;
	/** The service's message; '' if there is none. */
	reason: string;
	/** What was called, in the user's words: "model 'x'", "workflow 'y'", "request z". */
	subject: string;
	requestId?: string;
}

/**
 * The error for a response with an error status. Pure. It always quotes the service's message. Only HTTP 200 is charged (docs/service.md S40).
 */
export function explainStatus(found: StatusCase): FailureInput {
	const { status, reason, subject, requestId, purpose } = found;
	const { what, todo, silent = todo, fatal } = rowOf(found);
	const id = requestId && !subject.includes(requestId) ? ` (request ${requestId})` : '';
	const accepted = requestId !== undefined && (purpose === 'status' || purpose === 'result');
	return {
		message: `${capitalize(subject)}: ${what} (HTTP ${status})${id}${reason && !what.includes(reason) ? `: ${reason}` : ''}`,
		charge: accepted ? 'acceptedIfCompletes' : 'none',
		advice: reason === '' ? silent : todo,
		httpCode: status,
		requestId,
		...(fatal && { fatal }),
	};
}

function rowOf({ status, purpose, reason, requestId }: StatusCase): Row {
	const rows: Record<string, Row | undefined> = STATUSES;
	const cause = CAUSES_OF_406.find(([, words]) => words.test(reason))?.[0];
	const details = [...(cause ? [cause] : []), ...(requestId ? ['request'] : []), purpose];
	const row = [String(status), `${Math.floor(status / 100)}xx`]
		.flatMap((key) => [...details.map((detail) => `${key} ${detail}`), key])
		.find((key) => rows[key]);
	return rows[row ?? 'other'] as Row;
}

/** The execution was stopped. `requestId`, if this item's request is still running. */
export function stoppedFailure(requestId?: string): SegmindFailure {
	return requestId
		? failureOf('stopped', CAUSES.stoppedRunning, {}, { requestId })
		: failureOf('stopped', CAUSES.stoppedBefore);
}

/** The error of an item that wasn't sent, because an earlier item failed in a way that all later ones would. */
export function notSentFailure({ message, advice, httpCode }: FailureFacts): SegmindFailure {
	return failureOf('notSent', CAUSES.notSent, { why: message, found: advice }, { httpCode });
}
