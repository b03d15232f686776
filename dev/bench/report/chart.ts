import { loadDraw, escapeXml, FONT } from '../../emulator/media/drawSvg';
import type { Line, Results } from '../row';
import { formatNumber, spreadOf } from '../spread';

/** The width of the chart in points. */
const WIDTH = 820;
const LABELS = 260;
const BAR = 22;
/** Pixels per point. */
const SCALE = 2;
/** The palette of Okabe and Ito, which is safe for color-blind readers. */
const OURS = '#0072B2';
const RIVALS = '#b5b5b5';
const TARGET = '#D55E00';

/** Draws the lines whose `drawn` is set as a PNG. */
export async function drawChart({ rows }: Results): Promise<Buffer> {
	const drawn = Object.values(rows)
		.flatMap(({ lines }) => lines)
		.filter((line) => line.drawn);
	let top = 16;
	const parts = drawn.map((line) => {
		const part = `<g transform="translate(16 ${top})">${bars(line)}</g>`;
		top += (line.rivals.length + 1) * BAR + 58;
		return part;
	});
	const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${top}" font-family="${FONT}" font-size="11"><rect width="100%" height="100%" fill="white"/>${parts.join('')}</svg>`;
	return Buffer.from((await loadDraw())(svg, SCALE).asPng());
}

/** Returns the bars of one measure, for our nodes and the rivals: medians, with the spread of the runs. */
function bars({ measure, unit, values, rivals, target }: Line): string {
	const results = [{ name: 'Segmind nodes', values }, ...rivals].map(
		({ name, values: runValues }) => ({
			name,
			spread: spreadOf(runValues),
		}),
	);
	const max = Math.max(target ?? 0, ...results.map(({ spread }) => spread?.max ?? 0));
	const x = (value: number) => LABELS + (value / max) * (WIDTH - LABELS - 130);
	const parts = results.map(({ name, spread }, at) => {
		const y = 40 + at * BAR;
		const label = `<text x="${LABELS - 8}" y="${y + 11}" text-anchor="end">${escapeXml(name)}</text>`;
		if (!spread) return `${label}<text x="${LABELS}" y="${y + 11}">–</text>`;
		const { median, min, max } = spread;
		return `${label}<rect x="${LABELS}" y="${y}" width="${x(median) - LABELS}" height="${BAR - 8}" fill="${at === 0 ? OURS : RIVALS}"/><path d="M${x(min)} ${y + 7} H${x(max)}" stroke="black" stroke-width="1.5"/><text x="${x(max) + 6}" y="${y + 11}">${formatNumber(median)} ${unit}</text>`;
	});
	const dashed =
		target === undefined
			? ''
			: `<text y="26" fill="#767676">dashed: the target, ${target} ${unit}</text><path d="M${x(target)} 34 V${40 + results.length * BAR}" stroke="${TARGET}" stroke-dasharray="4 4" stroke-width="1.5"/>`;
	return `<text y="10" font-size="14" font-weight="bold">${escapeXml(measure)}</text>${dashed}${parts.join('')}`;
}
