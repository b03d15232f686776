import type { INode } from 'n8n-workflow';

import { ITEMS, JOB_MS } from '../../simulation/simulatedBatch';
import type { WorkflowRun } from '../engineProcess/messages';
import type { Bench, Line, Rival, Row } from '../row';
import { httpLoop, oneByOne, ours, prompts } from '../workflows';

const WINDOW_MS = 60_000;
/** Submit, one status call and the result of each item. */
const LEAST_CALLS = 3 * ITEMS;

export const rateLimits: Row = {
	name: 'rateLimits',
	about: '20 jobs of 5 s under limits of 50 and 500 calls a minute: total over the least',
	async measure(bench) {
		const lines: Line[] = [];
		for (const perMinute of bench.quick ? [500] : [50, 500])
			lines.push(await real(bench, perMinute));
		return { lines };
	},
};

/** In n8n's engine, against the emulator's limit. */
async function real(bench: Bench, perMinute: number): Promise<Line> {
	const { emulator } = bench;
	const leastMs = Math.max((Math.ceil(LEAST_CALLS / perMinute) - 1) * WINDOW_MS, JOB_MS);
	const settings = { items: prompts(ITEMS) };
	const contend = async (
		name: string,
		times: number,
		make: (node: Partial<INode>) => WorkflowRun,
	): Promise<Rival> =>
		await bench.withEngine(async (engine) => {
			const values: number[] = [];
			let note: string | undefined;
			for (let at = 0; at <= times; at++) {
				// The gate is the credential's: each run has one that knows nothing of the run before.
				const run = make({ credentials: { segmindApi: { id: `run ${at}`, name: '' } } });
				// The first run compiles.
				const warmUp = at === 0;
				await emulator.begin(warmUp ? { jobMs: 0 } : { jobMs: JOB_MS, rateLimit: { perMinute } });
				const given = warmUp ? prompts(2) : run.items;
				const { tookMs, items } = await engine.run({ ...run, items: given });
				if (warmUp) continue;
				if (items === given.length) values.push(tookMs / leastMs);
				else {
					const { jobs } = await emulator.seen();
					note = `fails at the first 429: ${jobs.length} jobs paid for, ${items} items out`;
				}
			}
			return { name, values, note };
		});
	const own = await contend('ours', bench.times(2), (node) =>
		ours(emulator, { ...settings, node }),
	);
	return {
		measure: `${perMinute} calls a minute, 20 jobs of 5 s: total over the least`,
		unit: '×',
		values: own.values,
		target: 1.2,
		rivals: [
			await contend('HTTP Request loop, Wait 2 s', bench.times(2), () =>
				httpLoop(emulator, settings, 2),
			),
			await contend('HTTP Request loop, Wait 5 s', bench.times(2), () =>
				httpLoop(emulator, settings, 5),
			),
			...(perMinute === 50 || bench.quick ? [] : [await oneAtATime()]),
		],
		note: own.note,
		headline: true,
	};

	async function oneAtATime(): Promise<Rival> {
		const few = 4;
		const { values } = await contend('', 1, (node) =>
			oneByOne(emulator, { items: prompts(few), node }, 2),
		);
		return {
			name: 'one by one, every 2 s',
			values: values.map((value) => (value * ITEMS) / few),
			note: `${few} items, times ${ITEMS / few}`,
		};
	}
}
