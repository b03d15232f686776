/** The errors of requests that were rejected, have an unknown outcome, or ended without a result. */
import { SegmindFailure } from '../base/failure';
import { fieldTitle } from '../catalogue/labels';
import { knownParameters } from '../catalogue/modelList';
import type { CatalogueParameter } from '../catalogue/types';
import { CAUSES } from '../errors/errorTable';
import { PARTS, RETRY, SEARCH_SAYS } from '../errors/parts';
import { failureOf, fill, stoppedFailure } from '../errors/failures';
import { refOf, type SentEntry } from '../journal/entry';
import type { RequestRef } from '../service/requestRef';
import type { Session } from '../run/session';
import type { CallOutcome } from '../service/http';
import { callFailure, unusableFailure, type CallSubject } from '../service/responseErrors';
import { excerpt } from '../service/errorBody';
import { outcomeFailure } from './poll/outcomeErrors';
import type { Result } from '../output/result';
import type { RequestOutcome } from './poll/outcome';
import type { RequestRecord } from './record';
import { callSubjectOfSubmission, type SearchResult } from './submission';

/** Returns the error of an accepted request that ended without a result, or hasn't ended yet. */
export function noResultFailure(
	record: RequestRecord,
	ref: RequestRef,
	outcome: Exclude<RequestOutcome, Result>,
): SegmindFailure {
	const { timeoutMs } = record.submission.options;
	return withMissingParameters(record, outcomeFailure(ref, outcome, timeoutMs));
}

/** Returns the error of a search that Stop ended, for a call of this attempt or of an earlier one. Any other error stays unchanged. */
export function searchFailure(record: RequestRecord, error: unknown): unknown {
	if (!(error instanceof SegmindFailure) || error.facts.kind !== 'stopped') return error;
	return record.ownCall
		? stoppedSendingFailure(record)
		: failureOf('stopped', CAUSES.stoppedSearching, {}, { outcomeUnknown: true });
}

/** Returns the error of an item whose execution was stopped while its request was waiting to be sent, or for its response. */
export function stoppedSendingFailure({ entry, ownCall }: RequestRecord): SegmindFailure {
	const requestId = refOf(entry)?.request_id;
	return ownCall && !requestId
		? failureOf('stopped', CAUSES.stoppedSending, {}, { charge: 'unknown' })
		: stoppedFailure(requestId);
}

/** Returns the error of a request that may have been accepted and wasn't found. */
export function unknownOutcome(
	{ session, submission, ownCall }: RequestRecord,
	entry: SentEntry,
	searchResult: SearchResult,
): SegmindFailure {
	// Undefined if an earlier attempt lost the response.
	const loss = ownCall?.loss;
	const { outcome } = loss ?? {};
	const facts = lossFacts(entry, searchResult);
	const about = callSubjectOfSubmission(submission);
	if (loss?.by === 'unusableResponse' && outcome?.kind === 'response') {
		const more = { row: CAUSES.unusableOutput, charge: 'unknown', ...facts } as const;
		return unusableFailure(session.client, outcome, about, more);
	}
	const { found, ...otherFacts } = facts;
	const httpCode =
		loss?.by === 'gateway' && outcome?.kind === 'response' ? outcome.status : undefined;
	const values = {
		subject: about.subject,
		why: outcome ? describeLoss(session, outcome, about) : PARTS.earlierTry,
		found,
	};
	return failureOf('unknownOutcome', CAUSES.unknownOutcome, values, { ...otherFacts, httpCode });
}

/** Returns what is known of a request whose response was lost, and what a retry does. `found`: what the search showed, or where to look, as a sentence. */
function lossFacts(entry: SentEntry, searchResult: SearchResult) {
	const candidates = searchResult.kind === 'several' ? searchResult.candidates : undefined;
	return {
		found: searchSentence(searchResult),
		retry: retryNote(entry, searchResult),
		outcomeUnknown: true as const,
		search: SEARCH_FACT[searchResult.kind],
		...(candidates && { candidates }),
	};
}

function retryNote({ gateway }: SentEntry, { kind }: SearchResult): string {
	if (kind === 'several') return RETRY.holdsWhileThere;
	if (kind === 'underWay') return RETRY.afterwards;
	return gateway ? RETRY.searches : RETRY.holds;
}

/** What an error reports about the search. */
const SEARCH_FACT = {
	none: 'none',
	unread: 'outOfReach',
	underWay: 'outOfReach',
	several: 'candidates',
} as const;

/** Describes how a response was lost. */
function describeLoss({ client }: Session, outcome: CallOutcome, about: CallSubject): string {
	return outcome.kind === 'response'
		? callFailure(client, outcome, about).message
		: fill(PARTS.responseLost, { why: excerpt(outcome.reason, client.redact) });
}

/** Describes in a sentence what the request history showed. */
export function searchSentence(searchResult: SearchResult): string {
	if (searchResult.kind === 'several')
		return fill(SEARCH_SAYS.candidates, { ids: searchResult.candidates.slice(0, 10).join(', ') });
	if (searchResult.kind === 'underWay') return SEARCH_SAYS.underWay;
	if (searchResult.kind === 'unread' && searchResult.isLasting) return SEARCH_SAYS.noHistory;
	return SEARCH_SAYS[SEARCH_FACT[searchResult.kind]];
}

/** HTTP statuses that a wrong parameter may cause. */
const PARAMETER_ERROR_STATUSES = new Set([400, 406, 422, 500]);

/** Adds the required parameters that weren't sent, because the service's message often names no parameter. */
export function withMissingParameters(
	{ session, submission, request }: RequestRecord,
	failure: SegmindFailure,
): SegmindFailure {
	if (submission.isWorkflow) return failure;
	const { facts } = failure;
	const { responder = 'segmind' } = facts;
	// Another server doesn't know the parameters.
	if (responder !== 'segmind') return failure;
	const isAboutParameters =
		facts.status === 'FAILED' ||
		(facts.httpCode !== undefined && PARAMETER_ERROR_STATUSES.has(facts.httpCode));
	if (!isAboutParameters || !request) return failure;
	const known = knownParameters(submission.slug, session.client.urls.endpointAdminUrl);
	const missing = missingParameters(known, request.names);
	if (missing.length === 0) return failure;
	const description = `${facts.description} ${fill(PARTS.missing, { names: missing.join(', ') })}`;
	return new SegmindFailure(facts.kind, { ...facts, description });
}

/**
 * Returns the required parameters that weren't sent, such as `Images (image_urls)`. They explain a rejection and never prevent a request, because
 * the model may have changed since they were published.
 */
function missingParameters(
	known: readonly CatalogueParameter[],
	sentNames: readonly string[],
): string[] {
	return known
		.filter(({ name, required }) => required && !sentNames.includes(name))
		.map((parameter) => `${fieldTitle(parameter)} (${parameter.name})`);
}
