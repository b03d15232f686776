import type { INodeExecutionData } from 'n8n-workflow';

import { CAUSES } from '../errors/errorTable';
import { failureOf } from '../errors/failures';
import { canFetch, type KeptOutput, type RequestRef } from '../journal/entry';
import { reportedCost } from '../output/finishedItem';
import type { Session } from '../run/session';
import { outcomeOfOneCall } from './oneCall';
import type { CompletedRequest, RequestOutcome } from './poll/outcome';
import { FIRST_STATUS, poll } from './poll/poll';
import { RequestRecord } from './record';
import { binariesExist, makeItem, unfinishedItem } from './resultItem';
import { mayResend, replacementReason } from './rules';
import { findLostCall } from './findLostCall';
import type { SearchResult, Submission } from './submission';
import { evaluatedDigest, submit } from './submit';
import {
	noResultFailure,
	searchFailure,
	unknownOutcome,
	withOpenOutcome,
} from './submissionErrors';

/** What the functions below share during one attempt. */
interface Run {
	readonly session: Session;
	readonly submission: Submission;
	readonly record: RequestRecord;
}

/**
 * Takes a request from what earlier attempts left to the output item. The record stores what happens.
 * @throws SegmindFailure if there will be no item
 */
export async function runRequest(
	session: Session,
	submission: Submission,
): Promise<INodeExecutionData> {
	const record = new RequestRecord(session, submission);
	const run = { session, submission, record };
	try {
		await record.resume(async () => await evaluatedDigest(session, submission));
		// Without an exception, the lost request is adopted or may be resent.
		const searchResult = await settle(run);
		const earlierItem = await itemOf(run);
		if (earlierItem) return earlierItem;
		await submit(session, submission, record, searchResult);
		await settle(run);
		const item = await itemOf(run);
		if (item) return item;
		throw failureOf('other', CAUSES.bug, { subject: submission.subject });
	} catch (error) {
		throw withOpenOutcome(record, submission, error);
	} finally {
		record.close();
	}
}

/**
 * Finds out about a request that may have been accepted. The record adopts it if it was. Returns what the search showed if the request may be resent
 * instead, and undefined if nothing was lost.
 * @throws SegmindFailure if the outcome stays unknown
 */
async function settle({ session, submission, record }: Run): Promise<SearchResult | undefined> {
	const { entry, ownCall } = record;
	if (entry?.is !== 'sent') return undefined;
	const { trace } = entry;
	const { subject, presentation, slug: model } = submission;
	const { sendAgainIfUnsure, timeoutMs } = presentation.options;
	if (entry.credential !== session.journal.credential && !sendAgainIfUnsure) {
		const facts = { outcomeUnknown: true, search: 'notSearched' } as const;
		throw failureOf('unknownOutcome', CAUSES.sentByAnother, { subject }, facts);
	}
	if (!trace) throw failureOf('other', CAUSES.bug, { subject });
	const { client } = session;
	const lost = { entry, trace, model, endsAt: client.clock.now() + timeoutMs };
	const searchResult = await findLostCall(client, record, lost).catch((error: unknown) =>
		Promise.reject(searchFailure(record, error)),
	);
	if (!searchResult) return undefined;
	const hasSent = ownCall !== undefined;
	if (mayResend(entry, { searchResult, hasSent, sendAgainIfUnsure })) return searchResult;
	throw unknownOutcome(session, submission, { entry, searchResult, loss: ownCall?.loss });
}

/**
 * Makes the item of an accepted request. Returns undefined if there is none, or if an earlier attempt's request failed or expired, so that a new one may
 * be sent.
 * @throws SegmindFailure if the request has no result
 */
async function itemOf(run: Run): Promise<INodeExecutionData | undefined> {
	const { session, submission, record } = run;
	const { entry, ownCall } = record;
	if (entry?.is !== 'accepted') return undefined;
	const { ref, output } = entry;
	if (output && (!canFetch(ref) || (await isUsable(session, output)))) return itemFrom(output);
	const { response, content } = ownCall?.response ?? {};
	if (response && content)
		return await deliver(run, ref, outcomeOfOneCall(content, response.headers));
	if (!ref) throw failureOf('outputLost', CAUSES.outputLost);
	if (!submission.waits) return unfinishedItem(session, submission, ref, FIRST_STATUS);
	const outcome = await pollToEnd(run, ref);
	if (outcome.kind === 'finished') return await deliver(run, ref, outcome);
	if (outcome.kind === 'missing' && output) return itemFrom(output);
	const { options } = submission.presentation;
	if (outcome.kind === 'timeout' && options.onTimeout === 'returnRequest')
		return unfinishedItem(session, submission, ref, outcome.status);
	const why = replacementReason(outcome, { ...options, hasCompleted: isCompleted(record) });
	if (why) record.ended(why);
	// The attempt that sent a request never replaces it.
	if (why && !ownCall) return undefined;
	throw noResultFailure(session, submission, record, ref, outcome);
}

/** Whether the kept output was made with the current presentation parameters, and its stored files still exist. */
async function isUsable(session: Session, { presentation, binary }: KeptOutput): Promise<boolean> {
	return presentation === session.journal.presentation && (await binariesExist(session, binary));
}

function itemFrom({ json, binary }: KeptOutput): INodeExecutionData {
	return { json, binary };
}

function isCompleted({ entry }: RequestRecord): boolean {
	return entry?.is === 'accepted' && entry.hasCompleted === true;
}

/** Makes the output item, and keeps it for retries. */
async function deliver(
	{ session, submission, record }: Run,
	ref: RequestRef | undefined,
	result: CompletedRequest,
): Promise<INodeExecutionData> {
	record.finished(reportedCost({ body: result.body, ...result.inOneCall }));
	const item = await makeItem(session, submission, ref?.request_id, result);
	record.delivered(item);
	return item;
}

/** Waits until an accepted request has ended, or the timeout has passed. */
async function pollToEnd(
	{ session, submission, record }: Run,
	ref: RequestRef,
): Promise<RequestOutcome> {
	const { timeoutMs, pollIntervalMs } = submission.presentation.options;
	const isNew = record.ownCall !== undefined;
	const settings = { timeoutMs, pollIntervalMs, isNew, hasCompleted: isCompleted(record) };
	return await poll(session, ref, settings, record);
}
