import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { JsonBody } from '../inputs/json';
import type { ItemRecord } from '../journal/journal';
import type { KeptOutput, RequestRef } from '../journal/lifecycle';
import { costOf, dropUndefined, finishedItem, type Presentation } from '../output/finished';
import type { Options } from '../run/options';
import { showProgress, type Session } from '../run/session';
import { isEmptyResult, resultMembers } from '../service/answers';
import type { CreatingCall } from './creatingCall';
import { expectationsOf } from './expectations';
import { discard, mayBeResubmitted, nextStep } from './nextStep';
import { hasExpiredUnfinished, type Completed } from './outcome';
import { assertCompleted, failedRequest, RETRY_SUBMITS } from './requestErrors';
import { withContradictions } from './submissionErrors';
import { submitForRef } from './submitOnce';
import { waitForRequest } from './wait';

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
	/** Published average latency, ms. */
	publishedMs?: number;
	/** Published average price, USD. */
	publishedCost?: number;
	makeBody: () => Promise<JsonBody>;
	identity: () => Promise<unknown>;
	/** What is known of the model and contradicts a body, a sentence each. */
	contradictions?: (body: Record<string, unknown>) => string[];
}

/** The journal's place of an item. */
export function recordOf(session: Session, itemIndex: number): ItemRecord {
	return session.journal.record(itemIndex, session.items[itemIndex]);
}

export function creatingCall(
	session: Session,
	generation: Generation,
	options: Options,
): CreatingCall {
	return {
		...generation,
		record: recordOf(session, generation.itemIndex),
		purpose: 'submit',
		patienceMs: options.timeoutMs,
		resubmitWhenUnknown: options.resubmitWhenUnknown,
		minimumBalance: options.minimumBalance,
		maximumCost: options.maximumCost,
	};
}

/** Operation `submit`: sends the request unless it was accepted before, and gives where it can be looked up. */
export async function submitOnly(
	session: Session,
	generation: Generation,
	options: Options,
): Promise<INodeExecutionData> {
	const call = creatingCall(session, generation, options);
	const step = await nextStep(session, call);
	const request = step.do === 'resume' ? step.request : await submitForRef(session, call);
	session.requestIds.set(generation.itemIndex, request.request_id);
	session.unfinished.add(generation.itemIndex);
	call.reservation?.release();
	return { json: requestItem(request, 'QUEUED', generation.label) };
}

/** Operation `run`: sends the request unless it was accepted before, waits for it, and gives its result. */
export async function runToEnd(
	session: Session,
	generation: Generation,
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const call = creatingCall(session, generation, presentation.options);
	try {
		return await awaitResult(session, generation, call, presentation);
	} finally {
		// However it ended, nobody waits for its cost any longer.
		call.reservation?.release();
	}
}

async function awaitResult(
	session: Session,
	generation: Generation,
	call: CreatingCall,
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const { itemIndex, label, isWorkflow } = generation;
	const { options } = presentation;
	const { record } = call;
	for (;;) {
		const start = await startOf(session, call);
		if (start.kind === 'kept') return start.item;
		const isResumed = start.kind === 'resumed';
		const request = isResumed ? start.request : await submitForRef(session, call);
		session.requestIds.set(itemIndex, request.request_id);
		const awaited = await waitForRequest(
			{ client: session.client, expectations: expectationsOf(session) },
			request,
			{
				acceptedAt: record.entry.acceptedAt ?? session.client.clock.now(),
				isOwn: true,
				timeoutMs: options.timeoutMs,
				pollIntervalMs: options.pollIntervalMs,
				label: generation.subject,
				publishedMs: generation.publishedMs,
				checkAtOnce: isResumed,
				isBatch: session.items.length > 1,
				onStatus: (word) =>
					showProgress(session, itemIndex, `request ${request.request_id} is ${word}`),
			},
		);
		// Its record has expired, but an earlier try kept its output.
		const { output } = record.entry;
		if (awaited.kind === 'missing' && output) return { json: output.json, binary: output.binary };
		if (awaited.kind === 'failed') {
			record.apply({ type: 'failed' });
			call.reservation?.cancel();
		}
		if (awaited.kind === 'missing' && hasExpiredUnfinished(awaited))
			record.apply({ type: 'expired' });
		if (isResumed && mayBeResubmitted(session, call, awaited)) {
			discard(session, call);
			continue;
		}
		if (awaited.kind === 'timeout' && options.onTimeout === 'returnRequest') {
			session.unfinished.add(itemIndex);
			return { json: requestItem(request, awaited.status, label) };
		}
		if (awaited.kind === 'failed')
			throw withContradictions(failedRequest(request, awaited, RETRY_SUBMITS), session, call);
		const completed = assertCompleted(awaited, request, options, {
			isOwn: true,
			madeBy: otherMaker(session, record),
			next: RETRY_SUBMITS,
		});
		call.reservation?.settle(costOf({ body: completed.body }));
		const item = await itemOf(
			session,
			{ itemIndex, request, label, isWorkflow, completed },
			presentation,
		);
		record.finish(item, session.journal.presentation);
		return item;
	}
}

