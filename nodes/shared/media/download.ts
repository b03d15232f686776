import type { IBinaryData } from 'n8n-workflow';

import { endAt, wait, type Clock } from '../base/clock';
import { failureFrom, stoppedFailure, wrongInput } from '../errors/failures';
import { say, whole } from '../errors/say';
import type { OutputRun } from '../run/run';
import { excerpt } from '../service/errorBody';
import { lowerCaseHeaders, MAX_RESPONSE_BYTES, type RawStreamResponse } from '../service/http';
import { originOf } from '../service/addresses';
import { isTransientStatus } from '../service/responses';
import { fileName } from './fileNames';
import { bareType, isPage, typeByExtension, typeOfFile } from './mediaTypes';
import { openFile, type OpenedFile } from './openFile';

/** A download times out after this long without a byte. */
const IDLE_MS = 60_000;
/** Number of calls for one file, with pauses of 1, 2 and 4 s. */
const MAX_TRIES = 4;

/** A file at a public URL. */
export interface MediaFile {
	url: string;
	/** Whether the user entered the URL. Otherwise, it comes from a result. */
	isEntered?: true;
	/** The type and the name that the service declares. */
	mimeType?: string;
	fileName?: string;
	/** The name of the workflow's output that it is, or is in. */
	outputName?: string;
}

type DownloadRun = Pick<OutputRun, 'context' | 'client'>;

/** Why a file wasn't stored. `transient`: another call may succeed. */
interface DownloadFault {
	reason: string;
	transient?: boolean;
}

const TIMED_OUT: DownloadFault = { reason: 'the download timed out' };
const IDLE: DownloadFault = { reason: `no data for ${IDLE_MS / 1_000} s`, transient: true };
const EMPTY: DownloadFault = { reason: 'it is empty (0 bytes)', transient: true };
const WEB_PAGE: DownloadFault = { reason: 'the response was a web page instead of the file' };
const COMPRESSED: DownloadFault = {
	reason: 'the server sent it compressed, although the node requested it uncompressed',
};

/**
 * Downloads a public file into n8n's binary storage as a stream, without credentials. `stem`: its name without the extension; `requestId`: for the error. Never fails the item,
 * because its charged result still has the URL. `latestEnd`: when it must have ended, ms since the epoch; the files of one item share it. A file that is too large, incomplete or too slow isn't left in the storage, if n8n cleans up.
 * @throws SegmindFailure only when the execution is stopped or the poll ends
 */
export async function download(
	run: DownloadRun,
	media: MediaFile,
	{ stem, requestId }: { stem: string; requestId?: string },
	latestEnd: number,
): Promise<{ file: IBinaryData } | DownloadFault> {
	const { clock, signal, endsAt: runEndsAt = Infinity } = run.client;
	const endsAt = Math.min(latestEnd, runEndsAt);
	let fault = TIMED_OUT;
	for (let tries = 1; clock.now() < endsAt && !signal?.aborted; tries++) {
		const downloaded = await downloadOnce(run, media, stem, endsAt);
		if ('file' in downloaded) return downloaded;
		fault = downloaded;
		if (!fault.transient || tries === MAX_TRIES) break;
		await wait(clock, 500 * 2 ** tries, { signal });
	}
	// At the end of a poll, the file is left to the next poll.
	if (signal?.aborted || clock.now() >= runEndsAt) throw stoppedFailure(requestId);
	return fault;
}

/**
 * Downloads a file that the user entered. For an AI agent, whose model may have written the URL, none is fetched.
 * @throws SegmindFailure that names only its host, if the file can't be fetched
 */
export async function fetchFile(
	run: DownloadRun & Pick<OutputRun, 'isTool'>,
	url: string,
	stem: string,
	timeoutMs: number,
): Promise<IBinaryData> {
	if (run.isTool) throw wrongInput('The file', url, 'binary data or a data URL for an AI agent');
	const endsAt = run.client.clock.now() + timeoutMs;
	const downloaded = await download(run, { url, isEntered: true }, { stem }, endsAt);
	if ('file' in downloaded) return downloaded.file;
	const host = URL.canParse(url) ? new URL(url).host : url;
	throw failureFrom('file', {
		what: say`The file could not be fetched from ${host}: ${whole(downloaded.reason)}`,
		charge: 'none',
		next: say`Check that the URL is publicly accessible.`,
	});
}

async function downloadOnce(
	run: DownloadRun,
	media: MediaFile,
	stem: string,
	latestEnd: number,
): Promise<{ file: IBinaryData } | DownloadFault> {
	if (originOf(media.url) === undefined) return { reason: 'it is not an http(s) address' };
	const { clock, signal } = run.client;
	const transfer: Transfer = { connection: new AbortController(), lastChunkAt: clock.now() };
	const endsAt = () => Math.min(latestEnd, transfer.lastChunkAt + IDLE_MS);
	const cancelEnd = endAt(clock, endsAt, signal, () => {
		transfer.fault ??= clock.now() < latestEnd ? IDLE : TIMED_OUT;
		close(transfer);
	});
	try {
		const namedBy = media.isEntered ? media.url : run.client.urls.baseUrl;
		const { signal: closing } = transfer.connection;
		const opened = await openFile(run, { address: media.url, namedBy }, IDLE_MS, closing);
		if ('reason' in opened) return opened;
		const { response } = opened;
		const headers = lowerCaseHeaders(response.headers);
		transfer.body = response.body;
		transfer.fault ??= headerFault(response, headers);
		if (transfer.fault) return transfer.fault;
		return { file: await store(run, media, stem, { ...opened, headers, transfer }) };
	} catch (error) {
		const reason = excerpt(error instanceof Error ? error.message : String(error));
		return transfer.fault ?? { reason, transient: true };
	} finally {
		cancelEnd();
		if (transfer.fault) close(transfer);
	}
}

