import { max, median, min } from 'simple-statistics';

import type { RemoteEmulator } from '../emulator/remote';
import type { Installation } from '../n8n/n8nProcess';
import type { Engine } from './engineProcess/engine';

/** What a benchmark (a row) needs to measure. */
export interface Bench {
	installation: Installation;
	emulator: RemoteEmulator;
	/** Does some work with an engine in a new process. */
	withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T>;
}

/** Values of several runs; none if no run finished, which `note` explains. */
export interface Result {
	values: number[];
	note?: string;
}

/** A measure, and what people use today for comparison. */
export interface Line extends Result {
	measure: string;
	unit: '×' | 's' | 'MB' | 'kB';
	rivals?: Array<Result & { name: string }>;
}

/** One benchmark. */
export interface Row {
	/** The name for --rows. */
	name: string;
	measure(bench: Bench): Promise<Line[]>;
}

/** The head of the Markdown table of lines. */
export const TABLE_HEAD = '| measure | Segmind nodes | today |\n| --- | --- | --- |';

/** Returns a line of the table. */
export function tableRow(line: Line): string {
	const rivals = (line.rivals ?? []).map((rival) => `${rival.name}: ${textOf(rival, line)}`);
	return `| ${line.measure} | ${textOf(line, line)} | ${rivals.join('; ')} |`;
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
