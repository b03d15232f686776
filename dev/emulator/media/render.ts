import type { MediaCache } from './cache';
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

interface MediaRequest {
	kind: MediaKind;
	/** What the file shows, or holds as a note. */
	text: string;
	/** For the picture's size. */
	input: Record<string, unknown>;
	quality: 'tiny' | 'real';
}

/** The bytes of a media file: the same for the same request. */
export async function renderMedia(
	cache: MediaCache,
	{ kind, text, input, quality }: MediaRequest,
): Promise<Buffer> {
	const size = pictureSize(input);
	const name = [quality, kind, size.width, size.height, text].join('\n');
	return await cache.get(name, async () => {
		if (kind === 'image') return quality === 'real' ? await drawPicture(text, size) : tinyPng(text);
		if (kind === 'audio') return await playSound(text, quality === 'real' ? secondsOf(text) : 0.05);
		return quality === 'real' ? await shootFilm(text) : tinyFilm(text);
	});
}

/** A longer text takes longer. */
const secondsOf = (text: string): number => Math.min(20, text.length / 12);
