import type { INodeExecutionData } from 'n8n-workflow';

import { CAUSES } from '../errors/errorTable';
import { failureOf } from '../errors/failures';
import type { TracedCall } from '../journal/entry';
import { costOf } from '../output/finishedItem';
import { maxResultBytes } from '../run/options';
import type { Session } from '../run/session';
import { outcomeOfOneCall, pollHistory } from './oneCall';
import type { PollOutcome } from './poll/pollOutcome';
import { poll } from './poll/poll';
import { withUrls } from './poll/requestRef';
import { RequestRecord } from './record';
import { binariesExist, makeItem, unfinishedItem } from './resultItem';
import { hasSent, next } from './rules/next';
import type { Delivery, Next, Policy, FailureReason, Findings } from './rules/state';
import type { Submission } from './rules/submission';
import { findLostCall } from './search/findLostCall';
import type { SearchResult } from './search/searchResult';
import { evaluatedDigest, submit } from './submit';
import { requestFailure, searchFailure, withOpenOutcome } from './submissionErrors';

/**
 * Takes a request from what earlier attempts left to the output item. `next` says what to do, this file does it, and the record stores what happened:
 *
 *   earlier attempts ──▶ next ─┬─▶ send ─────▶ accepted, or the response is lost ─┐
 *                         ▲    ├─▶ search the request history for a lost one ─────┤
 *                         │    ├─▶ adopt what the history shows ──────────────────┤
 *                         │    ├─▶ poll until it has ended ───────────────────────┤
 *                         │    ├─▶ discard the entry of a failed or expired one ──┤
 *                         │    ├─▶ deliver the item                               │
 *                         │    └─▶ fail, with an error                            │
 *                         └───────────────────────────────────────────────────────┘
 *
 * The same rules apply to a response lost in this attempt and to one lost in an earlier attempt.
 */
export async function runRequest(
	session: Session,
	submission: Submission,
): Promise<INodeExecutionData> {
	const { itemIndex, subject } = submission;
	const idOf = submission.responds === 'creation' ? submission.idOf : 'request';
	const record = new RequestRecord(session, { itemIndex, subject, idOf });
	try {
		return await runUntilItem({ session, submission, record });
	} catch (error) {
		throw withOpenOutcome(record.state, submission, error);
	} finally {
		record.apply({ kind: 'closed' });
	}
}

/** The longest run has about ten steps, plus ten for each earlier request that is replaced. */
const MAX_STEPS = 100;

/** What the functions below share during one attempt. */
interface Run {
	readonly session: Session;
	readonly submission: Submission;
	readonly record: RequestRecord;
}

/** Does what `next` says until there is an item. @throws SegmindFailure if there will be none */
async function runUntilItem(run: Run): Promise<INodeExecutionData> {
	const policy = policyOf(run);
	let findings = await resume(run);
	for (let steps = 0; steps < MAX_STEPS; steps++) {
		const todo = next(run.record.state, policy, findings);
		if (todo.do === 'deliver') return await deliver(run, todo);
		if (todo.do === 'fail') throw endWithFailure(run, todo.why);
		findings = await doNext(run, todo, findings);
	}
	throw failureOf('other', CAUSES.tooManySteps, { subject: run.submission.subject });
}

function policyOf({ session, submission }: Run): Policy {
	const { sendAgainIfUnsure } = submission.presentation.options;
	return { sendAgainIfUnsure, credential: session.journal.credential, submission };
}

/** Resumes what earlier attempts left of the same request. Finds out whether the output they kept can still be delivered. */
async function resume({ session, submission, record }: Run): Promise<Findings> {
	if (!record.resumeByParameters())
		record.resumeByRequest(await evaluatedDigest(session, submission));
	const hasMaxCost = submission.presentation.options.maximumCost !== undefined;
	if (hasMaxCost && submission.responds !== 'creation') record.resumeReservation();
	const { entry } = record.state;
	if (entry?.is !== 'done' || !entry.output) return {};
	const isSamePresentation = entry.output.presentation === session.journal.presentation;
	const isOutputUsable = isSamePresentation && (await binariesExist(session, entry.output.binary));
	return { isOutputUsable };
}

