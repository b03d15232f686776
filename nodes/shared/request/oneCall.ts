import type { IBinaryKeyData } from 'n8n-workflow';

import { wait } from '../base/clock';
import { stopped } from '../errors/failures';
import { calls } from '../journal/calls';
import type { RequestRef } from '../journal/entry';
import { extensionFor, fileStem } from '../media/mediaTypes';
import { uploadFiles } from '../media/upload';
import { binaryName, nameOf } from '../output/finished';
import { readV1, v1Headers, type InlineFile, type V1Content } from '../output/v1Answer';
import type { Session } from '../run/session';
import { hasResult } from '../service/answers';
import type { Client } from '../service/client';
import { readRecord } from '../service/history';
import type { HttpAnswer } from '../service/http';
import { isRequestId } from '../service/schemas';
import { afterCompleted, endedIn, inHistory, type Completed, type Ended } from './poll/ended';
import type { Generation, SubmissionResponse } from './rules/submission';

/** POST {baseUrl}/v1/{model}: one call that answers with the output itself (docs/service.md S60). */

/** How often the history is read for a request whose output was lost, ms. */
const HISTORY_EVERY_MS = 15_000;
/** A history that is out of reach, or doesn't show an accepted request, is read again for this long, ms. */
const HISTORY_PATIENCE_MS = 60_000;

/** What such a call answered: neither for an answer that says nothing. */
export function readOneCall(answer: HttpAnswer): { content?: V1Content; requestId?: string } {
	const read = readV1(answer);
	// JSON that says a state or an error and holds nothing else is no output: what was charged may be in the history.
	const isEmpty = read?.kind === 'json' && read.files.length === 0 && !hasResult(read.body);
	const named = answer.headers['x-request-id'] ?? '';
	// One that belongs to another call is a proxy's.
	const isOwn = named !== '' && isRequestId(named) && !calls.isClaimed(named);
	return { content: isEmpty ? undefined : read, requestId: isOwn ? named : undefined };
}

/** The output of such a call. */
export async function contentOf(
	session: Session,
	generation: Generation,
	requestId: string | undefined,
	{ response, content }: SubmissionResponse,
): Promise<Completed> {
	const { itemIndex, presentation } = generation;
	const inline =
		content?.kind === 'file' ? [content.file] : content?.kind === 'json' ? content.files : [];
	const named = nameOf(generation, presentation);
	const files = await stored(session, inline, presentation.options.outputField, named, requestId);
	// A v1 object is the output itself.
	const output =
		content?.kind === 'json' ? content.body : content?.kind === 'text' ? content.text : undefined;
	return {
		kind: 'finished',
		body: content?.kind === 'json' ? content.body : {},
		inOneCall: {
			output,
			fromHeaders: v1Headers(response.headers),
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
	requestId: string | undefined,
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

/** How a request ended whose output didn't come with its response: only the request history shows a v1 request. */
export async function endInHistory(
	client: Client,
	{ request_id: requestId }: RequestRef,
	{ timeoutMs, hasCompleted }: { timeoutMs: number; hasCompleted: boolean },
): Promise<Ended> {
	const { clock, signal } = client;
	const endsAt = clock.now() + timeoutMs;
	let patientUntil = clock.now() + HISTORY_PATIENCE_MS;
	for (;;) {
		const asked = await readRecord(client, requestId);
		const ended = endedIn(client, asked);
		if (ended) return afterCompleted(ended, hasCompleted);
		const now = clock.now();
		const history = inHistory(asked);
		const isRunning = history === 'unfinished';
		if (isRunning) patientUntil = now + HISTORY_PATIENCE_MS;
		if (now + HISTORY_EVERY_MS >= (isRunning ? endsAt : Math.min(endsAt, patientUntil)))
			return isRunning
				? { kind: 'timeout', status: 'PROCESSING' }
				: { kind: 'missing', isExpired: true, history };
		await wait(clock, HISTORY_EVERY_MS, { signal });
		if (signal?.aborted) throw stopped(requestId);
	}
}
