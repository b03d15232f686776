import type { INodeExecutionData } from 'n8n-workflow';

import { CAUSES } from '../errors/errorTable';
import { failureOf } from '../errors/failures';
import {
	canBeFetched,
	decide,
	makesRoom,
	needsSearch,
	type Decision,
	type KeptOutput,
	type LostCall,
	type RequestRef,
	type Searched,
} from '../journal/entry';
import { costOf } from '../output/finished';
import { resultLimit } from '../run/options';
import type { Session } from '../run/session';
import { completedInOneCall, endInHistory } from './oneCall';
import { failedRequest, finishedOf, type Completed, type Polled } from './poll/ended';
import { poll } from './poll/poll';
import { RequestRecord } from './record';
import { binariesExist, itemOf, unfinishedItem } from './resultItem';
import { findLost } from './search/findLost';
import type { Creation, Generation, Submission } from './submission';
import { submit } from './submit';
import {
	hintAtLeft,
	hintAtResend,
	notSentAgain,
	searchFailure,
	stillOpen,
	withContradictions,
} from './submissionErrors';

/**
 * The life of a request, from what is known of it to its item:
 *
 *   what earlier tries left ──▶ decide ─┬─▶ send ────▶ accepted, or its answer is lost ──┐
 *                                 ▲     ├─▶ adopt what the request history has ──────────┤
 *                                 │     ├─▶ wait for its end ──▶ its item, or room for ──┤
 *                                 │     ├─▶ reuse the item of an earlier try   another   │
 *                                 │     └─▶ refuse, with an error                        │
 *                                 └──────────────────────────────────────────────────────┘
 *
 * Every step notes in the request's record what has happened, and that record alone decides what comes next: of an answer that is lost the history
 * is searched, and decided again, whether this try lost it or an earlier one.
 */
export async function runRequest(
	session: Session,
	submission: Submission,
): Promise<INodeExecutionData> {
	const record = new RequestRecord(session, submission);
	try {
		return await untilItem(record);
	} catch (error) {
		// The outcome of this call is known, that of the one before is not.
		const isOpen = record.isResend && record.entry?.is === 'sent';
		throw isOpen ? stillOpen(submission, error) : error;
	} finally {
		record.close();
	}
}

/** Decides and carries out until there is an item. @throws SegmindFailure when there will be none */
async function untilItem(record: RequestRecord): Promise<INodeExecutionData> {
	await resume(record);
	for (;;) {
		const lost = needsSearch(record.entry, record.policy);
		const searched = lost && (await search(record, lost));
		const decision = decide(record.entry, record.policy, searched);
		const item = await carryOut(record, decision, searched);
		if (item) return item;
	}
}

/** Takes up what earlier tries left of the same request. */
async function resume(record: RequestRecord): Promise<void> {
	const left = await record.resume();
	if (left.length > 0) hintAtLeft(record, left);
}

/** What the request history says of a call that may have been accepted; undefined where it does not know such calls. */
async function search(record: RequestRecord, lost: LostCall): Promise<Searched | undefined> {
	const { session, submission } = record;
	if (submission.answers === 'creation') return undefined;
	const { client } = session;
	const endsAt = client.clock.now() + submission.presentation.options.timeoutMs;
	try {
		return await findLost(client, { lost, model: submission.slug, endsAt });
	} catch (error) {
		throw searchFailure(record, error);
	}
}

/** Does what was decided. Undefined: decide again. @throws SegmindFailure when there will be no item */
async function carryOut(
	record: RequestRecord,
	decision: Decision,
	searched: Searched | undefined,
): Promise<INodeExecutionData | undefined> {
	switch (decision.do) {
		case 'send':
			record.isResend = record.entry !== undefined;
			if (record.isResend) hintAtResend(record, searched);
			return void (await submit(record));
		case 'adopt':
			return void record.adopt(decision.requestId);
		case 'wait':
			return await itemAtEnd(record, decision.ref);
		case 'reuse':
			return await reuse(record, decision.output, decision.ref);
		case 'refuse':
			throw notSentAgain(record, decision.why, searched);
	}
}

