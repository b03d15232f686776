import { loadDraw } from './drawSvg';
import { sceneOf, type Size } from './scene';

const DEFAULT_SIDE_PX = 512;

/** Returns the size from the input's width and height, or from its aspect ratio; otherwise 512 x 512. Each side is 64 to 1024 pixels long. */
export function pictureSize(input: Record<string, unknown>): Size {
	const width = Number(input.width ?? input.img_width);
	const height = Number(input.height ?? input.img_height);
	if (width > 0 && height > 0) return { width: boundSide(width), height: boundSide(height) };
	return sizeByRatio(input, DEFAULT_SIDE_PX) ?? { width: DEFAULT_SIDE_PX, height: DEFAULT_SIDE_PX };
}

/** Returns a size with the input's aspect ratio, such as `9:16` or `1280:720`; undefined if the input has none. */
export function sizeByRatio(input: Record<string, unknown>, longSidePx: number): Size | undefined {
	const ratio = String(input.aspect_ratio ?? input.ratio);
	const [, width, height] = /^(\d+)\s*[:x]\s*(\d+)$/.exec(ratio) ?? [];
	const proportion = Number(width) / Number(height);
	if (!Number.isFinite(proportion) || proportion <= 0) return undefined;
	return {
		width: boundSide(Math.min(1, proportion) * longSidePx),
		height: boundSide(Math.min(1, 1 / proportion) * longSidePx),
	};
}

/** Rounds to an even number from 64 to 1024, because H.264 needs even sides. */
const boundSide = (pixels: number): number =>
	Math.min(1024, Math.max(64, Math.round(pixels / 2) * 2));

/** Draws a PNG of a scene that depends on the text, captioned with the text in small type. */
export async function drawPicture(text: string, size: Size): Promise<Buffer> {
	const draw = await loadDraw();
	return Buffer.from(draw(sceneOf(text, size)).asPng());
}
