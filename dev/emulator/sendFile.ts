/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { HostedFile } from './files';

const ZEROS = Buffer.alloc(64 * 1024);

/** Responds with a file's bytes. If the file is longer than its content, the rest is zeros, made while sending. */
export async function sendFile(
	file: HostedFile,
	request: Request,
	response: Response,
): Promise<void> {
	const size = await file.size();
	response.setHeader('content-type', file.contentType);
	response.setHeader('content-length', size);
	if (request.method === 'HEAD') {
		response.end();
		return;
	}
	const content = await file.bytes();
	if (content.length === size) {
		response.end(content);
		return;
	}
	await sendChunks(padWithZeros(content, size), response);
}

/** Sends the source's bytes. Resolves when they are sent or the connection is closed. */
export async function sendChunks(source: Iterable<Buffer>, response: Response): Promise<void> {
	try {
		await pipeline(source, response);
	} catch {
		// The client went away, or a fault cut the connection.
	}
}

function* padWithZeros(start: Buffer, size: number): Generator<Buffer> {
	yield start;
	yield* zeros(size - start.length);
}

/** Yields this many zero bytes; Infinity is allowed. */
export function* zeros(size: number): Generator<Buffer> {
	for (let left = size; left > 0; left -= ZEROS.length) {
		yield left >= ZEROS.length ? ZEROS : ZEROS.subarray(0, left);
	}
}
