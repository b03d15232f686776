import type { WorkflowRun } from '../engineProcess/messages';
import { repeated, type Bench, type Row } from '../row';
import { httpLoop, oneByOne, ours, prompts } from '../workflows';

const ITEMS = 20;
const JOB_MS = 5_000;

export const batch: Row = {
	name: 'batch',
	about: '20 items with jobs of 5 s: wall time over 5 s',
	async measure(bench) {
		const { emulator } = bench;
		const settings = { items: prompts(ITEMS) };
		// One by one takes two minutes for twenty items, and half of that for half of them.
		const few = bench.quick ? 2 : 10;
		const factor = ITEMS / few;
		const values = await walls(bench, bench.times(7), () => ours(emulator, settings));
		const loops = [2, 5].map((seconds) => async () => ({
			name: `HTTP Request loop, Wait ${seconds} s`,
			values: await walls(bench, bench.times(3), () => httpLoop(emulator, settings, seconds)),
		}));
		const single = [2, 5].map((seconds) => async () => ({
			name: `one by one, every ${seconds} s`,
			values: (
				await walls(bench, 1, () => oneByOne(emulator, { items: prompts(few) }, seconds))
			).map((value) => value * factor),
			note: `${few} items, times ${factor}`,
		}));
		const rivals = await repeated(4, async (at) => await [...loops, ...single][at]());
		const measure = '20 items, jobs of 5 s: wall time over 5 s';
		const shown = { headline: true, drawn: true } as const;
		return { lines: [{ measure, unit: '×', values, target: 1.15, rivals, ...shown }] };
	},
};

/** Wall times over the job's time. */
async function walls(
	{ emulator, withEngine }: Bench,
	times: number,
	run: () => WorkflowRun,
): Promise<number[]> {
	return await withEngine(async (engine) => {
		// The first run compiles. Of a single item the first look would come late: the model's published time is long.
		await emulator.begin({ jobMs: 0 });
		await engine.run({ ...run(), items: prompts(2) });
		return await repeated(times, async () => {
			await emulator.begin({ jobMs: JOB_MS });
			const { tookMs, items, error } = await engine.run(run());
			if (items !== run().items.length) throw new Error(`${items} items came out: ${error}`);
			return tookMs / JOB_MS;
		});
	});
}
