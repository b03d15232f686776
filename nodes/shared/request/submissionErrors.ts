import { SegmindFailure } from '../base/failure';
import { capital } from '../base/text';
import type { Found, Refusal } from '../journal/lifecycle';
import type { Session } from '../run/session';
import { refusal } from '../service/answerErrors';
import { excerpt } from '../service/errorBody';
import type { Sent } from '../service/retry';
import type { CreatingCall } from './creatingCall';

/** The failures of a submission that is not known to be accepted, or was refused. Each says only what is certain about charging, and what a retry will do. */

/** Nothing may be sent, and there is nothing to ask for. */
export function refused(call: CreatingCall, why: Refusal): SegmindFailure {
	const { entry } = call.record;
	switch (why) {
		case 'mayBeAccepted':
			return unknownOutcome(call, 'an earlier try got no answer after sending it', {
				kind: 'notSearched',
			});
		case 'madeByAnother':
			return new SegmindFailure({
				message: `The request for ${call.subject} may have been accepted by an earlier try, with the credential '${entry.by?.name ?? ''}'`,
				charge: 'unknown',
				advice: `Whether it was can only be seen with that credential: choose it again and retry, or look at the request history of its account. Turn on the option Resubmit When Unknown to send it again with this one.`,
				outcomeUnknown: true,
			});
		case 'outputLost':
			return outputLost();
	}
}

/** What is known where no request was found. */
export type NotFound = Exclude<Found, { kind: 'found' }> | { kind: 'notSearched' };

/** It may have been accepted, and the search did not find it. `why`: how its answer was lost. */
export function unknownOutcome(
	call: CreatingCall,
	why: string,
	found: NotFound,
	httpCode?: number,
): SegmindFailure {
	return new SegmindFailure({
		message: `The request for ${call.subject} may have been accepted: ${why}`,
		charge: 'unknown',
		advice: unknownOutcomeAdvice(call, found),
		httpCode,
		outcomeUnknown: true,
	});
}

/** How an answer was lost, in words. */
export function whyLost({ client }: Session, call: CreatingCall, sent: Sent): string {
	if (sent.kind === 'lost')
		return `no answer came, because ${excerpt(sent.fault.reason, client.redact)}`;
	return sent.kind === 'answer' ? refusal(client, sent.answer, call).message : 'no answer came';
}

/** What was done to find out, and what a retry will do. Only what is true of this call. */
export function unknownOutcomeAdvice({ managed, record }: CreatingCall, found: NotFound): string {
	const soFar = managed ? `${capital(managed.whereToLook)}.` : searched(found);
	if (found.kind === 'ambiguous')
		return `${soFar} Nothing is sent again, so that nothing is paid twice; to send a new request all the same, change an input.`;
	if (record.entry.cause === 'gateway' && !managed)
		return `${soFar} A retry searches it once more, and sends the request again unless it is there.`;
	return `${soFar} A retry does not send it again, so that nothing is paid twice; turn on the option Resubmit When Unknown to send it again.`;
}

function searched(found: NotFound): string {
	switch (found.kind) {
		case 'notSearched':
			return 'The request history does not show such calls.';
		case 'none':
			return 'The request history was searched and does not show it.';
		case 'outOfReach':
			return 'The request history, which would show it, could not be read.';
		case 'ambiguous':
			return `The request history shows requests that may be this one or another's: ${found.candidates
				.slice(0, 10)
				.join(', ')}. Get Result fetches each by its ID.`;
	}
}

/** The outcome of this try is known, that of an earlier one is not. */
export function stillOpen({ subject }: CreatingCall, error: unknown): unknown {
	if (!(error instanceof SegmindFailure) || error.facts.outcomeUnknown) return error;
	const { facts } = error;
	return new SegmindFailure({
		...facts,
		description: `An earlier try of the request for ${subject} may have been accepted; whether it is charged is unknown. ${facts.advice}`,
		outcomeUnknown: true,
	});
}

/** Stop came during the search. */
export function stoppedDuringSearch(): SegmindFailure {
	return new SegmindFailure({
		message: 'The execution was stopped while an earlier try of this item was being looked for',
		charge: 'unknown',
		advice: 'The request history in the Segmind console shows it if it was accepted.',
		stopped: true,
		outcomeUnknown: true,
	});
}

/** It was charged, and there is nothing left to ask for. */
export function outputLost(): SegmindFailure {
	return new SegmindFailure({
		message:
			'An earlier try completed and was charged, but its output could not be kept and it carried no request ID',
		charge: 'completed',
		advice:
			'Look for it in the request history of the Segmind console. To make another one, change an input slightly or run the workflow again; API Version v2 keeps an address instead.',
	});
}

/** Statuses of a refusal that a parameter may have caused. */
const ABOUT_PARAMETERS = new Set([400, 406, 422, 500]);

/** Adds what is known of the model and contradicts what was sent: the service's own words often name no parameter. */
export function withContradictions(
	failure: SegmindFailure,
	session: Session,
	{ sentBody, contradictions }: CreatingCall,
): SegmindFailure {
	const { facts } = failure;
	const isAboutThem =
		facts.status === 'FAILED' ||
		(facts.httpCode !== undefined && ABOUT_PARAMETERS.has(facts.httpCode));
	const found = isAboutThem && sentBody ? (contradictions?.(sentBody) ?? []) : [];
	if (found.length === 0) return failure;
	return new SegmindFailure({
		...facts,
		description: `${facts.description} What was sent contradicts what is known of the model: ${session.client.redact(found.join(' '))}`,
	});
}
