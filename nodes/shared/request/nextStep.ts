import { digest, stableJson } from '../base/hash';
import {
	afterSearch,
	decide,
	mayResubmit,
	type KeptOutput,
	type RequestRef,
} from '../journal/lifecycle';
import type { Session } from '../run/session';
import { foundRequest, search } from './acceptance';
import { policyOf, type CreatingCall } from './creatingCall';
import { letsResubmit, type WaitOutcome } from './outcome';
import { refused, unknownOutcome } from './submissionErrors';

/** What comes next for an item. */
type Step =
	| { do: 'replay'; output: KeptOutput }
	| { do: 'resume'; request: RequestRef }
	| { do: 'send' };

/**
 * Decides what an item needs before anything is sent: its entry in the journal, what this process remembers, and, for a call that may have been
 * accepted, the request history.
 * @throws SegmindFailure when nothing may be sent and nothing can be asked for
 */
export async function nextStep(session: Session, call: CreatingCall): Promise<Step> {
	const { record } = call;
	await takeOver(session, call);
	const policy = policyOf(session, call);
	const decision = decide(record.entry, policy);
	if (decision.do === 'refuse') throw refused(call, decision.why);
	if (decision.do === 'replay' || decision.do === 'resume') noteRequest(session, call);
	if (decision.do !== 'search') return decision;
	const found = await search(session, call);
	if (found.kind === 'found') return { do: 'resume', request: foundRequest(session, call, found) };
	if (afterSearch(record.entry, found, policy) === 'refuse')
		throw unknownOutcome(call, 'an earlier try got no answer after sending it', found);
	if (found.kind === 'outOfReach')
		session.hints.add(
			`Item ${call.itemIndex}: an earlier try may have been accepted, and the request history could not be read to make sure. It was sent again.`,
		);
	return { do: 'send' };
}

/** In the editor, "Execute step" goes on with what an earlier run of the step was accepted for and did not deliver. */
async function takeOver(session: Session, call: CreatingCall): Promise<void> {
	if (!session.isManual) return;
	const evaluated = digest(stableJson([call.url, await call.identity()]));
	const left = call.record.takeOver(evaluated);
	if (left.length > 0)
		session.hints.add(
			`Item ${call.itemIndex}: an earlier run of this step was accepted as ${left.map((id) => `request ${id}`).join(', ')} with other inputs and did not deliver it. The operation Get Result fetches it by this ID.`,
		);
}

/** The error of a run names the requests of earlier tries too. */
function noteRequest({ requestIds }: Session, { itemIndex, record }: CreatingCall): void {
	const id = record.entry.request?.request_id ?? '';
	if (id !== '') requestIds.set(itemIndex, id);
}

/** A request that has ended without anything to keep makes room for another one. */
export function discard({ requestIds }: Session, { itemIndex, record }: CreatingCall): void {
	record.apply({ type: 'discarded' });
	requestIds.delete(itemIndex);
}

/** True when a request that was resumed may be sent again: by how it ended now, and by what its entry and the options say. */
export function mayBeResubmitted(
	session: Session,
	call: CreatingCall,
	ended: WaitOutcome,
): boolean {
	const { entry } = call.record;
	return (
		letsResubmit(ended, entry.state === 'failed') && mayResubmit(entry, policyOf(session, call))
	);
}