/** The output item of a completed request. */
export async function itemOf(
	session: Session,
	from: {
		itemIndex: number;
		request: RequestRef;
		label: IDataObject;
		isWorkflow: boolean;
		completed: Completed;
	},
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const { itemIndex, request, label, isWorkflow, completed } = from;
	const { body, fromHistory } = completed;
	if (isEmptyResult(body))
		session.hints.add(
			`Item ${itemIndex}: request ${request.request_id} completed and was charged, but its output is empty.`,
		);
	return await finishedItem(
		session,
		{
			itemIndex,
			requestId: request.request_id,
			label,
			isWorkflow,
			body,
			output: unknownShapeOutput(body),
			fromHistory,
		},
		presentation,
	);
}

const KNOWN_MEMBERS = ['output', 'images', 'image', 'video', 'videos', 'audio', 'audios'];

/** What a result of a shape we don't know made: it is paid for, so nothing of it is dropped. */
function unknownShapeOutput(body: Record<string, unknown>): unknown {
	const made = resultMembers(body);
	return KNOWN_MEMBERS.some((name) => name in made) ? undefined : made;
}

type Start =
	| { kind: 'kept'; item: INodeExecutionData }
	| { kind: 'resumed'; request: RequestRef }
	| { kind: 'send' };

/** What an item starts with: the output of an earlier try, the request that it already has, or nothing yet. @throws as `nextStep` */
export async function startOf(session: Session, call: CreatingCall): Promise<Start> {
	const step = await nextStep(session, call);
	if (step.do === 'send') return { kind: 'send' };
	const { request } = call.record.entry;
	if (step.do === 'replay') {
		const item = await presentable(session, step.output, request);
		if (item) return { kind: 'kept', item };
	}
	// An output that is not given again is one that can be fetched again: its request is known.
	return { kind: 'resumed', request: request as RequestRef };
}

/** The output of an earlier try as it is to be given now; undefined when it must be, and can be, fetched again. */
async function presentable(
	session: Session,
	output: KeptOutput,
	request: RequestRef | undefined,
): Promise<INodeExecutionData | undefined> {
	const canFetch =
		request !== undefined &&
		(request.response_url ?? request.status_url ?? request.poll_url) !== undefined;
	const isGood =
		output.presentation === session.journal.presentation &&
		(await binariesExist(session, output.binary));
	if (!isGood && canFetch) return undefined;
	return { json: output.json, binary: output.binary };
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

/** The name of the credential a request was made with, when it is not the one in use. */
function otherMaker(session: Session, { entry }: ItemRecord): string | undefined {
	return entry.by && entry.by.id !== session.client.credential.id ? entry.by.name : undefined;
}

/** The output for a request that is not finished: all that is needed to ask for it later. */
export function requestItem(request: RequestRef, status: string, label: IDataObject): IDataObject {
	const { request_id, poll_url, status_url, response_url } = request;
	return dropUndefined({ request_id, status, ...label, poll_url, status_url, response_url });
}
