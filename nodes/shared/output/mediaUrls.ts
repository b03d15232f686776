import type { MediaFile } from '../media/download';
import { bareType, isMediaType, typeByExtension } from '../media/mediaTypes';
import { isObject, parseJson } from '../service/schemas';
import type { NamedOutputs } from './namedOutputs';

/** Members of a result that hold media, in the order of the output (docs/service.md S105 to S114). */
const MEDIA_MEMBERS = [
	...['images', 'image', 'video', 'videos', 'audio', 'audios'],
	...['last_frame_url', 'first_frame_url'],
];

/**
 * Why a URL counts as a file. n8n's server downloads files, and a URL in a model's text may come from anybody who influenced the prompt. So a URL
 * counts only if the service itself declares it as a file, or if it ends like a file name.
 */
export type UrlEvidence =
	/** The service declares a file by the member's name or type: every URL counts. */
	| 'declared'
	/** The service made the output: its members and types decide, otherwise the extension. */
	| 'members'
	/** A model that makes files, or a workflow, may have written the whole output: only the extension decides. */
	| 'extension'
	/** A model that writes words may have written the whole output: no URL counts. */
	| 'none';

/** Returns the media files that a result's members declare by their names. */
export function mediaInMembers(members: Record<string, unknown>): MediaFile[] {
	return MEDIA_MEMBERS.flatMap((name) => mediaIn(members[name], 'declared'));
}

/** Returns the media files among the named outputs of a workflow: by declared type, if types are trusted, and otherwise by extension. */
export function mediaInNamedOutputs(
	values: NamedOutputs['values'],
	areTypesTrusted: boolean,
): MediaFile[] {
	return values
		.filter(({ type = '' }) => !/^(text|string|str|number|boolean|json)$/i.test(type))
		.flatMap(({ value, type = '' }) =>
			mediaIn(value, areTypesTrusted && MEDIA_TYPE.test(type) ? 'declared' : 'extension'),
		);
}

/** Matches the declared types of named outputs that are files. */
const MEDIA_TYPE = /image|picture|photo|mask|gif|video|movie|audio|sound|music|speech|media|file/i;

/** Returns the media files in a value. `details`: what the service says about a URL. */
export function mediaIn(value: unknown, evidence: UrlEvidence, details?: FileDetails): MediaFile[] {
	if (evidence === 'none') return [];
	if (typeof value === 'string') {
		const isFile = isUrl(value) && (evidence === 'declared' || hasMediaExtension(value));
		return isFile ? [{ url: value.trim(), ...details }] : [];
	}
	if (Array.isArray(value)) return value.flatMap((entry) => mediaIn(entry, evidence));
	if (!isObject(value)) return [];
	const detailsOfUrl = detailsIn(value);
	return Object.entries(value).flatMap(([name, member]) => {
		const ofMember = name === 'url' || name === 'uri' ? detailsOfUrl : undefined;
		const isDeclared = MEDIA_MEMBERS.includes(name) || isMediaType(ofMember?.mimeType ?? '');
		return mediaIn(member, evidence === 'members' && isDeclared ? 'declared' : evidence, ofMember);
	});
}

type FileDetails = Omit<MediaFile, 'url'>;

/** Returns what an object says about the file at its URL. */
function detailsIn({ content_type, file_name }: Record<string, unknown>): FileDetails {
	const mimeType = typeof content_type === 'string' ? bareType(content_type) : '';
	return {
		mimeType: mimeType || undefined,
		fileName: typeof file_name === 'string' ? file_name : undefined,
	};
}

/** Returns the files with each URL once, and with what is known about it, wherever that was. */
export function distinctFiles(files: MediaFile[]): MediaFile[] {
	const byUrl = new Map<string, MediaFile>();
	for (const file of files) {
		const known = byUrl.get(file.url);
		const mimeType = known?.mimeType ?? file.mimeType;
		byUrl.set(file.url, { ...file, mimeType, fileName: known?.fileName ?? file.fileName });
	}
	return [...byUrl.values()];
}

/** Whether a string is exactly one http(s) URL. */
export function isUrl(text: string): boolean {
	return /^\s*https?:\/\/\S+\s*$/i.test(text);
}

/** Checks only the path, because the name of a host may end like a file name. */
function hasMediaExtension(url: string): boolean {
	return URL.canParse(url) && isMediaType(typeByExtension(new URL(url).pathname) ?? '');
}

/** Parses an output that is JSON text; any other output stays unchanged. JSON inside the parsed value stays a string. */
export function parseOutput(output: unknown): unknown {
	if (typeof output !== 'string' || !/^\s*[[{]/.test(output)) return output;
	return parseJson(output) ?? output;
}
