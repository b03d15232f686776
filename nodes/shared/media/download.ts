import type { IBinaryData } from 'n8n-workflow';

import { wait } from '../base/clock';
import { stoppedFailure } from '../errors/failures';
import { BYTES_PER_MB } from '../run/options';
import type { OutputSession } from '../run/session';
import { excerpt } from '../service/errorBody';
import { lowerCaseHeaders, openPublic, type RawStreamResponse } from '../service/http';
import { decodeSegment, originOf } from '../service/origins';
import { bareType, extensionOf, isPage, safeFileName, typeByExtension } from './mediaTypes';

/** A download times out after this long without a byte. */
const IDLE_MS = 60_000;
/** Number of calls for one file, with pauses of 1, 2 and 4 s. */
const MAX_TRIES = 4;
/** Statuses that a host may return during the first seconds of a new file. */
const NEW_FILE_STATUSES = [403, 404, 425];
/** Interval between checks of the idle time and the deadline. */
const CHECK_INTERVAL_MS = 250;

/** A file of a result, at a public URL. */
export interface MediaFile {
	url: string;
	mimeType?: string;
	fileName?: string;
}

type DownloadSession = Pick<OutputSession, 'context' | 'client'>;

type DownloadOutcome = { file: IBinaryData } | { reason: string };

interface DownloadLimits {
	/** Size of the largest file that is stored. */
	maxBytes: number;
	/** When the download must have ended, ms since the epoch; the files of one item share it. */
	endsAt: number;
	/** The time until which a new file may be missing at its host, in ms since the epoch. */
	newFileUntil?: number;
}

/** Why a file wasn't stored. `transient`: another call may succeed. */
interface DownloadFault {
	reason: string;
	transient: boolean;
}

/**
 * Downloads a public file into n8n's binary storage as a stream, without credentials. Never fails the item, because its charged result still
 * has the URL. A file that is too large, incomplete or too slow isn't left in the storage, if n8n cleans up.
 * @throws SegmindFailure only when the execution is stopped
 */
export async function download(
	session: DownloadSession,
	media: MediaFile,
	requestId: string | undefined,
	stem: string | undefined,
	limits: DownloadLimits,
): Promise<DownloadOutcome> {
	const { client } = session;
	const endsAt = Math.min(limits.endsAt, client.endsAt ?? Infinity);
	let reason = TIMED_OUT;
	for (let tries = 1; client.clock.now() < endsAt; tries++) {
		if (client.signal?.aborted) throw stoppedFailure(requestId);
		const outcome = await downloadOnce(session, media, stem, { ...limits, endsAt });
		if ('file' in outcome) return outcome;
		reason = outcome.reason;
		if (!outcome.transient || tries === MAX_TRIES) break;
		await wait(client.clock, 500 * 2 ** tries, { signal: client.signal });
	}
	if (client.signal?.aborted) throw stoppedFailure(requestId);
	return { reason };
}

const TIMED_OUT = 'the download timed out';

async function downloadOnce(
	{ context, client }: DownloadSession,
	media: MediaFile,
	stem: string | undefined,
	limits: DownloadLimits,
): Promise<{ file: IBinaryData } | DownloadFault> {
	if (originOf(media.url) === undefined)
		return { reason: 'it is not an http(s) address', transient: false };
	const connection = new AbortController();
	const end = () => connection.abort();
	client.signal?.addEventListener('abort', end, { once: true });
	try {
		const openTimeoutMs = Math.max(1, Math.min(IDLE_MS, limits.endsAt - client.clock.now()));
		const response = await openPublic(context, media.url, openTimeoutMs, connection.signal);
		const headers = lowerCaseHeaders(response.headers);
		const isPageExpected = (media.mimeType ?? typeByExtension(media.url)) === 'text/html';
		const fault =
			headerFault(response, headers, limits, client.clock.now()) ??
			(bareType(headers['content-type']) === 'text/html' && !isPageExpected ? WEB_PAGE : undefined);
		if (fault) {
			response.body.destroy();
			end();
			return fault;
		}
		const mimeType = typeFor(media, headers['content-type']);
		const ownName = safeFileName(media.fileName ?? lastSegment(media.url), mimeType, 'file');
		const fileName = stem === undefined ? ownName : `${stem}.${extensionOf(ownName)}`;
		return await storeWithLimits({ context, client }, response, {
			end,
			fileName,
			mimeType,
			limits,
			isPageExpected,
			declaredBytes: declaredLength(headers),
		});
	} catch (error) {
		return brokenTransfer(error);
	} finally {
		client.signal?.removeEventListener('abort', end);
	}
}

