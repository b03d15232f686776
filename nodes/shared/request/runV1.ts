import type { IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';

import { wait } from '../base/clock';
import { CHARGE, SegmindFailure, stopped } from '../base/failure';
import { uploadFiles } from '../media/upload';
import { binaryName, finishedItem, type Finished, type Presentation } from '../output/finished';
import { extensionFor } from '../media/mediaTypes';
import { readV1, v1Headers, type InlineFile, type V1Content } from '../output/v1Answer';
import type { Options } from '../run/options';
import type { Session } from '../run/session';
import { isRequestId, type RequestAnswer } from '../service/schemas';
import type { HttpAnswer } from '../service/http';
import { gone } from './awaiting';
import { keptOutput, purchaseOf, type Generation } from './generation';
import { recordOf } from '../service/history';
import type { RequestRef } from './requestRef';
import { failureReason } from './states';
import { buy } from './submission';

/** Longest limit of the call, ms: timers end at once when they are set for more than 24 days. */
const LONGEST_CALL_MS = 3_600_000;
/** How often the history is asked for a v1 call whose answer was lost, ms. */
const HISTORY_POLL_MS = 5_000;

interface V1Result {
	ref: RequestRef;
	/** Missing when the answer was lost and the request found in the history. */
	fresh?: { answer: HttpAnswer; content: V1Content };
}

/** POST {baseUrl}/v1/{model}: one call that answers with the output itself (specification, Inference). Journalled like a submission. */
export async function runV1(
	session: Session,
	generation: Generation,
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const { itemIndex, label } = generation;
	const { options } = presentation;
	const purchase = {
		...purchaseOf(session, generation, options),
		purpose: 'runV1' as const,
		callTimeoutMs: Math.min(options.timeoutMs, LONGEST_CALL_MS),
	};
	const { entry } = purchase;
	const kept = await keptOutput(session, entry);
	if (kept) return kept;

	const finished: Finished = { itemIndex, requestId: '', label, isWorkflow: false, body: {} };
	const boughtBefore =
		entry.state === 'accepted' || entry.state === 'finished' ? entry.request : undefined;
	let recovered = boughtBefore && (await recover(session, boughtBefore, options));
	// A retry of a request that failed, or that is gone unfinished and may be bought again, buys it afresh.
	const mayBuyAgain = options.resubmitWhenUnknown && entry.state === 'accepted';
	if (recovered?.kind === 'failed' || (recovered?.kind === 'gone' && mayBuyAgain)) {
		session.journal.renew(entry);
		recovered = undefined;
	}
	const result: V1Result =
		boughtBefore && recovered ? { ref: boughtBefore } : await buy(session, purchase, readResult);
	finished.requestId = result.ref.request_id;
	if (result.fresh)
		Object.assign(
			finished,
			await contentOf(session, result.fresh, result.ref, options.outputField, itemIndex),
		);
	else {
		recovered ??= await recover(session, result.ref, options);
		if (recovered.kind === 'failed') session.journal.renew(entry);
		Object.assign(finished, outputOf(recovered, result.ref));
	}
	const item = await finishedItem(session, finished, presentation);
	session.journal.finish(entry, item);
	return item;
}

function readResult(answer: HttpAnswer): V1Result | undefined {
	const content = readV1(answer);
	const id = answer.headers['x-request-id'] ?? '';
	return content
		? { ref: { request_id: isRequestId(id) ? id : '' }, fresh: { answer, content } }
		: undefined;
}

async function contentOf(
	session: Session,
	{ answer, content }: NonNullable<V1Result['fresh']>,
	ref: RequestRef,
	field: string,
	itemIndex: number,
): Promise<Partial<Finished>> {
	const inline =
		content.kind === 'file' ? [content.file] : content.kind === 'json' ? content.files : [];
	const files = await stored(session, inline, field, ref.request_id);
	return {
		body: content.kind === 'json' ? content.body : {},
		// A v1 object is the output itself.
		output:
			content.kind === 'json' ? content.body : content.kind === 'text' ? content.text : undefined,
		fromHeaders: v1Headers(answer.headers),
		files,
		fileUrls: session.isTool ? await uploadedForAgent(session, files, itemIndex) : undefined,
	};
}

async function stored(
	session: Session,
	files: InlineFile[],
	field: string,
	requestId: string,
): Promise<IBinaryKeyData> {
	const binary: IBinaryKeyData = {};
	for (const [at, { bytes, mimeType }] of files.entries()) {
		const name = binaryName(field, at);
		binary[name] = await session.context.helpers.prepareBinaryData(
			bytes,
			`segmind-${requestId || 'output'}${at === 0 ? '' : `-${at}`}.${extensionFor(mimeType)}`,
			mimeType,
		);
	}
	return binary;
}

/** An agent cannot take files; it gets addresses (platform fact 38). */
async function uploadedForAgent(
	session: Session,
	files: IBinaryKeyData,
	itemIndex: number,
): Promise<string[]> {
	try {
		return Object.keys(files).length === 0 ? [] : await uploadFiles(session, Object.values(files));
	} catch (error) {
		// The output is paid for: it must reach the workflow even when the agent cannot be given an address.
		session.hints.add(
			`Item ${itemIndex}: the output could not be uploaded for the agent (${(error as Error).message}); it is in the item's binary data.`,
		);
		return [];
	}
}

type Recovered =
	| { kind: 'completed'; body: RequestAnswer }
	| { kind: 'failed'; reason: string }
	| { kind: 'gone' };

/** What became of a v1 call whose answer is lost, from the request history. @throws SegmindFailure when it still runs as the time is up */
async function recover(
	session: Session,
	ref: RequestRef,
	{ timeoutMs }: Options,
): Promise<Recovered> {
	const deadline = session.clock.now() + timeoutMs;
	for (;;) {
		const record = ref.request_id === '' ? undefined : await recordOf(session, ref.request_id);
		if (record === undefined) return { kind: 'gone' };
		if (record.kind === 'completed') return { kind: 'completed', body: record.answer };
		if (record.kind === 'failed')
			return { kind: 'failed', reason: session.redact(failureReason(record.answer)) };
		if (session.clock.now() + HISTORY_POLL_MS >= deadline) {
			throw new SegmindFailure({
				message: `Request ${ref.request_id} was still running when the time was up`,
				description: `${CHARGE.ifCompletes} A retry looks for it again and does not send it again.`,
				requestId: ref.request_id,
				status: 'PROCESSING',
			});
		}
		await wait(session.clock, HISTORY_POLL_MS, { signal: session.signal });
		if (session.signal?.aborted) throw stopped(ref.request_id);
	}
}

/** @throws SegmindFailure unless it completed */
function outputOf(recovered: Recovered, ref: RequestRef): Partial<Finished> {
	switch (recovered.kind) {
		case 'completed':
			return { body: recovered.body, fromHistory: true };
		case 'gone':
			throw ref.request_id === '' ? lostForGood() : gone(ref);
		case 'failed':
			throw new SegmindFailure({
				message: `Request ${ref.request_id} failed: ${recovered.reason}`,
				description: `${CHARGE.none} Run it again.`,
				requestId: ref.request_id,
				status: 'FAILED',
			});
	}
}

function lostForGood(): SegmindFailure {
	return new SegmindFailure({
		message:
			'An earlier try completed and was charged, but its output was too large to keep and carried no request ID',
		description:
			'Look for it in the request history of the Segmind console. To buy it again, change an input slightly or run the workflow anew; API Version v2 keeps a URL instead.',
	});
}
