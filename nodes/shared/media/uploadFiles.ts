import { createHash } from 'node:crypto';

import type { IBinaryData } from 'n8n-workflow';

import { digest } from '../base/hash';
import { failureFrom } from '../errors/failures';
import { say } from '../errors/say';
import { storedName } from '../journal/journal';
import { type Run, raceWithStop } from '../run/run';
import { callFailure, unusableFailure, type CallSubject } from '../service/responseErrors';
import { jsonOf } from '../service/responses';
import { isSuccess, type HttpCall } from '../service/http';
import { mayUploadAgain } from '../service/repeat';
import { joinUrl } from '../service/addresses';
import { uploadResponse } from '../service/schemas';
import { assertAreFiles, describeFile, mimeOf } from './fileContent';
import { MAX_REPEAT_MS, STORED_TIMEOUT_MS, streamedBody } from './streamedBody';

/** Chunk size: a multiple of three, so that base64 leaves no remainder. Small chunks use little memory (measured). */
const CHUNK_BYTES = 49_152;

/**
 * Uploads files as assets in one call and returns their hosted URLs in the same order (docs/service.md S170). A file that was uploaded before in this
 * execution, for another item or in an earlier attempt, isn't uploaded again.
 */
export async function uploadFiles(run: Run, files: IBinaryData[]): Promise<string[]> {
	const { uploads, journal } = run;
	const keys = files.map(assetKey);
	const missing = new Map(files.map((file, at) => [keys[at], file]));
	for (const key of keys)
		if (uploads.has(key) || journal.urlOfUpload(key) !== undefined) missing.delete(key);
	const sending = missing.size > 0 ? sendFiles(run, [...missing.values()]) : undefined;
	[...missing.keys()].forEach((key, at) => {
		const url = sending!.then((urls) => urls[at]);
		uploads.set(key, url);
		// The next item may try a failed upload again; the item that awaits it below reports the failure.
		url.then(
			(hostedUrl) => journal.rememberUpload(key, hostedUrl),
			() => uploads.delete(key),
		);
	});
	return await Promise.all(
		keys.map(async (key) => journal.urlOfUpload(key) ?? (await uploads.get(key)) ?? ''),
	);
}

/** Returns how an agent, which can't receive files, gets their URLs (docs/n8n.md N211); undefined if no agent gets the item. */
export function agentUploader(run: Run): ((files: IBinaryData[]) => Promise<string[]>) | undefined {
	if (!run.isTool) return undefined;
	return async (files) => await uploadFiles(run, files);
}

/** Identifies an asset: the same bytes with the same type. The ID in n8n's storage identifies the bytes. */
function assetKey(file: IBinaryData): string {
	return `${storedName(file.id) ?? digest(file.data)}|${mimeOf(file)}`;
}

async function sendFiles(run: Run, files: IBinaryData[]): Promise<string[]> {
	const what = files.length === 1 ? describeFile(files[0]) : `${files.length} files`;
	const about: CallSubject = { purpose: 'upload', subject: `the upload of ${what}` };
	const { client } = run;
	const sending = client.send(async () => await uploadCall(run, files), {
		priority: 'submission',
		deadline: client.clock.now() + MAX_REPEAT_MS,
		mayRepeat: mayUploadAgain,
	});
	const outcome = await raceWithStop(run, sending);
	if (!isSuccess(outcome)) throw client.fatal.remember(callFailure(client, outcome, about));
	const urls = uploadResponse.safeParse(jsonOf(outcome));
	if (!urls.success || urls.data.length !== files.length)
		throw unusableFailure(client, outcome, about);
	return urls.data;
}

/** Makes the upload call. Its body is encoded while it's sent, so that memory doesn't grow with the files (docs/n8n.md N111, N112). */
async function uploadCall(run: Run, files: IBinaryData[]): Promise<HttpCall> {
	const { client, context } = run;
	await assertAreFiles(run, files);
	const sizes = await Promise.all(files.map(async (file) => await byteLength(run, file)));
	const call: HttpCall = {
		method: 'POST',
		url: joinUrl(client.urls.uploadUrl, '/upload-asset'),
		headers: { accept: 'application/json, text/plain, */*', 'content-type': 'application/json' },
		timeoutMs: STORED_TIMEOUT_MS,
	};
	const streamOf = async ({ id = '' }: IBinaryData) =>
		(await context.helpers.getBinaryStream(id, CHUNK_BYTES)) as AsyncIterable<Buffer>;
	const firstStored = files.find(({ id }) => id !== undefined);
	if (!firstStored) {
		const data_urls = files.map((file) => `${dataUrlHead(file)}${file.data}`);
		return { ...call, body: Buffer.from(JSON.stringify({ data_urls })) };
	}
	async function* jsonOfFiles(firstBytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		for (const [at, file] of files.entries()) {
			yield Buffer.from(`${at === 0 ? '{"data_urls":[' : ','}"${dataUrlHead(file)}`);
			if (file.id === undefined) yield Buffer.from(file.data);
			else yield* inBase64(file === firstStored ? firstBytes : await streamOf(file), sizes[at]);
			yield Buffer.from('"');
		}
		yield Buffer.from(']}');
	}
	const lengths = files.map(
		(file, at) =>
			Buffer.byteLength(`"${dataUrlHead(file)}",`) +
			(file.id === undefined ? file.data.length : Math.ceil(sizes[at] / 3) * 4),
	);
	const length = lengths.reduce((sum, bytes) => sum + bytes, '{"data_urls":[]}'.length - 1);
	return {
		...call,
		headers: { ...call.headers, 'content-length': String(length) },
		...streamedBody(client.clock, await streamOf(firstStored), jsonOfFiles),
	};
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
	if (seen === expected) return;
	throw failureFrom('file', {
		what: say`A file in n8n's storage has ${seen} bytes instead of ${expected}`,
		charge: 'none',
		next: say`Run the node that created the file again.`,
	});
}

/** Returns the size of a binary, from n8n's storage or from the inline base64. */
export async function byteLength(run: Run, file: IBinaryData): Promise<number> {
	if (file.id === undefined) return Math.floor((file.data.replace(/=+$/, '').length * 3) / 4);
	return (await run.context.helpers.getBinaryMetadata(file.id)).fileSize;
}

function dataUrlHead(file: IBinaryData): string {
	return `data:${mimeOf(file)};base64,`;
}

/** Returns the first 32 hex digits of the SHA-256 of a file's bytes, whether inline or in n8n's storage. Equals `digest` of the bytes. */
export async function contentDigest(run: Run, file: IBinaryData): Promise<string> {
	if (file.id === undefined) return digest(Buffer.from(file.data, 'base64'));
	const hash = createHash('sha256');
	for await (const chunk of await run.context.helpers.getBinaryStream(file.id))
		hash.update(chunk as Buffer);
	return hash.digest('hex').slice(0, 32);
}
