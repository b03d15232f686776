import { mean, median } from 'simple-statistics';

import { runProcesses, type Shared, type Sharing } from '../../simulation/simulatedProcesses';
import { repeated, type Line, type Row, type Table } from '../row';

const PROCESSES = [1, 2, 4];
/** Of each process: a usual batch, and one that keeps the account's limit used up for a long time. */
const BATCHES = [
	{ jobs: 20, jobMs: 60_000 },
	{ jobs: 100, jobMs: 5_000 },
];
const LIMITS = [60, 300].flatMap((perMinute) =>
	[false, true].map((sendRemaining) => ({ perMinute, sendRemaining })),
);
const CASES = BATCHES.flatMap((batch) =>
	LIMITS.flatMap((limit) => PROCESSES.map((processes) => ({ ...batch, ...limit, processes }))),
);
type Case = Omit<Sharing, 'seed'>;

/** What the process that gets least is to have of an equal part, in the median. */
const SMALLEST_SHARES = [
	{ processes: 2, sendRemaining: false, least: 0.4 },
	{ processes: 4, sendRemaining: true, least: 0.65 },
];

export const processes: Row = {
	name: 'processes',
	about: 'one, two and four processes of n8n on one account, on virtual time',
	async measure({ times }) {
		const measured = await repeated(CASES.length, async (at) => {
			const run = async (seed: number) => await runProcesses({ ...CASES[at], seed });
			return { of: CASES[at], runs: await repeated(times(10), run) };
		});
		const title = 'Processes of n8n on one account';
		const columns = [
			'jobs of each',
			'calls a minute',
			'limit reported',
			'processes',
			'smallest share',
			'detection, s',
			'wall, s',
			'least, s',
			'over the least',
		];
		const rows = measured.map(({ of, runs }) => numbers(of, runs));
		const note =
			'Virtual time; medians. Each process has a rate limiter of its own and knows nothing of the others. Share: its answered calls over an equal part, until the first process is done. Where that is within the first window or two, the share tells who came first. Least: the windows that three calls a job need.';
		return {
			lines: measured.flatMap(({ of, runs }) => fairness(of, runs)),
			tables: [{ title, columns, rows, note }],
		};
	},
};

const smallest = ({ shares }: Shared) => Math.min(...shares.map(({ overFair }) => overFair));

/** A line where there is a target. */
function fairness({ jobs, jobMs, ...of }: Case, runs: Shared[]): Line[] {
	const reported = of.sendRemaining ? ', reported' : '';
	return SMALLEST_SHARES.filter(
		(one) => one.processes === of.processes && one.sendRemaining === of.sendRemaining,
	).map(({ least }) => ({
		measure: `${of.processes} processes, ${jobs} jobs of ${jobMs / 1_000} s in each, ${of.perMinute} calls a minute${reported}: an equal part over the smallest share (virtual time)`,
		unit: '×',
		values: runs.map((run) => 1 / smallest(run)),
		target: 1 / least,
		rivals: [],
		...(of.perMinute === 300 && { headline: true as const }),
	}));
}

function numbers(of: Case, runs: Shared[]): Table['rows'][0] {
	const middle = (pick: (run: Shared) => number) => median(runs.map(pick));
	return [
		`${of.jobs} of ${of.jobMs / 1_000} s`,
		of.perMinute,
		of.sendRemaining ? 'yes' : 'no',
		of.processes,
		middle(smallest),
		mean(runs.map(({ detectionMs }) => detectionMs / 1_000)),
		middle(({ tookMs }) => tookMs / 1_000),
		middle(({ leastMs }) => leastMs / 1_000),
		middle(({ tookMs, leastMs }) => tookMs / leastMs),
	];
}
