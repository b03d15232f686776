import type { INode } from 'n8n-workflow';

import { ITEMS, JOB_MS } from '../../simulation/simulatedBatch';
import type { WorkflowRun } from '../engineProcess/messages';
import { repeated, type Bench, type Line, type Rival, type Row } from '../row';
import { httpLoop, oneByOne, ours, prompts } from '../workflows';

const WINDOW_MS = 60_000;
/** Submit, one status call and the result of each item. */
const LEAST_CALLS = 3 * ITEMS;

export const rateLimits: Row = {
	name: 'rateLimits',
	about: '20 jobs of 5 s under limits of 50 and 500 calls a minute: total over the least',
	async measure(bench) {
		const limits = bench.quick ? [500] : [50, 500];
		return { lines: await repeated(limits.length, async (at) => await line(bench, limits[at])) };
	},
};

/** A way of sending the items; each run has a credential of its own. */
interface Contender {
	name: string;
	times: number;
	make: (node: Partial<INode>) => WorkflowRun;
}

/** In n8n's engine, against the emulator's limit. */
async function line(bench: Bench, perMinute: number): Promise<Line> {
	const { emulator } = bench;
	const items = prompts(ITEMS);
	const twice = bench.times(2);
	const loops = [2, 5].map((seconds) => ({
		name: `HTTP Request loop, Wait ${seconds} s`,
		times: twice,
		make: () => httpLoop(emulator, { items }, seconds),
	}));
	const { values, note } = await contend(bench, perMinute, {
		name: 'ours',
		times: twice,
		make: (node) => ours(emulator, { items, node }),
	});
	const rivals = await repeated(2, async (at) => await contend(bench, perMinute, loops[at]));
	if (perMinute > 50 && !bench.quick) rivals.push(await oneAtATime(bench, perMinute));
	return {
		measure: `${perMinute} calls a minute, 20 jobs of 5 s: total over the least`,
		unit: '×',
		values,
		target: 1.2,
		rivals,
		note,
		headline: true,
	};
}

async function contend(
	{ emulator, withEngine }: Bench,
	perMinute: number,
	{ name, times, make }: Contender,
): Promise<Rival> {
	const leastMs = Math.max((Math.ceil(LEAST_CALLS / perMinute) - 1) * WINDOW_MS, JOB_MS);
	return await withEngine(async (engine) => {
		// The gate is the credential's: each run has one that knows nothing of the run before.
		const run = (at: number) =>
			make({ credentials: { segmindApi: { id: `run ${at}`, name: '' } } });
		// The first run compiles.
		await emulator.begin({ jobMs: 0 });
		await engine.run({ ...run(0), items: prompts(2) });
		const values: number[] = [];
		let note: string | undefined;
		for (let at = 1; at <= times; at++) {
			await emulator.begin({ jobMs: JOB_MS, rateLimit: { perMinute } });
			const given = run(at);
			const { tookMs, items } = await engine.run(given);
			if (items === given.items.length) values.push(tookMs / leastMs);
			else {
				const { jobs } = await emulator.seen();
				note = `fails at the first 429: ${jobs.length} jobs paid for, ${items} items out`;
			}
		}
		return { name, values, note };
	});
}

async function oneAtATime(bench: Bench, perMinute: number): Promise<Rival> {
	const items = prompts(4);
	const factor = ITEMS / items.length;
	const name = 'one by one, every 2 s';
	const make = (node: Partial<INode>) => oneByOne(bench.emulator, { items, node }, 2);
	const { values } = await contend(bench, perMinute, { name, times: 1, make });
	const note = `${items.length} items, times ${factor}`;
	return { name, values: values.map((value) => value * factor), note };
}
