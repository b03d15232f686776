import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { CHARGE, SegmindFailure } from '../base/failure';
import { dropUndefined, finishedItem, rawBody, type Presentation } from '../output/finished';
import type { JournalEntry } from '../journal/journal';
import type { Options } from '../run/options';
import type { Session } from '../run/session';
import {
	RESULT_PATIENCE_MS,
	awaitRequest,
	failedAs,
	fetchResult,
	gone,
	lookOnce,
	type Awaited,
	type Waiting,
} from './awaiting';
import type { RequestRef } from './requestRef';
import { submit, type Purchase } from './submission';

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
	makeBody: Purchase['makeBody'];
}

/** The journal entry of an item. */
export function entryOf(session: Session, itemIndex: number): JournalEntry {
	return session.journal.entry(itemIndex, session.items[itemIndex]);
}

export function purchaseOf(session: Session, generation: Generation, options: Options): Purchase {
	return {
		...generation,
		entry: entryOf(session, generation.itemIndex),
		purpose: 'submit',
		patienceMs: options.timeoutMs,
		resubmitWhenUnknown: options.resubmitWhenUnknown,
		minimumBalance: options.minimumBalance,
	};
}

/** Operation `submit`: sends the request, or finds it in the journal, and puts out where it can be looked up. */
export async function submitOnly(
	session: Session,
	generation: Generation,
	options: Options,
): Promise<INodeExecutionData> {
	const purchase = purchaseOf(session, generation, options);
	const ref = bought(purchase.entry) ?? (await submit(session, purchase));
	session.requestIds.set(generation.itemIndex, ref.request_id);
	return { json: requestItem(ref, 'QUEUED', generation.label) };
}

/** Operation `run`: sends the request unless the journal knows it, waits for it, and puts out its result. */
export async function runToEnd(
	session: Session,
	generation: Generation,
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const { itemIndex, label, subject } = generation;
	const { options } = presentation;
	const purchase = purchaseOf(session, generation, options);
	const { entry } = purchase;
	const kept = await keptOutput(session, entry);
	if (kept) return kept;
	for (let resumed = bought(entry) !== undefined; ; resumed = false) {
		const ref = bought(entry) ?? (await submit(session, purchase));
		session.requestIds.set(itemIndex, ref.request_id);
		const awaited = await awaitRequest(session, ref, {
			itemIndex,
			acceptedAt: entry.acceptedAt ?? session.clock.now(),
			timeoutMs: options.timeoutMs,
			pollIntervalMs: options.pollIntervalMs,
			label: subject,
			publishedMs: generation.publishedMs,
			lookAtOnce: resumed,
		});
		// Its record is gone, but an earlier try kept what it put out.
		if (awaited.kind === 'gone' && entry.output)
			return { json: entry.output.json, binary: entry.output.binary };
		// A retry of a request that failed, or that expired unfinished and may be bought again, buys it afresh.
		const again =
			resumed &&
			(awaited.kind === 'failed' || (awaited.kind === 'gone' && options.resubmitWhenUnknown));
		if (awaited.kind === 'failed' || again) session.journal.renew(entry);
		if (again) continue;
		if (awaited.kind === 'timeout' && options.onTimeout === 'returnRequest')
			return { json: requestItem(ref, awaited.status, label) };
		const item = await finishedItem(
			session,
			{
				itemIndex,
				requestId: ref.request_id,
				label,
				isWorkflow: generation.isWorkflow,
				...completed(awaited, ref, options),
			},
			presentation,
		);
		session.journal.finish(entry, item);
		return item;
	}
}

/** Operation `getStatus`: the status answer as it came; a FAILED request is a good item here. */
export async function reportStatus(session: Session, ref: RequestRef): Promise<INodeExecutionData> {
	const { body } = await lookOnce(session, ref);
	return { json: { request_id: ref.request_id, ...rawBody(body) } };
}

