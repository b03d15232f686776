import type { MediaFile } from '../media/download';
import { bareType, isMediaType, typeByExtension } from '../media/mediaTypes';
import { isObject, parseJson } from '../service/schemas';
import type { FinishedRequest } from './finishedRequest';
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
type UrlEvidence =
	/** The service declares a file by the member's name or type: every URL counts. */
	| 'declared'
	/** The service made the output: its members and types decide, otherwise the extension. */
	| 'members'
	/** A model may have written the whole output: only the extension decides. */
	| 'extension';

/** Returns the media files that a result's members declare by their names. */
export function mediaInMembers(members: Record<string, unknown>): MediaFile[] {
	return MEDIA_MEMBERS.flatMap((name) => filesIn(members[name], 'declared'));
}

/** Returns the media files in the output of a request. The request history lists only files; a text may come from a model. */
export function mediaIn(
	output: unknown,
	{ fromHistory, isTextOutput }: Pick<FinishedRequest, 'fromHistory' | 'isTextOutput'>,
): MediaFile[] {
	return filesIn(output, fromHistory ? 'declared' : isTextOutput ? 'extension' : 'members');
}

/**
 * Returns the media files among the named outputs of a workflow: by declared type, otherwise by extension. If the workflow is only a guess, declared
 * types don't count, because a model may have written them.
 */
export function mediaInNamedOutputs(values: NamedOutputs['values'], isGuess = false): MediaFile[] {
	return values
		.filter(({ type = '' }) => !/^(text|string|str|number|boolean|json)$/i.test(type))
		.flatMap(({ value, type = '' }) =>
			filesIn(value, MEDIA_TYPE.test(type) && !isGuess ? 'declared' : 'extension'),
		);
}

/** Matches the declared types of named outputs that are files. */
const MEDIA_TYPE = /image|picture|photo|mask|gif|video|movie|audio|sound|music|speech|media|file/i;

function filesIn(value: unknown, evidence: UrlEvidence, mimeType?: string): MediaFile[] {
	if (typeof value === 'string') {
		const isFile = isUrl(value) && (evidence === 'declared' || hasMediaExtension(value));
		return isFile ? [{ url: value.trim(), mimeType }] : [];
	}
	if (Array.isArray(value)) return value.flatMap((entry) => filesIn(entry, evidence));
	if (!isObject(value)) return [];
	const type = typeof value.content_type === 'string' ? bareType(value.content_type) : '';
	return Object.entries(value).flatMap(([name, member]) => {
		const typeOfUrl = name === 'url' || name === 'uri' ? type : '';
		const isDeclared = MEDIA_MEMBERS.includes(name) || isMediaType(typeOfUrl);
		return filesIn(
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
