import { createHash } from 'node:crypto';
import { PNG } from 'pngjs';

const SIDE_PX = 8;

/** Makes a small PNG that is different for every text, so that a test can see which request a file belongs to. */
export function tinyPng(text: string): Buffer {
	const png = new PNG({ width: SIDE_PX, height: SIDE_PX, colorType: 2 });
	const hash = createHash('sha256').update(text).digest();
	for (let at = 0; at < png.data.length; at++)
		png.data[at] = at % 4 === 3 ? 255 : hash[at % hash.length];
	return PNG.sync.write(png, { colorType: 2 });
}
