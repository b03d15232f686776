import { stoppedFailure, withCompletion, withOpenOutcome } from '../errors/failures';
import { say } from '../errors/say';
import { refOf, type KeptOutput, type Output } from '../journal/entry';
import type { RequestRef } from '../service/requestRef';
import { makeOutput } from '../output/makeOutput';
import type { OutputSpec } from '../output/presentation';
import { reportedCost, type Result } from '../output/result';
import { raceWithStop, type Run } from '../run/run';
import type { RequestEnd } from './poll/requestEnd';
import { FIRST_STATUS, poll } from './poll/poll';
import { RequestRecord } from './record';
import { binariesExist, unfinishedOutput, agentUploader } from './executionItems';
import { mayResend, maySearch, replacementReason } from './rules';
import { findLostCall } from './findLostCall';
import type { Submission } from './submission';
import { digestOfRequest, submit } from './submit';
import {
	bugFailure,
	noResultFailure,
	outputLostFailure,
	refusalSentence,
	refusedFailure,
	searchFailure,
	searchSentence,
	sentByAnotherFailure,
	stoppedSendingFailure,
	unknownOutcome,
} from './submissionErrors';

/*
 * Rules that must not regress:
 * 1. A request is in the journal before it's sent, when it's accepted and when it has ended.
 * 2. An attempt sends at most one request: it never resends or replaces its own, only an earlier attempt's.
 * 3. A request that may have been accepted is resent only if that is free and the history doesn't show it, or if the user asked for it.
 * 4. A completed request was charged: it's delivered, or the error names it. Nothing replaces it.
 * 5. After Stop nothing new is sent, and a call under way is finished.
 */

/**
 * Takes a request from what earlier attempts left to the output. The record stores what happens.
 * @throws SegmindFailure if there will be none
 */
export async function runRequest(run: Run, submission: Submission): Promise<Output> {
	const record = new RequestRecord(run, submission);
	try {
		await record.resume(async () => await digestOfRequest(run, submission));
		const earlierOutput = await outputOfEarlier(record);
		if (earlierOutput !== 'send') return earlierOutput;
		const sending = sendAndDeliver(record);
		const sent = await raceWithStop(run, sending, () => stoppedSendingFailure(record));
		if (sent !== 'sent') return sent;
		await settle(record);
		return await outputOfOwn(record);
	} catch (error) {
		throw withKnownCharge(record, error);
	} finally {
		record.close();
	}
}

/** Adds to an error what is known of the charge of the item's requests. */
function withKnownCharge(record: RequestRecord, error: unknown): unknown {
	const { aboutEarlier, ownCall, submission } = record;
	// Until this attempt has sent a request, an earlier one is what may be charged.
	if (aboutEarlier && !ownCall) return withOpenOutcome(error, submission.subject);
	return isCompleted(record) ? withCompletion(error) : error;
}

/** Returns the output of a request that an earlier attempt sent, or that this attempt has to send one. */
async function outputOfEarlier(record: RequestRecord): Promise<Output | 'send'> {
	const settled = await settle(record);
	if (settled === 'send' || settled === 'resend') return 'send';
	const output = await outputOfAccepted(record);
	return output === 'replace' ? 'send' : output;
}

/** Returns the output of the request that this attempt has sent. @throws SegmindFailure if it has no result */
async function outputOfOwn(record: RequestRecord): Promise<Output> {
	const output = await outputOfAccepted(record);
	if (output === 'replace') throw bugFailure(record.submission);
	return output;
}

/** `adopted`: the record has an accepted request. `resend`: one may have been accepted, and may be sent again. `send`: nothing was sent. */
type Settlement = 'adopted' | 'resend' | 'send';

/**
 * Finds out about a request that may have been accepted. The record adopts it if it was.
 * @throws SegmindFailure if the outcome stays unknown
 */
async function settle(record: RequestRecord): Promise<Settlement> {
	const { run, submission, entry, ownCall } = record;
	if (entry === undefined) return 'send';
	if (entry.is === 'accepted') return 'adopted';
	const { sendAgainIfUnsure } = submission.options;
	const hasSent = ownCall !== undefined;
	if (entry.refusal) {
		if (hasSent || !sendAgainIfUnsure) throw refusedFailure(submission, entry.refusal);
		record.toBeResent(say`${refusalSentence(entry.refusal)}.`);
		return 'resend';
	}
	if (!maySearch(entry, { credentialId: run.journal.credentialId, sendAgainIfUnsure }))
		throw sentByAnotherFailure(submission);
	const found = await findLostCall(record, entry).catch((error: unknown) =>
		Promise.reject(searchFailure(record, error)),
	);
	if (found.kind === 'adopted') return 'adopted';
	if (!mayResend(entry, { searchResult: found, hasSent, sendAgainIfUnsure }))
		throw unknownOutcome(record, entry, found);
	record.toBeResent(searchSentence(found));
	return 'resend';
}

