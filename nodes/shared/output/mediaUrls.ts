import type { MediaFile } from '../media/download';
import { bareType, isMediaType, typeByExtension } from '../media/mediaTypes';
import { FRAME_MEMBERS, isObject, MEDIA_MEMBERS, parseResult } from '../service/schemas';
import type { NamedOutputs } from './namedOutputs';

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

/** Returns which of these files is a video's last frame. Its URL is beside the video or inside it (docs/service.md S110). */
export function lastFrameIn(body: Record<string, unknown>, media: MediaFile[]): string | undefined {
	const results = [body, body.output].filter(isObject);
	const holders = results.flatMap((result) => [result, result.video]).filter(isObject);
	const frames = holders.map(({ last_frame_url }) => last_frame_url);
	return media.find(({ url }) => frames.includes(url))?.url;
}

/** Returns the media files among the named outputs of a workflow: by declared type, if types are trusted, and otherwise by extension. */
export function mediaInNamedOutputs(
	values: NamedOutputs['values'],
	areTypesTrusted: boolean,
): MediaFile[] {
	const isFile = ({ type = '' }) => !/^(text|string|str|number|boolean|json)$/i.test(type);
	return values.filter(isFile).flatMap(({ name, value, type = '' }) => {
		const evidence = areTypesTrusted && MEDIA_TYPE.test(type) ? 'declared' : 'extension';
		return mediaIn(value, evidence).map((file) => ({ ...file, outputName: name }));
	});
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
	return framesLast(value).flatMap(([name, member]) => {
		const ofMember = name === 'url' || name === 'uri' ? detailsOfUrl : undefined;
		const isDeclared = MEDIA_MEMBERS.includes(name) || isMediaType(ofMember?.mimeType ?? '');
		return mediaIn(member, evidence === 'members' && isDeclared ? 'declared' : evidence, ofMember);
	});
}

/** Returns the members of an object. A video's frames come after the video. */
function framesLast(value: Record<string, unknown>): Array<[string, unknown]> {
	const entries = Object.entries(value);
	const isFrame = ([name]: [string, unknown]) => FRAME_MEMBERS.includes(name);
	return [...entries.filter((entry) => !isFrame(entry)), ...entries.filter(isFrame)];
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

/** Returns the files with each URL once. */
export function distinctFiles(files: MediaFile[]): MediaFile[] {
	const byUrl = new Map<string, MediaFile>();
	for (const file of files) {
		if (!byUrl.has(file.url)) byUrl.set(file.url, file);
	}
	return [...byUrl.values()];
}

/** Whether a string is exactly one http(s) URL. */
export function isUrl(text: string): boolean {
	return /^\s*https?:\/\/\S+\s*$/i.test(text);
}

/** Returns the URLs of an output that has nothing else: one, several with commas or spaces between them, a list or an object of them; otherwise undefined. */
export function onlyUrlsIn(output: unknown): string[] | undefined {
	if (output === undefined || output === null) return undefined;
	const entries: unknown[] =
		typeof output === 'string'
			? output.split(/\s|,(?=https?:)/i).map((part) => part.replace(/,$/, ''))
			: Object.values(output);
	const urls = entries.filter((entry) => entry !== '');
	const areUrls = urls.length > 0 && urls.every((url) => typeof url === 'string' && isUrl(url));
	return areUrls ? (urls as string[]) : undefined;
}

/** Checks only the path, because the name of a host may end like a file name. */
function hasMediaExtension(url: string): boolean {
	return URL.canParse(url) && isMediaType(typeByExtension(new URL(url).pathname) ?? '');
}

/** Parses an output that is JSON text; any other output stays unchanged. JSON inside the parsed value stays a string. */
export function parseOutput(output: unknown): unknown {
	if (typeof output !== 'string' || !/^\s*[[{]/.test(output)) return output;
	return parseResult(output) ?? output;
}
