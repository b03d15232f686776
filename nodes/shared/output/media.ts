import { isObject, parseJson } from '../service/schemas';
import { bareType, isMediaType, typeByExtension } from '../media/mediaTypes';

/** A file of a result, at a public address. */
export interface MediaFile {
	url: string;
	mimeType?: string;
	fileName?: string;
}

/** Members of a result that hold media, in the order they are put out (service-facts section 4.3). */
const MEDIA_MEMBERS = ['images', 'image', 'video', 'videos', 'audio', 'audios'];
const FRAME_MEMBERS = ['last_frame_url', 'first_frame_url'];
/** Nesting looked through; results are flat, hostile ones are not. */
const DEEPEST = 8;

/** Every media file of a result, in order, once each. */
export function mediaIn(body: Record<string, unknown>, output: unknown): MediaFile[] {
	const found: MediaFile[] = [];
	for (const name of MEDIA_MEMBERS) collect(body[name], found, true, 0);
	for (const name of FRAME_MEMBERS) collect(body[name], found, true, 0);
	collect(output, found, true, 0);
	return unique(found);
}

/** Media among the named outputs of a workflow: by declared type, else by extension. */
export function mediaInOutputs(values: Array<{ value: unknown; type?: string }>): MediaFile[] {
	const found: MediaFile[] = [];
	for (const { value, type } of values) {
		const isText = type !== undefined && /^(text|string|str|number|boolean|json)$/i.test(type);
		if (!isText) collect(value, found, type !== undefined, 0);
	}
	return unique(found);
}

/** `sure`: any address at this place is a file; else only one with a media extension. */
function collect(value: unknown, found: MediaFile[], sure: boolean, depth: number): void {
	if (depth > DEEPEST) return;
	if (typeof value === 'string') {
		if (isAddress(value) && (sure || hasMediaExtension(value))) found.push({ url: value.trim() });
	} else if (Array.isArray(value)) {
		for (const entry of value) collect(entry, found, sure, depth + 1);
	} else if (isObject(value)) {
		const { url } = value;
		if (typeof url === 'string' && isAddress(url)) {
			found.push({
				url: url.trim(),
				mimeType: bareType(textOf(value.content_type)) || undefined,
				fileName: textOf(value.file_name),
			});
		}
		for (const [name, member] of Object.entries(value)) {
			if (name !== 'url') collect(member, found, FRAME_MEMBERS.includes(name), depth + 1);
		}
	}
}

function unique(files: MediaFile[]): MediaFile[] {
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

/** True for a text that is one http(s) address and nothing else. */
function isAddress(text: string): boolean {
	return text.length < 8_192 && /^\s*https?:\/\/[^\s]+\s*$/i.test(text);
}

function hasMediaExtension(url: string): boolean {
	return isMediaType(typeByExtension(url) ?? '');
}

/** Output that is JSON text is parsed once; anything else stays as it is. */
export function parsedOutput(output: unknown): unknown {
	if (typeof output !== 'string' || !/^\s*[[{]/.test(output)) return output;
	return parseJson(output) ?? output;
}
