import type { Outcome } from './outcome';

const HEAD = ['item', 'request id', 'state', 'cost', 'time', 'file'];
const RIGHT_ALIGNED = ['item', 'cost', 'time'];

/** Returns the table of outcomes. It has no lines between cells, because request IDs are long and the table must fit into 80 characters. */
export function tableOf(outcomes: Outcome[]): string {
	const rows = outcomes.map(({ item, requestId, state, cost, seconds, files }) => [
		String(item),
		requestId || '-',
		state,
		cost === undefined ? '-' : usd(cost),
		seconds === undefined ? '-' : `${seconds.toFixed(1)} s`,
		files.join(', ') || '-',
	]);
	return alignCells([HEAD, ...rows], RIGHT_ALIGNED);
}

/** Returns rows as lines of aligned cells. The first row has the names of the columns; `rightAligned` names the columns to align to the right. */
export function alignCells(
	rows: readonly string[][],
	rightAligned: readonly string[] = [],
): string {
	const [head] = rows;
	const widths = head.map((_name, at) => Math.max(...rows.map((row) => row[at].length)));
	const line = (cells: string[]) =>
		cells
			.map((cell, at) =>
				rightAligned.includes(head[at]) ? cell.padStart(widths[at]) : cell.padEnd(widths[at]),
			)
			.join('  ')
			.trimEnd();
	return rows.map(line).join('\n');
}

/** Formats an amount with two decimal places, or four if it needs them: "$12.50", "$0.0364". */
export function usd(amount: number): string {
	const digits = Number.isInteger(Number((amount * 100).toFixed(2))) ? 2 : 4;
	return `${amount < 0 ? '-' : ''}$${Math.abs(amount).toFixed(digits)}`;
}
