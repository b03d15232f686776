import type { INodeExecutionData } from 'n8n-workflow';

import { CAUSES } from '../errors/errorTable';
import { failureOf, withOpenOutcome } from '../errors/failures';
import { refOf, type KeptOutput, type RequestRef } from '../journal/entry';
import { makeItem } from '../output/makeItem';
import type { ItemSpec } from '../output/presentation';
import { reportedCost, type Result } from '../output/result';
import { raceWithStop, type Session } from '../run/session';
import type { RequestOutcome } from './poll/outcome';
import { FIRST_STATUS, poll } from './poll/poll';
import { RequestRecord } from './record';
import { binariesExist, unfinishedItem, uploadForAgent } from './executionItems';
import { mayResend, replacementReason } from './rules';
import { findLostCall } from './findLostCall';
import type { Submission } from './submission';
import { evaluatedDigest, submit } from './submit';
import {
	noResultFailure,
	searchFailure,
	searchSentence,
	stoppedSendingFailure,
	unknownOutcome,
} from './submissionErrors';

/**
 * Takes a request from what earlier attempts left to the output item. The record stores what happens.
 * @throws SegmindFailure if there will be no item
 */
export async function runRequest(
	session: Session,
	submission: Submission,
): Promise<INodeExecutionData> {
	const record = new RequestRecord(session, submission);
	try {
		await record.resume(async () => await evaluatedDigest(session, submission));
		// Without an exception, the lost request is adopted or may be resent.
		await settle(record);
		const earlierItem = await itemOf(record);
		if (earlierItem) return earlierItem;
		const sending = sendAndDeliver(record);
		const ownItem = await raceWithStop(session, sending, () => stoppedSendingFailure(record));
		if (ownItem) return ownItem;
		await settle(record);
		const item = await itemOf(record);
		if (item) return item;
		throw failureOf('other', CAUSES.bug, { subject: submission.subject });
	} catch (error) {
		// Until this attempt has sent a request, an earlier one is what may be charged.
		const { aboutEarlier, ownCall } = record;
		throw aboutEarlier && !ownCall ? withOpenOutcome(error, submission.subject) : error;
	} finally {
		record.close();
	}
}

/**
 * Finds out about a request that may have been accepted. The record adopts it if it was; otherwise the request may be resent.
 * @throws SegmindFailure if the outcome stays unknown
 */
async function settle(record: RequestRecord): Promise<void> {
	const { session, submission, entry, ownCall } = record;
	if (entry?.is !== 'sent') return;
	const { subject, options } = submission;
	const { sendAgainIfUnsure } = options;
	if (entry.credential !== session.journal.credentialId && !sendAgainIfUnsure) {
		const facts = { outcomeUnknown: true, search: 'notSearched' } as const;
		throw failureOf('unknownOutcome', CAUSES.sentByAnother, { subject }, facts);
	}
	const searchResult = await findLostCall(record, entry).catch((error: unknown) =>
		Promise.reject(searchFailure(record, error)),
	);
	if (!searchResult) return;
	const hasSent = ownCall !== undefined;
	if (!mayResend(entry, { searchResult, hasSent, sendAgainIfUnsure }))
		throw unknownOutcome(record, entry, searchResult);
	record.aboutEarlier = searchSentence(searchResult);
}

/**
 * Makes the item of an accepted request. Returns undefined if there is none, or if an earlier attempt's request failed or expired, so that a new one may
 * be sent.
 * @throws SegmindFailure if the request has no result
 */
async function itemOf(record: RequestRecord): Promise<INodeExecutionData | undefined> {
	const { session, submission, entry, ownCall } = record;
	if (entry?.is !== 'accepted') return undefined;
	const { ref, output } = entry;
	if (output && (!ref || (await isUsable(session, output)))) return itemFrom(output);
	if (!ref) throw failureOf('outputLost', CAUSES.outputLost);
	if (!submission.waits) return unfinishedItem(session, submission, ref, FIRST_STATUS);
	const outcome = await pollToEnd(record, ref);
	if (outcome.kind === 'completed') return await deliver(record, ref, outcome);
	if (outcome.kind === 'missing' && output) return itemFrom(output);
	const { options } = submission;
	if (outcome.kind === 'timeout' && options.onTimeout === 'returnRequest')
		return unfinishedItem(session, submission, ref, outcome.status);
	const why = replacementReason(outcome, { ...options, hasCompleted: isCompleted(record) });
	if (why) record.endedWithoutResult(why);
	// The attempt that sent a request never replaces it.
	if (why && !ownCall) return undefined;
	throw noResultFailure(record, ref, outcome);
}

/** Sends the request. Returns the item if the response has the output. Goes on after Stop, because nothing else may have the ID or the output. */
async function sendAndDeliver(record: RequestRecord): Promise<INodeExecutionData | undefined> {
	await submit(record);
	const result = record.ownCall?.result;
	return result && (await deliver(record, refOf(record.entry), result));
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
	record: RequestRecord,
	ref: RequestRef | undefined,
	result: Result,
): Promise<INodeExecutionData> {
	const { session, submission } = record;
	record.finished(reportedCost(result));
	const spec = itemSpecOf(submission, ref?.request_id);
	const item = await makeItem(session, spec, result, uploadForAgent(session));
	record.delivered(item);
	return item;
}

function itemSpecOf(submission: Submission, requestId: string | undefined): ItemSpec {
	const { itemIndex, isWorkflow, madeBy, presentation } = submission;
	return { itemIndex, requestId, maker: isWorkflow ? 'workflow' : 'model', madeBy, presentation };
}

/** Waits until an accepted request has ended, or the timeout has passed. */
async function pollToEnd(record: RequestRecord, ref: RequestRef): Promise<RequestOutcome> {
	const { timeoutMs, pollIntervalMs } = record.submission.options;
	const isNew = record.ownCall !== undefined;
	const settings = { timeoutMs, pollIntervalMs, isNew, hasCompleted: isCompleted(record) };
	return await poll(record.session, ref, settings, record);
}
