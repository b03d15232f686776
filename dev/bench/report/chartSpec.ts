import type { Line, Outcome, Table } from '../row';
import { short, spreadOf } from '../spread';
import { BLUE, CONFIG, GREEN, GREY, ORANGE, PURPLE, VERMILION } from './chartStyle';
import type { Results } from './results';

const WIDTH = 430;
const HEIGHT = 240;
const LABELS = 230;
const INDEPENDENT = { scale: { color: 'independent', strokeDash: 'independent' } };
const NOTHING: Outcome = { lines: [] };

/** A Vega-Lite specification: bars on the left, lines on the right; what was not measured is left out. */
export function chartSpec({ rows }: Results): object {
	const { detection = NOTHING, scale = NOTHING } = rows;
	const [found] = detection.tables ?? [];
	const [sizes] = scale.tables ?? [];
	const left = Object.values(rows)
		.flatMap(({ lines }) => lines)
		.filter(({ drawn }) => drawn)
		.map(bars);
	const right = [
		...(found ? [byLength(found, 'detection'), byLength(found, 'status calls')] : []),
		...(sizes ? [bySize(sizes)] : []),
	];
	const nothing = { mark: 'text', data: { values: [] } };
	return {
		$schema: 'https://vega.github.io/schema/vega-lite/v6.json',
		config: CONFIG,
		hconcat: [left, right].map((column) => ({
			vconcat: column.length > 0 ? column : [nothing],
			resolve: INDEPENDENT,
		})),
		resolve: INDEPENDENT,
	};
}

/** Ours and the others on one measure: medians, with the spread of the runs. */
function bars({ measure, unit, values, rivals, target }: Line): object {
	const bar = (who: string, reached: number[]) => {
		const spread = spreadOf(reached);
		return spread ? [{ who, ...spread, label: `${short(spread.median)} ${unit}` }] : [];
	};
	const shown = [
		...bar('Segmind nodes', values),
		...rivals.flatMap((rival) => bar(rival.name, rival.values)),
	];
	const most = Math.max(target ?? 0, ...shown.map(({ max }) => max));
	const x = { field: 'median', type: 'quantitative', title: unit };
	const y = { field: 'who', type: 'nominal', sort: null, title: null, axis: { minExtent: LABELS } };
	return {
		title: { text: measure, subtitle: target === undefined ? '' : `dashed: the target, ${target}` },
		width: WIDTH,
		height: 45 * shown.length,
		data: { values: shown },
		encoding: { y },
		layer: [
			{
				mark: { type: 'bar', height: { band: 0.6 } },
				encoding: {
					x: { ...x, scale: { domain: [0, most * 1.15] } },
					color: {
						condition: { test: "datum.who === 'Segmind nodes'", value: BLUE },
						value: '#b5b5b5',
					},
				},
			},
			{
				mark: { type: 'rule', color: 'black', strokeWidth: 1.5 },
				encoding: { x: { field: 'min', type: 'quantitative' }, x2: { field: 'max' } },
			},
			{
				mark: { type: 'text', align: 'left', dx: 6, fontSize: 11 },
				encoding: { x: { field: 'max', type: 'quantitative' }, text: { field: 'label' } },
			},
			...(target === undefined
				? []
				: [
						{
							mark: { type: 'rule', strokeDash: [4, 4], color: VERMILION },
							encoding: { x: { datum: target }, y: null },
						},
					]),
		],
	};
}

/** Colour and dashes of the ways of waiting, in the order of the table. */
const STYLES: Array<[colour: string, dashes: number[]]> = [
	[BLUE, [1, 0]],
	[GREEN, [1, 0]],
	[PURPLE, [1, 0]],
	[BLUE, [6, 3]],
	[GREEN, [6, 3]],
	[PURPLE, [6, 3]],
	[ORANGE, [2, 2]],
	[VERMILION, [2, 2]],
	[GREY, [8, 4]],
];

function byLength({ columns, rows }: Table, what: string): object {
	const at = columns.findIndex((column) => column.startsWith(what));
	const values = rows.map((row) => ({ job: row[0], way: String(row[1]), value: row[at] }));
	const ways = [...new Set(values.map(({ way }) => way))];
	if (ways.length > STYLES.length) throw new Error('the chart has too few styles of lines');
	return {
		title: {
			text: what === 'detection' ? 'How late the end of a job is seen' : 'Status calls for a job',
			subtitle: 'mean of jobs about this long, on virtual time; both axes logarithmic',
		},
		width: WIDTH,
		height: HEIGHT,
		data: { values },
		mark: { type: 'line', point: { size: 40 }, strokeWidth: 2 },
		encoding: {
			x: lengthAxis('job', 'length of the job, s', [1, 5, 20, 60, 400]),
			y: lengthAxis(
				'value',
				what === 'detection' ? 's after its end' : 'calls',
				[0.1, 0.3, 1, 3, 10, 30, 100],
			),
			...series('way', Object.fromEntries(ways.map((way, nth) => [way, STYLES[nth]]))),
		},
	};
}

/** Wall time by number of items, beside the least. */
function bySize({ rows }: Table): object {
	const limits = [...new Set(rows.map(([, atOnce]) => Number(atOnce)))];
	const colours = [BLUE, ORANGE, GREEN];
	const ways = Object.fromEntries(
		limits.flatMap(
			(limit, at): Array<[string, [string, number[]]]> => [
				[`Max Concurrency ${limit}`, [colours[at], [1, 0]]],
				[`least at ${limit}`, [colours[at], [3, 3]]],
			],
		),
	);
	const values = rows.flatMap(([items, atOnce, wall, least]) => [
		{ items, value: wall, way: `Max Concurrency ${atOnce}` },
		{ items, value: least, way: `least at ${atOnce}` },
	]);
	return {
		title: { text: 'Items of a run, jobs of 1 s', subtitle: 'both axes logarithmic' },
		width: WIDTH,
		height: HEIGHT,
		data: { values },
		mark: { type: 'line', point: { size: 40 }, strokeWidth: 2 },
		encoding: {
			x: lengthAxis('items', 'items', [1, 10, 100, 1_000]),
			y: lengthAxis('value', 'wall time, s', [1, 2, 5, 10, 20, 50, 100]),
			...series('way', ways),
		},
	};
}

function lengthAxis(field: string, title: string, values: number[]): object {
	return {
		field,
		type: 'quantitative',
		title,
		scale: { type: 'log', nice: false },
		axis: { values, format: '~g' },
	};
}

function series(field: string, ways: Record<string, [string, number[]]>): object {
	const domain = Object.keys(ways);
	const styles = Object.values(ways);
	const legend = {
		title: null,
		orient: 'bottom',
		columns: 2,
		symbolType: 'stroke',
		labelLimit: 260,
	};
	return {
		color: {
			field,
			type: 'nominal',
			scale: { domain, range: styles.map(([colour]) => colour) },
			legend,
		},
		strokeDash: {
			field,
			type: 'nominal',
			scale: { domain, range: styles.map(([, dashes]) => dashes) },
			legend,
		},
	};
}
