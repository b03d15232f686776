import type { Clock } from '../base/clock';
import type { HttpCall } from '../service/http';

/** Timeout for the response to an upload after its last byte: a server responds only when it has stored everything. */
export const STORED_TIMEOUT_MS = 300_000;
/** How long an upload is repeated. */
export const MAX_REPEAT_MS = 900_000;

/** The part of Node's Readable that we use; node:stream must not be imported (docs/n8n.md N112). */
interface StoredFile {
	compose(transform: (source: AsyncIterable<Buffer>) => AsyncIterable<Buffer>): unknown;
}

/** Returns a call's body that is made while it's sent, so that memory doesn't grow with the files, and the progress of sending it. */
export function streamedBody(
	clock: Clock,
	file: unknown,
	encode: (bytes: AsyncIterable<Buffer>) => AsyncIterable<Buffer> = (bytes) => bytes,
): Required<Pick<HttpCall, 'body' | 'sending'>> {
	const sending = { lastChunkAt: clock.now(), isComplete: false };
	const body = (file as StoredFile).compose(async function* (bytes) {
		for await (const chunk of encode(bytes)) {
			sending.lastChunkAt = clock.now();
			yield chunk;
		}
		sending.isComplete = true;
	});
	return { body: body as object, sending };
}
