import type { TopLevelSpec } from 'vega-lite';

import { drawer } from '../../emulator/media/drawSvg';
import { chartSpec } from './chartSpec';
import type { Results } from './results';

/** Twice as many dots as the chart has points. */
const SCALE = 2;

/** The numbers as a PNG. */
export async function drawChart(results: Results): Promise<Buffer> {
	// Modules that cannot be required.
	const [{ parse, View }, { compile }] = await Promise.all([import('vega'), import('vega-lite')]);
	const { spec } = compile(chartSpec(results) as TopLevelSpec);
	const svg = await new View(parse(spec), { renderer: 'none' }).toSVG();
	return Buffer.from((await drawer())(svg, SCALE).asPng());
}
