import { SegmindFailure, type FailureFacts } from '../base/failure';
import { capitalize } from '../base/text';
import { findContradictions } from '../catalogue/contradictions';
import { metadataOf, suggestSlugs } from '../catalogue/modelList';
import { CAUSES } from '../errors/errorTable';
import { HISTORY_SAYS, PARTS, RETRY, SEARCH_SAYS } from '../errors/parts';
import { failureOf, fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import type { JsonBody } from '../inputs/json';
import { refOf, type Entry } from '../journal/entry';
import type { Session } from '../run/session';
import { rejectionFailure, unusableFailure } from '../service/responseErrors';
import { excerpt } from '../service/errorBody';
import { endFailure } from './poll/endErrors';
import { hasSent } from './rules/next';
import type { Attempt, FailureReason, State } from './rules/state';
import { aboutSubmission, type Loss, type Submission } from './rules/submission';
import type { Searched } from './search/searched';

/** The errors of requests that were rejected, have an unknown outcome, or ended without a result. */

/** The error of an item that can't be delivered. */
export function requestFailure(
	session: Session,
	submission: Submission,
	{ attempt }: State,
	why: FailureReason,
): SegmindFailure {
	switch (why.is) {
		case 'mayBeAccepted':
			return unknownOutcome(session, submission, attempt, why);
		case 'sentByAnother': {
			const facts = { outcomeUnknown: true, search: 'notSearched' } as const;
			const { subject } = submission;
			return failureOf('unknownOutcome', CAUSES.sentByAnother, { subject }, facts);
		}
		case 'outputLost':
			return failureOf('outputLost', CAUSES.outputLost);
		case 'ended': {
			const failure = endedFailure(session, submission, attempt, why);
			const body = attempt.is === 'none' ? undefined : attempt.request.body;
			return why.ended.kind === 'failed'
				? withContradictions(failure, session, submission, body)
				: failure;
		}
	}
}

function endedFailure(
	{ client }: Session,
	submission: Submission,
	attempt: Attempt,
	{ ref, ended }: Extract<FailureReason, { is: 'ended' }>,
): SegmindFailure {
	const { timeoutMs } = submission.presentation.options;
	const requestId = ref.request_id;
	if (submission.responds === 'output' && ended.kind === 'timeout')
		return failureOf('timedOut', CAUSES.stillInHistory, {}, { requestId, status: ended.status });
	if (ended.kind === 'missing' && submission.responds === 'output' && attempt.is === 'responded') {
		const { history: search } = ended;
		const more = { row: CAUSES.unusableOutput, found: HISTORY_SAYS[search], search };
		const about = { ...aboutSubmission(submission), requestId };
		return unusableFailure(client, attempt.response.response, about, more);
	}
	return endFailure(ref, ended, { timeoutMs, isOwn: true });
}

/** The error of a search that Stop ended, for a call of this attempt or of an earlier one. */
export function searchFailure({ attempt }: State, error: unknown): unknown {
	if (!(error instanceof SegmindFailure) || error.facts.kind !== 'stopped') return error;
	return hasSent(attempt)
		? failureOf('stopped', CAUSES.stoppedSending, {}, { charge: 'unknown' })
		: failureOf('stopped', CAUSES.stoppedSearching, {}, { outcomeUnknown: true });
}

/** The error of a request that may have been accepted and wasn't found. */
function unknownOutcome(
	session: Session,
	submission: Submission,
	attempt: Attempt,
	why: Extract<FailureReason, { is: 'mayBeAccepted' }>,
): SegmindFailure {
	const loss = attempt.is === 'lost' ? attempt.loss : undefined;
	const facts = lossFacts(submission, why);
	const about = aboutSubmission(submission);
	if (loss?.by === 'unusableResponse') {
		const more = { row: CAUSES.unusableOutput, charge: 'unknown', ...facts } as const;
		return unusableFailure(session.client, loss.response, about, more);
	}
	const { found, ...known } = facts;
	const httpCode = loss?.by === 'gateway' ? loss.response.status : undefined;
	const values = {
		subject: about.subject,
		why: loss ? whyLost(session, submission, loss) : PARTS.earlierTry,
		found,
	};
	return failureOf('unknownOutcome', CAUSES.unknownOutcome, values, { ...known, httpCode });
}

/** What is known of a request whose response was lost, and what a retry will do. `found`: where the user can look for it, as a sentence. */
function lossFacts(
	submission: Submission,
	{ entry, searched }: Extract<FailureReason, { is: 'mayBeAccepted' }>,
) {
	const isCreation = submission.responds === 'creation';
	const isFree = entry.gateway === true && !isCreation;
	const candidates = searched?.kind === 'several' ? searched.candidates : undefined;
	return {
		found: isCreation ? `${capitalize(submission.whereToLook)}.` : searchedWords(searched),
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
	underWay: 'outOfReach',
	several: 'candidates',
} as const;

/** How a response was lost, as text. */
function whyLost({ client }: Session, submission: Submission, loss: Loss): string {
	return 'fault' in loss
		? fill(PARTS.responseLost, { why: excerpt(loss.fault.reason, client.redact) })
		: rejectionFailure(client, loss.response, aboutSubmission(submission)).message;
}

/** What the request history showed, as a sentence. */
function searchedWords(searched: Searched | undefined): string {
	if (searched?.kind === 'several')
		return fill(SEARCH_SAYS.candidates, { ids: searched.candidates.slice(0, 10).join(', ') });
	if (searched?.kind === 'unread' && searched.isLasting) return SEARCH_SAYS.noHistory;
	return SEARCH_SAYS[searched ? SEARCH_FACT[searched.kind] : 'notSearched'];
}

/** Adds to an error of this attempt that the outcome of an earlier attempt is still unknown. */
export function withOpenOutcome(
	{ entry, attempt }: State,
	{ subject }: Submission,
	error: unknown,
): unknown {
	if (entry?.is !== 'sent' || hasSent(attempt)) return error;
	if (!(error instanceof SegmindFailure) || error.facts.outcomeUnknown) return error;
	const { facts } = error;
	return new SegmindFailure(facts.kind, {
		...facts,
		charge: 'unknown',
		description: fill(PARTS.stillOpen, { subject, advice: facts.advice }),
		outcomeUnknown: true,
	});
}

/** HTTP statuses that a wrong parameter may cause. */
const ABOUT_PARAMETERS = new Set([400, 406, 422, 500]);

/** Adds which inputs don't fit the model, because the service's message often names no parameter. */
export function withContradictions(
	failure: SegmindFailure,
	{ client }: Session,
	submission: Submission,
	body: JsonBody | undefined,
): SegmindFailure {
	if (submission.responds === 'creation' || submission.isWorkflow) return failure;
	const { facts } = failure;
	const { slug } = submission;
	const { endpointAdminUrl } = client.urls;
	const near = facts.httpCode === 404 ? suggestSlugs(slug, endpointAdminUrl) : [];
	if (near.length > 0) return withMore(facts, fill(PARTS.nearest, { slugs: near.join(', ') }));
	const isAboutThem =
		facts.status === 'FAILED' ||
		(facts.httpCode !== undefined && ABOUT_PARAMETERS.has(facts.httpCode));
	const metadata = metadataOf(slug, endpointAdminUrl);
	const found = isAboutThem && body ? findContradictions(body.value, metadata) : [];
	if (found.length === 0) return failure;
	const clean = client.redact(found.join(' '));
	return withMore(facts, fill(PARTS.contradictions, { found: clean }));
}

function withMore(facts: FailureFacts, more: string): SegmindFailure {
	return new SegmindFailure(facts.kind, { ...facts, description: `${facts.description} ${more}` });
}

/** The hint after a resend: the earlier request may have been accepted too. */
export function resendHint(item: number, subject: string, searched: Searched | undefined): string {
	return fill(HINTS.resent, { item, subject, found: searchedWords(searched) });
}

/** The hint about requests that an earlier attempt or editor run left for other parameters. */
export function leftHint(item: number, left: readonly Entry[], hasReplaced: boolean): string {
	const ids = left.flatMap((entry) => refOf(entry)?.request_id ?? []).join(', ');
	const hint = fill(ids === '' ? HINTS.leftUnknown : HINTS.leftAccepted, { item, ids });
	return hasReplaced ? `${hint} ${HINTS.leftReplaced}` : hint;
}
