import { shootFilm, tinyFilm } from './film';
import { drawPicture, pictureSize } from './picture';
import { tinyPng } from './png';
import { playSound } from './sound';

export type MediaKind = 'image' | 'video' | 'audio';

export const mediaTypes: Record<MediaKind, { contentType: string; extension: string }> = {
	image: { contentType: 'image/png', extension: 'png' },
	video: { contentType: 'video/mp4', extension: 'mp4' },
	audio: { contentType: 'audio/wav', extension: 'wav' },
};

export interface MediaRequest {
	kind: MediaKind;
	/** What the file shows, or holds as a note. */
	text: string;
	/** The input of the request, for size and duration. */
	input: Record<string, unknown>;
	quality: 'tiny' | 'real';
}

/** The bytes of a media file. Equal requests give equal bytes. */
export async function renderMedia({ kind, text, input, quality }: MediaRequest): Promise<Buffer> {
	if (quality === 'tiny') {
		if (kind === 'image') return tinyPng(text);
		return kind === 'audio' ? await playSound(text, 0.05) : tinyFilm(text);
	}
	if (kind === 'image') return await drawPicture(text, pictureSize(input));
	const seconds = requestedSeconds(input);
	if (kind === 'audio') return await playSound(text, seconds ?? spokenSeconds(text));
	return await shootFilm(text, input, seconds);
}

const MAX_SECONDS = 30;

/** The duration in the input, a number or text such as `5s`; undefined if there is none. */
function requestedSeconds(input: Record<string, unknown>): number | undefined {
	const duration = input.duration ?? input.duration_seconds ?? input.output_seconds;
	const seconds = Number.parseFloat(String(duration));
	return seconds > 0 ? Math.min(seconds, MAX_SECONDS) : undefined;
}

/** How long it takes to speak a text. */
const spokenSeconds = (text: string): number => Math.min(20, text.length / 12);
