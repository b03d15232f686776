/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';

/** Pixels of a picture. */
interface Size {
	width: number;
	height: number;
}

const longSide = 512;

/** What the input asks for by width and height or by aspect ratio, kept between 64 and 1024; else 512 x 512. */
export function pictureSize(input: Record<string, unknown>): Size {
	const bounded = (value: number): number =>
		Math.min(1024, Math.max(64, Math.round(value / 2) * 2));
	const width = Number(input.width ?? input.img_width);
	const height = Number(input.height ?? input.img_height);
	if (width > 0 && height > 0) return { width: bounded(width), height: bounded(height) };
	const ratio = /^(\d+)\s*[:x]\s*(\d+)$/.exec(String(input.aspect_ratio ?? ''));
	if (!ratio) return { width: longSide, height: longSide };
	const proportion = Number(ratio[1]) / Number(ratio[2]);
	if (!Number.isFinite(proportion) || proportion <= 0) return { width: longSide, height: longSide };
	return proportion >= 1
		? { width: longSide, height: bounded(longSide / proportion) }
		: { width: bounded(longSide * proportion), height: longSide };
}

/** The bitmap fonts hold Latin letters only; anything else would be drawn as nothing. */
function drawable(text: string): string {
	return text.replace(/[^\x20-\x7e\n]/g, '?').slice(0, 600);
}

/** A PNG that shows the text, wrapped and centred, on a colour that follows from the text. */
export async function drawPicture(text: string, size: Size): Promise<Buffer> {
	// Loaded at the first picture: starting an emulator must stay cheap.
	const { HorizontalAlign, Jimp, VerticalAlign, loadFont } = await import('jimp');
	// Looked for from jimp's own place: the package that holds the fonts is a dependency of jimp, not ours.
	const printer = require.resolve('@jimp/plugin-print/package.json', {
		paths: [dirname(require.resolve('jimp'))],
	});
	const fonts = join(dirname(printer), 'fonts', 'open-sans');
	const hash = createHash('sha256').update(text).digest();
	// The upper half of each channel's range is left out, so that white text stays readable.
	const [red, green, blue] = [hash[0], hash[1], hash[2]].map((byte) => 24 + (byte >> 1));
	const image = new Jimp({
		...size,
		color: ((red << 24) | (green << 16) | (blue << 8) | 0xff) >>> 0,
	});
	const points = Math.min(size.width, size.height) < 200 || text.length > 240 ? 16 : 32;
	const font = await loadFont(
		join(fonts, `open-sans-${points}-white`, `open-sans-${points}-white.fnt`),
	);
	const margin = Math.round(Math.min(size.width, size.height) / 16);
	image.print({
		font,
		x: margin,
		y: margin,
		text: {
			text: drawable(text),
			alignmentX: HorizontalAlign.CENTER,
			alignmentY: VerticalAlign.MIDDLE,
		},
		maxWidth: size.width - 2 * margin,
		maxHeight: size.height - 2 * margin,
	});
	return await image.getBuffer('image/png');
}
