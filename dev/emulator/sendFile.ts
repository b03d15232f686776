/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { pipeline } from 'node:stream/promises';
import type { Request, Response } from 'express';
import type { HostedFile } from './files';

const padding = Buffer.alloc(64 * 1024);

/** Responds with a file's bytes. Bytes beyond the real ones are zeros, made while sending. */
export async function sendFile(
	file: HostedFile,
	request: Request,
	response: Response,
	contentType: string,
): Promise<void> {
	const size = await file.size();
	response.setHeader('content-type', contentType);
	response.setHeader('content-length', size);
	if (request.method === 'HEAD') {
		response.end();
		return;
	}
	const start = await file.bytes();
	if (start.length === size) {
		response.end(start);
		return;
	}
	await pour(padded(start, size), response);
}

/** Sends the source's bytes. Resolves when they are sent or the connection is closed. */
export async function pour(source: Iterable<Buffer>, response: Response): Promise<void> {
	try {
		await pipeline(source, response);
	} catch {
		// The client went away, or a fault cut the connection.
	}
}

function* padded(start: Buffer, size: number): Generator<Buffer> {
	yield start;
	yield* zeros(size - start.length);
}

/** This many zero bytes, which may be without end. */
export function* zeros(size: number): Generator<Buffer> {
	for (let left = size; left > 0; left -= padding.length) {
		yield left >= padding.length ? padding : padding.subarray(0, left);
	}
}
