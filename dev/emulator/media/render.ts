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
	/** For size and duration. */
	input: Record<string, unknown>;
	quality: 'tiny' | 'real';
}

/** The bytes of a media file: the same for the same request. */
export async function renderMedia({ kind, text, input, quality }: MediaRequest): Promise<Buffer> {
	if (quality === 'tiny') {
		if (kind === 'image') return tinyPng(text);
		return kind === 'audio' ? await playSound(text, 0.05) : tinyFilm(text);
	}
	if (kind === 'image') return await drawPicture(text, pictureSize(input));
	const seconds = secondsAsked(input);
	if (kind === 'audio') return await playSound(text, seconds ?? spokenSeconds(text));
	return await shootFilm(text, input, seconds);
}

const mostSeconds = 30;

/** What the input says of the duration, as a number or as text such as `5s`; undefined without it. */
function secondsAsked(input: Record<string, unknown>): number | undefined {
	const asked = input.duration ?? input.duration_seconds ?? input.output_seconds;
	const seconds = Number.parseFloat(String(asked));
	return seconds > 0 ? Math.min(seconds, mostSeconds) : undefined;
}

/** A longer text takes longer. */
const spokenSeconds = (text: string): number => Math.min(20, text.length / 12);
