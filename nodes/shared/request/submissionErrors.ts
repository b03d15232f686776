/** The errors of requests that were rejected, have an unknown outcome, or ended without a result. */
import { SegmindFailure } from '../base/failure';
import { capitalize } from '../base/text';
import { catalogue } from '../catalogue';
import { knownParameters } from '../catalogue/modelList';
import { similarSlug } from '../catalogue/similarSlug';
import { stoppedSending, unusable, type ErrorRow } from '../errors/errorRows';
import { failureFrom, stoppedFailure } from '../errors/failures';
import { say, whole, type Said } from '../errors/say';
import { namedCauseIn } from '../errors/statusTable';
import type { Refusal, SentEntry } from '../journal/entry';
import { fieldTitle } from '../catalogue/labels';
import type { CatalogueParameter } from '../catalogue/types';
import type { Run } from '../run/run';
import type { CallOutcome } from '../service/http';
import { callFailure, unusableFailure, type CallSubject } from '../service/responseErrors';
import { excerpt } from '../service/errorBody';
import type { AcceptedRequest } from './poll/acceptedRequest';
import { endFailure } from './poll/endErrors';
import type { Result } from '../output/result';
import type { RequestEnd } from './poll/requestEnd';
import type { RequestRecord } from './record';
import { callSubjectOfSubmission, type SearchResult, type Submission } from './submission';

/** Returns the error of an accepted request that ended without a result, or hasn't ended yet. */
export function noResultFailure(
	record: RequestRecord,
	request: AcceptedRequest,
	end: Exclude<RequestEnd, Result>,
): SegmindFailure {
	const { timeoutMs } = record.submission.options;
	const waited = { timeoutMs, resumesStep: resumesStep(record) };
	return withMissingParameters(record, endFailure(request, end, waited));
}

/** Whether "Execute step" finds the request: in the editor, in a saved workflow, unless the failure becomes an item. */
function resumesStep({ run, submission }: RequestRecord): boolean {
	const { place } = run.journal.ofItem(submission.itemIndex);
	return place?.isStep === true && !run.context.continueOnFail();
}

/** Returns the error of a search that Stop ended, for a call of this attempt or of an earlier one. Any other error stays unchanged. */
export function searchFailure(record: RequestRecord, error: unknown): unknown {
	if (!(error instanceof SegmindFailure) || error.facts.kind !== 'stopped') return error;
	if (record.hasSent) return stoppedSendingFailure(record);
	const row: ErrorRow = {
		what: say`The execution was stopped while the node was searching for a request from an earlier attempt`,
		charge: 'unknown',
		todo: say`If the request was accepted, the request history in the Segmind console shows it.`,
	};
	return failureFrom('stopped', row, { outcomeUnknown: true });
}

/** Returns the error of an item whose execution was stopped while its request was waiting to be sent, or for its response. */
export function stoppedSendingFailure({ request, hasSent }: RequestRecord): SegmindFailure {
	const requestId = request?.id;
	if (!hasSent || requestId) return stoppedFailure(requestId);
	const row = stoppedSending(
		say`If Segmind accepts the request, its ID appears in the n8n log, and it is charged if it completes.`,
	);
	return failureFrom('stopped', row, { charge: 'unknown' });
}

/** Returns the error of a state of a request that can't be. */
export function bugFailure({ subject }: Submission): SegmindFailure {
	return failureFrom('other', {
		what: say`The node could not finish the request for ${subject}, because of a bug in this package`,
		charge: 'unknown',
		todo: say`Please report the bug. The request history in the Segmind console shows what was accepted.`,
	});
}

/** Returns the error of a request that may have been accepted and wasn't found. */
export function unknownOutcome(
	{ run, submission, loss }: RequestRecord,
	entry: SentEntry,
	searchResult: SearchResult,
): SegmindFailure {
	const { outcome } = loss ?? {};
	const facts = lossFacts(searchResult);
	const { candidates } = facts;
	const found = candidates && say`. ${candidatesFound(candidates)}`;
	const todo = candidates ? USE_GET_RESULT : searchSentence(searchResult);
	const retry = retryNote(entry, searchResult);
	const about = callSubjectOfSubmission(submission);
	if (loss?.by === 'unusableResponse' && outcome?.kind === 'response') {
		return unusableFailure(run.client, outcome, about, {
			...facts,
			row: (response) => {
				const { what } = unusable(response);
				return { what: say`${what}${found ?? ''}`, charge: 'unknown', todo, retry };
			},
		});
	}
	const httpCode =
		loss?.by === 'gateway' && outcome?.kind === 'response' ? outcome.status : undefined;
	const row: ErrorRow = {
		what: say`The request for ${about.subject} may have been accepted: ${describeLoss(run, outcome, about)}${found ?? ''}`,
		charge: 'unknown',
		todo,
		retry,
	};
	return failureFrom('unknownOutcome', row, { ...facts, httpCode });
}

