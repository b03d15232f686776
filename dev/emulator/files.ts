import { randomBytes } from 'node:crypto';
import type { MediaCache } from './media/cache';
import { mediaTypes, renderMedia, type MediaKind } from './media/render';

/** A file on the files origin. Its bytes are made when somebody asks for them. */
export interface HostedFile {
	path: string;
	url: string;
	name: string;
	contentType: string;
	createdAt: number;
	/** Set for result files. */
	requestId?: string;
	/** Exact length in bytes. */
	size(): Promise<number>;
	/** The first part of the file; the rest, up to `size`, is zeros. */
	bytes(): Promise<Buffer>;
}

export interface FileStore {
	find(path: string): HostedFile | undefined;
	/** A result file whose content follows from the text. */
	addResult(result: {
		requestId: string;
		/** Distinguishes the files of one request. */
		label: string;
		kind: MediaKind;
		text: string;
		input: Record<string, unknown>;
		quality: 'tiny' | 'real';
		fileBytes: number | null;
		createdAt: number;
	}): HostedFile;
	/** An uploaded asset. */
	addAsset(content: Buffer, contentType: string, createdAt: number): HostedFile;
	clear(): void;
}

const extensions: Record<string, string> = {
	'image/jpeg': 'jpg',
	'image/png': 'png',
	'image/webp': 'webp',
	'image/gif': 'gif',
	'image/svg+xml': 'svg',
	'video/mp4': 'mp4',
	'video/webm': 'webm',
	'video/quicktime': 'mov',
	'audio/mpeg': 'mp3',
	'audio/mp3': 'mp3',
	'audio/wav': 'wav',
	'audio/x-wav': 'wav',
	'application/pdf': 'pdf',
	'application/zip': 'zip',
	'text/plain': 'txt',
};

export function createFileStore(origin: () => string, cache: MediaCache): FileStore {
	const files = new Map<string, HostedFile>();
	const add = (file: Omit<HostedFile, 'url'>): HostedFile => {
		const hosted = { ...file, url: origin() + file.path };
		files.set(file.path, hosted);
		return hosted;
	};
	return {
		find: (path) => files.get(path),
		addResult({ requestId, label, kind, text, input, quality, fileBytes, createdAt }) {
			const { contentType, extension } = mediaTypes[kind];
			const name = `${requestId}${label}.${extension}`;
			const bytes = async (): Promise<Buffer> =>
				await renderMedia(cache, { kind, text, input, quality });
			return add({
				path: `/${kind === 'image' ? 'generations' : 'outputs'}/${name}`,
				name,
				contentType,
				createdAt,
				requestId,
				bytes: async () =>
					fileBytes === null ? await bytes() : (await bytes()).subarray(0, fileBytes),
				size: async () => fileBytes ?? (await bytes()).length,
			});
		},
		addAsset(content, contentType, createdAt) {
			const name = `${randomBytes(16).toString('hex')}.${extensions[contentType] ?? 'bin'}`;
			return add({
				path: `/assets/${name}`,
				name,
				contentType,
				createdAt,
				bytes: async () => content,
				size: async () => content.length,
			});
		},
		clear() {
			files.clear();
		},
	};
}
