import Table from 'cli-table3';

import type { Outcome } from './outcome';

const COLUMNS = ['item', 'request id', 'state', 'cost', 'time', 'file'];
const BLANK = ' '.repeat(2);
/** No lines: a request id is long, and the table has to fit a terminal of 80 columns. */
const NO_LINES = {
	top: '',
	'top-mid': '',
	'top-left': '',
	'top-right': '',
	bottom: '',
	'bottom-mid': '',
	'bottom-left': '',
	'bottom-right': '',
	left: '',
	'left-mid': '',
	mid: '',
	'mid-mid': '',
	right: '',
	'right-mid': '',
	middle: BLANK,
};

export function tableOf(outcomes: Outcome[]): string {
	const table = new Table({
		head: COLUMNS,
		chars: NO_LINES,
		colAligns: ['right', 'left', 'left', 'right', 'right', 'left'],
		style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
	});
	for (const { item, requestId, state, cost, seconds, files } of outcomes) {
		table.push([
			item,
			requestId || '-',
			state,
			cost === undefined ? '-' : usd(cost),
			seconds === undefined ? '-' : `${seconds.toFixed(1)} s`,
			files.join(', ') || '-',
		]);
	}
	return table.toString();
}

/** "$0.0364", "$12.50": cents, and finer where a price needs it. */
export function usd(amount: number): string {
	const digits = Number.isInteger(Number((amount * 100).toFixed(2))) ? 2 : 4;
	return `${amount < 0 ? '-' : ''}$${Math.abs(amount).toFixed(digits)}`;
}
