import { drawer } from './drawSvg';
import { sceneOf, type Size } from './scene';

const longSide = 512;

/** What the input asks for by width and height or by aspect ratio, kept between 64 and 1024; else 512 x 512. */
export function pictureSize(input: Record<string, unknown>): Size {
	const bounded = (value: number): number =>
		Math.min(1024, Math.max(64, Math.round(value / 2) * 2));
	const width = Number(input.width ?? input.img_width);
	const height = Number(input.height ?? input.img_height);
	if (width > 0 && height > 0) return { width: bounded(width), height: bounded(height) };
	const [, wide = 1, high = 1] = /^(\d+)\s*[:x]\s*(\d+)$/.exec(String(input.aspect_ratio)) ?? [];
	const proportion = Number(wide) / Number(high);
	if (!Number.isFinite(proportion) || proportion <= 0) return { width: longSide, height: longSide };
	return {
		width: bounded(Math.min(1, proportion) * longSide),
		height: bounded(Math.min(1, 1 / proportion) * longSide),
	};
}

/** A PNG of a small painted scene that follows from the text, with the text written small. */
export async function drawPicture(text: string, size: Size): Promise<Buffer> {
	const draw = await drawer();
	return Buffer.from(draw(sceneOf(text, size)).asPng());
}
