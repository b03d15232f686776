import { max, median, min } from 'simple-statistics';

import type { Line, Unit } from './row';

/** Middle and ends of some values; undefined when there are none. */
export function spreadOf(values: number[]) {
	if (values.length === 0) return undefined;
	return { median: median(values), min: min(values), max: max(values), runs: values.length };
}

/** Whether the middle of our values keeps the target; undefined when there is none. */
export function isMet({ target, values }: Line): boolean | undefined {
	const spread = spreadOf(values);
	return target === undefined ? undefined : spread !== undefined && spread.median <= target;
}

/** "1.13 × (1.06 to 1.23)". */
export function inWords(values: number[], unit: Unit): string {
	const spread = spreadOf(values);
	if (spread === undefined) return '–';
	const { runs } = spread;
	const [middle, least, most] = [spread.median, spread.min, spread.max].map(short);
	return runs > 1 && least !== most
		? `${middle} ${unit} (${least} to ${most})`
		: `${middle} ${unit}`;
}

/** Three figures, or whole numbers from 100 on. */
export function short(value: number): string {
	if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-GB');
	return String(Number(value.toPrecision(value < 1 ? 2 : 3)));
}
