import { describeError } from '../base/describeError';
import { stoppedFailure, withOpenOutcome } from '../errors/failures';
import { say, whole } from '../errors/say';
import type { KeptOutput, Output, SentEntry } from '../journal/entry';
import type { RequestRef } from '../service/requestRef';
import { agentUploader } from '../media/uploadFiles';
import { binariesExist } from '../output/itemFiles';
import { makeOutput } from '../output/makeOutput';
import type { OutputSpec } from '../output/presentation';
import { reportedCost, type Result } from '../output/result';
import { raceWithStop, type Run } from '../run/run';
import { endFailure } from './poll/endErrors';
import type { RequestEnd } from './poll/requestEnd';
import type { AcceptedRequest } from './poll/acceptedRequest';
import { poll } from './poll/poll';
import { RequestRecord } from './record';
import { unfinishedOutput } from './unfinishedOutput';
import { mayResend, replacementReason } from './rules';
import { findLostCall } from './findLostCall';
import type { Submission } from './submission';
import { digestOfRequest, submit } from './submit';
import {
	outputLostFailure,
	refusedFailure,
	searchSentence,
	stoppedSendingFailure,
	unknownOutcome,
	withMissingParameters,
} from './submissionErrors';

/**
 * Takes a request from what earlier attempts left to the output. The record stores what happens. The money rules 1, 2, 4, 5 and 8 (CONTRIBUTING.md) hold here.
 * @throws SegmindFailure if there will be none
 */
export async function runRequest(run: Run, submission: Submission): Promise<Output> {
	const record = new RequestRecord(run, submission);
	try {
		await record.resume(async () => await digestOfRequest(run, submission));
		const earlierOutput = await outputOfSent(record);
		if (earlierOutput) return earlierOutput;
		const sending = sendAndDeliver(record);
		const outputInResponse = await raceWithStop(run, sending, () => stoppedSendingFailure(record));
		// After it was sent, a request ends with an output or an error.
		return outputInResponse ?? (await outputOfSent(record))!;
	} catch (error) {
		// Until this attempt has sent a request, an earlier one is what may be charged.
		const mayChargeEarlier = record.aboutEarlier !== undefined && !record.hasSent;
		throw mayChargeEarlier ? withOpenOutcome(error) : error;
	} finally {
		record.close();
	}
}

/**
 * Returns the output of the request that this attempt or an earlier one has sent; undefined if a new one may be sent.
 * @throws SegmindFailure if it has no output, or its outcome stays unknown
 */
async function outputOfSent(record: RequestRecord): Promise<Output | undefined> {
	if (record.entry?.is === 'sent') await findOrResend(record, record.entry);
	return record.request && (await outputOfAccepted(record, record.request));
}

/**
 * Finds out about a request that may have been accepted. The record adopts it, or notes that it's to be resent.
 * @throws SegmindFailure if the outcome stays unknown
 */
async function findOrResend(record: RequestRecord, entry: SentEntry): Promise<void> {
	const { run, submission, hasSent } = record;
	const { sendAgainIfUnsure } = submission.options;
	if (entry.refusal) {
		if (hasSent || !sendAgainIfUnsure) throw refusedFailure(submission, entry.refusal);
		const { reason } = entry.refusal;
		record.toBeResent(say`Segmind sent an error in place of a result: '${whole(reason)}'.`);
		return;
	}
	const found = await findLostCall(record, entry).catch((error: unknown) =>
		Promise.reject(withOpenOutcome(error)),
	);
	if (found.kind === 'adopted') return;
	// The history of another credential may be another account's, so that it can't show the request.
	const isOwn = entry.credentialId === run.journal.credentialId;
	const terms = { isFreeIfAbsent: isOwn && entry.isFree === true, sendAgainIfUnsure };
	if (hasSent || !mayResend(found, terms)) throw unknownOutcome(record, found, terms);
	record.toBeResent(searchSentence(found));
}

/**
 * Returns the output of an accepted request; undefined if a new one may replace it, because an earlier attempt's request failed or expired.
 * @throws SegmindFailure if it has no output
 */
