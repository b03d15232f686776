import type { IBinaryData } from 'n8n-workflow';

import { digest } from '../base/hash';
import { safeTextOf } from '../base/redact';
import { capitalize } from '../base/text';
import { CAUSES } from '../errors/errorTable';
import { badInput, failureOf } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { storedName } from '../journal/journal';
import type { Session } from '../run/session';
import { raceWithStop } from '../run/raceWithStop';
import {
	noResponseFailure,
	rejectionFailure,
	unusableFailure,
	type CallSubject,
} from '../service/responseErrors';
import { jsonOf } from '../service/responses';
import { isSuccess, type HttpCall } from '../service/http';
import { joinUrl } from '../service/origins';
import { uploadResponse } from '../service/schemas';
import { bareType, typeByExtension } from './mediaTypes';

/** Chunk size: a multiple of three, so that base64 leaves no remainder. Small chunks use little memory (measured). */
const CHUNK_BYTES = 49_152;
/** Timeout for the response to an upload after its last byte: the service responds only when it has stored everything. */
const RESPONSE_TIMEOUT_MS = 300_000;
/** How long an upload is repeated after 429 and 503. */
const MAX_RETRY_MS = 900_000;

/**
 * Uploads files as assets in one call and returns their hosted URLs in the same order (docs/service.md S170). A file that was uploaded before in this
 * execution, for another item or in an earlier attempt, isn't uploaded again.
 */
export async function uploadFiles(session: Session, files: IBinaryData[]): Promise<string[]> {
	const keys = files.map(contentKey);
	const missing = new Map(files.map((file, at) => [keys[at], file]));
	for (const key of keys)
		if (session.uploads.has(key) || session.journal.urlOfUpload(key) !== undefined)
			missing.delete(key);
	if (missing.size > 0) {
		const sending = sendFiles(session, [...missing.values()]);
		[...missing.keys()].forEach((key, at) => {
			const url = sending.then((urls) => urls[at]);
			session.uploads.set(key, url);
			// The next item may try a failed upload again; the item that awaits it below reports the failure.
			url.then(
				(hostedUrl) => session.journal.rememberUpload(key, hostedUrl),
				() => session.uploads.delete(key),
			);
		});
	}
	return await Promise.all(
		keys.map(
			async (key) => session.journal.urlOfUpload(key) ?? (await session.uploads.get(key)) ?? '',
		),
	);
}

/** Identifies an asset: the same bytes with the same type. The ID in n8n's storage identifies the bytes. */
function contentKey(file: IBinaryData): string {
	return `${storedName(file.id) ?? digest(file.data)}|${mimeOf(file)}`;
}

async function sendFiles(session: Session, files: IBinaryData[]): Promise<string[]> {
	const about: CallSubject = {
		purpose: 'upload',
		subject:
			files.length === 1
				? `the upload of ${describeFile(files[0])}`
				: `the upload of ${files.length} files`,
	};
	const { client } = session;
	const sending = client.send(async () => await uploadCall(session, files), {
		priority: 'submission',
		deadline: client.clock.now() + MAX_RETRY_MS,
	});
	// A stopped upload needs no advice, because it's free and leaves nothing to look for.
	const sent = await raceWithStop(session, sending, CAUSES.stoppedBefore);
	if (sent.kind !== 'response') throw noResponseFailure(client, sent, about);
	const { status } = sent.response;
	if (!isSuccess(status))
		throw client.rememberIfFatal(rejectionFailure(client, sent.response, about));
	const urls = uploadResponse.safeParse(jsonOf(sent.response));
	if (!urls.success || urls.data.length !== files.length)
		throw unusableFailure(client, sent.response, about);
	return urls.data;
}

function describeFile({ fileName }: IBinaryData): string {
	const name = safeTextOf(fileName, 100);
	return name === '' ? 'a file' : `file '${name}'`;
}

