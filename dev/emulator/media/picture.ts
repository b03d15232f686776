import { drawer } from './drawSvg';
import { sceneOf, type Size } from './scene';

const longSide = 512;

/** The size that the input's width and height or its aspect ratio give, each side 64 to 1024 pixels; otherwise 512 x 512. */
export function pictureSize(input: Record<string, unknown>): Size {
	const width = Number(input.width ?? input.img_width);
	const height = Number(input.height ?? input.img_height);
	if (width > 0 && height > 0) return { width: bounded(width), height: bounded(height) };
	return sizeByRatio(input, longSide) ?? { width: longSide, height: longSide };
}

/** A size of the input's aspect ratio, such as `9:16` or `1280:720`; undefined without one. `long` is the longer side in pixels. */
export function sizeByRatio(input: Record<string, unknown>, long: number): Size | undefined {
	const ratio = String(input.aspect_ratio ?? input.ratio);
	const [, wide, high] = /^(\d+)\s*[:x]\s*(\d+)$/.exec(ratio) ?? [];
	const proportion = Number(wide) / Number(high);
	if (!Number.isFinite(proportion) || proportion <= 0) return undefined;
	return {
		width: bounded(Math.min(1, proportion) * long),
		height: bounded(Math.min(1, 1 / proportion) * long),
	};
}

/** An even number of pixels, because H.264 needs it. */
const bounded = (pixels: number): number =>
	Math.min(1024, Math.max(64, Math.round(pixels / 2) * 2));

/** A PNG of a small painted scene that follows from the text, with the text written small. */
export async function drawPicture(text: string, size: Size): Promise<Buffer> {
	const draw = await drawer();
	return Buffer.from(draw(sceneOf(text, size)).asPng());
}
