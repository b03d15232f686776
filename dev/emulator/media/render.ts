import { makeFilm, tinyFilm } from './film';
import { drawPicture, pictureSize } from './picture';
import { tinyPng } from './png';
import { makeSound } from './sound';

export type MediaKind = 'image' | 'video' | 'audio';

export const mediaTypes: Record<MediaKind, { contentType: string; extension: string }> = {
	image: { contentType: 'image/png', extension: 'png' },
	video: { contentType: 'video/mp4', extension: 'mp4' },
	audio: { contentType: 'audio/wav', extension: 'wav' },
};

export interface MediaRequest {
	kind: MediaKind;
	/** What the file shows, or contains as a note. */
	text: string;
	/** The input of the request, for size and duration. */
	input: Record<string, unknown>;
	quality: 'tiny' | 'real';
}

/** Returns the bytes of a media file. Equal requests produce equal bytes. */
export async function renderMedia({ kind, text, input, quality }: MediaRequest): Promise<Buffer> {
	if (quality === 'tiny') {
		if (kind === 'image') return tinyPng(text);
		return kind === 'audio' ? await makeSound(text, 0.05) : tinyFilm(text);
	}
	if (kind === 'image') return await drawPicture(text, pictureSize(input));
	const seconds = requestedSeconds(input);
	if (kind === 'audio') return await makeSound(text, seconds ?? spokenSeconds(text));
	return await makeFilm(text, input, seconds);
}

const MAX_SECONDS = 30;

/** Returns the duration in the input, a number or a string such as `5s`; undefined if there is none. */
function requestedSeconds(input: Record<string, unknown>): number | undefined {
	const duration = input.duration ?? input.duration_seconds ?? input.output_seconds;
	const seconds = Number.parseFloat(String(duration));
	return seconds > 0 ? Math.min(seconds, MAX_SECONDS) : undefined;
}

/** Returns about how many seconds it takes to speak a text, at most 20. */
const spokenSeconds = (text: string): number => Math.min(20, text.length / 12);
