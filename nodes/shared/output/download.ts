import type { IBinaryData } from 'n8n-workflow';

import { wait } from '../clock';
import { stopped } from '../failure';
import { redact } from '../redact';
import type { CallSession } from '../run/session';
import { excerpt } from '../transport/errorBody';
import { lowerCaseHeaders, openPublic, type RawStreamResponse } from '../transport/http';
import { decoded, originOf } from '../transport/origins';
import type { MediaFile } from './media';
import { bareType, safeFileName, typeByExtension } from './mediaTypes';

/** A download is given up after so long without a byte, ms (design.md section 2, Options). */
const IDLE_MS = 60_000;
const TRIES = 3;

export type Downloaded = { file: IBinaryData } | { reason: string };

/**
 * Fetches a public file into n8n's binary store as a stream, without credentials. Never fails the item: a paid result keeps its URL.
 * @throws SegmindFailure only when the execution is stopped
 */
export async function download(
	session: CallSession,
	media: MediaFile,
	requestId: string,
	fallbackName: string,
): Promise<Downloaded> {
	let reason = '';
	for (let tries = 1; tries <= TRIES; tries++) {
		if (session.signal?.aborted) throw stopped(requestId);
		const outcome = await downloadOnce(session, media, fallbackName);
		if ('file' in outcome) return outcome;
		reason = outcome.reason;
		if (!outcome.passing || tries === TRIES) break;
		await wait(session.clock, 500 * 2 ** tries, { signal: session.signal });
	}
	if (session.signal?.aborted) throw stopped(requestId);
	return { reason };
}

async function downloadOnce(
	session: CallSession,
	media: MediaFile,
	fallbackName: string,
): Promise<{ file: IBinaryData } | { reason: string; passing: boolean }> {
	if (originOf(media.url) === undefined)
		return { reason: 'it is not an http(s) address', passing: false };
	try {
		const response = await openPublic(session.context, media.url, IDLE_MS, session.signal);
		if (response.statusCode !== 200) {
			response.body.destroy();
			return {
				reason: `HTTP ${response.statusCode}`,
				passing: response.statusCode >= 500 || response.statusCode === 429,
			};
		}
		const headers = lowerCaseHeaders(response.headers);
		const mimeType = typeFor(media, headers['content-type']);
		const fileName = safeFileName(media.fileName ?? lastSegment(media.url), mimeType, fallbackName);
		return { file: await storeWatched(session, response, fileName, mimeType) };
	} catch (error) {
		return {
			reason: redact(excerpt(error instanceof Error ? error.message : String(error))),
			passing: true,
		};
	}
}

/** The object's own type, else what the host says, else what the extension says. */
function typeFor(media: MediaFile, contentType: string | undefined): string {
	const told = bareType(contentType);
	return (
		media.mimeType ??
		(told !== '' && told !== 'application/octet-stream'
			? told
			: (typeByExtension(media.url) ?? (told || 'application/octet-stream')))
	);
}

/**
 * Stores the stream; ends it when no byte has come for too long. The bytes are counted on the socket: anything put between the stream and
 * n8n's store would have to pass its errors on, which Readable.compose does not do on every Node 24. A body that is cut short is an error
 * of the stream itself.
 */
async function storeWatched(
	session: CallSession,
	{ body }: RawStreamResponse,
	fileName: string,
	mimeType: string,
): Promise<IBinaryData> {
	let stored = false;
	const watch = async () => {
		let lastByteAt = session.clock.now();
		let seen = body.socket?.bytesRead;
		while (!stored) {
			await wait(session.clock, 250, { signal: session.signal });
			if (stored) return;
			if (session.signal?.aborted) return body.destroy(new Error('the execution was stopped'));
			const now = session.clock.now();
			const read = body.socket?.bytesRead;
			if (read !== seen) [seen, lastByteAt] = [read, now];
			else if (now - lastByteAt > IDLE_MS)
				return body.destroy(new Error(`no data for ${IDLE_MS / 1_000} s`));
		}
	};
	try {
		void watch();
		return await session.context.helpers.prepareBinaryData(body as never, fileName, mimeType);
	} finally {
		stored = true;
	}
}

function lastSegment(url: string): string {
	const last = new URL(url).pathname.split('/').pop() ?? '';
	return decoded(last) ?? last;
}
