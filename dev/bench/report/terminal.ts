import CliTable from 'cli-table3';

import type { Line, Outcome, Table } from '../row';
import { inWords, isMet, short } from '../spread';

const STYLE = { head: [], border: [] };

/** What a row found, for who watches. */
export function inTerminal({ lines, tables = [] }: Outcome): string {
	return [...(lines.length > 0 ? [linesTable(lines)] : []), ...tables.map(numbersTable)].join('\n');
}

function linesTable(lines: Line[]): string {
	const table = new CliTable({
		head: ['measure', 'target', 'ours', 'others'],
		colWidths: [44, 10, 26, 60],
		wordWrap: true,
		style: STYLE,
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

function numbersTable({ title, columns, rows }: Table): string {
	const table = new CliTable({ head: columns, style: STYLE });
	table.push(...rows);
	return `${title}\n${table.toString()}`;
}