/** Does what `next` said, for steps that don't end the attempt. Returns what this attempt has found out so far. */
async function doNext(
	run: Run,
	todo: Exclude<Next, { do: 'deliver' | 'fail' }>,
	findings: Findings,
): Promise<Findings> {
	const { session, submission, record } = run;
	switch (todo.do) {
		case 'send':
			await submit(session, submission, record, findings.searchResult);
			return {};
		case 'search':
			return { searchResult: await searchHistory(run, todo.lost) };
		case 'adopt': {
			const { requestId, isResponse } = todo.found;
			const { baseUrl } = session.client.urls;
			const ref =
				requestId === undefined ? undefined : withUrls({ request_id: requestId }, baseUrl);
			const isAdopted = record.adopt(todo.id, ref, isResponse);
			return isAdopted ? {} : { searchResult: { kind: 'unread', isLasting: false } };
		}
		case 'poll':
			return { ...findings, outcome: await pollToEnd(run, todo) };
		case 'discardEntry':
			record.apply({ kind: todo.why, id: todo.id });
			return await resume(run);
	}
}

/** Searches the request history for a call that may have been accepted. */
async function searchHistory(
	{ session, submission, record }: Run,
	lostCall: TracedCall,
): Promise<SearchResult> {
	const { client } = session;
	const model = submission.responds === 'creation' ? '' : submission.slug;
	const endsAt = client.clock.now() + submission.presentation.options.timeoutMs;
	try {
		return await findLostCall(client, { lostCall, model, endsAt });
	} catch (error) {
		throw searchFailure(record.state, error);
	}
}

/** Waits until an accepted request has ended, or the timeout has passed. */
async function pollToEnd(
	{ session, record }: Run,
	{ generation, ref, hasCompleted }: Extract<Next, { do: 'poll' }>,
): Promise<PollOutcome> {
	const { attempt, entry } = record.state;
	const { timeoutMs, pollIntervalMs } = generation.presentation.options;
	if (generation.responds === 'output')
		return await pollHistory(session.client, ref, { timeoutMs, hasCompleted });
	const settings = {
		acceptedAt: entry?.at ?? session.clock.now(),
		isKnownAccepted: true,
		hasCompleted,
		timeoutMs,
		pollIntervalMs,
		durationKey: generation.isWorkflow ? `workflow ${generation.slug}` : generation.slug,
		maxBytes: maxResultBytes(generation.presentation.options),
		checkAtOnce: !hasSent(attempt),
	};
	return await poll(session, ref, settings, record);
}

/** Makes the output item. Keeps it for retries, unless it's an unfinished request. */
async function deliver({ session, record }: Run, delivery: Delivery): Promise<INodeExecutionData> {
	switch (delivery.from) {
		case 'kept':
			session.spent += costOf({ body: delivery.output.json }) ?? 0;
			return { json: delivery.output.json, binary: delivery.output.binary };
		case 'request':
			return unfinishedItem(session, delivery.generation, delivery.ref, delivery.status);
		case 'creation': {
			const { creation, id, ref, response } = delivery;
			const item = creation.makeItem(ref?.request_id, response?.response);
			return response ? record.recordDelivery(id, item) : item;
		}
		case 'response':
		case 'result': {
			const { generation, id, ref } = delivery;
			const requestId = ref?.request_id;
			const result =
				delivery.from === 'result'
					? delivery.result
					: outcomeOfOneCall(delivery.content, delivery.headers);
			const cost = costOf({ body: result.body, ...result.inOneCall });
			record.apply({ kind: 'finished', id, cost });
			const item = await makeItem(session, generation, requestId, result);
			return record.recordDelivery(id, item, session.journal.presentation);
		}
	}
}

/** Returns the error for an item without an output. Removes a failed request from the journal, so that a retry sends a new one. */
function endWithFailure({ session, submission, record }: Run, why: FailureReason): Error {
	if (why.is === 'noResult' && why.outcome.kind === 'failed')
		record.apply({ kind: 'failed', id: why.id });
	return requestFailure(session, submission, record.state, why);
}
