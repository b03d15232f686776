/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const load = createRequire(__filename);

/** Of the fonts that can be drawn: they come from npm, so that the computer needs to have none. */
export const FONT = 'DejaVu Sans';

/** A text as an SVG may hold it. */
export function escaped(text: string): string {
	return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** A picture, `zoom` times as large as the SVG says: as PNG, and as pixels of four bytes each. */
type Draw = (svg: string, zoom?: number) => { asPng(): Uint8Array; readonly pixels: Uint8Array };

let ready: Promise<Draw> | undefined;

/** Loads what draws, at the first call only: starting an emulator must stay cheap. */
export async function drawer(): Promise<Draw> {
	return await (ready ??= prepared());
}

async function prepared(): Promise<Draw> {
	const { initWasm, Resvg } = await import('@resvg/resvg-wasm');
	// Once in a process: a second time throws.
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
