import type { IBinaryData } from 'n8n-workflow';

import { wrongState } from '../errors/failures';
import type { Run } from '../run/run';
import { fetchFile } from './download';
import { typeBySignature } from './mediaTypes';
import { byteLength } from './uploadFiles';

/** A picture inside a request. */
export interface Picture {
	mimeType: string;
	/** In base64. */
	data: string;
}

/** The types that all families of language models accept. */
const TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif'];
const MAX_PICTURE_BYTES = 5_000_000;
/** Of all pictures of a request, before they're encoded. */
const MAX_REQUEST_BYTES = 7_000_000;
/** Timeout for fetching a picture from a URL. */
const FETCH_TIMEOUT_MS = 60_000;

/**
 * Reads the pictures of a request: binaries, and URLs, which are fetched without the key. They go into the request, because an uploaded file
 * would be public, and two of three families take no address.
 * @throws SegmindFailure for anything but a picture, and for one that is too large
 */
export async function readPictures(
	run: Run,
	parts: ReadonlyArray<string | IBinaryData>,
): Promise<Picture[]> {
	const pictures: Picture[] = [];
	let total = 0;
	for (const [at, part] of parts.entries()) {
		const label = `Image ${at + 1}`;
		const file =
			typeof part === 'string' ? await fetchFile(run, part, 'image', FETCH_TIMEOUT_MS) : part;
		const bytes = await byteLength(run, file);
		total += bytes;
		if (bytes > MAX_PICTURE_BYTES || total > MAX_REQUEST_BYTES)
			throw wrongState(label, 'too large', 'at most 5 MB, and all images together at most 7 MB');
		const content = await contentOf(run, file);
		const mimeType = typeBySignature(content) ?? '';
		if (!TYPES.includes(mimeType))
			throw wrongState(label, 'empty or of another type', 'a JPEG, PNG, WebP or GIF image');
		pictures.push({ mimeType, data: content.toString('base64') });
	}
	return pictures;
}

/** Reads a file into memory. */
export async function contentOf({ context }: Run, file: IBinaryData): Promise<Buffer> {
	if (file.id === undefined) return Buffer.from(file.data, 'base64');
	const { helpers } = context;
	return await helpers.binaryToBuffer(await helpers.getBinaryStream(file.id));
}
