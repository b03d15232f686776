import type { INodeExecutionData } from 'n8n-workflow';

import { CAUSES } from '../errors/errorTable';
import { failureOf } from '../errors/failures';
import {
	canFetch,
	tracedCallOf,
	type AcceptedEntry,
	type KeptOutput,
	type RequestRef,
	type SentEntry,
} from '../journal/entry';
import { costOf } from '../output/finishedItem';
import type { Session } from '../run/session';
import { outcomeOfOneCall } from './oneCall';
import { reconcileCompleted, type CompletedRequest, type RequestOutcome } from './poll/outcome';
import { FIRST_STATUS, poll } from './poll/poll';
import { withUrls } from './poll/requestRef';
import { RequestRecord } from './record';
import { binariesExist, makeItem, unfinishedItem } from './resultItem';
import { mayResend, replacementReason } from './rules';
import { findLostCall } from './search/findLostCall';
import type { SearchResult } from './search/matchRows';
import type { Generation, Submission } from './submission';
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
		for (;;) {
			await record.resume(async () => await evaluatedDigest(session, submission));
			if (!record.entry) await submit(session, submission, record);
			// The same rules apply to a response lost in this attempt and to one lost in an earlier attempt.
			if (record.entry?.is === 'sent') await settle(run, record.entry);
			const item = await itemOf(run);
			if (item) return item;
		}
	} catch (error) {
		throw withOpenOutcome(record, submission, error);
	} finally {
		record.close();
	}
}

/**
 * Finds out about a request that may have been accepted: adopts it, or resends it if the rules allow that.
 * @throws SegmindFailure if neither is possible
 */
async function settle(run: Run, entry: SentEntry): Promise<void> {
	const { session, submission, record } = run;
	const { subject, presentation } = submission;
	const { sendAgainIfUnsure } = presentation.options;
	if (entry.by !== session.journal.credential && !sendAgainIfUnsure) {
		const facts = { outcomeUnknown: true, search: 'notSearched' } as const;
		throw failureOf('unknownOutcome', CAUSES.sentByAnother, { subject }, facts);
	}
	let searchResult = await searchHistory(run, entry);
	if (searchResult?.kind === 'one') {
		if (adopt(run, entry, searchResult)) return;
		searchResult = { kind: 'unread', isLasting: false };
	}
	const { sent } = record;
	if (!mayResend(entry, { searchResult, hasSent: sent !== undefined, sendAgainIfUnsure }))
		throw unknownOutcome(session, submission, { entry, searchResult, loss: sent?.loss });
	await submit(session, submission, record, searchResult);
	if (record.entry?.is === 'sent') await settle(run, record.entry);
}

/** Searches the request history for a call that may have been accepted; undefined if the history doesn't list such calls. */
async function searchHistory(
	{ session, submission, record }: Run,
	entry: SentEntry,
): Promise<SearchResult | undefined> {
	const { client } = session;
	const lostCall = tracedCallOf(entry);
	if (!lostCall) return undefined;
	const endsAt = client.clock.now() + submission.presentation.options.timeoutMs;
	try {
		return await findLostCall(client, { lostCall, model: submission.slug, endsAt });
	} catch (error) {
		throw searchFailure(record, error);
	}
}

/** Returns false if another item has claimed the request meanwhile. */
function adopt(
	{ session, record }: Run,
	{ id }: SentEntry,
	{ requestId, isResponse }: Extract<SearchResult, { kind: 'one' }>,
): boolean {
	const { baseUrl } = session.client.urls;
	const ref = requestId === undefined ? undefined : withUrls({ request_id: requestId }, baseUrl);
	return record.adopt(id, ref, isResponse);
}

/**
 * Makes the item of an accepted request. Returns undefined if an earlier attempt's request failed or expired, so that a new one may be sent.
 * @throws SegmindFailure if the request has no result
 */
async function itemOf(run: Run): Promise<INodeExecutionData | undefined> {
	const { session, submission, record } = run;
	const { entry, sent } = record;
	if (!entry || entry.is === 'sent')
		throw failureOf('other', CAUSES.bug, { subject: submission.subject });
	const { id, ref, output } = entry;
	if (output && (!canFetch(ref) || (await isUsable(session, output))))
		return keptItem(session, output);
	const { response, content } = sent?.response ?? {};
	if (response && content)
		return await deliver(run, submission, entry, outcomeOfOneCall(content, response.headers));
	if (!ref) throw failureOf('outputLost', CAUSES.outputLost);
	if (!submission.waits) return unfinishedItem(session, submission, ref, FIRST_STATUS);
	const outcome = await pollToEnd(run, submission, entry, ref);
	if (outcome.kind === 'finished') return await deliver(run, submission, entry, outcome);
	if (outcome.kind === 'missing' && output) return keptItem(session, output);
	const { options } = submission.presentation;
	if (outcome.kind === 'timeout' && options.onTimeout === 'returnRequest')
		return unfinishedItem(session, submission, ref, outcome.status);
	const why = replacementReason(outcome, options);
	if (why && !sent && record.drop(id, why)) return undefined;
	// A retry sends a new request.
	if (outcome.kind === 'failed') record.drop(id, 'failed');
	throw noResultFailure(session, submission, record, ref, outcome);
}

/** Whether the kept output was made with the current presentation parameters, and its stored files still exist. */
async function isUsable(session: Session, { presentation, binary }: KeptOutput): Promise<boolean> {
	return presentation === session.journal.presentation && (await binariesExist(session, binary));
}

function keptItem(session: Session, { json, binary }: KeptOutput): INodeExecutionData {
	session.spent += costOf({ body: json }) ?? 0;
	return { json, binary };
}

/** Makes the output item, and keeps it for retries. */
async function deliver(
	{ session, record }: Run,
	generation: Generation,
	{ id, ref }: AcceptedEntry,
	result: CompletedRequest,
): Promise<INodeExecutionData> {
	record.finished(id, costOf({ body: result.body, ...result.inOneCall }));
	const item = await makeItem(session, generation, ref?.request_id, result);
	return record.delivered(id, item, session.journal.presentation);
}

/** Waits until an accepted request has ended, or the timeout has passed. */
async function pollToEnd(
	{ session, record }: Run,
	generation: Generation,
	entry: AcceptedEntry,
	ref: RequestRef,
): Promise<RequestOutcome> {
	const { timeoutMs, pollIntervalMs } = generation.presentation.options;
	const settings = { timeoutMs, pollIntervalMs, isNew: record.sent !== undefined };
	return reconcileCompleted(await poll(session, ref, settings, record), entry.is === 'done');
}
