import type { IBinaryData } from 'n8n-workflow';

import { wait } from '../base/clock';
import { stopped } from '../base/failure';
import { redact } from '../base/redact';
import type { CallSession } from '../run/session';
import { excerpt } from '../service/errorBody';
import { lowerCaseHeaders, openPublic, type RawStreamResponse } from '../service/http';
import { decoded, originOf } from '../service/origins';
import type { MediaFile } from '../output/media';
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
	const ending = new AbortController();
	const end = () => ending.abort();
	session.signal?.addEventListener('abort', end, { once: true });
	try {
		const response = await openPublic(session.context, media.url, IDLE_MS, ending.signal);
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
		return { file: await storeWatched(session, response, end, fileName, mimeType) };
	} catch (error) {
		return {
			reason: redact(excerpt(error instanceof Error ? error.message : String(error))),
			passing: true,
		};
	} finally {
		session.signal?.removeEventListener('abort', end);
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
 * Stores the stream; ends it when no byte has come for too long. The pieces are noted as they are pushed: anything put between the stream
 * and n8n's store would have to pass its errors on, which Readable.compose does not do on every Node 24, and the connection behind it is out
 * of reach in newer versions of n8n. A body that is cut short is an error of the stream itself. `end` closes the connection.
 */
async function storeWatched(
	session: CallSession,
	{ body }: RawStreamResponse,
	end: () => void,
	fileName: string,
	mimeType: string,
): Promise<IBinaryData> {
	let stored = false;
	let lastPieceAt = session.clock.now();
	const { push } = body;
	body.push = (...piece) => {
		lastPieceAt = session.clock.now();
		return push.apply(body, piece);
	};
	const giveUp = (reason: string) => {
		body.destroy(new Error(reason));
		// A stream that only reads from the one of the connection does not end while that one is silent.
		end();
	};
	const watch = async () => {
		while (!stored) {
			await wait(session.clock, 250, { signal: session.signal });
			if (stored) return;
			if (session.signal?.aborted) return giveUp('the execution was stopped');
			if (session.clock.now() - lastPieceAt > IDLE_MS)
				return giveUp(`no data for ${IDLE_MS / 1_000} s`);
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
