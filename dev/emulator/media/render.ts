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
	/** For the picture's size. */
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
	return kind === 'audio' ? await playSound(text, secondsOf(text)) : await shootFilm(text);
}

/** A longer text takes longer. */
const secondsOf = (text: string): number => Math.min(20, text.length / 12);