/** Operation `getResult`: waits for a request that was submitted elsewhere, or only looks once, and puts out its result. */
export async function fetchToEnd(
	session: Session,
	from: {
		itemIndex: number;
		ref: RequestRef;
		label: IDataObject;
		isWorkflow: boolean;
		waitForCompletion: boolean;
	},
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const { itemIndex, ref, label, isWorkflow } = from;
	const { options } = presentation;
	session.requestIds.set(itemIndex, ref.request_id);
	const awaited = from.waitForCompletion
		? await awaitRequest(session, ref, outsideWaiting(session, itemIndex, options, label))
		: await awaitOnce(session, ref);
	if (awaited.kind === 'item') return awaited.item;
	if (awaited.kind === 'timeout' && options.onTimeout === 'returnRequest')
		return { json: requestItem(ref, awaited.status, label) };
	return await finishedItem(
		session,
		{
			itemIndex,
			requestId: ref.request_id,
			label,
			isWorkflow,
			...completed(awaited, ref, options),
		},
		presentation,
	);
}

function outsideWaiting(
	session: Session,
	itemIndex: number,
	options: Options,
	label: IDataObject,
): Waiting {
	return {
		itemIndex,
		acceptedAt: session.clock.now(),
		timeoutMs: options.timeoutMs,
		pollIntervalMs: options.pollIntervalMs,
		label: String(label.model ?? label.workflow ?? ''),
		lookAtOnce: true,
	};
}

/** Without waiting: a finished request gives its result, an unfinished one an item with its status. */
async function awaitOnce(
	session: Session,
	ref: RequestRef,
): Promise<Awaited | { kind: 'item'; item: INodeExecutionData }> {
	const { body, state, httpStatus } = await lookOnce(session, ref);
	if (state === 'failed') return failedAs(session, { httpStatus, body });
	const deadline = session.clock.now() + RESULT_PATIENCE_MS;
	const result = state === 'running' ? 'running' : await fetchResult(session, ref, body, deadline);
	return result === 'running'
		? { kind: 'item', item: { json: { request_id: ref.request_id, ...rawBody(body) } } }
		: result;
}

/** The finished output of an earlier try; undefined when it must be fetched (again). */
export async function keptOutput(
	session: Session,
	entry: JournalEntry,
): Promise<INodeExecutionData | undefined> {
	const { output } = entry;
	if (entry.state !== 'finished' || output === undefined) return undefined;
	const canFetch =
		entry.request?.response_url !== undefined || entry.request?.poll_url !== undefined;
	if (output.presentation !== session.journal.presentation && canFetch) return undefined;
	if (!(await binariesExist(session, output.binary)) && canFetch) return undefined;
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
			`Segmind: a stored file of an earlier try is gone (${(error as Error).message}); fetching it again`,
		);
		return false;
	}
}

/** The request an item has bought already. */
function bought(entry: JournalEntry): RequestRef | undefined {
	return entry.state === 'accepted' || entry.state === 'finished' ? entry.request : undefined;
}

/** What `submit` puts out, and a time-out with `returnRequest`. */
function requestItem(ref: RequestRef, status: string, label: IDataObject): IDataObject {
	const { request_id, poll_url, status_url, response_url } = ref;
	return dropUndefined({ request_id, status, ...label, poll_url, status_url, response_url });
}

/** @throws SegmindFailure unless the request completed */
function completed(
	awaited: Awaited,
	ref: RequestRef,
	options: Options,
): { body: Record<string, unknown>; fromHistory?: true } {
	switch (awaited.kind) {
		case 'completed':
			return awaited;
		case 'gone':
			throw gone(ref);
		case 'failed':
			throw new SegmindFailure({
				message: `Request ${ref.request_id} failed: ${awaited.reason}`,
				description: `${CHARGE.none} Segmind does not charge failed requests. Change what the text names, then run it again: a retry submits it afresh.`,
				httpCode: awaited.httpCode,
				requestId: ref.request_id,
				status: 'FAILED',
			});
		case 'timeout':
			throw new SegmindFailure({
				message: `Request ${ref.request_id} was still ${awaited.status} after ${options.timeoutMs / 1_000} s`,
				description: `It runs on at Segmind. ${CHARGE.ifCompletes} A retry goes on waiting for it and does not submit it again; Get Result with its request ID fetches it for one hour after submission. Raise the option Timeout for slow models.`,
				requestId: ref.request_id,
				status: awaited.status,
			});
	}
}
