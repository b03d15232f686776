import type { Line, Outcome, Results, Table } from '../row';
import { formatSpread, isMet, formatNumber, spreadOf } from '../spread';

type Cells = Array<string | number>;

/** Returns the page results.md: all lines and tables, and the machine. */
export function resultsPage(results: Results): string {
	return [
		'# What was measured',
		`${results.startedAt.slice(0, 16).replace('T', ' ')} UTC, ${Math.round(results.minutes)} minutes${results.quick ? ', a quick run: its numbers say little' : ''}. Medians, with the lowest and the highest of several runs; less is better.`,
		'![Charts of the numbers below](chart.png)',
		outcomesMarkdown(...Object.values(results.rows)),
		'## Machine and versions',
		markdownTable(['what', ''], Object.entries(results.machine)),
		'n8n-core, n8n-workflow and n8n-nodes-base are those of the installed n8n, for our nodes and for n8n’s own alike; binaries on disk, executions as of an activated workflow. The emulator is a process of its own.',
		'',
	].join('\n\n');
}

/** Returns the lines and tables of some rows as Markdown. */
export function outcomesMarkdown(...outcomes: Outcome[]): string {
	const lines = outcomes.flatMap((outcome) => outcome.lines);
	const tables = outcomes.flatMap((outcome) => outcome.tables ?? []);
	return [...(lines.length > 0 ? [linesTable(lines)] : []), ...tables.map(numbersTable)].join(
		'\n\n',
	);
}

/** Returns the table of docs/benchmarks.md. */
export function headlineTable(results: Results): string {
	const lines = Object.values(results.rows).flatMap(({ lines: all }) =>
		all.filter(({ headline }) => headline),
	);
	const rows = lines.map((line) => [
		line.measure,
		targetText(line),
		formatSpread(line.values, line.unit) + (isMet(line) === false ? ' (missed)' : ''),
		line.rivals.map((rival) => `${rival.name}: ${valuesText(rival, line)}`).join('; ') || '–',
	]);
	return markdownTable(['measure', 'target', 'Segmind nodes', 'today'], rows);
}

function linesTable(lines: Line[]): string {
	const rows = lines.map((line) => {
		const met = isMet(line);
		const others = line.rivals.map((rival) => {
			const ratio = ratioText(line.values, rival.values);
			return `${rival.name}: ${valuesText(rival, line)}${ratio === '' ? '' : `, ours is ${ratio} of it`}`;
		});
		return [
			line.measure,
			targetText(line),
			valuesText(line, line),
			met === undefined ? '' : met ? 'yes' : '**no**',
			others.join('<br>'),
		];
	});
	return markdownTable(['measure', 'target', 'ours', 'met', 'others'], rows);
}

function targetText({ target, unit }: Line): string {
	return target === undefined ? '' : `${formatNumber(target)} ${unit}`;
}

function valuesText({ values, note }: Pick<Line, 'values' | 'note'>, { unit }: Line): string {
	return [values.length > 0 ? formatSpread(values, unit) : '', note].filter(Boolean).join('; ');
}

function ratioText(ours: number[], theirs: number[]): string {
	const [ourSpread, theirSpread] = [spreadOf(ours), spreadOf(theirs)];
	return ourSpread && theirSpread && theirSpread.median > 0
		? formatNumber(ourSpread.median / theirSpread.median)
		: '';
}

function numbersTable({ title, columns, rows, note }: Table): string {
	return [`## ${title}`, markdownTable(columns, rows), ...(note ? [note] : [])].join('\n\n');
}

function markdownTable(head: string[], rows: Cells[]): string {
	const textOf = (cell: string | number) => (typeof cell === 'number' ? formatNumber(cell) : cell);
	const line = (cells: Cells) => `| ${cells.map(textOf).join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
