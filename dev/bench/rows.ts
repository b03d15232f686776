/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** The rows of the benchmark, except those about files. */
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';

import { ROOT } from '../base/project';
import { pack, run } from '../base/run';
import type { Orders } from '../emulator';
import type { WorkflowRun } from './engineProcess/engine';
import type { Bench, Line, Result, Row } from './row';
import { FAST_MODEL, httpLoopWorkflow, promptItems, segmindWorkflow, slugValue } from './workflows';

const BATCH_ITEMS = 20;
/** Each item needs a submission, a status check and a result. */
const MIN_CALLS = 3 * BATCH_ITEMS;
const WINDOW_MS = 60_000;
/** An image model whose published average is 61 s. */
const SLOW_MODEL = 'nano-banana-pro';
const MANY_ITEMS = 1_000;

export const batch: Row = {
	name: 'batch',
	async measure(bench) {
		const runs = await compareRuns(bench, {
			items: BATCH_ITEMS,
			model: FAST_MODEL,
			jobsMs: Array<number>(7).fill(5_000),
			valueOf: (tookMs, jobMs) => tookMs / jobMs,
		});
		return [{ measure: '20 items, jobs of 5 s: wall time over 5 s', unit: '×', ...runs }];
	},
};

export const long: Row = {
	name: 'long',
	async measure(bench) {
		const runs = await compareRuns(bench, {
			items: 1,
			model: SLOW_MODEL,
			// Of different lengths, so that they don't all end just before or after a check.
			jobsMs: [56_300, 60_900, 64_600],
			valueOf: (tookMs, jobMs) => (tookMs - jobMs) / 1_000,
		});
		return [{ measure: 'one request of about 60 s: item after its end', unit: 's', ...runs }];
	},
};

export const limits: Row = {
	name: 'limits',
	async measure(bench) {
		const lines: Line[] = [];
		for (const perMinute of [50, 500]) {
			const windowsMs = (Math.ceil(MIN_CALLS / perMinute) - 1) * WINDOW_MS;
			const runs = await compareRuns(bench, {
				items: BATCH_ITEMS,
				model: FAST_MODEL,
				jobsMs: [5_000, 5_000],
				orders: { rateLimit: { perMinute } },
				valueOf: (tookMs, jobMs) => tookMs / Math.max(windowsMs, jobMs),
			});
			const measure = `${perMinute} calls a minute, 20 jobs of 5 s: total over the least`;
			lines.push({ measure, unit: '×', ...runs });
		}
		return lines;
	},
};

export const memory: Row = {
	name: 'memory',
	async measure({ emulator, withEngine }) {
		const { rssGrowth, storedBytes } = await withEngine(async (engine) => {
			await emulator.begin({ jobMs: 5_000 });
			const items = promptItems(MANY_ITEMS);
			return await engine.complete(
				segmindWorkflow(emulator, { items }, {}, { maxConcurrency: MANY_ITEMS }),
			);
		});
		const kilobytesPerItem = (bytes: number) => [bytes / 1_000 / MANY_ITEMS];
		const of = '1,000 items at once, per item';
		return [
			{ measure: `${of}: memory growth`, unit: 'kB', values: kilobytesPerItem(rssGrowth) },
			{ measure: `${of}: stored execution`, unit: 'kB', values: kilobytesPerItem(storedBytes) },
		];
	},
};

export const footprint: Row = {
	name: 'footprint',
	async measure({ installation }) {
		const script = join(__dirname, 'engineProcess', 'requireNodes.cjs');
		const values: number[] = [];
		for (let at = 0; at < 15; at++) {
			const { stdout } = await run(installation.node, [script, installation.n8n], { cwd: ROOT });
			values.push(Number(stdout));
		}
		const { size } = await pack('--dry-run');
		const required = "requiring all of dist, over requiring n8n's HTTP Request node";
		return [
			{ measure: required, unit: '×', values },
			{ measure: 'dist packed', unit: 'kB', values: [size / 1_000] },
		];
	},
};

interface Runs {
	items: number;
	model: string;
	/** The duration of the jobs of each run. */
	jobsMs: number[];
	orders?: Partial<Orders>;
	/** What a line shows of a run. */
	valueOf: (tookMs: number, jobMs: number) => number;
}

/** Measures runs in n8n's engine, of our nodes and of loops of n8n's own nodes with a Wait of 2 s and of 5 s. */
async function compareRuns(bench: Bench, runs: Runs): Promise<Pick<Line, 'rivals'> & Result> {
	const { emulator } = bench;
	const items = promptItems(runs.items);
	const model = slugValue(runs.model);
	const ours = await timeRuns(bench, runs, (node) =>
		segmindWorkflow(emulator, { items, node }, { model }),
	);
	const rivals: Line['rivals'] = [];
	for (const seconds of [2, 5]) {
		const result = await timeRuns(bench, runs, () =>
			httpLoopWorkflow(emulator, { items }, seconds),
		);
		rivals.push({ name: `Wait ${seconds} s`, ...result });
	}
	return { ...ours, rivals };
}

async function timeRuns(
	{ emulator, withEngine }: Bench,
	{ items: itemCount, jobsMs, orders, valueOf }: Runs,
	make: (node: Partial<INode>) => WorkflowRun,
): Promise<Result> {
	return await withEngine(async (engine) => {
		// The rate limiter belongs to the credential, so each run uses a new credential.
		const run = (at: number) =>
			make({ credentials: { segmindApi: { id: `run ${at}`, name: '' } } });
		// The first run is slower, because it compiles code. It has two items, because the first status check of a single item would be late if the model's
		// published time is long.
		await emulator.begin({ jobMs: 0 });
		await engine.complete({ ...run(-1), items: promptItems(2) });
		const values: number[] = [];
		let note: string | undefined;
		for (const [at, jobMs] of jobsMs.entries()) {
			await emulator.begin({ jobMs, ...orders });
			const { tookMs, items } = await engine.run(run(at));
			const { jobs } = await emulator.readState();
			if (items === itemCount) values.push(valueOf(tookMs, jobMs));
			else note = `fails: ${jobs.length} jobs paid for, ${items} items out`;
		}
		return { values, note };
	});
}