/** Returns why the body must not be read, according to status and headers; undefined if it can be read. */
function headerFault(
	{ statusCode, body }: RawStreamResponse,
	headers: Record<string, string>,
	{ maxBytes, newFileUntil = 0 }: DownloadLimits,
	now: number,
): DownloadFault | undefined {
	if (statusCode !== 200)
		return {
			reason: `HTTP ${statusCode}`,
			transient:
				statusCode >= 500 ||
				statusCode === 429 ||
				(now < newFileUntil && NEW_FILE_STATUSES.includes(statusCode)),
		};
	// An older n8n unpacks a compressed body, and only the stream that does so has `bytesWritten`. In newer versions, only a wrong length shows the compression.
	const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
	if (encoding !== 'identity' || 'bytesWritten' in body)
		return {
			reason: 'the server sent it compressed, although the node requested it uncompressed',
			transient: false,
		};
	return (declaredLength(headers) ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined;
}

const EMPTY: DownloadFault = { reason: 'it is empty (0 bytes)', transient: true };
const WEB_PAGE: DownloadFault = {
	reason: 'the response was a web page instead of the file',
	transient: false,
};

/** Returns the reason after a fault of the connection or of n8n's storage. */
function brokenTransfer(error: unknown): DownloadFault {
	return {
		reason: excerpt(error instanceof Error ? error.message : String(error)),
		transient: true,
	};
}

function tooLarge(maxBytes: number): DownloadFault {
	return { reason: `it is larger than ${maxBytes / BYTES_PER_MB} MB`, transient: false };
}

function declaredLength(headers: Record<string, string>): number | undefined {
	const length = headers['content-length']?.trim() ?? '';
	return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** Returns the file's type: from the result, otherwise from the host, otherwise from the extension. */
function typeFor(media: MediaFile, contentType: string | undefined): string {
	const type = bareType(contentType);
	return (
		media.mimeType ??
		(type !== '' && type !== 'application/octet-stream'
			? type
			: (typeByExtension(media.url) ?? (type || 'application/octet-stream')))
	);
}

interface StoreOptions {
	/** Closes the connection. */
	end: () => void;
	fileName: string;
	mimeType: string;
	limits: DownloadLimits;
	isPageExpected: boolean;
	/** The length in the response's headers. */
	declaredBytes?: number;
}

/**
 * Stores the stream. Ends it if it has too many or too few bytes, if no byte arrives for too long, or at the deadline. Chunks are counted when they are
 * pushed: a stream in between would have to pass on errors, which Readable.compose doesn't do on every Node 24, and newer versions of n8n hide the
 * connection. If the length differs from the header, an error replaces the stream's end, so that n8n removes what it has stored.
 */
async function storeWithLimits(
	{ context, client }: DownloadSession,
	{ body }: RawStreamResponse,
	storing: StoreOptions,
): Promise<{ file: IBinaryData } | DownloadFault> {
	const { end, fileName, mimeType, limits } = storing;
	let isSettled = false;
	let received = 0;
	let lastChunkAt = client.clock.now();
	let failure: DownloadFault | undefined;
	const giveUp = (why: DownloadFault) => {
		failure ??= why;
		body.destroy(new Error(failure.reason));
		// A stream that reads from the connection's stream doesn't end while the connection is silent.
		end();
		return false;
	};
	const accept = (chunk: unknown) => {
		const fault = chunkFault(chunk, received, storing);
		if (fault) return giveUp(fault);
		received += lengthOf(chunk);
		return true;
	};
	// In older versions of n8n the first chunks have arrived already.
	const first = body.read();
	if (first !== null && accept(first)) body.unshift(first);
	const { push } = body;
	body.push = (...args) => {
		lastChunkAt = client.clock.now();
		return failure === undefined && accept(args[0]) && push.apply(body, args);
	};
	const watch = async () => {
		while (!isSettled) {
			await wait(client.clock, CHECK_INTERVAL_MS, { signal: client.signal });
			if (isSettled) return;
			const now = client.clock.now();
			if (client.signal?.aborted) giveUp({ reason: 'the execution was stopped', transient: false });
			else if (now >= limits.endsAt) giveUp({ reason: TIMED_OUT, transient: false });
			else if (now - lastChunkAt > IDLE_MS)
				giveUp({ reason: `no data for ${IDLE_MS / 1_000} s`, transient: true });
			if (failure) return;
		}
	};
	try {
		void watch();
		const file = await context.helpers.prepareBinaryData(body as never, fileName, mimeType);
		// The stream may have ended before counting began.
		return failure ?? (received === 0 ? EMPTY : { file });
	} catch (error) {
		return failure ?? brokenTransfer(error);
	} finally {
		isSettled = true;
	}
}

/** Returns why a stream must end at this chunk; undefined if it may continue. A null chunk is the stream's end; `received` bytes came before it. */
function chunkFault(
	chunk: unknown,
	received: number,
	{ limits, isPageExpected, declaredBytes = Infinity }: StoreOptions,
): DownloadFault | undefined {
	if (chunk === null) {
		if (received === 0) return EMPTY;
		if (declaredBytes === Infinity || received === declaredBytes) return undefined;
		return {
			reason: `the download ended after ${received} of ${declaredBytes} bytes`,
			transient: true,
		};
	}
	const isFirst = received === 0 && chunk instanceof Uint8Array;
	if (isFirst && !isPageExpected && isPage(Buffer.from(chunk.subarray(0, 300)))) return WEB_PAGE;
	const bytes = received + lengthOf(chunk);
	if (bytes > declaredBytes)
		return {
			reason: `the server sent more than the announced ${declaredBytes} bytes`,
			transient: false,
		};
	return bytes > limits.maxBytes ? tooLarge(limits.maxBytes) : undefined;
}

function lengthOf(chunk: unknown): number {
	return typeof chunk === 'string' || chunk instanceof Uint8Array ? Buffer.byteLength(chunk) : 0;
}

function lastSegment(url: string): string {
	const last = new URL(url).pathname.split('/').pop() ?? '';
	return decodeSegment(last) ?? last;
}
