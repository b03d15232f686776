import { SegmindFailure, type FailureFacts } from '../../base/failure';
import { capital } from '../../base/text';
import { CAUSES, PARTS, RETRY, SEARCH_SAYS } from '../../errors/errorTable';
import { failureOf, fill } from '../../errors/failures';
import type { JsonBody } from '../../inputs/json';
import type { Entry, Refusal, Searched } from '../../journal/entry';
import type { Session } from '../../run/session';
import { refusal } from '../../service/answerErrors';
import { excerpt } from '../../service/errorBody';
import type { Sent } from '../../service/retry';
import type { Submission } from './submission';

/** The failures of a submission that is not known to be accepted, or was refused. */

/** What is known where no request was found for certain; undefined where the history was not asked. */
type NotFound = Exclude<Searched, { kind: 'one' }> | undefined;

/** Nothing may be sent, and there is nothing to ask for. */
export function refused(
	submission: Submission,
	why: Refusal,
	entry: Entry | undefined,
	searched: Searched | undefined,
): SegmindFailure {
	switch (why) {
		case 'mayBeAccepted':
			return unknownOutcome(submission, entry, PARTS.earlierTry, searched as NotFound);
		case 'sentByAnother': {
			const { subject } = submission;
			const facts = { outcomeUnknown: true, search: 'notSearched' } as const;
			return failureOf('unknownOutcome', CAUSES.sentByAnother, { subject }, facts);
		}
		case 'outputLost':
			return failureOf('outputLost', CAUSES.outputLost);
	}
}

/** It may have been accepted, and the search did not find it. `why`: how its answer was lost. */
export function unknownOutcome(
	submission: Submission,
	entry: Entry | undefined,
	why: string,
	searched: NotFound,
	httpCode?: number,
): SegmindFailure {
	const { found, ...known } = lossFacts(submission, entry, searched);
	const values = { subject: submission.subject, why, found };
	return failureOf('unknownOutcome', CAUSES.unknownOutcome, values, { ...known, httpCode });
}

/** What is known of a submission whose answer is lost, and what a retry will do. `found`: where it may be seen, as a sentence. */
export function lossFacts({ managed }: Submission, entry: Entry | undefined, searched: NotFound) {
	const isFree = entry?.is === 'sent' && entry.gateway === true && !managed;
	const candidates = searched?.kind === 'several' ? searched.candidates : undefined;
	return {
		found: managed ? `${capital(managed.whereToLook)}.` : searchedWords(searched),
		retry: candidates ? RETRY.holdsWhileThere : isFree ? RETRY.searches : RETRY.holds,
		outcomeUnknown: true as const,
		search: searched ? SEARCH_FACT[searched.kind] : ('notSearched' as const),
		...(candidates && { candidates }),
	};
}

const SEARCH_FACT = {
	one: 'none',
	none: 'none',
	unread: 'outOfReach',
	several: 'candidates',
} as const;

/** How an answer was lost, in words. */
export function whyLost({ client }: Session, submission: Submission, sent: Sent): string {
	if (sent.kind === 'lost')
		return fill(PARTS.noAnswerBecause, { why: excerpt(sent.fault.reason, client.redact) });
	return sent.kind === 'answer'
		? refusal(client, sent.answer, submission).message
		: PARTS.noAnswerCame;
}

/** What the request history said, as a sentence. */
export function searchedWords(searched: Searched | undefined): string {
	if (searched?.kind === 'several')
		return fill(SEARCH_SAYS.candidates, { ids: searched.candidates.slice(0, 10).join(', ') });
	if (searched?.kind === 'unread' && searched.isLasting) return SEARCH_SAYS.noHistory;
	return SEARCH_SAYS[searched ? SEARCH_FACT[searched.kind] : 'notSearched'];
}

/** The outcome of this try is known, that of an earlier one is not. */
export function stillOpen({ subject }: Submission, error: unknown): unknown {
	if (!(error instanceof SegmindFailure) || error.facts.outcomeUnknown) return error;
	const { facts } = error;
	return new SegmindFailure(facts.kind, {
		...facts,
		charge: 'unknown',
		description: fill(PARTS.stillOpen, { subject, advice: facts.advice }),
		outcomeUnknown: true,
	});
}

/** Statuses of a refusal that a parameter may have caused. */
const ABOUT_PARAMETERS = new Set([400, 406, 422, 500]);

/** Adds what is known of the model and contradicts what was sent: the service's own words often name no parameter. */
export function withContradictions(
	failure: SegmindFailure,
	session: Session,
	{ contradictions, nearest }: Submission,
	body: JsonBody | undefined,
): SegmindFailure {
	const { facts } = failure;
	const near = facts.httpCode === 404 ? (nearest?.() ?? []) : [];
	if (near.length > 0) return withMore(facts, fill(PARTS.nearest, { slugs: near.join(', ') }));
	const isAboutThem =
		facts.status === 'FAILED' ||
		(facts.httpCode !== undefined && ABOUT_PARAMETERS.has(facts.httpCode));
	const found = isAboutThem && body ? (contradictions?.(body.value) ?? []) : [];
	if (found.length === 0) return failure;
	const clean = session.client.redact(found.join(' '));
	return withMore(facts, fill(PARTS.contradictions, { found: clean }));
}

function withMore(facts: FailureFacts, more: string): SegmindFailure {
	return new SegmindFailure(facts.kind, { ...facts, description: `${facts.description} ${more}` });
}
