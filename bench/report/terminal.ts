import Table from 'cli-table3';

import type { Line } from '../row';
import { inWords, isMet, short } from '../spread';

/** A row's lines for who watches. */
export function inTerminal(lines: Line[]): string {
	const table = new Table({
		head: ['measure', 'target', 'ours', 'others'],
		colWidths: [44, 10, 26, 60],
		wordWrap: true,
		style: { head: [], border: [] },
	});
	for (const line of lines) {
		const { measure, target, unit, values, rivals } = line;
		const others = rivals.map(
			({ name, values: theirs, note }) =>
				`${name}: ${theirs.length > 0 ? inWords(theirs, unit) : note}`,
		);
		table.push([
			measure,
			target === undefined ? '' : short(target),
			`${inWords(values, unit)}${isMet(line) === false ? ' MISSED' : ''}`,
			others.join('\n'),
		]);
	}
	return table.toString();
}
