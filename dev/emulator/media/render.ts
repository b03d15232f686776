import { createHash } from 'node:crypto';

import small from './files.json';
import { drawScene, sizeOf } from './picture';

export type MediaKind = 'image' | 'video' | 'audio';

export const mediaTypes: Record<MediaKind, { contentType: string; extension: string }> = {
	image: { contentType: 'image/png', extension: 'png' },
	video: { contentType: 'video/mp4', extension: 'mp4' },
	audio: { contentType: 'audio/wav', extension: 'wav' },
};

export interface MediaRequest {
	kind: MediaKind;
	/** What the file shows. */
	text: string;
	/** The input of the request, for the size. */
	input: Record<string, unknown>;
	/** The duration of a film or sound; undefined if the input has none. */
	seconds?: number;
	quality: 'tiny' | 'real';
}

const FRAMES_PER_SECOND = 4;
const SAMPLE_RATE_HZ = 8_000;
const MAX_SECONDS = 30;
const [PICTURE_SIZE, FILM_SIZE] = [
	{ width: 512, height: 512 },
	{ width: 320, height: 192 },
];

/** Returns the bytes of a media file. Equal requests produce equal bytes, and different texts different ones. */
export async function renderMedia({
	kind,
	text,
	input,
	seconds,
	quality,
}: MediaRequest): Promise<Buffer> {
	const hash = createHash('sha256').update(text).digest();
	if (quality === 'tiny')
		return kind === 'audio' ? await makeSound(hash, 0.05) : tinyFile(kind, hash);
	if (kind === 'image')
		return Buffer.from((await drawScene(text, sizeOf(input, PICTURE_SIZE))).asPng());
	// Speech without a duration takes about a second for twelve characters.
	if (kind === 'audio')
		return await makeSound(hash, Math.min(seconds ?? text.length / 12, MAX_SECONDS));
	return await makeFilm(text, input, Math.min(seconds ?? 2, MAX_SECONDS));
}

/** Returns a small valid file that ends with the hash: after the picture's data, or in a box that players skip. */
function tinyFile(kind: 'image' | 'video', hash: Buffer): Buffer {
	return kind === 'image'
		? Buffer.concat([Buffer.from(small.picture, 'base64'), hash])
		: Buffer.concat([Buffer.from(small.film, 'base64'), Buffer.from('\0\0\0\x28free'), hash]);
}

/** Makes a playable MP4 of a scene. */
async function makeFilm(
	text: string,
	input: Record<string, unknown>,
	seconds: number,
): Promise<Buffer> {
	const { createH264MP4Encoder } = await import('h264-mp4-encoder');
	const size = sizeOf(input, FILM_SIZE);
	const frames = Math.max(1, Math.round(seconds * FRAMES_PER_SECOND));
	const encoder = await createH264MP4Encoder();
	Object.assign(encoder, { ...size, frameRate: FRAMES_PER_SECOND });
	encoder.initialize();
	for (let index = 0; index < frames; index++)
		encoder.addFrameRgba((await drawScene(text, size, index / frames)).pixels);
	encoder.finalize();
	const file = Buffer.from(encoder.FS.readFile(encoder.outputFilename));
	encoder.delete();
	return file;
}

/** Makes a playable mono WAV of a melody that depends on the hash. */
async function makeSound(hash: Buffer, seconds: number): Promise<Buffer> {
	const length = Math.round(SAMPLE_RATE_HZ * seconds);
	const samples = Int16Array.from({ length }, (_unused, index) => {
		const place = (index / length) * 4;
		const frequency = 220 * 2 ** ((hash[Math.floor(place)] % 24) / 12);
		// Each note fades out before the next one, because an abrupt change would click.
		return (
			9_000 *
			Math.sin(Math.PI * (place % 1)) *
			Math.sin((2 * Math.PI * frequency * index) / SAMPLE_RATE_HZ)
		);
	});
	const { WaveFile } = await import('wavefile');
	const wave = new WaveFile();
	wave.fromScratch(1, SAMPLE_RATE_HZ, '16', samples);
	return Buffer.from(wave.toBuffer());
}
