import { drawer } from './drawSvg';
import { sceneOf } from './scene';

const size = { width: 320, height: 192 };
const framesPerSecond = 12;
const frames = 24;

/** A playable MP4 of two seconds: the scene that follows from the text, moving. */
export async function shootFilm(text: string): Promise<Buffer> {
	const { createH264MP4Encoder } = await import('h264-mp4-encoder');
	const draw = await drawer();
	const encoder = await createH264MP4Encoder();
	Object.assign(encoder, { ...size, frameRate: framesPerSecond });
	encoder.initialize();
	for (let index = 0; index < frames; index++)
		encoder.addFrameRgba(draw(sceneOf(text, size, index / frames)).pixels);
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

/** The same small playable MP4 for every text, told apart by a trailing `free` box that holds the text. */
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
