import { drawer } from './drawSvg';
import { sizeByRatio } from './picture';
import { sceneOf } from './scene';

const usualSize = { width: 320, height: 192 };
const usualSeconds = 2;
const framesPerSecond = 12;
/** Drawing takes longer than encoding, so a longer film shows its frames more than once. */
const mostDrawn = 24;

/** A playable MP4 of the scene that follows from the text, moving. It has the input's aspect ratio, and lasts `seconds`. */
export async function shootFilm(
	text: string,
	input: Record<string, unknown>,
	seconds = usualSeconds,
): Promise<Buffer> {
	const { createH264MP4Encoder } = await import('h264-mp4-encoder');
	const draw = await drawer();
	const size = sizeByRatio(input, usualSize.width) ?? usualSize;
	const frames = Math.max(1, Math.round(seconds * framesPerSecond));
	const drawn = Math.min(frames, mostDrawn);
	const pictures = Array.from(
		{ length: drawn },
		(_unused, index) => draw(sceneOf(text, size, index / drawn)).pixels,
	);
	const encoder = await createH264MP4Encoder();
	Object.assign(encoder, { ...size, frameRate: framesPerSecond });
	encoder.initialize();
	for (let index = 0; index < frames; index++)
		encoder.addFrameRgba(pictures[Math.floor((index * drawn) / frames)]);
	encoder.finalize();
	const file = Buffer.from(encoder.FS.readFile(encoder.outputFilename));
	encoder.delete();
	return withNote(file, text);
}

// 16 x 16 pixels, 8 frames, made once with the encoder above: loading the encoder takes longer than most tests.
const smallFilm = Buffer.from(
	'AAAAGGZ0eXBtcDQyAAAAAG1wNDJpc29tAAAAiGZyZWUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAIttZGF0AAAAFGW4Efw+EPwVwYDkH0SvgyrmUq5wAAAAGGHhHzYfCH4K4NDkBYABD0Svgddcw665wAAAAAZh4h9hH4AAAAAGYeMfYR+AAAAABmHkH2GYjgAAABth5R+BQheDQugyoXQZULoMqF0GiK/A665DrrkAAAAFYeYfhHgAAAAFYecfhHgAAAKCbW9vdgAAAGxtdmhkAAAAAOcmkSbnJpEmAAFfkAABX5AAAQAAAQAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAABhpb2RzAAAAABCAgIAHAE////9//wAAAfZ0cmFrAAAAXHRraGQAAAAB5yaRJucmkSYAAAABAAAAAAABX5AAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAABAAAAAQAAAAAAGSbWRpYQAAACBtZGhkAAAAAOcmkSbnJpEmAAFfkAABX5BVxAAAAAAAIWhkbHIAAAAAAAAAAHZpZGUAAAAAAAAAAAAAAAAAAAABSW1pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAAQlzdGJsAAAAhXN0c2QAAAAAAAAAAQAAAHVhdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAABAAEABIAAAASAAAAAAAAAABDkpWVC9BVkMgQ29kaW5nAAAAAAAAAAAAAAAAAAAAAAAAGP//AAAAH2F2Y0MBQgAK/+EAB2dCAAqmnkABAAVozgOcgAAAABhzdHRzAAAAAAAAAAEAAAAIAAAr8gAAADRzdHN6AAAAAAAAAAAAAAAIAAAAGAAAABwAAAAKAAAACgAAAAoAAAAfAAAACQAAAAkAAAAcc3RzYwAAAAAAAAABAAAAAQAAAAgAAAABAAAAFHN0Y28AAAAAAAAAAQAAAKgAAACIZnJlZQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
	'base64',
);

/** The same small playable MP4 for every text, with the text in a `free` box at its end. */
export function tinyFilm(text: string): Buffer {
	return withNote(smallFilm, text);
}

function withNote(file: Buffer, text: string): Buffer {
	const note = Buffer.from(text);
	const head = Buffer.alloc(8);
	head.writeUInt32BE(note.length + 8, 0);
	head.write('free', 4, 'latin1');
	return Buffer.concat([file, head, note]);
}
