import type { INodeExecutionData } from 'n8n-workflow';

import type { KeptOutput, RequestRef } from '../journal/entry';
import { costOf, type Presentation } from '../output/finished';
import { CostLimit, type Reservation } from '../run/costLimit';
import type { Options } from '../run/options';
import { showProgress, type Session } from '../run/session';
import { failedRequest, finishedOf } from './result/requestErrors';
import { itemOf, unfinishedItem } from './result/resultItem';
import { nextStep } from './submit/nextStep';
import { journalOf, type Submission } from './submit/submission';
import { withContradictions } from './submit/submissionErrors';
import { submitForRef, type Submitted } from './submit/submitOnce';
import { mayBeReplaced, type Waited } from './wait/outcome';
import { waitFor } from './wait/wait';

/** What distinguishes one paid call from another: a model's or a workflow's. */
export interface Generation
	extends Omit<Submission, 'purpose' | 'options' | 'worksForMs' | 'managed'> {
	readonly slug: string;
	readonly isWorkflow: boolean;
}

function submissionOf(generation: Generation, { options }: Presentation): Submission {
	return { ...generation, purpose: generation.isWorkflow ? 'workflow' : 'submit', options };
}

/** Sends the request unless it was accepted before, and gives where it can be looked up. */
export async function submitOnly(
	session: Session,
	generation: Generation,
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const submission = submissionOf(generation, presentation);
	const { item, ref: known } = await startOf(session, submission);
	if (item) return item;
	const { ref, reservation } = known
		? { ref: known, reservation: undefined }
		: await submitForRef(session, submission);
	reservation?.release();
	return unfinishedItem(session, generation, ref, 'QUEUED', presentation);
}

/** Sends the request unless it was accepted before, waits for it, and gives its result. */
export async function runToEnd(
	session: Session,
	generation: Generation,
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const submission = submissionOf(generation, presentation);
	return await runOnce(session, generation, presentation, {
		submission,
		submit: async () => await submitForRef(session, submission),
		wait: async ({ ref }, isResumed) =>
			await waitForResult(session, generation, ref, presentation.options, isResumed),
	});
}

/** A request with what its submission said, where it was this try that sent it. */
export type Asked<T> = Pick<Submitted<T>, 'ref'> & Partial<Submitted<T>>;

/** How a kind of call is made, and waited for. */
interface Way<T> {
	submission: Submission;
	submit: () => Promise<Submitted<T>>;
	/** `isResumed`: an earlier try has sent it. */
	wait: (asked: Asked<T>, isResumed: boolean) => Promise<Waited>;
}

/** The loop of an item: sends its request unless an earlier try has done so, waits for it, and gives its result. @throws SegmindFailure unless it completed */
export async function runOnce<T>(
	session: Session,
	generation: Generation,
	presentation: Presentation,
	{ submission, submit, wait }: Way<T>,
): Promise<INodeExecutionData> {
	for (;;) {
		const { item, ref } = await startOf(session, submission);
		if (item) return item;
		const asked: Asked<T> = ref
			? { ref, reservation: resumedReservation(session, submission, ref) }
			: await submit();
		asked.reservation?.accepted(asked.ref.request_id);
		session.requestIds.set(submission.itemIndex, asked.ref.request_id);
		try {
			const waited = await wait(asked, ref !== undefined);
			if (ref && clearForResend(session, submission, waited)) {
				if (waited.kind === 'failed') asked.reservation?.cancel();
				continue;
			}
			return await endOf(session, { submission, generation, presentation }, asked, waited);
		} finally {
			// However it ended, nobody waits for its cost any longer.
			asked.reservation?.release();
		}
	}
}

/** An earlier try has counted it: only now its cost becomes known. */
function resumedReservation(
	{ context, clock, signal }: Session,
	{ options }: Submission,
	{ request_id }: RequestRef,
): Reservation | undefined {
	return options.maximumCost === undefined
		? undefined
		: new CostLimit(context, clock, signal).resume(request_id);
}

async function waitForResult(
	session: Session,
	{ itemIndex, slug }: Generation,
	ref: RequestRef,
	{ timeoutMs, pollIntervalMs }: Options,
	isResumed: boolean,
): Promise<Waited> {
	return await waitFor(session, ref, {
		acceptedAt: session.journal.of(itemIndex).entry?.at ?? session.clock.now(),
		isOwn: true,
		timeoutMs,
		pollIntervalMs,
		label: slug,
		checkAtOnce: isResumed,
		onStatus: (word) => {
			// It is charged from now on: whatever is seen later, nothing is sent in its place.
			if (word === 'COMPLETED') noteCompleted(session, itemIndex);
			showProgress(session, itemIndex, `request ${ref.request_id} is ${word}`);
		},
	});
}

function noteCompleted(session: Session, itemIndex: number): void {
	const journal = session.journal.of(itemIndex);
	if (journal.entry?.is === 'accepted') journal.write({ ...journal.entry, is: 'done' });
}

/** True when a request of an earlier try ended without anything to keep, and makes room for another one. */
function clearForResend(session: Session, submission: Submission, ended: Waited): boolean {
	const journal = journalOf(session, submission);
	const isClear =
		journal.entry?.is === 'accepted' && mayBeReplaced(ended, submission.options.sendAgainIfUnsure);
	if (!isClear) return false;
	journal.write(undefined);
	session.requestIds.delete(submission.itemIndex);
	return true;
}

/** The item of a request that was waited for. @throws SegmindFailure unless it completed */
async function endOf<T>(
	session: Session,
	about: { submission: Submission; generation: Generation; presentation: Presentation },
	{ ref, reservation, body }: Asked<T>,
	waited: Waited,
): Promise<INodeExecutionData> {
	const { submission, generation, presentation } = about;
	const journal = journalOf(session, submission);
	const { entry } = journal;
	// Its record has expired, but an earlier try kept its output.
	if (waited.kind === 'missing' && entry?.is === 'done' && entry.output)
		return itemFrom(entry.output);
	if (waited.kind === 'timeUp' && presentation.options.onTimeout === 'returnRequest')
		return unfinishedItem(session, generation, ref, waited.status, presentation);
	if (waited.kind === 'failed') {
		if (entry?.is === 'accepted') journal.write(undefined);
		reservation?.cancel();
		throw withContradictions(failedRequest(ref, waited), session, submission, body);
	}
	const finished = finishedOf(waited, ref, presentation.options, true);
	reservation?.settle(costOf({ body: finished.body, ...finished.inOneCall }));
	const item = await itemOf(session, { ...generation, ref, finished }, presentation);
	journal.finish(item, session.journal.presentation);
	return item;
}

/** The output that an earlier try kept, or the request that it left; neither: nothing was sent yet. @throws as `nextStep` */
async function startOf(
	session: Session,
	submission: Submission,
): Promise<{ item?: INodeExecutionData; ref?: RequestRef }> {
	const step = await nextStep(session, submission);
	if (step.do === 'send') return {};
	if (step.do === 'ask') return { ref: step.ref };
	const { output, ref } = step;
	const canFetch =
		ref !== undefined && (ref.response_url ?? ref.status_url ?? ref.poll_url) !== undefined;
	const isGood =
		output.presentation === session.journal.presentation &&
		(await binariesExist(session, output.binary));
	return isGood || !canFetch ? { item: itemFrom(output) } : { ref };
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
