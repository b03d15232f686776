import { isObject, parseJson } from '../service/schemas';
import type { MediaFile } from '../media/download';
import { bareType, isMediaType, typeByExtension } from '../media/mediaTypes';

/** Members of a result that hold media, in the order of the output (docs/service.md S105 to S114). */
export const MEDIA_MEMBERS = ['images', 'image', 'video', 'videos', 'audio', 'audios'];
const FRAME_MEMBERS = ['last_frame_url', 'first_frame_url'];
/** Members of an object that contain the URL of its file. */
const URL_MEMBERS = ['url', 'uri'];
/** Deepest nesting to search, levels. Real results are flat; hostile ones may not be. */
const MAX_DEPTH = 8;

/**
 * Why a URL counts as a file. n8n's server downloads files, and a URL in a model's text may come from anybody who influenced the prompt. So a URL
 * counts only if the service itself says that it's a file, or if it ends like a file name.
 */
export type UrlEvidence =
	/** The member says so: every URL is a file. */
	| 'place'
	/** The service made it: its members and types decide, otherwise the extension. */
	| 'members'
	/** A model may have written all of it: only the extension decides. */
	| 'ending'
	/** A language model's response: only the extension decides, and only in members named after media. */
	| 'response';

/** Every media file of a result, in order, once each; `ground` is why URLs of its output count as files. */
export function mediaIn(
	body: Record<string, unknown>,
	output: unknown,
	ground: UrlEvidence = typeof output === 'string' ? 'ending' : 'members',
): MediaFile[] {
	const found: MediaFile[] = [];
	for (const name of [...MEDIA_MEMBERS, ...FRAME_MEMBERS]) collect(body[name], found, 'place', 0);
	collect(output, found, ground, 0);
	return dropDuplicates(found);
}

/** The media among the named outputs of a workflow, by declared type, otherwise by extension. */
export function mediaInNamedOutputs(values: Array<{ value: unknown; type?: string }>): MediaFile[] {
	const found: MediaFile[] = [];
	for (const { value, type = '' } of values) {
		if (/^(text|string|str|number|boolean|json)$/i.test(type)) continue;
		collect(value, found, MEDIA_TYPE.test(type) ? 'place' : 'ending', 0);
	}
	return dropDuplicates(found);
}

/** Declared types of named outputs that are files. */
const MEDIA_TYPE = /image|picture|photo|mask|gif|video|movie|audio|sound|music|speech|media|file/i;

function collect(value: unknown, found: MediaFile[], ground: UrlEvidence, depth: number): void {
	if (depth > MAX_DEPTH) return;
	if (typeof value === 'string') addIfFile(value, found, ground);
	else if (Array.isArray(value)) {
		for (const entry of value) collect(entry, found, ground, depth + 1);
	} else if (isObject(value)) {
		const mimeType = bareType(textOf(value.content_type)) || undefined;
		const saysSo = ground === 'members' && mimeType !== undefined && isMediaType(mimeType);
		for (const [name, member] of Object.entries(value)) {
			if (URL_MEMBERS.includes(name) && typeof member === 'string')
				addIfFile(member, found, saysSo ? 'place' : ground, {
					mimeType,
					fileName: textOf(value.file_name),
				});
			else collect(member, found, evidenceFor(name, ground), depth + 1);
		}
	}
}

/** Why a member of an object counts as a file: only members named after media count by their name. */
function evidenceFor(name: string, ground: UrlEvidence): UrlEvidence {
	if (ground === 'ending') return ground;
	const isMedia = MEDIA_MEMBERS.includes(name) || FRAME_MEMBERS.includes(name);
	if (ground === 'response') return isMedia ? 'ending' : ground;
	return isMedia ? 'place' : 'members';
}

function addIfFile(
	text: string,
	found: MediaFile[],
	ground: UrlEvidence,
	more: Omit<MediaFile, 'url'> = {},
): void {
	if (ground === 'response' || !isHttpUrl(text)) return;
	if (ground === 'place' || hasMediaExtension(text)) found.push({ url: text.trim(), ...more });
}

function dropDuplicates(files: MediaFile[]): MediaFile[] {
	const byUrl = new Map<string, MediaFile>();
	for (const file of files) {
		const known = byUrl.get(file.url);
		byUrl.set(file.url, {
			url: file.url,
			mimeType: known?.mimeType ?? file.mimeType,
			fileName: known?.fileName ?? file.fileName,
		});
	}
	return [...byUrl.values()];
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Whether a text is exactly one http(s) URL. */
function isHttpUrl(text: string): boolean {
	return text.length < 8_192 && /^\s*https?:\/\/[^\s]+\s*$/i.test(text);
}

/** Checks only the path, because the name of a host may end like a file name. */
function hasMediaExtension(address: string): boolean {
	const url = address.trim();
	return URL.canParse(url) && isMediaType(typeByExtension(new URL(url).pathname) ?? '');
}

/** Parses an output that is JSON text, once; anything else stays unchanged. */
export function parseOutput(output: unknown): unknown {
	if (typeof output !== 'string' || !/^\s*[[{]/.test(output)) return output;
	return parseJson(output) ?? output;
}