/**
 * Makes the output of an accepted request, or returns that a new request may replace it: an earlier attempt's request failed or expired.
 * @throws SegmindFailure if the request has no result
 */
async function outputOfAccepted(record: RequestRecord): Promise<Output | 'replace'> {
	const { run, submission, entry } = record;
	if (entry?.is !== 'accepted') throw bugFailure(submission);
	const { ref, output } = entry;
	if (output && (!ref || (await isUsable(run, output)))) return outputFrom(output);
	if (!ref) throw outputLostFailure();
	if (!submission.waits) return unfinishedOutput(submission, ref);
	if (output) return await outputMadeAgain(record, ref, output);
	const end = await pollToEnd(record, ref);
	if (end.kind === 'completed') return await deliver(record, ref, end);
	return endWithoutResult(record, ref, end);
}

export const KEPT_OUTPUT = say`the result could not be fetched again, so this is the output of the earlier attempt, made with its options.`;

/**
 * Makes an output again, because an option has changed or a file is gone. If that fails, whatever the reason, returns the kept output: it was paid.
 * @throws SegmindFailure when stopped
 */
async function outputMadeAgain(
	record: RequestRecord,
	ref: RequestRef,
	kept: KeptOutput,
): Promise<Output> {
	const { run, submission } = record;
	try {
		const end = await pollToEnd(record, ref);
		if (end.kind === 'completed') return await deliver(record, ref, end);
	} catch {
		if (run.signal?.aborted) throw stoppedFailure(ref.request_id);
	}
	run.report.addHint({ item: submission.itemIndex, text: KEPT_OUTPUT });
	const output = outputFrom(kept);
	return (await binariesExist(run, kept.binary)) ? output : { ...output, binary: undefined };
}

/** Returns the unfinished request as an output, or that a new request may replace it. @throws SegmindFailure in all other cases */
function endWithoutResult(
	record: RequestRecord,
	ref: RequestRef,
	end: Exclude<RequestEnd, Result>,
): Output | 'replace' {
	const { submission, ownCall } = record;
	const { options } = submission;
	if (end.kind === 'unfinished' && options.onTimeout === 'returnRequest')
		return unfinishedOutput(submission, ref, end.status);
	const why = replacementReason(end, { ...options, hasCompleted: isCompleted(record) });
	if (why) record.forgetAsReplaceable(ref, why);
	if (why && !ownCall) return 'replace';
	throw noResultFailure(record, ref, end);
}

/** Sends the request. Returns the output if the response has it. Goes on after Stop, because nothing else may have the ID or the output. */
async function sendAndDeliver(record: RequestRecord): Promise<Output | 'sent'> {
	await submit(record);
	const result = record.ownCall?.result;
	return result ? await deliver(record, refOf(record.entry), result) : 'sent';
}

/** Whether the kept output was made with the current parameters, and its stored files still exist. */
async function isUsable(run: Run, { presentationDigest, binary }: KeptOutput): Promise<boolean> {
	const isCurrent = presentationDigest === run.journal.presentationDigest;
	return isCurrent && (await binariesExist(run, binary));
}

function outputFrom({ json, binary, files }: KeptOutput): Output {
	return { json, binary, files };
}

function isCompleted({ entry }: RequestRecord): boolean {
	return entry?.is === 'accepted' && entry.hasCompleted === true;
}

/** Makes the output, and keeps it for retries. */
async function deliver(
	record: RequestRecord,
	ref: RequestRef | undefined,
	result: Result,
): Promise<Output> {
	const { run, submission } = record;
	record.resultFetched(reportedCost(result));
	const spec = outputSpecOf(submission, ref?.request_id);
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
async function pollToEnd(record: RequestRecord, ref: RequestRef): Promise<RequestEnd> {
	const { timeoutMs, pollIntervalMs } = record.submission.options;
	const isNew = record.ownCall !== undefined;
	const hasCompleted = isCompleted(record);
	const settings = { timeoutMs, pollIntervalMs, isNew, hasCompleted, lastStatus: FIRST_STATUS };
	return await poll(record.run.client, ref, settings, record);
}
