import { mean, median } from 'simple-statistics';

import {
	runProcesses,
	type ProcessesResult,
	type ProcessesSetup,
} from '../../simulation/simulatedProcesses';
import { repeat, type Line, type Row, type Table } from '../row';

const PROCESSES = [1, 2, 4];
/** Batches that each process runs: a usual batch, and one that uses up the account's rate limit for a long time. */
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
type Case = Omit<ProcessesSetup, 'seed'>;

/** Targets for the median of the smallest share, relative to an equal share. */
const SHARE_TARGETS = [
	{ processes: 2, sendRemaining: false, minShare: 0.4 },
	{ processes: 4, sendRemaining: true, minShare: 0.65 },
];

export const processes: Row = {
	name: 'processes',
	about: 'one, two and four processes of n8n on one account, on virtual time',
	async measure({ times }) {
		const measured = await repeat(CASES.length, async (at) => {
			const run = async (seed: number) => await runProcesses({ ...CASES[at], seed });
			return { setup: CASES[at], runs: await repeat(times(10), run) };
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
		const rows = measured.map(({ setup, runs }) => tableRow(setup, runs));
		const note =
			'Virtual time; medians. Each process has a rate limiter of its own and knows nothing of the others. Share: its answered calls over an equal part, until the first process is done. Where that is within the first window or two, the share tells who came first. Least: the windows that three calls a job need.';
		return {
			lines: measured.flatMap(({ setup, runs }) => shareLines(setup, runs)),
			tables: [{ title, columns, rows, note }],
		};
	},
};

const smallestShare = ({ shares }: ProcessesResult) =>
	Math.min(...shares.map(({ ofEqualShare }) => ofEqualShare));

/** Returns the lines for the targets that apply to a setup. */
function shareLines({ jobs, jobMs, ...setup }: Case, runs: ProcessesResult[]): Line[] {
	const reported = setup.sendRemaining ? ', reported' : '';
	return SHARE_TARGETS.filter(
		(target) =>
			target.processes === setup.processes && target.sendRemaining === setup.sendRemaining,
	).map(({ minShare }) => ({
		measure: `${setup.processes} processes, ${jobs} jobs of ${jobMs / 1_000} s in each, ${setup.perMinute} calls a minute${reported}: an equal part over the smallest share (virtual time)`,
		unit: '×',
		values: runs.map((run) => 1 / smallestShare(run)),
		target: 1 / minShare,
		rivals: [],
		...(setup.perMinute === 300 && { headline: true as const }),
	}));
}

function tableRow(setup: Case, runs: ProcessesResult[]): Table['rows'][0] {
	const medianOf = (valueOf: (run: ProcessesResult) => number) => median(runs.map(valueOf));
	return [
		`${setup.jobs} of ${setup.jobMs / 1_000} s`,
		setup.perMinute,
		setup.sendRemaining ? 'yes' : 'no',
		setup.processes,
		medianOf(smallestShare),
		mean(runs.map(({ detectionMs }) => detectionMs / 1_000)),
		medianOf(({ tookMs }) => tookMs / 1_000),
		medianOf(({ minMs }) => minMs / 1_000),
		medianOf(({ tookMs, minMs }) => tookMs / minMs),
	];
}
