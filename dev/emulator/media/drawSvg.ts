/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const load = createRequire(__filename);

/** The font of all drawn text. It comes from npm, so it doesn't have to be installed on the computer. */
export const FONT = 'DejaVu Sans';

/** Escapes a string for use in an SVG. */
export function escapeXml(text: string): string {
	return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Draws an SVG at `zoom` times its stated size. Returns a PNG, and pixels of four bytes each. */
type Draw = (svg: string, zoom?: number) => { asPng(): Uint8Array; readonly pixels: Uint8Array };

let loading: Promise<Draw> | undefined;

/** Loads the drawing library at the first call, because most emulators never need it. */
export async function loadDraw(): Promise<Draw> {
	return await (loading ??= prepareDraw());
}

async function prepareDraw(): Promise<Draw> {
	const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
	// A second call in the same process would throw.
	await initWasm(readFileSync(load.resolve('@resvg/resvg-wasm/index_bg.wasm')));
	const folder = join(dirname(load.resolve('dejavu-fonts-ttf/package.json')), 'ttf');
	const fontBuffers = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((file) =>
		readFileSync(join(folder, file)),
	);
	return (svg, zoom = 1) =>
		new Resvg(svg, {
			fitTo: { mode: 'zoom', value: zoom },
			font: { fontBuffers, defaultFontFamily: FONT },
		}).render();
}
