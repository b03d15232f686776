import { createHash } from 'node:crypto';

const width = 160;
const height = 96;
const framesPerSecond = 12;
const frames = 18;

/** A playable MP4 of one and a half seconds: a bar that moves over a colour that follows from the text. */
export async function shootFilm(text: string): Promise<Buffer> {
	const { createH264MP4Encoder } = await import('h264-mp4-encoder');
	const encoder = await createH264MP4Encoder();
	const [red, green, blue] = createHash('sha256').update(text).digest();
	encoder.width = width;
	encoder.height = height;
	encoder.frameRate = framesPerSecond;
	encoder.initialize();
	const frame = new Uint8Array(width * height * 4);
	for (let index = 0; index < frames; index++) {
		const bar = Math.round((index / frames) * (width - 16));
		for (let pixel = 0; pixel < width * height; pixel++) {
			const column = pixel % width;
			const inBar = column >= bar && column < bar + 16;
			frame.set(inBar ? [255, 255, 255, 255] : [red, green, blue, 255], pixel * 4);
		}
		encoder.addFrameRgba(frame);
	}
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
