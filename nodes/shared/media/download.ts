import type { IBinaryData } from 'n8n-workflow';

import { wait } from '../base/clock';
import { stopped } from '../errors/failures';
import { BYTES_PER_MB } from '../run/options';
import type { OutputSession } from '../run/session';
import { excerpt } from '../service/errorBody';
import { lowerCaseHeaders, openPublic, type RawStreamResponse } from '../service/http';
import { decoded, originOf } from '../service/origins';
import { bareType, extensionOf, isPage, safeFileName, typeByExtension } from './mediaTypes';

/** A download is given up after this long without a byte, ms. */
const IDLE_MS = 60_000;
/** After 1, 2 and 4 s. */
const TRIES = 4;
/** A file that was just made may answer so for some seconds. */
const NOT_THERE_YET = [403, 404, 425];
/** How often idle time and the deadline are checked, ms. */
const WATCH_MS = 250;

/** A file of a result, at a public address. */
export interface MediaFile {
	url: string;
	mimeType?: string;
	fileName?: string;
}

type DownloadSession = Pick<OutputSession, 'context' | 'client'>;

type Downloaded = { file: IBinaryData } | { reason: string };

interface DownloadLimits {
	/** A larger file is left where it is, bytes. */
	maxBytes: number;
	/** When the download ends, finished or not, ms since the epoch; the files of one item share it. */
	endsAt: number;
	/** Until then a file that was just made may still appear, ms since the epoch. */
	freshUntil?: number;
}

/** Why a file was not stored; `transient` when another try may do better. */
interface NotStored {
	reason: string;
	transient: boolean;
}

/**
 * Fetches a public file into n8n's binary store as a stream, without credentials. Never fails the item: a paid result keeps its URL. A file
 * that is larger than allowed, cut short, or not done in time leaves nothing in the store, as far as n8n's own clearing up goes.
 * @throws SegmindFailure only when the execution is stopped
 */
export async function download(
	session: DownloadSession,
	media: MediaFile,
	requestId: string | undefined,
	stem: string | undefined,
	limits: DownloadLimits,
): Promise<Downloaded> {
	const { client } = session;
	const endsAt = Math.min(limits.endsAt, client.endsAt ?? Infinity);
	let reason = TOO_LATE;
	for (let tries = 1; client.clock.now() < endsAt; tries++) {
		if (client.signal?.aborted) throw stopped(requestId);
		const outcome = await downloadOnce(session, media, stem, { ...limits, endsAt });
		if ('file' in outcome) return outcome;
		reason = outcome.reason;
		if (!outcome.transient || tries === TRIES) break;
		await wait(client.clock, 500 * 2 ** tries, { signal: client.signal });
	}
	if (client.signal?.aborted) throw stopped(requestId);
	return { reason };
}

const TOO_LATE = 'the download timed out';

async function downloadOnce(
	{ context, client }: DownloadSession,
	media: MediaFile,
	stem: string | undefined,
	limits: DownloadLimits,
): Promise<{ file: IBinaryData } | NotStored> {
	if (originOf(media.url) === undefined)
		return { reason: 'it is not an http(s) address', transient: false };
	const ending = new AbortController();
	const end = () => ending.abort();
	client.signal?.addEventListener('abort', end, { once: true });
	try {
		const patience = Math.max(1, Math.min(IDLE_MS, limits.endsAt - client.clock.now()));
		const response = await openPublic(context, media.url, patience, ending.signal);
		const headers = lowerCaseHeaders(response.headers);
		const isPageWanted = (media.mimeType ?? typeByExtension(media.url)) === 'text/html';
		const refused =
			refusalOf(response, headers, limits, client.clock.now()) ??
			(bareType(headers['content-type']) === 'text/html' && !isPageWanted ? A_PAGE : undefined);
		if (refused) {
			response.body.destroy();
			end();
			return refused;
		}
		const mimeType = typeFor(media, headers['content-type']);
		const own = safeFileName(media.fileName ?? lastSegment(media.url), mimeType, 'file');
		const fileName = stem === undefined ? own : `${stem}.${extensionOf(own)}`;
		return await storeWatched({ context, client }, response, {
			end,
			fileName,
			mimeType,
			limits,
			isPageWanted,
			declaredBytes: lengthIn(headers),
		});
	} catch (error) {
		return broken(error);
	} finally {
		client.signal?.removeEventListener('abort', end);
	}
}

/** Why the body is not read at all; undefined when it is. */
function refusalOf(
	{ statusCode, body }: RawStreamResponse,
	headers: Record<string, string>,
	{ maxBytes, freshUntil = 0 }: DownloadLimits,
	now: number,
): NotStored | undefined {
	if (statusCode !== 200)
		return {
			reason: `HTTP ${statusCode}`,
			transient:
				statusCode >= 500 ||
				statusCode === 429 ||
				(now < freshUntil && NOT_THERE_YET.includes(statusCode)),
		};
	// Only streams that unpack count what was written to them. Newer versions of n8n hide them; the length then tells, if there is one.
	const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
	if (encoding !== 'identity' || 'bytesWritten' in body)
		return {
			reason: 'it was sent compressed, although the plain file was asked for',
			transient: false,
		};
	return (lengthIn(headers) ?? 0) > maxBytes ? tooLarge(maxBytes) : undefined;
}

