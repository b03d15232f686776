import { SegmindFailure } from '../base/failure';
import { oneLine } from '../base/readable';
import type { Found, RequestRef } from '../journal/lifecycle';
import { showProgress, type Session } from '../run/session';
import { SUBMIT_LIMIT_MS } from '../service/client';
import { likenessOf, type CreatingCall } from './creatingCall';
import { findLost } from './findLost';
import { refFromId } from './requestRef';
import { stoppedDuringSearch } from './submissionErrors';

/**
 * A submission is accepted by its answer, or by a row of the request history that is certainly its own. Either way it is journalled and logged at
 * once: whatever ends the execution after that, its id is known.
 */

/** Journals and logs an accepted request. The id stands in the message itself: n8n prints no metadata (docs/n8n.md N153). */
export function accept(
	session: Session,
	{ record, itemIndex, subject, managed }: CreatingCall,
	request: RequestRef,
): void {
	record.apply({
		type: 'accepted',
		at: session.client.clock.now(),
		request,
		by: session.client.credential,
	});
	if (request.request_id === '') return;
	const named = `${managed?.idOf ?? 'request'} ${request.request_id}`;
	session.requestIds.set(itemIndex, request.request_id);
	session.context.logger.info(
		oneLine(
			`Segmind accepted ${named} for ${session.client.redact(subject)} (execution ${session.context.getExecutionId()}, node "${session.node.name}", item ${itemIndex})`,
		),
	);
	showProgress(session, itemIndex, `${named} accepted`);
}

/** Accepts a submission by its row in the request history. */
export function foundRequest(
	session: Session,
	call: CreatingCall,
	{ requestId }: { requestId: string },
): RequestRef {
	const ref = refFromId(requestId, session.client.urls.baseUrl);
	accept(session, call, ref);
	return ref;
}

/** Searches the request history for a call that may have been accepted. @throws SegmindFailure when stopped */
export async function search(session: Session, call: CreatingCall): Promise<Found> {
	const { entry } = call.record;
	const searching = findLost(session.client, {
		entry,
		model: call.slug,
		likeness: likenessOf(session, call, entry.fingerprint ?? {}),
		runsForMs: call.isV1 ? (call.callLimitMs ?? SUBMIT_LIMIT_MS) : undefined,
	});
	return await searching.catch((error: unknown) => {
		const isStop = error instanceof SegmindFailure && error.facts.stopped;
		return Promise.reject(isStop ? stoppedDuringSearch() : error);
	});
}
