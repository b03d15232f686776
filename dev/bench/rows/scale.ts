import { mean, median } from 'simple-statistics';

import type { WorkflowRun } from '../engineProcess/messages';
import { callsPerSecond, submitted, type Connections } from '../load';
import { repeated, type Bench, type Outcome, type Row, type Table } from '../row';
import { credentialsOf, MODEL, ours, prompts, QUICK_MODEL, slug } from '../workflows';

const JOB_MS = 1_000;

interface Load {
	/** Its slug: about as long as the jobs by what is published of it. */
	model: string;
	jobMs: number;
	perMinute?: number;
	/** No way of asking could end sooner. */
	leastS: number;
}
/** Jobs as most users have them, and the case that the limit decides: three calls a job, the last thousand in the third window. */
const MINUTE: Load = { model: MODEL, jobMs: 60_000, leastS: 60 };
const LIMITED: Load = { ...MINUTE, perMinute: 1_000, leastS: 120 };
const ITEM_COUNTS = [125, 250, 500, 1_000];
const EXECUTION_COUNTS = [25, 50, 100, 200];
const KB = 1024;
const MB = 1024 * 1024;
/** Items and Max Concurrency. */
const SIZES: Array<[items: number, atOnce: number]> = [
	[1, 20],
	[10, 20],
	[100, 20],
	[1_000, 20],
	[100, 100],
	[1_000, 100],
	[1_000, 1_000],
];

export const scale: Row = {
	name: 'scale',
	about: '1 to 1,000 items, 25 to 200 executions at once, and a poll of 1,000 watched requests',
	async measure(bench): Promise<Outcome> {
		const sizes = bench.quick
			? SIZES.filter(([items, atOnce]) => items <= atOnce && items <= 100)
			: SIZES;
		const rows = await repeated(sizes.length, async (at) => await sized(bench, ...sizes[at]));
		const items: Table = {
			title: 'Items of Segmind, jobs of 1 s',
			columns: [
				'items',
				'Max Concurrency',
				'wall, s',
				'least, s',
				'calls',
				'n8n’s processor time a call, ms',
				'journal, kB',
				'heap, MB',
			],
			rows,
			note: 'Least: the rounds that Max Concurrency makes, a second each; detection comes on top in each of them, about half a second for jobs as short as these. From some hundred items at once n8n’s processor is the limit: four calls for each item, each on a connection of its own (the emulator’s own limit is further below). Journal: what n8n would store of it when the last of the items fails. Heap: highest over what it was before.',
		};
		return {
			lines: [],
			tables: [items, await growth(bench), await polls(bench), await capacity(bench)],
		};
	},
};

/** Median numbers of a batch of that size. */
async function sized(bench: Bench, count: number, atOnce: number): Promise<number[]> {
	const { emulator } = bench;
	const run = ours(
		emulator,
		{ items: prompts(count) },
		{ model: slug(QUICK_MODEL) },
		{ maxConcurrency: atOnce },
	);
	return await bench.withEngine(async (engine) => {
		await emulator.begin({ jobMs: 0 });
		await engine.run({ ...run, items: prompts(1) });
		const reports = await repeated(count / atOnce > 10 ? 1 : bench.times(3), async () => {
			// The last one fails: n8n keeps the journal then.
			await emulator.begin({ jobMs: JOB_MS, failJobs: [count - 1] });
			const report = await engine.run(run);
			const { calls, jobs } = await emulator.seen();
			if (jobs.length !== count) throw new Error(`${jobs.length} jobs: ${report.error}`);
			return { ...report, calls: calls.length };
		});
		const of = (pick: (report: (typeof reports)[0]) => number) => median(reports.map(pick));
		return [
			count,
			atOnce,
			rounded(of(({ tookMs }) => tookMs / 1_000)),
			Math.ceil(count / atOnce) * (JOB_MS / 1_000),
			of(({ calls }) => calls),
			rounded(of(({ cpuMs, calls }) => cpuMs / calls)),
			rounded(of(({ contextBytes }) => contextBytes / KB)),
			rounded(of(({ heapGrowth }) => heapGrowth / MB)),
		];
	});
}

