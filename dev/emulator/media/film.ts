import { loadDraw } from './drawSvg';
import { sizeByRatio } from './picture';
import { sceneOf } from './scene';

const DEFAULT_SIZE = { width: 320, height: 192 };
const DEFAULT_SECONDS = 2;
const FRAMES_PER_SECOND = 12;
/** Drawing takes longer than encoding, so a film with more frames shows each picture several times. */
const MAX_DRAWN_FRAMES = 24;

/** Makes a playable MP4 of a moving scene that depends on the text. It has the input's aspect ratio. */
export async function makeFilm(
	text: string,
	input: Record<string, unknown>,
	seconds = DEFAULT_SECONDS,
): Promise<Buffer> {
	const { createH264MP4Encoder } = await import('h264-mp4-encoder');
	const draw = await loadDraw();
	const size = sizeByRatio(input, DEFAULT_SIZE.width) ?? DEFAULT_SIZE;
	const frames = Math.max(1, Math.round(seconds * FRAMES_PER_SECOND));
	const drawnFrames = Math.min(frames, MAX_DRAWN_FRAMES);
	const pictures = Array.from(
		{ length: drawnFrames },
		(_unused, index) => draw(sceneOf(text, size, index / drawnFrames)).pixels,
	);
	const encoder = await createH264MP4Encoder();
	Object.assign(encoder, { ...size, frameRate: FRAMES_PER_SECOND });
	encoder.initialize();
	for (let index = 0; index < frames; index++)
		encoder.addFrameRgba(pictures[Math.floor((index * drawnFrames) / frames)]);
	encoder.finalize();
	const file = Buffer.from(encoder.FS.readFile(encoder.outputFilename));
	encoder.delete();
	return appendNote(file, text);
}

// 16 x 16 pixels, 8 frames, made once with the encoder above, because loading the encoder takes longer than most tests.
const SMALL_FILM = Buffer.from(
	'AAAAGGZ0eXBtcDQyAAAAAG1wNDJpc29tAAAAiGZyZWUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIttZGF0AAAAFGW4Efw+EPwVwYDkH0SvgyrmUq5wAAAAGGHhHzYfCH4K4NDkBYABD0Svgddcw665wAAAAAZh4h9hH4AAAAAGYeMfYR+AAAAABmHkH2GYjgAAABth5R+BQheDQugyoXQZULoMqF0GiK/A665DrrkAAAAFYeYfhHgAAAAFYecfhHgAAAKCbW9vdgAAAGxtdmhkAAAAAOcmkSbnJpEmAAFfkAABX5AAAQAAAQAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAABhpb2RzAAAAABCAgIAHAE////9//wAAAfZ0cmFrAAAAXHRraGQAAAAB5yaRJucmkSYAAAABAAAAAAABX5AAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAABAAAAAQAAAAAAGSbWRpYQAAACBtZGhkAAAAAOcmkSbnJpEmAAFfkAABX5BVxAAAAAAAIWhkbHIAAAAAAAAAAHZpZGUAAAAAAAAAAAAAAAAAAAABSW1pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAAQlzdGJsAAAAhXN0c2QAAAAAAAAAAQAAAHVhdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAABAAEABIAAAASAAAAAAAAAABDkpWVC9BVkMgQ29kaW5nAAAAAAAAAAAAAAAAAAAAAAAAGP//AAAAH2F2Y0MBQgAK/+EAB2dCAAqmnkABAAVozgOcgAAAABhzdHRzAAAAAAAAAAEAAAAIAAAr8gAAADRzdHN6AAAAAAAAAAAAAAAIAAAAGAAAABwAAAAKAAAACgAAAAoAAAAfAAAACQAAAAkAAAAcc3RzYwAAAAAAAAABAAAAAQAAAAgAAAABAAAAFHN0Y28AAAAAAAAAAQAAAKgAAACIZnJlZQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
	'base64',
);

/** Makes a small playable MP4 that is the same for every text, except for a `free` box at its end, which contains the text. */
export function tinyFilm(text: string): Buffer {
	return appendNote(SMALL_FILM, text);
}

function appendNote(file: Buffer, text: string): Buffer {
	const note = Buffer.from(text);
	const head = Buffer.alloc(8);
	head.writeUInt32BE(note.length + 8, 0);
	head.write('free', 4, 'latin1');
	return Buffer.concat([file, head, note]);
}