const EMPTY: NotStored = { reason: 'it is empty (0 bytes)', transient: true };
const A_PAGE: NotStored = {
	reason: 'the response was a web page instead of the file',
	transient: false,
};

/** A fault of the connection, or of n8n's store. */
function broken(error: unknown): NotStored {
	return {
		reason: excerpt(error instanceof Error ? error.message : String(error)),
		transient: true,
	};
}

function tooLarge(maxBytes: number): NotStored {
	return { reason: `it is larger than ${maxBytes / BYTES_PER_MB} MB`, transient: false };
}

function lengthIn(headers: Record<string, string>): number | undefined {
	const length = headers['content-length']?.trim() ?? '';
	return /^\d{1,15}$/.test(length) ? Number(length) : undefined;
}

/** The object's own type, else what the host says, else what the extension says. */
function typeFor(media: MediaFile, contentType: string | undefined): string {
	const type = bareType(contentType);
	return (
		media.mimeType ??
		(type !== '' && type !== 'application/octet-stream'
			? type
			: (typeByExtension(media.url) ?? (type || 'application/octet-stream')))
	);
}

interface Storing {
	/** Closes the connection. */
	end: () => void;
	fileName: string;
	mimeType: string;
	limits: DownloadLimits;
	isPageWanted: boolean;
	/** The length that the answer's header says, bytes. */
	declaredBytes?: number;
}

/**
 * Stores the stream; ends it when it brings too much or too little, when no byte has come for too long, or when the time is up. The pieces are
 * counted as they are pushed: anything put between the stream and n8n's store would have to pass its errors on, which Readable.compose does
 * not do on every Node 24, and the connection behind it is out of reach in newer versions of n8n. Its end is replaced by an error when it has
 * not the length that its header said, so that n8n takes back what it has stored.
 */
async function storeWatched(
	{ context, client }: DownloadSession,
	{ body }: RawStreamResponse,
	storing: Storing,
): Promise<{ file: IBinaryData } | NotStored> {
	const { end, fileName, mimeType, limits } = storing;
	let stored = false;
	let received = 0;
	let lastPieceAt = client.clock.now();
	let failure: NotStored | undefined;
	const giveUp = (why: NotStored) => {
		failure ??= why;
		body.destroy(new Error(failure.reason));
		// A stream that only reads from the one of the connection does not end while that one is silent.
		end();
		return false;
	};
	const take = (piece: unknown) => {
		const fault = faultAt(piece, received, storing);
		if (fault) return giveUp(fault);
		received += lengthOf(piece);
		return true;
	};
	// In older versions of n8n the first pieces are there already.
	const first = body.read();
	if (first !== null && take(first)) body.unshift(first);
	const { push } = body;
	body.push = (...pieces) => {
		lastPieceAt = client.clock.now();
		return failure === undefined && take(pieces[0]) && push.apply(body, pieces);
	};
	const watch = async () => {
		while (!stored) {
			await wait(client.clock, WATCH_MS, { signal: client.signal });
			if (stored) return;
			const now = client.clock.now();
			if (client.signal?.aborted) giveUp({ reason: 'the execution was stopped', transient: false });
			else if (now >= limits.endsAt) giveUp({ reason: TOO_LATE, transient: false });
			else if (now - lastPieceAt > IDLE_MS)
				giveUp({ reason: `no data for ${IDLE_MS / 1_000} s`, transient: true });
			if (failure) return;
		}
	};
	try {
		void watch();
		const file = await context.helpers.prepareBinaryData(body as never, fileName, mimeType);
		// It may have ended before anything could be counted.
		return failure ?? (received === 0 ? EMPTY : { file });
	} catch (error) {
		return failure ?? broken(error);
	} finally {
		stored = true;
	}
}

/** Why a stream is given up at this piece, null being its end; `received` bytes came before. */
function faultAt(
	piece: unknown,
	received: number,
	{ limits, isPageWanted, declaredBytes = Infinity }: Storing,
): NotStored | undefined {
	if (piece === null) {
		if (received === 0) return EMPTY;
		if (declaredBytes === Infinity || received === declaredBytes) return undefined;
		return { reason: `it ended after ${received} of ${declaredBytes} bytes`, transient: true };
	}
	const isFirst = received === 0 && piece instanceof Uint8Array;
	if (isFirst && !isPageWanted && isPage(Buffer.from(piece.subarray(0, 300)))) return A_PAGE;
	const bytes = received + lengthOf(piece);
	if (bytes > declaredBytes)
		return {
			reason: `it brought more than the ${declaredBytes} bytes it was to have`,
			transient: false,
		};
	return bytes > limits.maxBytes ? tooLarge(limits.maxBytes) : undefined;
}

function lengthOf(piece: unknown): number {
	return typeof piece === 'string' || piece instanceof Uint8Array ? Buffer.byteLength(piece) : 0;
}

function lastSegment(url: string): string {
	const last = new URL(url).pathname.split('/').pop() ?? '';
	return decoded(last) ?? last;
}
