import { max, median, min } from 'simple-statistics';

import type { Line, Unit } from './row';

/** Returns the median, the lowest and the highest value, or undefined if there are no values. */
export function spreadOf(values: number[]) {
	if (values.length === 0) return undefined;
	return { median: median(values), min: min(values), max: max(values), runs: values.length };
}

/** Whether the median of our values meets the target; undefined if there is no target. */
export function isMet({ target, values }: Line): boolean | undefined {
	const spread = spreadOf(values);
	return target === undefined ? undefined : spread !== undefined && spread.median <= target;
}

/** Formats the median and the range of some values, such as "1.13 × (1.06 to 1.23)". */
export function formatSpread(values: number[], unit: Unit): string {
	const spread = spreadOf(values);
	if (spread === undefined) return '–';
	const { runs } = spread;
	const [medianText, minText, maxText] = [spread.median, spread.min, spread.max].map(formatNumber);
	return runs > 1 && minText !== maxText
		? `${medianText} ${unit} (${minText} to ${maxText})`
		: `${medianText} ${unit}`;
}

/** Formats a number with three significant figures, or two if it's below 1. From 100 on, it's rounded to a whole number. */
export function formatNumber(value: number): string {
	if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-GB');
	return String(Number(value.toPrecision(value < 1 ? 2 : 3)));
}
