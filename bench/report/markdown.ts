import type { Line, Table } from '../row';
import { inWords, isMet, short, spreadOf } from '../spread';
import type { Results } from './results';

type Cells = Array<string | number>;

/** results.md: every line and table, the machine beside them. */
export function resultsPage(results: Results): string {
	const outcomes = Object.values(results.rows);
	return [
		'# What was measured',
		`${results.startedAt.slice(0, 16).replace('T', ' ')} UTC, ${Math.round(results.minutes)} minutes${results.quick ? ', a quick run: its numbers say little' : ''}. Medians, with the lowest and the highest of several runs; less is better. The measures are those of design.md section 5.`,
		'![Four charts of the numbers below](chart.png)',
		linesTable(outcomes.flatMap(({ lines }) => lines)),
		...outcomes.flatMap(({ tables = [] }) => tables).map(numbersTable),
		'## Machine and versions',
		table(['what', ''], Object.entries(results.machine)),
		'n8n-core, n8n-workflow and n8n-nodes-base are those of the installed n8n, for our nodes and for n8n’s own alike; binaries on disk, executions as of an activated workflow. The emulator is a process of its own.',
		'',
	].join('\n\n');
}

/** The table of README.md. */
export function headlines(results: Results): string {
	const lines = Object.values(results.rows).flatMap(({ lines: all }) =>
		all.filter(({ headline }) => headline),
	);
	const rows = lines.map((line) => [
		line.measure,
		atMost(line),
		inWords(line.values, line.unit) + (isMet(line) === false ? ' (missed)' : ''),
		line.rivals.map((rival) => `${rival.name}: ${reached(rival, line)}`).join('; ') || '–',
	]);
	return table(['measure', 'target', 'Segmind nodes', 'today'], rows);
}

/** One row for each rival; ours stands in the first of them. */
function linesTable(lines: Line[]): string {
	const rows = lines.flatMap((line) => {
		const met = isMet(line);
		const own = [
			line.measure,
			atMost(line),
			inWords(line.values, line.unit) + (line.note ? `; ${line.note}` : ''),
			met === undefined ? '' : met ? 'yes' : '**no**',
		];
		const against = line.rivals.map((rival) => [
			rival.name,
			reached(rival, line),
			ratio(line.values, rival.values),
		]);
		return (against.length > 0 ? against : [['', '', '']]).map((cells, at) => [
			...(at === 0 ? own : own.map(() => '')),
			...cells,
		]);
	});
	return table(['measure', 'target', 'ours', 'met', 'against', 'reached', 'ours over it'], rows);
}

function atMost({ target, unit }: Line): string {
	return target === undefined ? '' : `${short(target)} ${unit}`;
}

function reached({ values, note }: Line['rivals'][0], { unit }: Line): string {
	return [values.length > 0 ? inWords(values, unit) : '', note].filter(Boolean).join('; ');
}

function ratio(ours: number[], theirs: number[]): string {
	const [own, other] = [spreadOf(ours), spreadOf(theirs)];
	return own && other && other.median > 0 ? short(own.median / other.median) : '';
}

function numbersTable({ title, columns, rows, note }: Table): string {
	return [`## ${title}`, table(columns, rows), ...(note ? [note] : [])].join('\n\n');
}

function table(head: string[], rows: Cells[]): string {
	const line = (cells: Cells) => `| ${cells.join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