/** The item of an earlier try; made again where that is possible and it is not what is asked for now. */
async function reuse(
	record: RequestRecord,
	output: KeptOutput,
	ref: RequestRef | undefined,
): Promise<INodeExecutionData | undefined> {
	const { session } = record;
	const isGood =
		output.presentation === session.journal.presentation &&
		(await binariesExist(session, output.binary));
	if (!isGood && canBeFetched(ref)) return await itemAtEnd(record, ref);
	if (ref) record.mention(ref);
	return { json: output.json, binary: output.binary };
}

/** The item of a request that was accepted, once it has ended. Undefined: it made room for another one. */
async function itemAtEnd(
	record: RequestRecord,
	ref: RequestRef | undefined,
): Promise<INodeExecutionData | undefined> {
	const { session, submission, answered } = record;
	record.mention(ref);
	if (submission.answers === 'creation') return created(record, submission, ref);
	if (answered?.content) {
		const { content, answer } = answered;
		return await deliver(record, submission, ref, completedInOneCall(content, answer.headers));
	}
	if (!ref) throw failureOf('outputLost', CAUSES.outputLost);
	if (!submission.waits) return unfinishedItem(session, submission, ref, 'QUEUED');
	record.resumeReservation(ref);
	const ended = await endOf(record, submission, ref);
	const room = makesRoom(record.entry, record.policy, ended);
	if (!room) return await conclude(record, submission, ref, ended);
	record.makeRoom(room);
	await resume(record);
	return undefined;
}

/** What was created. A retry of a try that ended before it could give it has no answer any more. */
function created(
	record: RequestRecord,
	creation: Creation,
	ref: RequestRef | undefined,
): INodeExecutionData {
	const { answered } = record;
	const item = creation.itemFrom(ref?.request_id, answered?.answer);
	return answered ? record.deliver(item) : item;
}

/** Waits until it has ended, or the time is up. */
async function endOf(
	record: RequestRecord,
	generation: Generation,
	ref: RequestRef,
): Promise<Polled> {
	const { session, entry, policy } = record;
	if (generation.answers === 'output') return await endInHistory(record, generation, ref);
	const { timeoutMs, pollIntervalMs } = generation.presentation.options;
	const waiting = {
		acceptedAt: entry?.at ?? session.clock.now(),
		isOwn: true,
		timeoutMs,
		pollIntervalMs,
		label: generation.slug,
		maxBytes: resultLimit(generation.presentation.options),
		checkAtOnce: !policy.hasSent,
	};
	return await poll(session, ref, waiting, record);
}

/** What comes of a request that has ended, or whose time is up. @throws SegmindFailure unless there is an item */
async function conclude(
	record: RequestRecord,
	generation: Generation,
	ref: RequestRef,
	ended: Polled,
): Promise<INodeExecutionData> {
	const { session, entry, prepared } = record;
	const { options } = generation.presentation;
	// Its record has expired, but an earlier try kept its output.
	if (ended.kind === 'missing' && entry?.is === 'done' && entry.output)
		return { json: entry.output.json, binary: entry.output.binary };
	if (ended.kind === 'timeUp' && options.onTimeout === 'returnRequest')
		return unfinishedItem(session, generation, ref, ended.status);
	if (ended.kind === 'failed') {
		record.apply({ kind: 'failed' });
		throw withContradictions(failedRequest(ref, ended), session, generation, prepared?.body);
	}
	return await deliver(record, generation, ref, finishedOf(ended, ref, options, true));
}

/** The item of a completed request; it is kept for retries. */
async function deliver(
	record: RequestRecord,
	generation: Generation,
	ref: RequestRef | undefined,
	finished: Completed,
): Promise<INodeExecutionData> {
	const { session } = record;
	record.apply({ kind: 'finished', cost: costOf({ body: finished.body, ...finished.inOneCall }) });
	const item = await itemOf(session, generation, ref?.request_id, finished);
	return record.deliver(item, session.journal.presentation);
}
