import { randomBytes } from 'node:crypto';
import { mediaTypes, renderMedia, type MediaRequest } from './media/render';

/** A file on the files origin. Its bytes are made when somebody asks for them, and once. */
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

/** A result file whose content follows from the text. */
interface ResultFile extends MediaRequest {
	requestId: string;
	/** Distinguishes the files of one request. */
	label: string;
	fileBytes: number | null;
	createdAt: number;
}

/** The subtype stands for the usual ending. */
const endingOf = (contentType: string): string => /\/(?:x-)?(\w+)/.exec(contentType)?.[1] ?? 'bin';

export type FileStore = ReturnType<typeof createFileStore>;

export function createFileStore(origin: () => string) {
	const files = new Map<string, HostedFile>();
	const add = (file: Omit<HostedFile, 'url'>): HostedFile => {
		const hosted = { ...file, url: origin() + file.path };
		files.set(file.path, hosted);
		return hosted;
	};
	return {
		find: (path: string) => files.get(path),
		addResult({ requestId, label, fileBytes, createdAt, ...media }: ResultFile): HostedFile {
			const { contentType, extension } = mediaTypes[media.kind];
			const name = `${requestId}${label}.${extension}`;
			let made: Promise<Buffer> | undefined;
			const bytes = async () =>
				(await (made ??= renderMedia(media))).subarray(0, fileBytes ?? undefined);
			return add({
				path: `/${media.kind === 'image' ? 'generations' : 'outputs'}/${name}`,
				name,
				contentType,
				createdAt,
				requestId,
				bytes,
				size: async () => fileBytes ?? (await bytes()).length,
			});
		},
		addAsset(content: Buffer, contentType: string, createdAt: number): HostedFile {
			const name = `${randomBytes(16).toString('hex')}.${endingOf(contentType)}`;
			return add({
				path: `/assets/${name}`,
				name,
				contentType,
				createdAt,
				bytes: async () => content,
				size: async () => content.length,
			});
		},
		clear: () => files.clear(),
	};
}
