import { isObject, parseJson } from '../service/schemas';
import type { MediaFile } from '../media/download';
import { bareType, isMediaType, typeByExtension } from '../media/mediaTypes';

/** Members of a result that hold media, in the order of the output (docs/service.md S105 to S114). */
export const MEDIA_MEMBERS = ['images', 'image', 'video', 'videos', 'audio', 'audios'];
const FRAME_MEMBERS = ['last_frame_url', 'first_frame_url'];
/** Members of a file's object that contain its URL. */
const URL_MEMBERS = ['url', 'uri'];
/** Levels of nesting to search. Real results are flat; hostile ones may not be. */
const MAX_DEPTH = 8;

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
	| 'extension'
	/** A language model's response: only the extension decides, and only in members named after media. */
	| 'languageModel';

/** Returns the media files of a result in order, each once; `evidence` says why URLs in its output count as files. */
export function mediaIn(
	body: Record<string, unknown>,
	output: unknown,
	evidence: UrlEvidence = typeof output === 'string' ? 'extension' : 'members',
): MediaFile[] {
	const found: MediaFile[] = [];
	for (const name of [...MEDIA_MEMBERS, ...FRAME_MEMBERS])
		collect(body[name], found, 'declared', 0);
	collect(output, found, evidence, 0);
	return dropDuplicates(found);
}

/** Returns the media files among the named outputs of a workflow: by declared type, otherwise by extension. */
export function mediaInNamedOutputs(values: Array<{ value: unknown; type?: string }>): MediaFile[] {
	const found: MediaFile[] = [];
	for (const { value, type = '' } of values) {
		if (/^(text|string|str|number|boolean|json)$/i.test(type)) continue;
		collect(value, found, MEDIA_TYPE.test(type) ? 'declared' : 'extension', 0);
	}
	return dropDuplicates(found);
}

/** Matches the declared types of named outputs that are files. */
const MEDIA_TYPE = /image|picture|photo|mask|gif|video|movie|audio|sound|music|speech|media|file/i;

function collect(value: unknown, found: MediaFile[], evidence: UrlEvidence, depth: number): void {
	if (depth > MAX_DEPTH) return;
	if (typeof value === 'string') addIfFile(value, found, evidence);
	else if (Array.isArray(value)) {
		for (const entry of value) collect(entry, found, evidence, depth + 1);
	} else if (isObject(value)) {
		const mimeType = bareType(textOf(value.content_type)) || undefined;
		const isDeclared = evidence === 'members' && mimeType !== undefined && isMediaType(mimeType);
		for (const [name, member] of Object.entries(value)) {
			if (URL_MEMBERS.includes(name) && typeof member === 'string')
				addIfFile(member, found, isDeclared ? 'declared' : evidence, {
					mimeType,
					fileName: textOf(value.file_name),
				});
			else collect(member, found, evidenceFor(name, evidence), depth + 1);
		}
	}
}

/** Returns why URLs in a member of an object count as files: a member named after media declares a file. */
function evidenceFor(name: string, evidence: UrlEvidence): UrlEvidence {
	if (evidence === 'extension') return evidence;
	const isMedia = MEDIA_MEMBERS.includes(name) || FRAME_MEMBERS.includes(name);
	if (evidence === 'languageModel') return isMedia ? 'extension' : evidence;
	return isMedia ? 'declared' : 'members';
}

function addIfFile(
	text: string,
	found: MediaFile[],
	evidence: UrlEvidence,
	more: Omit<MediaFile, 'url'> = {},
): void {
	if (evidence === 'languageModel' || !isHttpUrl(text)) return;
	if (evidence === 'declared' || hasMediaExtension(text)) found.push({ url: text.trim(), ...more });
}

function dropDuplicates(files: MediaFile[]): MediaFile[] {
	const byUrl = new Map<string, MediaFile>();
	for (const file of files) {
		const earlier = byUrl.get(file.url);
		byUrl.set(file.url, {
			url: file.url,
			mimeType: earlier?.mimeType ?? file.mimeType,
			fileName: earlier?.fileName ?? file.fileName,
		});
	}
	return [...byUrl.values()];
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether a string is exactly one http(s) URL. */
function isHttpUrl(text: string): boolean {
	return text.length < 8_192 && /^\s*https?:\/\/[^\s]+\s*$/i.test(text);
}

/** Checks only the path, because the name of a host may end like a file name. */
function hasMediaExtension(address: string): boolean {
	const url = address.trim();
	return URL.canParse(url) && isMediaType(typeByExtension(new URL(url).pathname) ?? '');
}

/** Parses an output that is JSON text; any other output stays unchanged. JSON inside the parsed value stays a string. */
export function parseOutput(output: unknown): unknown {
	if (typeof output !== 'string' || !/^\s*[[{]/.test(output)) return output;
	return parseJson(output) ?? output;
}
