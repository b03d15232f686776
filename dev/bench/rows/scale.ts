import { repeat, type Bench, type Row } from '../row';
import { MODEL, segmindWorkflow, promptItems, QUICK_MODEL, slugValue } from '../workflows';

const KB = 1024;

/** What one measurement runs. The cost per item should be the same for all loads. */
interface Load {
	items: number;
	/** Number of simultaneous executions; 1 by default. */
	executions?: number;
	/** Max Items at Once; all items by default. */
	atOnce?: number;
	jobMs: number;
	perMinute?: number;
	/** The minimum time, whatever the polling. */
	minS: number;
}

const LOADS: Load[] = [
	...[125, 250, 500, 1_000].map((items) => ({ items, jobMs: 5_000, minS: 5 })),
	...[25, 50, 100, 200].map((executions) => ({ items: 1, executions, jobMs: 5_000, minS: 5 })),
	{ items: 100, atOnce: 20, jobMs: 1_000, minS: 5 },
	{ items: 1_000, atOnce: 100, jobMs: 1_000, minS: 10 },
	// Jobs of usual duration. In the second case, the rate limit decides: of the three calls per job, the last 1,000 calls are in the third window.
	{ items: 1, executions: 200, jobMs: 60_000, minS: 60 },
	{ items: 1_000, jobMs: 60_000, perMinute: 1_000, minS: 120 },
];

export const scale: Row = {
	name: 'scale',
	about: 'up to 1,000 items and 200 executions at once: what each of them costs',
	async measure(bench) {
		const loads = bench.quick ? [LOADS[0], LOADS[4]] : LOADS;
		return {
			lines: [],
			tables: [
				{
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
					rows: await repeat(loads.length, async (at) => await costOf(bench, loads[at])),
					note: 'One process of n8n. Least: the jobs themselves, the rounds that Max Items at Once makes, or the windows that three calls a job need. Heap: highest over what it was before, what is not collected yet included. Stored execution: all that n8n keeps of it, as JSON. A column that rises from row to row would outgrow the work.',
				},
			],
		};
	},
};

async function costOf(
	{ emulator, withEngine }: Bench,
	load: Load,
): Promise<Array<string | number>> {
	const { items, executions = 1, atOnce = items, jobMs, perMinute, minS } = load;
	// The model's published time is about as long as the jobs.
	const model = slugValue(jobMs < 60_000 ? QUICK_MODEL : MODEL);
	const run = {
		...segmindWorkflow(
			emulator,
			{ items: promptItems(items) },
			{ model },
			{ maxConcurrency: atOnce },
		),
		executions,
	};
	const work = items * executions;
	return await withEngine(async (engine) => {
		// The first run is slower, because it compiles code.
		await emulator.begin({ jobMs: 0 });
		await engine.complete({ ...run, items: promptItems(2), executions: 2 });
		await emulator.begin({ jobMs, ...(perMinute && { rateLimit: { perMinute } }) });
		const report = await engine.complete(run);
		const { calls } = await emulator.readState();
		return [
			inWords(load),
			report.tookMs / 1_000,
			minS,
			calls.length,
			calls.length / work,
			report.cpuMs / work,
			report.heapGrowth / KB / work,
			report.storedBytes / KB / work,
		];
	});
}

function inWords({ items, executions, atOnce, jobMs, perMinute }: Load): string {
	return [
		executions ? `${executions} executions of one item` : `${items.toLocaleString('en')} items`,
		...(atOnce ? [`${atOnce} at once`] : []),
		`jobs of ${jobMs / 1_000} s`,
		...(perMinute ? [`${perMinute.toLocaleString('en')} calls a minute`] : []),
	].join(', ');
}
