import { mean, median } from 'simple-statistics';

import { runProcesses, type Shared } from '../../simulation/simulatedProcesses';
import { repeated, type Line, type Row, type Table } from '../row';

const PROCESSES = [1, 2, 4];
/** Of each process: a usual batch, and one that keeps the account's limit used up for a long time. */
const BATCHES = [
	{ jobs: 20, jobMs: 60_000 },
	{ jobs: 100, jobMs: 5_000 },
];
const LIMITS = [60, 300];
/** What the process that gets least is to have of an equal part, in the median. */
const SMALLEST_SHARES = [
	{ count: 2, sendRemaining: false, least: 0.4 },
	{ count: 4, sendRemaining: true, least: 0.65 },
];

export const processes: Row = {
	name: 'processes',
	about: 'one, two and four processes of n8n on one account, on virtual time',
	async measure({ times }) {
		const rows: Table['rows'] = [];
		const lines: Line[] = [];
		for (const batch of BATCHES)
			for (const perMinute of LIMITS)
				for (const sendRemaining of [false, true])
					for (const count of PROCESSES) {
						const limit = { processes: count, perMinute, sendRemaining };
						const runs = await repeated(
							times(10),
							async (seed) => await runProcesses({ ...batch, ...limit, seed }),
						);
						const of = (pick: (run: Shared) => number) => rounded(median(runs.map(pick)));
						const shares = (run: Shared) => run.shares.map(({ overFair }) => overFair);
						const target = SMALLEST_SHARES.find(
							(one) => one.count === count && one.sendRemaining === sendRemaining,
						);
						if (target)
							lines.push({
								measure: `${count} processes, ${batch.jobs} jobs of ${batch.jobMs / 1_000} s in each, ${perMinute} calls a minute${sendRemaining ? ', reported' : ''}: an equal part over the smallest share (virtual time)`,
								unit: '×',
								values: runs.map((run) => 1 / Math.min(...shares(run))),
								target: rounded(1 / target.least),
								rivals: [],
								...(perMinute === 300 && { headline: true as const }),
							});
						rows.push([
							`${batch.jobs} of ${batch.jobMs / 1_000} s`,
							perMinute,
							sendRemaining ? 'yes' : 'no',
							count,
							of((run) => Math.min(...shares(run))),
							rounded(mean(runs.map(({ detectionMs }) => detectionMs / 1_000))),
							of(({ tookMs }) => tookMs / 1_000),
							of(({ leastMs }) => leastMs / 1_000),
							of(({ tookMs, leastMs }) => tookMs / leastMs),
						]);
					}
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
		const note =
			'Virtual time; medians. Each process has a rate limiter of its own and knows nothing of the others. Share: its answered calls over an equal part, until the first process is done. Where that is within the first window or two, the share tells who came first. Least: the windows that three calls a job need.';
		return { lines, tables: [{ title, columns, rows, note }] };
	},
};

function rounded(value: number): number {
	return Number(value.toPrecision(3));
}