async function outputOfAccepted(
	record: RequestRecord,
	request: AcceptedRequest<RequestRef | undefined>,
): Promise<Output | undefined> {
	const { run, submission, keptOutput } = record;
	if (keptOutput && (await isUsable(run, keptOutput))) return keptOutput;
	if (!request.hasId()) {
		if (keptOutput) return await keptWithHint(record, keptOutput, 'it has no request ID');
		throw outputLostFailure();
	}
	if (!submission.waits) return unfinishedOutput(submission, request);
	if (keptOutput) return await outputMadeAgain(record, request, keptOutput);
	const end = await pollToEnd(record, request);
	if (end.kind === 'completed') return await deliver(record, end);
	return endWithoutResult(record, request, end);
}

/** Returns a kept output without its deleted files. `why`: why the result could not be fetched again. */
async function keptWithHint(
	{ run, submission }: RequestRecord,
	kept: KeptOutput,
	why: string,
): Promise<Output> {
	const text = say`this is the output of the earlier attempt, made with its options, because the result could not be fetched again: ${whole(why)}.`;
	run.events.addHint({ item: submission.itemIndex, text });
	return (await binariesExist(run, kept.binary)) ? kept : { ...kept, binary: undefined };
}

/**
 * Makes an output again, because an option has changed or a file is gone. If that fails, whatever the reason, returns the kept output: it was paid.
 * @throws SegmindFailure when stopped
 */
async function outputMadeAgain(
	record: RequestRecord,
	request: AcceptedRequest,
	kept: KeptOutput,
): Promise<Output> {
	const { run, submission } = record;
	try {
		const end = await pollToEnd(record, request);
		if (end.kind === 'completed') return await deliver(record, end);
		throw endFailure(request, end, submission.options.timeoutMs);
	} catch (error) {
		if (run.signal?.aborted) throw stoppedFailure(request.id);
		return await keptWithHint(record, kept, describeError(error, run.redact));
	}
}

/** Returns the unfinished request as an output, or undefined if a new request may replace it. @throws SegmindFailure in all other cases */
function endWithoutResult(
	record: RequestRecord,
	request: AcceptedRequest,
	end: Exclude<RequestEnd, Result>,
): Output | undefined {
	const { submission, hasSent } = record;
	const { onTimeout, sendAgainIfUnsure, timeoutMs } = submission.options;
	if (end.kind === 'unfinished' && onTimeout === 'returnRequest')
		return unfinishedOutput(submission, request);
	const { hasCompleted } = request;
	const why = replacementReason(end, { sendAgainIfUnsure, hasCompleted });
	if (why) record.forgetAsReplaceable(request, why);
	if (why && !hasSent) return undefined;
	throw withMissingParameters(record, endFailure(request, end, timeoutMs));
}

/**
 * Sends the request, and searches for it if its response was lost. Returns the output if the response has it. Goes on after Stop, because nothing else may
 * have the ID or the output.
 */
async function sendAndDeliver(record: RequestRecord): Promise<Output | undefined> {
	const result = await submit(record);
	if (result) return await deliver(record, result);
	if (record.entry?.is === 'sent') await findOrResend(record, record.entry);
	return undefined;
}

/** Whether the kept output was made with the current parameters, and its stored files still exist. */
async function isUsable(run: Run, { presentationDigest, binary }: KeptOutput): Promise<boolean> {
	const isCurrent = presentationDigest === run.journal.presentationDigest;
	return isCurrent && (await binariesExist(run, binary));
}

/** Makes the output, and keeps it for retries. */
async function deliver(record: RequestRecord, result: Result): Promise<Output> {
	const { run, submission, request } = record;
	record.resultFetched(reportedCost(result));
	const spec = outputSpecOf(submission, request?.id);
	const output = await makeOutput(run, spec, result, agentUploader(run));
	record.delivered(output);
	return output;
}

function outputSpecOf(submission: Submission, requestId: string | undefined): OutputSpec {
	const { itemIndex, isWorkflow, madeBy, makes, isTranscript, presentation } = submission;
	const maker = isWorkflow ? 'workflow' : 'model';
	const { making } = presentation;
	return { itemIndex, requestId, maker, madeBy, makes, isTranscript, making };
}

/** Waits until an accepted request has ended, or the timeout has passed. */
async function pollToEnd(record: RequestRecord, request: AcceptedRequest): Promise<RequestEnd> {
	const { timeoutMs, pollIntervalMs } = record.submission.options;
	const isNew = record.hasSent;
	return await poll(record.run.client, request, { timeoutMs, pollIntervalMs, isNew });
}
