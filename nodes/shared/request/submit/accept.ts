import { oneLine } from '../../base/readable';
import type { RequestRef, SentEntry } from '../../journal/entry';
import { showProgress, type Session } from '../../run/session';
import { withAddresses } from '../result/requestRef';
import { journalOf, type Submission } from './submission';

/**
 * A submission is accepted by its answer, or by a row of the request history that is certainly its own. Either way it is journalled and logged at
 * once: whatever ends the execution after that, its id is known. The id stands in the message itself: n8n prints no metadata (docs/n8n.md N153).
 */
export function accept(session: Session, submission: Submission, answered: RequestRef): RequestRef {
	const { itemIndex, subject, managed } = submission;
	const journal = journalOf(session, submission);
	const at = session.client.clock.now();
	const sent = journal.entry as SentEntry;
	const submittedAt = new Date(sent.lostAt ?? at).toISOString();
	const ref = managed ? answered : { ...answered, submitted_at: submittedAt };
	journal.write({ is: 'accepted', id: sent.id, at, evaluated: sent.evaluated, ref });
	if (ref.request_id === '') return ref;
	const named = `${managed?.idOf ?? 'request'} ${ref.request_id}`;
	session.requestIds.set(itemIndex, ref.request_id);
	session.context.logger.info(
		oneLine(
			`Segmind accepted ${named} for ${session.client.redact(subject)} (execution ${session.context.getExecutionId()}, node "${session.node.name}", item ${itemIndex})`,
		),
	);
	showProgress(session, itemIndex, `${named} accepted`);
	return ref;
}

/** Accepts a submission by its row in the request history, or by its late answer, which may name no id (v1). */
export function acceptFound(
	session: Session,
	submission: Submission,
	requestId: string,
): RequestRef {
	const ref = withAddresses({ request_id: requestId }, session.client.urls.baseUrl);
	return accept(session, submission, ref);
}
