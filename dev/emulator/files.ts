import { createHash, randomBytes } from 'node:crypto';
import { mediaTypes, renderMedia, type MediaRequest } from './media/render';

/** A file on the files origin. Its bytes are made once, when they are first needed. */
export interface HostedFile {
	path: string;
	url: string;
	name: string;
	contentType: string;
	/** Set for result files. */
	requestId?: string;
	/** What the file shows or says: set for result files, and for assets with the same bytes as a result file. */
	text?: string;
	/** The exact length in bytes. */
	size(): Promise<number>;
	/** The first part of the file. The rest, up to `size`, is zeros. */
	bytes(): Promise<Buffer>;
}

/** A result file, whose content depends on the text. */
interface ResultFile extends MediaRequest {
	requestId: string;
	/** Distinguishes the files of one request. */
	label: string;
	fileBytes: number | null;
}

/** Types whose subtype isn't their extension. */
const EXTENSIONS: Record<string, string> = { 'audio/mpeg': 'mp3', 'audio/mp4': 'm4a' };

/** Returns a file name extension: as a rule, the subtype of the media type, without `x-`. */
const extensionOf = (contentType: string): string =>
	EXTENSIONS[contentType] ?? /\/(?:x-)?(\w+)/.exec(contentType)?.[1] ?? 'bin';

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

export type FileStore = ReturnType<typeof createFileStore>;

export function createFileStore(origin: () => string) {
	const files = new Map<string, HostedFile>();
	/** Texts of the result files made so far, by the hash of their bytes. */
	const textByHash = new Map<string, string>();
	const add = (file: Omit<HostedFile, 'url'>): HostedFile => {
		const hosted = { ...file, url: origin() + file.path };
		files.set(file.path, hosted);
		return hosted;
	};
	return {
		find: (path: string) => files.get(path),
		addResult({ requestId, label, fileBytes, ...media }: ResultFile): HostedFile {
			const { contentType, extension } = mediaTypes[media.kind];
			const name = `${requestId}${label}.${extension}`;
			let rendering: Promise<Buffer> | undefined;
			const render = async () => {
				const content = await renderMedia(media);
				textByHash.set(hashOf(content), media.text);
				return content;
			};
			const bytes = async () =>
				(await (rendering ??= render())).subarray(0, fileBytes ?? undefined);
			return add({
				path: `/${media.kind === 'image' ? 'generations' : 'outputs'}/${name}`,
				name,
				contentType,
				requestId,
				text: media.text,
				bytes,
				size: async () => fileBytes ?? (await bytes()).length,
			});
		},
		addAsset(content: Buffer, contentType: string): HostedFile {
			const name = `${randomBytes(16).toString('hex')}.${extensionOf(contentType)}`;
			return add({
				path: `/assets/${name}`,
				name,
				contentType,
				text: textByHash.get(hashOf(content)),
				bytes: async () => content,
				size: async () => content.length,
			});
		},
		/** Returns the text of the result file with these bytes, if this emulator made it. */
		textOf: (content: Buffer) => textByHash.get(hashOf(content)),
		clear(): void {
			files.clear();
			textByHash.clear();
		},
	};
}
