import { createHash } from 'node:crypto';
import { PNG } from 'pngjs';

const side = 8;

/** A small PNG, different for every text, so that a test can tell whose file it got. */
export function tinyPng(text: string): Buffer {
	const png = new PNG({ width: side, height: side, colorType: 2 });
	const hash = createHash('sha256').update(text).digest();
	for (let at = 0; at < png.data.length; at++)
		png.data[at] = at % 4 === 3 ? 255 : hash[at % hash.length];
	return PNG.sync.write(png, { colorType: 2 });
}
