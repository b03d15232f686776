import type { WorkflowRun } from '../engine/messages';
import { repeated, type Row } from '../row';
import { httpPost, MODEL, ours, prompts, single } from '../workflows';

/** Its option Batching as n8n fills it in: 50 calls, then a second's pause. */
const BATCHING = { batchSize: 50, batchInterval: 1_000 };

export const instantCalls: Row = {
	name: 'instantCalls',
	about: '1,000 items of an instant v1 call, over the time of n8n’s own HTTP Request node',
	async measure(bench) {
		const { emulator } = bench;
		const count = bench.quick ? 200 : 1_000;
		const items = prompts(count);
		const url = `${emulator.urls.api}/v1/${MODEL}`;
		const own = ours(emulator, { items }, { apiVersion: 'v1' });
		const plain = single(emulator, items, httpPost('Call', url));
		const batched = single(emulator, items, httpPost('Call', url, BATCHING));
		const walls = await bench.withEngine(async (engine) => {
			const wall = async (run: WorkflowRun) => {
				await emulator.begin({ v1Ms: 0 });
				const { tookMs, items: out, error } = await engine.run(run);
				if (out !== count) throw new Error(`${out} items came out: ${error}`);
				return tookMs / 1_000;
			};
			// The first runs compile.
			for (const run of [own, plain]) await wall({ ...run });
			const pairs = await repeated(bench.times(7), async () => [await wall(own), await wall(plain)]);
			return { pairs, batched: await repeated(bench.times(2), async () => await wall(batched)) };
		});
		const seconds = walls.pairs.map(([mine]) => mine);
		const theirs = walls.pairs.map(([, stock]) => stock);
		return {
			lines: [
				{
					measure: `${count} items of an instant v1 call: wall time over HTTP Request's`,
					unit: '×',
					values: walls.pairs.map(([mine, stock]) => mine / stock),
					target: 1.2,
					rivals: [],
					headline: true,
				},
				{
					measure: `${count} items of an instant v1 call: wall time`,
					unit: 's',
					values: seconds,
					rivals: [
						{ name: 'HTTP Request as it comes', values: theirs },
						{ name: 'HTTP Request, Batching on', values: walls.batched, note: '50 a second' },
					],
					drawn: true,
				},
			],
		};
	},
};