/** What n items at once, or n executions of one item, cost for each of them: in a table whose columns stay level nothing outgrows the work. */
async function growth(bench: Bench): Promise<Table> {
	const { emulator } = bench;
	const measured = async (
		what: string,
		items: number,
		executions: number,
		{ model, jobMs, perMinute, leastS }: Load,
	) => {
		const run: WorkflowRun = {
			...ours(
				emulator,
				{ items: prompts(items) },
				{ model: slug(model) },
				{ maxConcurrency: items },
			),
			executions,
		};
		const work = items * executions;
		return await bench.withEngine(async (engine) => {
			// The first run compiles, and under the same name later ones would meet its limit.
			await emulator.begin({ jobMs: 0 });
			await engine.run({ ...run, items: prompts(2), executions: 2 });
			await emulator.begin({ jobMs, ...(perMinute && { rateLimit: { perMinute } }) });
			const report = await engine.run(run);
			if (report.items !== work) throw new Error(`${report.items} items: ${report.error}`);
			const { calls } = await emulator.seen();
			return [
				what,
				rounded(report.tookMs / 1_000),
				leastS,
				calls.length,
				rounded(calls.length / work),
				rounded(report.cpuMs / work),
				rounded(report.heapGrowth / KB / work),
				rounded(report.storedBytes / KB / work),
			];
		});
	};
	const growing = { model: QUICK_MODEL, jobMs: 5_000, leastS: 5 };
	const rows: Table['rows'] = [];
	for (const count of bench.quick ? [ITEM_COUNTS[0]] : ITEM_COUNTS)
		rows.push(await measured(`${count} items, jobs of 5 s`, count, 1, growing));
	for (const count of bench.quick ? [EXECUTION_COUNTS[0]] : EXECUTION_COUNTS)
		rows.push(await measured(`${count} executions of one item, jobs of 5 s`, 1, count, growing));
	if (!bench.quick)
		rows.push(
			await measured('200 executions of one item, jobs of 60 s', 1, 200, MINUTE),
			await measured('1,000 items, jobs of 60 s, 1,000 calls a minute', 1_000, 1, LIMITED),
		);
	return {
		title: 'What grows faster than the work',
		columns: [
			'at once',
			'wall, s',
			'least, s',
			'calls',
			'calls an item',
			'processor time an item, ms',
			'heap an item, kB',
			'stored execution an item, kB',
		],
		rows,
		note: 'One process of n8n. Least: the jobs themselves, or the windows that three calls a job need. Heap: highest over what it was before, what is not collected yet included. Stored execution: all that n8n keeps of it, as JSON. A column that rises from row to row would outgrow the work.',
	};
}

/** One poll of Segmind Trigger that watches listed requests. */
async function polls(bench: Bench): Promise<Table> {
	const { emulator } = bench;
	const counts = bench.quick ? [100] : [10, 100, 1_000];
	const states = [
		['unfinished', 3_600_000],
		['finished', 0],
	] as const;
	const rows: Table['rows'] = [];
	for (const [state, jobMs] of states) {
		for (const count of counts) {
			const reports = await repeated(bench.times(3), async () => {
				await emulator.begin({ jobMs });
				const ids = await submitted(emulator, count);
				const before = (await emulator.seen()).calls.length;
				return await bench.withEngine(async (engine) => {
					const watching = (requests: string[]) => ({
						parameters: {
							event: 'requestFinished',
							watch: 'requests',
							requests: requests.join('\n'),
						},
						credentials: credentialsOf(emulator),
					});
					// The first poll of a process loads and compiles.
					const warm = await engine.poll(watching(ids.slice(0, 1)));
					const report = await engine.poll(watching(ids));
					const { calls } = await emulator.seen();
					return { ...report, calls: calls.length - before - (warm.items > 0 ? 2 : 1) };
				});
			});
			rows.push([
				count,
				state,
				rounded(median(reports.map(({ tookMs }) => tookMs / 1_000))),
				median(reports.map(({ calls }) => calls)),
				median(reports.map(({ items }) => items)),
			]);
		}
	}
	return {
		title: 'One poll of Segmind Trigger, watching listed requests',
		columns: ['requests', 'state', 'time, s', 'calls', 'items out'],
		rows,
	};
}

/** Whether the emulator is what limits: undici asks it, while nobody else does. */
async function capacity(bench: Bench): Promise<Table> {
	const { emulator } = bench;
	const calls = bench.quick ? 500 : 3_000;
	const ways: Array<[Connections, string]> = [
		['kept', 'kept'],
		['opened', 'one a call, as n8n does'],
	];
	const rows = await repeated(ways.length, async (at) => {
		const [connections, words] = ways[at];
		await emulator.begin({ jobMs: 3_600_000 });
		const [id] = await submitted(emulator, 1);
		await callsPerSecond(emulator, id, calls, connections);
		const values = await repeated(
			bench.times(3),
			async () => await callsPerSecond(emulator, id, calls, connections),
		);
		return [words, Math.round(mean(values))];
	});
	return {
		title: 'What the emulator can answer (undici, 20 connections)',
		columns: ['connections', 'status calls a second'],
		rows,
	};
}

function rounded(value: number): number {
	return Number(value.toPrecision(3));
}
