import type { Blob, BlobStore, BlobWriter } from './blobs';

/** From this length on, in bytes of JSON, a data URL goes to disk. */
const longString = 256 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const slash = 0x2f;

/** Stands in the skeleton after a data URL's head, followed by the blob's index. No base64 contains it. */
export const blobMark = '\u0000';

/**
 * Reads a JSON text in pieces and keeps its memory small: the content of each long data URL is taken
 * out, decoded to disk, and replaced by a mark. What remains is a skeleton that JSON.parse can judge.
 */
interface LongJsonReader {
	write(chunk: Buffer): void;
	end(): { skeleton: Buffer; blobs: Blob[] };
}

export function createLongJsonReader(store: BlobStore): LongJsonReader {
	const skeleton: Buffer[] = [];
	const blobs: Blob[] = [];
	let inString = false;
	let escaped = false;
	let kept: Buffer[] = [];
	let keptLength = 0;
	let ordinary = false;
	let writer: BlobWriter | undefined;
	let head = '';

	/** A string that has become long: from here on to disk, if it is a base64 data URL. */
	const divert = (): void => {
		const text = Buffer.concat(kept).toString('latin1').replaceAll('\\/', '/');
		const match = /^data:[^,\\]{1,200};base64,/.exec(text);
		if (!match || text.includes('\\')) {
			ordinary = true;
			return;
		}
		head = match[0];
		writer = store.open(head);
		writer.write(Buffer.from(text.slice(head.length), 'latin1'));
		kept = [];
	};

	const take = (bytes: Buffer): void => {
		if (bytes.length === 0) return;
		if (writer) {
			writer.write(bytes);
			return;
		}
		kept.push(bytes);
		keptLength += bytes.length;
		if (keptLength > longString && !ordinary && !escaped) divert();
	};

	const endString = (): void => {
		if (writer) {
			skeleton.push(Buffer.from(JSON.stringify(head + blobMark + blobs.length).slice(1)));
			blobs.push(writer.end());
		} else {
			skeleton.push(...kept, Buffer.from('"'));
		}
		inString = false;
		writer = undefined;
	};

	return {
		write(chunk) {
			let at = 0;
			while (at < chunk.length) {
				if (!inString) {
					const start = chunk.indexOf(quote, at);
					skeleton.push(start === -1 ? chunk.subarray(at) : chunk.subarray(at, start + 1));
					if (start === -1) return;
					at = start + 1;
					inString = true;
					ordinary = false;
					kept = [];
					keptLength = 0;
				} else if (escaped) {
					escaped = false;
					// Base64 may hold `\/`; any other escape makes the blob invalid, as the character does not belong there.
					if (writer && chunk[at] !== slash) take(Buffer.from('\\'));
					take(chunk.subarray(at, at + 1));
					at += 1;
				} else {
					const end = nextOf(chunk, at);
					take(chunk.subarray(at, end));
					if (end === chunk.length) return;
					at = end + 1;
					if (chunk[end] === quote) {
						endString();
					} else {
						escaped = true;
						if (!writer) take(chunk.subarray(end, end + 1));
					}
				}
			}
		},
		end() {
			// A text that ends inside a string is no JSON: the open blob is closed, the skeleton stays broken.
			writer?.end();
			return { skeleton: Buffer.concat(skeleton), blobs };
		},
	};
}

/** Where the next quote or backslash stands, or the end. */
function nextOf(chunk: Buffer, from: number): number {
	const end = chunk.indexOf(quote, from);
	const text = end === -1 ? chunk : chunk.subarray(0, end);
	const escape = text.indexOf(backslash, from);
	return escape !== -1 ? escape : text.length;
}
