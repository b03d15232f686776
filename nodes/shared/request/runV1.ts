import type { IBinaryKeyData, INodeExecutionData } from 'n8n-workflow';

import { wait } from '../base/clock';
import { CAUSES, HISTORY_SAYS } from '../errors/errorTable';
import { failureOf, stopped } from '../errors/failures';
import { calls } from '../journal/calls';
import type { RequestRef } from '../journal/entry';
import { uploadFiles } from '../media/upload';
import { extensionFor, fileStem } from '../media/mediaTypes';
import { binaryName, nameOf, type Presentation } from '../output/finished';
import { readV1, v1Headers, type InlineFile, type V1Content } from '../output/v1Answer';
import type { Session } from '../run/session';
import { unusable } from '../service/answerErrors';
import { hasResult } from '../service/answers';
import type { Client } from '../service/client';
import type { HttpAnswer } from '../service/http';
import { readRecord } from '../service/history';
import { isRequestId } from '../service/schemas';
import { endedIn, inHistory } from './recover/fromHistory';
import { runOnce, type Generation } from './runToEnd';
import type { Submission } from './submit/submission';
import { submitOnce, type Read } from './submit/submitOnce';
import type { Ended, Finished } from './wait/outcome';

/** Longest limit of the call, ms: timers end at once when they are set for more than 24 days. */
const LONGEST_CALL_MS = 3_600_000;
/** How often the history is asked for a v1 call whose answer was lost, ms. */
const HISTORY_EVERY_MS = 15_000;
/** A history that is out of reach, or does not show a request that was accepted, is asked again for this long, ms. */
const HISTORY_PATIENCE_MS = 60_000;

/** What a v1 call answered; no `content` where the answer said no more than an id. */
interface Answered {
	answer: HttpAnswer;
	content?: V1Content;
}

/** POST {baseUrl}/v1/{model}: one call that answers with the output itself (docs/service.md S60). Journalled like a submission. */
export async function runV1(
	session: Session,
	generation: Generation,
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const { options } = presentation;
	const submission: Submission = {
		...generation,
		purpose: 'runV1',
		options,
		worksForMs: Math.min(options.timeoutMs, LONGEST_CALL_MS),
	};
	return await runOnce(session, generation, presentation, {
		submission,
		submit: async () => await submitOnce(session, submission, readAnswer),
		wait: async ({ ref, made }) => {
			if (made?.content)
				return await contentOf(session, generation, presentation, { ref, ...made });
			const ended = await endOfLost(session.client, ref, options.timeoutMs);
			if (!made || ended.kind !== 'missing') return ended;
			const about = { ...submission, requestId: ref.request_id };
			throw unusable(session.client, made.answer, about, {
				row: CAUSES.unusableOutput,
				found: HISTORY_SAYS[ended.history],
				search: ended.history,
			});
		},
	});
}

/** Undefined for an answer that says neither an output nor an id. */
function readAnswer(answer: HttpAnswer): Read<Answered> | undefined {
	const read = readV1(answer);
	// JSON that says a state or an error and holds nothing else is no output: what was charged may be in the history.
	const isEmpty = read?.kind === 'json' && read.files.length === 0 && !hasResult(read.body);
	const content = isEmpty ? undefined : read;
	const named = answer.headers['x-request-id'] ?? '';
	// One that belongs to another call is a proxy's.
	const request_id = isRequestId(named) && calls.claimedAt(named) === undefined ? named : '';
	return content || request_id !== ''
		? { ref: { request_id }, made: { answer, content } }
		: undefined;
}

async function contentOf(
	session: Session,
	generation: Generation,
	presentation: Presentation,
	{ ref, answer, content }: Answered & { ref: RequestRef },
): Promise<Finished> {
	const { itemIndex } = generation;
	const named = nameOf(generation, presentation);
	const inline =
		content?.kind === 'file' ? [content.file] : content?.kind === 'json' ? content.files : [];
	const files = await stored(
		session,
		inline,
		presentation.options.outputField,
		named,
		ref.request_id,
	);
	// A v1 object is the output itself.
	const output =
		content?.kind === 'json' ? content.body : content?.kind === 'text' ? content.text : undefined;
	return {
		kind: 'finished',
		body: content?.kind === 'json' ? content.body : {},
		inOneCall: {
			output,
			fromHeaders: v1Headers(answer.headers),
			files,
			fileUrls: session.isTool ? await uploadedForAgent(session, files, itemIndex) : undefined,
		},
	};
}

async function stored(
	session: Session,
	files: InlineFile[],
	field: string,
	named: string,
	requestId: string,
): Promise<IBinaryKeyData> {
	const binary: IBinaryKeyData = {};
	for (const [at, { bytes, mimeType }] of files.entries()) {
		const name = binaryName(field, at);
		binary[name] = await session.context.helpers.prepareBinaryData(
			bytes,
			`${fileStem(named, requestId, at)}.${extensionFor(mimeType)}`,
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
async function endOfLost(
	client: Client,
	{ request_id: id }: RequestRef,
	timeoutMs: number,
): Promise<Ended> {
	const { clock, signal } = client;
	if (id === '') throw failureOf('outputLost', CAUSES.outputLost);
	const endsAt = clock.now() + timeoutMs;
	let patientUntil = clock.now() + HISTORY_PATIENCE_MS;
	for (;;) {
		const asked = await readRecord(client, id);
		const ended = endedIn(client, asked);
		if (ended) return ended;
		const now = clock.now();
		const history = inHistory(asked);
		if (history === 'unfinished') patientUntil = now + HISTORY_PATIENCE_MS;
		const next = now + HISTORY_EVERY_MS;
		if (next >= (history === 'unfinished' ? endsAt : Math.min(endsAt, patientUntil))) {
			// No record but the history's shows a v1 request, so that its hour does not count.
			if (history !== 'unfinished') return { kind: 'missing', isExpired: true, history };
			throw failureOf('timeUp', CAUSES.stillInHistory, {}, { requestId: id, status: 'PROCESSING' });
		}
		await wait(clock, HISTORY_EVERY_MS, { signal });
		if (signal?.aborted) throw stopped(id);
	}
}