/** Returns the error of a request that may have been accepted, but that another credential sent: this one can't search for it. */
export function sentByAnotherFailure({ subject }: Submission): SegmindFailure {
	const row: ErrorRow = {
		what: say`An earlier attempt sent the request for ${subject} with another credential, and it may have been accepted`,
		charge: 'unknown',
		todo: say`To find out, choose the earlier credential again, or check the request history of its account. To send the request again with the current credential, turn on the option Send Again If Unsure.`,
		retry: say`A retry with the earlier credential searches its request history.`,
	};
	return failureFrom('unknownOutcome', row, { outcomeUnknown: true, search: 'notSearched' });
}

/** Returns the error of a call that was answered with an error in place of a result. */
export function refusedFailure({ subject }: Submission, refusal: Refusal): SegmindFailure {
	const { reason, requestId } = refusal;
	const request = requestId === undefined ? '' : say` (request ${requestId})`;
	const todo = namedCauseIn(reason)?.todo ?? 'Change the inputs, then run the node again.';
	const row: ErrorRow = {
		what: say`${capitalize(subject)}${request}: ${refusalSentence(refusal)}`,
		charge: 'inTodo',
		todo: say`It may have been charged, which the request history in the Segmind console shows. ${whole(todo)}`,
		retry: NO_RESEND,
	};
	return failureFrom('requestFailed', row, { charge: 'unknown', reason, requestId });
}

/** Without the full stop, because it's also the end of a message. */
export function refusalSentence({ reason }: Refusal): Said {
	return say`Segmind sent an error in place of a result: '${whole(reason)}'`;
}

/** Returns the error of an item whose output an earlier attempt received, but that n8n didn't keep. */
export function outputLostFailure(): SegmindFailure {
	return failureFrom('outputLost', {
		what: say`An earlier attempt completed and was charged, but its output could not be kept, and it has no request ID`,
		charge: 'completed',
		todo: say`Look for the request in the request history in the Segmind console. To generate the output again, change an input slightly. If you turn off the option Answer in One Call, every request has an ID, so you can get its result again.`,
	});
}

/** Returns what is known of a request whose response was lost. */
function lossFacts(searchResult: SearchResult) {
	const candidates = searchResult.kind === 'candidates' ? searchResult.candidates : undefined;
	return {
		outcomeUnknown: true as const,
		search: SEARCH_FACT[searchResult.kind],
		...(candidates && { candidates }),
	};
}

const NEVER_TWICE = say`so that you don't pay twice. To resend the request, turn on the option Send Again If Unsure.`;
const NO_RESEND = say`A retry does not resend the request, ${NEVER_TWICE}`;

/** Returns what a retry does about a request whose outcome is unknown. */
function retryNote({ isFree }: SentEntry, { kind }: SearchResult): Said {
	if (kind === 'candidates')
		return say`A retry does not resend the request while the request history shows these candidates, ${NEVER_TWICE}`;
	if (kind === 'underWay') return say`Run the node again when that call has ended.`;
	return isFree
		? say`A retry searches the request history again, and resends the request only if it is not listed there.`
		: NO_RESEND;
}

/** What an error reports about the search. */
const SEARCH_FACT = {
	none: 'none',
	unread: 'outOfReach',
	underWay: 'outOfReach',
	candidates: 'candidates',
} as const;

/** Describes how a response was lost. */
function describeLoss({ client }: Run, outcome: CallOutcome | undefined, about: CallSubject): Said {
	if (!outcome) return say`an earlier attempt sent it and got no response`;
	return outcome.kind === 'response'
		? whole(callFailure(client, outcome, about).message)
		: say`the response was lost: ${whole(excerpt(outcome.reason, client.redact))}`;
}

/** Describes in a sentence what the request history showed. */
export function searchSentence(searchResult: SearchResult): Said {
	switch (searchResult.kind) {
		case 'none':
			return say`The node searched the request history and did not find the request.`;
		case 'unread':
			return searchResult.isLasting
				? say`This API key has no request history to search.`
				: say`The node could not read the request history to search for the request.`;
		case 'underWay':
			return say`An earlier call for it still waits for Segmind's response.`;
		case 'candidates':
			return say`${candidatesFound(searchResult.candidates)}. ${USE_GET_RESULT}`;
	}
}

const USE_GET_RESULT = say`To get a result, use Get Result with the request's ID.`;

/** Says how many candidates there are, and names the oldest. The error item has the others (`errorMemberOf`). */
function candidatesFound([oldest, ...others]: string[]): Said {
	if (others.length === 0)
		return say`The request history shows request ${oldest}, which may be this one`;
	return say`The request history shows ${others.length + 1} requests that may be this one, the oldest is ${oldest}`;
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
	if (missing.length === 0) return failure;
	const sentence = say`The model requires ${missing.join(', ')}, which the request doesn't contain.`;
	const description = `${facts.description} ${sentence.said}`;
	return new SegmindFailure(facts.kind, { ...facts, description });
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
	const advice = say`Did you mean ${similar}? ${whole(facts.advice)}`;
	const texts = { charge: 'none', advice: advice.said, description: undefined } as const;
	return new SegmindFailure(facts.kind, { ...facts, ...texts });
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
