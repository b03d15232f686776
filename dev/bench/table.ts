import { max, median, min } from 'simple-statistics';

import type { Line, Result } from './row';

/** Returns the lines as a Markdown table. */
export function tableOf(lines: Line[]): string {
	const rows = lines.map((line) => [
		line.measure,
		textOf(line, line),
		(line.rivals ?? []).map((rival) => `${rival.name}: ${textOf(rival, line)}`).join('; '),
	]);
	return [['measure', 'Segmind nodes', 'today'], Array(3).fill('---'), ...rows]
		.map((cells) => `| ${cells.join(' | ')} |`)
		.join('\n');
}

/** Returns the median and the range of the values, such as "1.13 × (1.06 to 1.23)". */
function textOf({ values, note }: Result, { unit }: Line): string {
	if (values.length === 0) return note ?? '–';
	const [middle, low, high] = [median(values), min(values), max(values)].map(shorten);
	return `${middle} ${unit}${low === high ? '' : ` (${low} to ${high})`}`;
}

/** Returns a number with two or three significant figures, or rounded to a whole number from 100 on. */
function shorten(value: number): string {
	return value >= 100
		? Math.round(value).toLocaleString('en-GB')
		: String(Number(value.toPrecision(value < 1 ? 2 : 3)));
}
