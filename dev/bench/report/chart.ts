/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import { initWasm, Resvg } from '@resvg/resvg-wasm';
import type { TopLevelSpec } from 'vega-lite';

import { chartSpec } from './chartSpec';
import { FONT } from './chartStyle';
import type { Results } from './results';

const load = createRequire(__filename);
/** Twice as many dots as the chart has points. */
const SCALE = 2;

/** The numbers as a PNG. Fonts and drawing come from npm packages: the computer needs to have none. */
export async function drawChart(results: Results): Promise<Buffer> {
	// Modules that cannot be required.
	const [{ parse, View }, { compile }] = await Promise.all([import('vega'), import('vega-lite')]);
	const { spec } = compile(chartSpec(results) as TopLevelSpec);
	const svg = await new View(parse(spec), { renderer: 'none' }).toSVG();
	await initWasm(readFileSync(load.resolve('@resvg/resvg-wasm/index_bg.wasm')));
	const folder = join(dirname(load.resolve('dejavu-fonts-ttf/package.json')), 'ttf');
	const fontBuffers = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((file) =>
		readFileSync(join(folder, file)),
	);
	const image = new Resvg(svg, {
		fitTo: { mode: 'zoom', value: SCALE },
		font: { fontBuffers, defaultFontFamily: FONT },
	});
	return Buffer.from(image.render().asPng());
}
