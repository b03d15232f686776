import type { Outcome } from './outcome';

const HEAD = ['item', 'request id', 'state', 'cost', 'time', 'file'];
const TO_THE_RIGHT = ['item', 'cost', 'time'];

/** No lines: request IDs are long, and the table must fit a terminal of 80 columns. */
export function tableOf(outcomes: Outcome[]): string {
	const rows = outcomes.map(({ item, requestId, state, cost, seconds, files }) => [
		String(item),
		requestId || '-',
		state,
		cost === undefined ? '-' : usd(cost),
		seconds === undefined ? '-' : `${seconds.toFixed(1)} s`,
		files.join(', ') || '-',
	]);
	return aligned([HEAD, ...rows], TO_THE_RIGHT);
}

/** Rows as lines of aligned cells. The first row is the head; columns named in `toTheRight` are aligned to the right. */
export function aligned(rows: readonly string[][], toTheRight: readonly string[] = []): string {
	const [head] = rows;
	const widths = head.map((_name, at) => Math.max(...rows.map((row) => row[at].length)));
	const line = (cells: string[]) =>
		cells
			.map((cell, at) =>
				toTheRight.includes(head[at]) ? cell.padStart(widths[at]) : cell.padEnd(widths[at]),
			)
			.join('  ')
			.trimEnd();
	return rows.map(line).join('\n');
}

/** "$0.0364", "$12.50": cents, and finer where a price needs it. */
export function usd(amount: number): string {
	const digits = Number.isInteger(Number((amount * 100).toFixed(2))) ? 2 : 4;
	return `${amount < 0 ? '-' : ''}$${Math.abs(amount).toFixed(digits)}`;
}
