import { SegmindFailure, type FailureFacts } from '../base/failure';
import { capital } from '../base/text';
import { contradictions } from '../catalogue/contradictions';
import { metadataOf, nearKnownSlugs } from '../catalogue/modelList';
import { CAUSES, PARTS, RETRY, SEARCH_SAYS } from '../errors/errorTable';
import { failureOf, fill } from '../errors/failures';
import type { JsonBody } from '../inputs/json';
import { refOf, type Entry, type Refusal, type Searched } from '../journal/entry';
import type { Session } from '../run/session';
import { refusal, unusable } from '../service/answerErrors';
import { excerpt } from '../service/errorBody';
import type { RequestRecord } from './record';
import { aboutSubmission, type Loss, type Submission } from './submission';

/** What is told of a submission that is not known to be accepted, or was refused. */

/** Nothing may be sent, and there is nothing to ask for. */
export function notSentAgain(
	record: RequestRecord,
	why: Refusal,
	searched: Searched | undefined,
): SegmindFailure {
	const { subject } = record.submission;
	switch (why) {
		case 'mayBeAccepted':
			return unknownOutcome(record, searched);
		case 'sentByAnother': {
			const facts = { outcomeUnknown: true, search: 'notSearched' } as const;
			return failureOf('unknownOutcome', CAUSES.sentByAnother, { subject }, facts);
		}
		case 'outputLost':
			return failureOf('outputLost', CAUSES.outputLost);
	}
}

/** The search was stopped: for a call of this try, or of an earlier one. */
export function searchFailure({ policy }: RequestRecord, error: unknown): unknown {
	if (!(error instanceof SegmindFailure) || error.facts.kind !== 'stopped') return error;
	return policy.hasSent
		? failureOf('stopped', CAUSES.stoppedSending, {}, { charge: 'unknown' })
		: failureOf('stopped', CAUSES.stoppedSearching, {}, { outcomeUnknown: true });
}

/** It may have been accepted, and the search did not find it. */
function unknownOutcome(record: RequestRecord, searched: Searched | undefined): SegmindFailure {
	const { session, submission, loss, entry } = record;
	const facts = lossFacts(submission, entry, searched);
	const about = aboutSubmission(submission);
	if (loss?.by === 'unusableAnswer') {
		const more = { row: CAUSES.unusableOutput, charge: 'unknown', ...facts } as const;
		return unusable(session.client, loss.answer, about, more);
	}
	const { found, ...known } = facts;
	const why = loss ? whyLost(session, submission, loss) : PARTS.earlierTry;
	const httpCode = loss?.by === 'gateway' ? loss.answer.status : undefined;
	const values = { subject: about.subject, why, found };
	return failureOf('unknownOutcome', CAUSES.unknownOutcome, values, { ...known, httpCode });
}

/** What is known of a submission whose answer is lost, and what a retry will do. `found`: where it may be seen, as a sentence. */
function lossFacts(submission: Submission, entry: Entry | undefined, searched?: Searched) {
	const isCreation = submission.answers === 'creation';
	const isFree = entry?.is === 'sent' && entry.gateway === true && !isCreation;
	const candidates = searched?.kind === 'several' ? searched.candidates : undefined;
	return {
		found: isCreation ? `${capital(submission.whereToLook)}.` : searchedWords(searched),
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

/** How an answer was lost, in words. */
function whyLost({ client }: Session, submission: Submission, loss: Loss): string {
	return loss.by === 'connection' && loss.fault
		? fill(PARTS.noAnswerBecause, { why: excerpt(loss.fault.reason, client.redact) })
		: refusal(client, loss.answer, aboutSubmission(submission)).message;
}

/** What the request history said, as a sentence. */
function searchedWords(searched: Searched | undefined): string {
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
	{ client }: Session,
	submission: Submission,
	body: JsonBody | undefined,
): SegmindFailure {
	if (submission.answers === 'creation' || submission.isWorkflow) return failure;
	const { facts } = failure;
	const { slug } = submission;
	const { endpointAdminUrl } = client.urls;
	const near = facts.httpCode === 404 ? nearKnownSlugs(slug, endpointAdminUrl) : [];
	if (near.length > 0) return withMore(facts, fill(PARTS.nearest, { slugs: near.join(', ') }));
	const isAboutThem =
		facts.status === 'FAILED' ||
		(facts.httpCode !== undefined && ABOUT_PARAMETERS.has(facts.httpCode));
	const metadata = metadataOf(slug, endpointAdminUrl);
	const found = isAboutThem && body ? contradictions(body.value, metadata) : [];
	if (found.length === 0) return failure;
	const clean = client.redact(found.join(' '));
	return withMore(facts, fill(PARTS.contradictions, { found: clean }));
}

function withMore(facts: FailureFacts, more: string): SegmindFailure {
	return new SegmindFailure(facts.kind, { ...facts, description: `${facts.description} ${more}` });
}

/** Whatever is sent again says so. */
export function hintAtResend(
	{ session, submission: { itemIndex, subject } }: RequestRecord,
	searched: Searched | undefined,
): void {
	session.hints.add(
		`Item ${itemIndex}: the request for ${subject} was sent again, although an earlier try of it may have been accepted. ${searchedWords(searched)}`,
	);
}

/** Requests of an earlier try, or of an earlier run in the editor, that asked for something else. */
export function hintAtLeft({ session, submission }: RequestRecord, left: Entry[]): void {
	const ids = left.flatMap((entry) => refOf(entry)?.request_id ?? []);
	const [was, where] =
		ids.length > 0
			? [`was accepted as request ${ids.join(', ')}`, 'Get Result fetches it by its ID.']
			: ['may have been accepted', 'If it was, Get Many shows its request.'];
	session.hints.add(
		`Item ${submission.itemIndex}: an earlier ${session.isManual ? 'run of this step' : 'try'} asked for something else and ${was}. It was left, and a new request is made. The operation ${where}`,
	);
}
