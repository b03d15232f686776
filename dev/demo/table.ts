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