/** Stores the body of a download under the name and the type that it has. @throws as `checkedChunks` does */
async function store(
	{ context, client }: DownloadRun,
	media: MediaFile,
	stem: string,
	{ response, url, headers, transfer }: OpenedDownload,
): Promise<IBinaryData> {
	const hostType = bareType(headers['content-type']);
	const length = headers['content-length']?.trim() ?? '';
	const isPageExpected = (media.mimeType ?? typeByExtension(media.url)) === 'text/html';
	const chunks = checkedChunks(client.clock, transfer, {
		declaredBytes: /^\d{1,15}$/.test(length) ? Number(length) : undefined,
		isPage: (start) => !isPageExpected && (hostType === 'text/html' || isPage(start)),
	});
	const first = await chunks.next();
	const start = first.done === true ? undefined : first.value;
	const names = [media.url, media.fileName ?? '', hostNameOf(headers), url];
	const mimeType = typeOfFile(media.mimeType ?? hostType, names, start);
	return await context.helpers.prepareBinaryData(
		streamLike(response.body, allChunks(first, chunks)) as never,
		fileName(stem, mimeType, ...names),
		mimeType,
	);
}

/** Returns the name that a host gives to its file; '' if it gives none. */
function hostNameOf({ 'content-disposition': disposition = '' }: Record<string, string>): string {
	return /filename\*?=(?:[\w-]*'')?"?([^";]+)/i.exec(disposition.slice(0, 1_000))?.[1] ?? '';
}

/** Returns why the body must not be read, according to status and headers; undefined if it can be read. */
function headerFault(
	{ statusCode, body }: RawStreamResponse,
	headers: Record<string, string>,
): DownloadFault | undefined {
	if (statusCode !== 200)
		return { reason: `HTTP ${statusCode}`, transient: isTransientStatus(statusCode) };
	// An older n8n unpacks a compressed body, and only the stream that does so has `bytesWritten`. In newer versions, only a wrong length shows the compression.
	const encoding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
	return encoding !== 'identity' || 'bytesWritten' in body ? COMPRESSED : undefined;
}

/** A download whose headers show no fault. */
interface OpenedDownload extends OpenedFile {
	headers: Record<string, string>;
	transfer: Transfer;
}

/** A transfer under way. */
interface Transfer {
	connection: AbortController;
	body?: RawStreamResponse['body'];
	lastChunkAt: number;
	/** Why it was ended. */
	fault?: DownloadFault;
}

/** Closes both streams: one that reads from the connection's stream doesn't end while the connection is silent. */
function close({ connection, body }: Transfer): void {
	body?.destroy();
	connection.abort();
}

/** Passes on the bytes of a body. @throws an error with the transfer's fault if they aren't a complete file, so that n8n removes what it has stored */
async function* checkedChunks(
	clock: Clock,
	transfer: Transfer,
	{ declaredBytes, isPage }: { declaredBytes?: number; isPage: (start: Uint8Array) => boolean },
): AsyncGenerator<Uint8Array> {
	const fail = (fault: DownloadFault) => {
		transfer.fault ??= fault;
		return new Error(fault.reason);
	};
	let bytes = 0;
	for await (const chunk of transfer.body ?? []) {
		transfer.lastChunkAt = clock.now();
		if (bytes === 0 && isPage(chunk)) throw fail(WEB_PAGE);
		bytes += chunk.length;
		const { file: maxBytes } = MAX_RESPONSE_BYTES;
		if (Math.max(bytes, declaredBytes ?? 0) > maxBytes)
			throw fail({ reason: `it is larger than ${maxBytes / 1_000_000} MB` });
		if (bytes > (declaredBytes ?? bytes))
			throw fail({ reason: `the server sent more than the announced ${declaredBytes} bytes` });
		yield chunk;
	}
	if (bytes === 0) throw fail(EMPTY);
	if (bytes < (declaredBytes ?? bytes))
		throw fail({
			reason: `the download ended after ${bytes} of ${declaredBytes} bytes`,
			transient: true,
		});
}

/** Yields the chunk that was read already, then the others. */
async function* allChunks(
	first: IteratorResult<Uint8Array>,
	others: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
	if (first.done !== true) yield first.value;
	yield* others;
}

/** Returns a stream of these chunks. node:stream must not be imported, but the class of any stream can make one (docs/n8n.md N112). */
function streamLike(stream: object, chunks: AsyncIterable<Uint8Array>): unknown {
	const { constructor } = stream as { constructor: { from?(source: unknown): unknown } };
	return constructor.from?.(chunks);
}
