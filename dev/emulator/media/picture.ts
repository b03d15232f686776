/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import scene from './scene.json';

/** A size in pixels. */
interface Size {
	width: number;
	height: number;
}

/** Scenes are laid out on a plane of this size and scaled to the picture. */
const PLANE = { width: 160, height: 100 };
/** Longer texts are truncated in the picture. */
const MAX_LABEL_CHARS = 84;
const FONT = 'DejaVu Sans';

/** Returns the size from the input's width and height, or from its aspect ratio, such as `9:16`; otherwise the usual size. H.264 needs even sides. */
export function sizeOf(input: Record<string, unknown>, usual: Size): Size {
	const [, ratioWidth, ratioHeight] =
		/^(\d+)\s*[:x]\s*(\d+)$/.exec(String(input.aspect_ratio ?? input.ratio)) ?? [];
	const width = Number(input.width ?? input.img_width ?? ratioWidth);
	const height = Number(input.height ?? input.img_height ?? ratioHeight);
	if (!(width > 0 && height > 0)) return usual;
	const longSide = ratioWidth ? usual.width : Math.min(1024, Math.max(width, height));
	const side = (share: number) => Math.max(64, Math.round((share * longSide) / 2) * 2);
	return {
		width: side(width / Math.max(width, height)),
		height: side(height / Math.max(width, height)),
	};
}

type Draw = (svg: string) => { asPng(): Uint8Array; readonly pixels: Uint8Array };
let loading: Promise<Draw> | undefined;

/** Draws a scene that depends on the text, captioned with the text. In a film, `moment` runs from 0 to 1. */
export async function drawScene(text: string, size: Size, moment = 0): Promise<ReturnType<Draw>> {
	// Loaded at the first call, because most emulators never need it. A second call of `initWasm` would throw.
	loading ??= prepareDraw();
	return (await loading)(sceneOf(text, size, moment));
}

async function prepareDraw(): Promise<Draw> {
	const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
	const { resolve } = createRequire(__filename);
	await initWasm(readFileSync(resolve('@resvg/resvg-wasm/index_bg.wasm')));
	// A font from npm doesn't have to be installed on the computer.
	const fontBuffers = [readFileSync(resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'))];
	return (svg) => new Resvg(svg, { font: { fontBuffers, defaultFontFamily: FONT } }).render();
}

/** Returns the SVG: the things that the text names, at places that depend on the text's hash, above the text. */
function sceneOf(text: string, { width, height }: Size, moment: number): string {
	const hash = createHash('sha256').update(text).digest();
	const isNamed = ({ words }: { words: string }) => RegExp(`\\b(${words})s?\\b`, 'i').test(text);
	const sky = scene.skies.find(isNamed) ?? scene.skies[scene.skies.length - 1];
	const named = [...scene.landscapes, ...scene.figures].filter(isNamed);
	// If the text names no known thing, the hash selects a landscape and a figure.
	const things =
		named.length > 0 ? named : [scene.landscapes[hash[5] % 4], scene.figures[hash[6] % 2]];
	const drawn = things.map((thing, at) => {
		const x = scene.landscapes.includes(thing) ? 0 : 46 + ((hash[7] + at * 67) % 70);
		return `<g transform="translate(${x} 0)">${thing.svg}</g>`;
	});
	const label = text.replace(/\s+/g, ' ').slice(0, MAX_LABEL_CHARS);
	const caption = label
		.replace(/[^ -~]/g, '?')
		.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
	// The picture always shows the bottom of the plane; a tall picture shows only the middle of its width. The view moves to the right in a film.
	const viewHeight = Math.min((PLANE.width * height) / width, PLANE.width);
	const viewWidth = (viewHeight * width) / height;
	const left = (PLANE.width - viewWidth) / 2 + 12 * moment;
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${PLANE.height - viewHeight} ${viewWidth} ${viewHeight}">
<linearGradient id="sky" x2="0" y2="1"><stop stop-color="${sky.top}"/><stop offset="1" stop-color="${sky.bottom}"/></linearGradient>
<rect x="-60" y="-60" width="300" height="250" fill="url(#sky)"/><circle cx="${20 + (hash[0] % 120)}" cy="22" r="7" fill="${sky.light}"/>
<rect x="-60" y="62" width="300" height="150" fill="${sky.ground}"/><rect x="-60" y="62" width="300" height="150" fill="hsl(${hash[1] % 360}, 45%, 45%)" opacity="0.14"/>
${drawn.join('\n')}
<rect x="-60" y="93" width="300" height="90" opacity="0.45"/><text x="${left + viewWidth / 2}" y="97.6" text-anchor="middle" font-family="${FONT}" font-size="3.4" fill="#ffffff">${caption}</text></svg>`;
}
