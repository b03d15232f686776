/** The errors of requests that were rejected, have an unknown outcome, or ended without a result. */
import type { SegmindFailure, FailureFacts } from '../base/failure';
import { capitalize } from '../base/text';
import { catalogue } from '../catalogue';
import { knownParameters } from '../catalogue/modelList';
import { similarSlug } from '../catalogue/similarSlug';
import { failureFrom, stoppedFailure, stoppedSending } from '../errors/failures';
import { say, whole, type Said } from '../errors/say';
import { namedCauseIn } from '../errors/statusTable';
import type { Refusal } from '../journal/entry';
import { fieldTitle } from '../catalogue/labels';
import type { CatalogueParameter } from '../catalogue/types';
import type { Run } from '../run/run';
import { excerpt } from '../service/errorBody';
import { isSuccess } from '../service/http';
import { callFailure, type CallSubject } from '../service/responseErrors';
import { isRedirect } from '../service/responses';
import type { RequestRecord } from './record';
import { retryAfterSearch, type ResendTerms } from './rules';
import {
	callSubjectOfSubmission,
	type Loss,
	type SearchResult,
	type Submission,
} from './submission';

/** Returns the error of an item whose execution was stopped while its request was waiting to be sent, or for its response. */
export function stoppedSendingFailure({ request, hasSent }: RequestRecord): SegmindFailure {
	const requestId = request?.id;
	if (!hasSent || requestId) return stoppedFailure(requestId);
	const next = say`Look for its ID in the n8n log, or for the request with Get Many.`;
	return stoppedSending(next).with({ charge: 'unknown' });
}

/** Returns the error of a request that may have been accepted and wasn't found. */
export function unknownOutcome(
	{ run, submission, loss }: RequestRecord,
	searchResult: SearchResult,
	terms: ResendTerms,
): SegmindFailure {
	const about = callSubjectOfSubmission(submission);
	const facts: Partial<FailureFacts> = loss
		? callFailure(run.client, loss.outcome, about).facts
		: {};
	const { message, next = '', httpCode, responder, responseShape } = facts;
	const why = message ?? `An earlier attempt got no response to ${about.subject}`;
	const { kind } = searchResult;
	const retry = retryAfterSearch(kind, terms);
	const isUnreadable = loss !== undefined && isSuccess(loss.outcome);
	return failureFrom(isUnreadable ? 'unreadable' : 'unknownOutcome', {
		what: say`${unusableResponse(run, about, loss) ?? whole(why)}${searchFinding(searchResult)}`,
		charge: 'unknown',
		retry,
		next: isRedirect(httpCode ?? 0) ? whole(next) : nextAfterSearch(kind, retry),
		outcomeUnknown: true,
		search: kind,
		...(kind === 'candidates' && { candidates: searchResult.candidates }),
		httpCode,
		responder,
		responseShape,
		...(isUnreadable && { transient: true }),
	});
}

/** Says that a response leaves the outcome open, whatever its status usually means; undefined if there was none. */
function unusableResponse(
	{ client }: Run,
	{ subject }: CallSubject,
	loss?: Loss,
): Said | undefined {
	if (loss?.outcome.kind !== 'response') return undefined;
	const { status, body } = loss.outcome;
	const text = excerpt(body.toString('utf8'), client.redact);
	return say`${capitalize(subject)} got an unusable response (HTTP ${status})${text && say`: '${whole(text)}'`}`;
}

/** Says what the search showed, as the end of a sentence. The error item has the IDs of all candidates (`errorMemberOf`). */
function searchFinding(searchResult: SearchResult): Said {
	switch (searchResult.kind) {
		case 'none':
			return say`, and the request history doesn't show it`;
		case 'noHistory':
			return say`, and this API key has no history`;
		case 'outOfReach':
			return say`, and the request history could not be read`;
		case 'underWay':
			return say`, and a call for it still waits for its response`;
		case 'candidates': {
			const [oldest, ...others] = searchResult.candidates;
			return others.length === 0
				? say`, but it may be request ${oldest} in the request history`
				: say`, but it may be one of ${others.length + 1} in the request history, the oldest is ${oldest}`;
		}
	}
}

function nextAfterSearch(kind: SearchResult['kind'], retry: FailureFacts['retry']): Said {
	if (kind === 'underWay') return say`Run the node again when that call has ended.`;
	if (retry) return say`First, look for it with Get Many or in Segmind's console.`;
	return kind === 'candidates'
		? say`Check with Get Result whether it is, or turn on Send Again If Unsure.`
		: say`To resend it, turn on Send Again If Unsure (May Charge Twice).`;
}

/** Describes in a sentence what the search for a request that is resent showed. */
export function searchSentence(searchResult: SearchResult): Said {
	return say`It may be charged${searchFinding(searchResult)}.`;
}

/** Returns the error of a call that was answered with an error in place of a result. */
export function refusedFailure(
	{ subject, options }: Submission,
	{ reason, requestId }: Refusal,
): SegmindFailure {
	return failureFrom('requestFailed', {
		what: say`Segmind answered the request for ${subject} with an error in place of a result: '${whole(reason)}'`,
		charge: 'perhaps',
		...(options.sendAgainIfUnsure && { retry: 'resends' }),
		next: whole(namedCauseIn(reason)?.next ?? 'Change the inputs, then run the node again.'),
		reason,
		requestId,
	});
}

/** Returns the error of an item whose output an earlier attempt received, but that n8n didn't keep. */
export function outputLostFailure(): SegmindFailure {
	return failureFrom('outputLost', {
		what: say`An earlier attempt completed, but its output could not be kept, and it has no request ID`,
		charge: 'completed',
		retry: 'neverResends',
		next: say`To generate it again, change an input slightly, and turn off the option Answer in One Call.`,
	});
}

/** HTTP statuses that a wrong parameter may cause. */
const PARAMETER_ERROR_STATUSES = new Set([400, 406, 422, 500]);

/** Adds the required parameters that weren't sent, because the service's message often names no parameter. */
export function withMissingParameters(
	{ run, submission, prepared }: RequestRecord,
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
	if (!isAboutParameters || !prepared) return failure;
	const known = knownParameters(submission.slug, run.client.urls.endpointAdminUrl);
	const missing = missingParameters(known, prepared.names);
	if (missing.length === 0 || namedCauseIn(facts.reason)) return failure;
	const next = say`Fill in ${missing}, which the model requires, then run the node again.`;
	return failure.with({ next: next.said });
}

/** Adds the built-in model that was probably meant, if Segmind says that the model doesn't exist. */
export function withSimilarSlug(
	{ submission }: RequestRecord,
	failure: SegmindFailure,
): SegmindFailure {
	const { facts } = failure;
	const isUnknownModel =
		!submission.isWorkflow && facts.httpCode === 404 && facts.responder === 'segmind';
	if (!isUnknownModel) return failure;
	const slugs = catalogue.map(({ slug }) => slug);
	const similar = similarSlug(submission.slug, slugs);
	if (similar === undefined) return failure;
	return failure.with({ next: say`Check the slug: did you mean ${similar}?`.said });
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
