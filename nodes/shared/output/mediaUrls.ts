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
	/** A model may have written the whole output: only the extension decides. */
	| 'extension';

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

/** Returns the media files in a value. `mimeType`: the type that the service declares for a URL. */
export function mediaIn(value: unknown, evidence: UrlEvidence, mimeType?: string): MediaFile[] {
	if (typeof value === 'string') {
		const isFile = isUrl(value) && (evidence === 'declared' || hasMediaExtension(value));
		return isFile ? [{ url: value.trim(), mimeType }] : [];
	}
	if (Array.isArray(value)) return value.flatMap((entry) => mediaIn(entry, evidence));
	if (!isObject(value)) return [];
	const type = typeof value.content_type === 'string' ? bareType(value.content_type) : '';
	return Object.entries(value).flatMap(([name, member]) => {
		const typeOfUrl = name === 'url' || name === 'uri' ? type : '';
		const isDeclared = MEDIA_MEMBERS.includes(name) || isMediaType(typeOfUrl);
		return mediaIn(
			member,
			evidence === 'members' && isDeclared ? 'declared' : evidence,
			typeOfUrl || undefined,
		);
	});
}

/** Returns the files with each URL once, and with its type, wherever that was. */
export function distinctFiles(files: MediaFile[]): MediaFile[] {
	const types = new Map<string, string | undefined>();
	for (const { url, mimeType } of files) types.set(url, types.get(url) ?? mimeType);
	return [...types].map(([url, mimeType]) => ({ url, mimeType }));
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