/** Makes the upload call. Its body is encoded while it's sent, so that memory doesn't grow with the files (docs/n8n.md N111, N112). */
async function uploadCall(session: Session, files: IBinaryData[]): Promise<HttpCall> {
	const sizes = await Promise.all(files.map(async (file) => await byteLength(session, file)));
	const empty = files[sizes.indexOf(0)];
	if (empty)
		throw badInput(INPUTS.wrong, {
			label: capitalize(describeFile(empty)),
			value: 'empty (0 bytes)',
			wanted: 'a file that has content',
		});
	const call: HttpCall = {
		method: 'POST',
		url: joinUrl(session.client.urls.uploadUrl, '/upload-asset'),
		headers: { accept: 'application/json, text/plain, */*', 'content-type': 'application/json' },
		timeoutMs: RESPONSE_TIMEOUT_MS,
	};
	const firstStreamed = files.findIndex((file) => file.id !== undefined);
	if (firstStreamed === -1) {
		call.body = Buffer.from(
			JSON.stringify({ data_urls: files.map((file) => `${dataUrlHead(file)}${file.data}`) }),
		);
		return call;
	}
	const wholeLength = files.reduce(
		(sum, file, at) =>
			sum +
			Buffer.byteLength(`"${dataUrlHead(file)}",`) +
			(file.id === undefined ? file.data.length : base64Length(sizes[at])),
		'{"data_urls":[]}'.length - 1,
	);
	call.headers = { ...call.headers, 'content-length': String(wholeLength) };
	const firstStream = await session.context.helpers.getBinaryStream(
		files[firstStreamed].id as string,
		CHUNK_BYTES,
	);
	const { clock } = session.client;
	const sending = { lastChunkAt: clock.now(), isComplete: false };
	call.sending = sending;
	call.body = firstStream.compose(async function* (firstBytes: AsyncIterable<Buffer>) {
		for (const [at, file] of files.entries()) {
			yield Buffer.from(`${at === 0 ? '{"data_urls":[' : ','}"${dataUrlHead(file)}`);
			if (file.id === undefined) yield Buffer.from(file.data);
			else
				for await (const chunk of inBase64(
					at === firstStreamed
						? firstBytes
						: ((await session.context.helpers.getBinaryStream(
								file.id,
								CHUNK_BYTES,
							)) as AsyncIterable<Buffer>),
					sizes[at],
				)) {
					sending.lastChunkAt = clock.now();
					yield chunk;
				}
			yield Buffer.from('"');
		}
		yield Buffer.from(']}');
		sending.lastChunkAt = clock.now();
		sending.isComplete = true;
	}) as unknown as HttpCall['body'];
	return call;
}

/** Encodes a stream in base64, chunk by chunk. Three bytes make four characters, so a remainder is kept for the next chunk. */
async function* inBase64(source: AsyncIterable<Buffer>, expected: number): AsyncGenerator<Buffer> {
	let remainder = Buffer.alloc(0);
	let seen = 0;
	for await (const chunk of source) {
		seen += chunk.length;
		const bytes = remainder.length > 0 ? Buffer.concat([remainder, chunk]) : chunk;
		const whole = bytes.length - (bytes.length % 3);
		remainder = Buffer.from(bytes.subarray(whole));
		if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
	}
	if (remainder.length > 0) yield Buffer.from(remainder.toString('base64'), 'latin1');
	if (seen !== expected) throw failureOf('file', CAUSES.fileChanged, { bytes: seen, expected });
}

/** Returns the size of a binary, from n8n's storage or from the inline base64. */
export async function byteLength(session: Session, file: IBinaryData): Promise<number> {
	if (file.id === undefined) return Math.floor((file.data.replace(/=+$/, '').length * 3) / 4);
	return (await session.context.helpers.getBinaryMetadata(file.id)).fileSize;
}

function base64Length(bytes: number): number {
	return Math.ceil(bytes / 3) * 4;
}

function dataUrlHead(file: IBinaryData): string {
	return `data:${mimeOf(file)};base64,`;
}

/** Returns the file's media type. If it's invalid or says nothing, the type of the file name's extension; without one, the general binary type. */
export function mimeOf(file: IBinaryData): string {
	const type = bareType(file.mimeType) || GENERAL_TYPE;
	return type === GENERAL_TYPE ? (typeByExtension(file.fileName ?? '') ?? type) : type;
}

const GENERAL_TYPE = 'application/octet-stream';
