import type { IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';

import { wait } from '../base/clock';
import { SegmindFailure, stopped } from '../base/failure';
import type { RequestRef } from '../journal/lifecycle';
import { uploadFiles } from '../media/upload';
import { extensionFor } from '../media/mediaTypes';
import {
	binaryName,
	costOf,
	finishedItem,
	type Finished,
	type Presentation,
} from '../output/finished';
import { readV1, v1Headers, type InlineFile, type V1Content } from '../output/v1Answer';
import type { Session } from '../run/session';
import { hasResult } from '../service/answers';
import type { HttpAnswer } from '../service/http';
import { readRecord } from '../service/history';
import { isRequestId } from '../service/schemas';
import type { CreatingCall } from './creatingCall';
import { endedIn, inHistory } from './fromHistory';
import { creatingCall, startOf, type Generation } from './generation';
import { discard, mayBeResubmitted } from './nextStep';
import { hasExpiredUnfinished, type Ended } from './outcome';
import { failedRequest, missing, RETRY_SUBMITS } from './requestErrors';
import { outputLost, withContradictions } from './submissionErrors';
import { submitOnce } from './submitOnce';

/** Longest limit of the call, ms: timers end at once when they are set for more than 24 days. */
const LONGEST_CALL_MS = 3_600_000;
/** How often the history is asked for a v1 call whose answer was lost, ms. */
const HISTORY_EVERY_MS = 15_000;
/** A history that is out of reach, or does not show a request that was accepted, is asked again for this long, ms. */
const HISTORY_PATIENCE_MS = 60_000;

interface V1Result {
	ref: RequestRef;
	/** Missing when the answer was lost and the request found in the history. */
	fresh?: { answer: HttpAnswer; content: V1Content };
}

/** POST {baseUrl}/v1/{model}: one call that answers with the output itself (docs/service.md S60). Journalled like a submission. */
export async function runV1(
	session: Session,
	generation: Generation,
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const { options } = presentation;
	const call: CreatingCall = {
		...creatingCall(session, generation, options),
		purpose: 'runV1',
		isV1: true,
		callLimitMs: Math.min(options.timeoutMs, LONGEST_CALL_MS),
	};
	try {
		return await awaitOutput(session, call, generation, presentation);
	} finally {
		// However it ended, nobody waits for its cost any longer.
		call.reservation?.release();
	}
}

async function awaitOutput(
	session: Session,
	call: CreatingCall,
	{ itemIndex, label }: Generation,
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const { options } = presentation;
	const { record } = call;
	const finished: Finished = { itemIndex, requestId: '', label, isWorkflow: false, body: {} };
	for (;;) {
		const start = await startOf(session, call);
		if (start.kind === 'kept') return start.item;
		const isResumed = start.kind === 'resumed';
		const result: V1Result = isResumed
			? { ref: start.request }
			: await submitOnce(session, call, readResult);
		finished.requestId = result.ref.request_id;
		session.requestIds.set(itemIndex, result.ref.request_id);
		if (result.fresh) {
			const { outputField } = options;
			Object.assign(
				finished,
				await contentOf(session, result.fresh, result.ref, outputField, itemIndex),
			);
			break;
		}
		if (result.ref.request_id === '') throw outputLost();
		const recovered = await recover(session, result.ref, options.timeoutMs);
		if (recovered.kind === 'completed') {
			Object.assign(finished, { body: recovered.body, fromHistory: recovered.fromHistory });
			break;
		}
		if (recovered.kind === 'failed') {
			record.apply({ type: 'failed' });
			call.reservation?.cancel();
		} else if (hasExpiredUnfinished(recovered)) record.apply({ type: 'expired' });
		if (isResumed && mayBeResubmitted(session, call, recovered)) {
			discard(session, call);
			continue;
		}
		throw recovered.kind === 'failed'
			? withContradictions(failedRequest(result.ref, recovered, RETRY_SUBMITS), session, call)
			: missing(result.ref, recovered, true);
	}
	call.reservation?.settle(costOf(finished));
	const item = await finishedItem(session, finished, presentation);
	record.finish(item, session.journal.presentation);
	return item;
}

function readResult(answer: HttpAnswer): V1Result | undefined {
	const content = readV1(answer);
	// JSON that says a state or an error and holds nothing else is no output: what was charged may be in the history.
	if (content?.kind === 'json' && content.files.length === 0 && !hasResult(content.body))
		return undefined;
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

/** An agent cannot take files; it gets addresses (docs/n8n.md N211). */
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

/** What became of a v1 call whose answer is lost, from the request history. @throws SegmindFailure when it still runs as the time is up */
async function recover(
	{ client }: Session,
	{ request_id: id }: RequestRef,
	timeoutMs: number,
): Promise<Ended> {
	const { clock, signal } = client;
	// No record but the history's shows a v1 request, so that its hour does not count.
	if (id === '') return { kind: 'missing', isExpired: true, history: 'none' };
	const endsAt = clock.now() + timeoutMs;
	let unfinishedAt: number | undefined;
	let patientUntil = clock.now() + HISTORY_PATIENCE_MS;
	for (;;) {
		const asked = await readRecord(client, id);
		const ended = endedIn(client, asked);
		if (ended) return ended;
		const now = clock.now();
		const seen = inHistory(asked);
		// What was there is still there, whatever one reading shows.
		const history = seen === 'none' && unfinishedAt !== undefined ? 'unfinished' : seen;
		if (history === 'unfinished') {
			unfinishedAt = now;
			patientUntil = now + HISTORY_PATIENCE_MS;
		}
		const next = now + HISTORY_EVERY_MS;
		if (next >= (history === 'unfinished' ? endsAt : Math.min(endsAt, patientUntil))) {
			if (history !== 'unfinished') return { kind: 'missing', isExpired: true, history };
			throw new SegmindFailure({
				message: `Request ${id} was still running when the time was up`,
				charge: 'ifCompletes',
				advice: 'A retry looks for it again and does not send it again.',
				requestId: id,
				status: 'PROCESSING',
			});
		}
		await wait(clock, HISTORY_EVERY_MS, { signal });
		if (signal?.aborted) throw stopped(id);
	}
}
