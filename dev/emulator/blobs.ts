/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The content of a long data URL, decoded into a file while it arrives. */
export interface Blob {
	/** `data:<mime-type>;base64,`. */
	head: string;
	/** On disk, until the store is cleared. */
	path: string;
	/** Decoded length. */
	bytes: number;
	/** Length of the base64 text. */
	characters: number;
	/** How the base64 text begins. */
	beginning: string;
	/** False when it was no proper base64. */
	valid: boolean;
}

/** Takes base64 text in pieces of any length. */
export interface BlobWriter {
	write(text: Buffer): void;
	end(): Blob;
}

export interface BlobStore {
	open(head: string): BlobWriter;
	/** Deletes every file. */
	clear(): void;
}

const beginningLength = 100;

export function createBlobStore(): BlobStore {
	let folder: string | undefined;
	let count = 0;
	return {
		open(head) {
			folder ??= mkdtempSync(join(tmpdir(), 'segmind-emulator-'));
			return openBlob(head, join(folder, String(count++)));
		},
		clear() {
			if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
			folder = undefined;
		},
	};
}

function openBlob(head: string, path: string): BlobWriter {
	const file = openSync(path, 'w');
	const blob: Blob = { head, path, bytes: 0, characters: 0, beginning: '', valid: true };
	let rest = '';
	const decode = (text: string): void => {
		const bytes = Buffer.from(text, 'base64');
		const filling = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
		// Node skips what is no base64, so a wrong character shows as a missing byte.
		if (bytes.length !== (text.length / 4) * 3 - filling) blob.valid = false;
		writeSync(file, bytes);
		blob.bytes += bytes.length;
	};
	return {
		write(piece) {
			const text = rest + piece.toString('latin1');
			blob.characters += piece.length;
			if (blob.beginning.length < beginningLength)
				blob.beginning = (blob.beginning + piece.toString('latin1')).slice(0, beginningLength);
			// The last four characters wait for `end`: only they may hold padding.
			const ready = Math.max(0, Math.floor((text.length - 1) / 4) * 4);
			const whole = text.slice(0, ready);
			if (whole.endsWith('=')) blob.valid = false;
			if (ready > 0) decode(whole);
			rest = text.slice(ready);
		},
		end() {
			if (rest.length % 4 === 0) decode(rest);
			else blob.valid = false;
			closeSync(file);
			return blob;
		},
	};
}
