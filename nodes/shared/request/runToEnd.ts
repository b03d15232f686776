import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { JsonBody } from '../inputs/json';
import type { KeptOutput, RequestRef } from '../journal/entry';
import { costOf, type Presentation } from '../output/finished';
import type { Options } from '../run/options';
import { showProgress, type Session } from '../run/session';
import { failedRequest, finishedOf } from './result/requestErrors';
import { itemOf, unfinishedItem } from './result/resultItem';
import { nextStep } from './submit/nextStep';
import { journalOf, type Submission } from './submit/submission';
import { withContradictions } from './submit/submissionErrors';
import { submitForRef, type Submitted } from './submit/submitOnce';
import { mayBeSentAgain, type Waited } from './wait/outcome';
import { waitFor } from './wait/wait';

/** What distinguishes one paid asynchronous call from another: a model's or a workflow's. */
export interface Generation {
	itemIndex: number;
	url: string;
	/** In the user's words: "model 'x'". */
	subject: string;
	slug: string;
	/** `{model: slug}` or `{workflow: slug}`; goes into the output. */
	label: IDataObject;
	isWorkflow: boolean;
	/** Published average price, USD. */
	publishedCost?: number;
	makeBody: () => Promise<JsonBody>;
	identity: () => Promise<unknown>;
	/** What is known of the model and contradicts a body, a sentence each. */
	contradictions?: (body: Record<string, unknown>) => string[];
	/** Slugs like the model's, for one that the service does not know. */
	nearest?: () => string[];
}

export function submissionOf(generation: Generation, options: Options): Submission {
	const { timeoutMs, resubmitWhenUnknown, minimumBalance, maximumCost } = options;
	return {
		...generation,
		purpose: generation.isWorkflow ? 'workflow' : 'submit',
		patienceMs: timeoutMs,
		resubmitWhenUnknown,
		minimumBalance,
		maximumCost,
	};
}

/** Sends the request unless it was accepted before, and gives where it can be looked up. */
export async function submitOnly(
	session: Session,
	generation: Generation,
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const submission = submissionOf(generation, presentation.options);
	const start = await startOf(session, submission);
	if (start.kind === 'kept') return start.item;
	if (start.kind === 'ask')
		return unfinishedItem(session, generation, start.ref, 'QUEUED', presentation);
	const { ref, reservation } = await submitForRef(session, submission);
	reservation?.release();
	return unfinishedItem(session, generation, ref, 'QUEUED', presentation);
}

/** Sends the request unless it was accepted before, waits for it, and gives its result. */
export async function runToEnd(
	session: Session,
	generation: Generation,
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const submission = submissionOf(generation, presentation.options);
	for (;;) {
		const start = await startOf(session, submission);
		if (start.kind === 'kept') return start.item;
		const sent = start.kind === 'send' ? await submitForRef(session, submission) : undefined;
		const ref = start.kind === 'ask' ? start.ref : (sent as Submitted<undefined>).ref;
		try {
			const waited = await waitForResult(session, generation, ref, presentation.options, !sent);
			if (!sent && clearForResend(session, submission, waited)) continue;
			return await endOf(session, generation, presentation, { ref, waited, sent });
		} finally {
			// However it ended, nobody waits for its cost any longer.
			sent?.reservation?.release();
		}
	}
}

async function waitForResult(
	session: Session,
	{ itemIndex, slug }: Generation,
	ref: RequestRef,
	{ timeoutMs, pollIntervalMs }: Options,
	isResumed: boolean,
): Promise<Waited> {
	session.requestIds.set(itemIndex, ref.request_id);
	return await waitFor(session, ref, {
		acceptedAt: session.journal.of(itemIndex).entry?.at ?? session.clock.now(),
		isOwn: true,
		timeoutMs,
		pollIntervalMs,
		label: slug,
		checkAtOnce: isResumed,
		onStatus: (word) => showProgress(session, itemIndex, `request ${ref.request_id} is ${word}`),
	});
}

/** True when a request of an earlier try ended without anything to keep, and makes room for another one. */
export function clearForResend(session: Session, submission: Submission, ended: Waited): boolean {
	const journal = journalOf(session, submission);
	const isClear =
		journal.entry?.is === 'accepted' && mayBeSentAgain(ended, submission.resubmitWhenUnknown);
	if (!isClear) return false;
	journal.write(undefined);
	session.requestIds.delete(submission.itemIndex);
	return true;
}

/** The item of a request that was waited for. @throws SegmindFailure unless it completed */
async function endOf(
	session: Session,
	generation: Generation,
	presentation: Presentation,
	end: { ref: RequestRef; waited: Waited; sent?: Submitted<undefined> },
): Promise<INodeExecutionData> {
	const { ref, waited, sent } = end;
	const submission = submissionOf(generation, presentation.options);
	const journal = journalOf(session, submission);
	const { entry } = journal;
	// Its record has expired, but an earlier try kept its output.
	if (waited.kind === 'missing' && entry?.is === 'done' && entry.output)
		return itemFrom(entry.output);
	if (waited.kind === 'timeUp' && presentation.options.onTimeout === 'returnRequest')
		return unfinishedItem(session, generation, ref, waited.status, presentation);
	if (waited.kind === 'failed') {
		if (entry?.is === 'accepted') journal.write(undefined);
		sent?.reservation?.cancel();
		const failure = failedRequest(ref, waited);
		throw withContradictions(failure, session, submission, sent?.body);
	}
	const finished = finishedOf(waited, ref, presentation.options, true);
	sent?.reservation?.settle(costOf({ body: finished.body }));
	const item = await itemOf(session, { ...generation, ref, finished }, presentation);
	journal.finish(item, session.journal.presentation);
	return item;
}

type Start =
	| { kind: 'kept'; item: INodeExecutionData }
	| { kind: 'ask'; ref: RequestRef }
	| { kind: 'send' };

/** What an item starts with: the output of an earlier try, the request that it already has, or nothing yet. @throws as `nextStep` */
export async function startOf(session: Session, submission: Submission): Promise<Start> {
	const step = await nextStep(session, submission);
	if (step.do === 'send') return { kind: 'send' };
	if (step.do === 'ask') return { kind: 'ask', ref: step.ref };
	const { output, ref } = step;
	const canFetch =
		ref !== undefined && (ref.response_url ?? ref.status_url ?? ref.poll_url) !== undefined;
	const isGood =
		output.presentation === session.journal.presentation &&
		(await binariesExist(session, output.binary));
	return isGood || !canFetch ? { kind: 'kept', item: itemFrom(output) } : { kind: 'ask', ref };
}

function itemFrom({ json, binary }: KeptOutput): INodeExecutionData {
	return { json, binary };
}

/** The execution that stored them may have been pruned since. */
async function binariesExist(
	session: Session,
	binary: INodeExecutionData['binary'],
): Promise<boolean> {
	const ids = Object.values(binary ?? {}).flatMap((file) =>
		file.id === undefined ? [] : [file.id],
	);
	try {
		await Promise.all(ids.map(async (id) => await session.context.helpers.getBinaryMetadata(id)));
		return true;
	} catch (error) {
		session.context.logger.debug(
			`Segmind: a stored file of an earlier try no longer exists (${(error as Error).message}); fetching it again`,
		);
		return false;
	}
}
