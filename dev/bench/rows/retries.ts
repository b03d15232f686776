import type { WorkflowRun } from '../engineProcess/messages';
import { repeat, type Bench, type Row } from '../row';
import { httpLoopWorkflow, MODEL, segmindWorkflow, slugValue } from '../workflows';

/** A model that this key doesn't have access to. Its item fails in each attempt, and is free. */
const DENIED = 'flux-2-pro';
const GOOD_ITEMS = 2;
const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

const items = [MODEL, DENIED, MODEL].map((model, at) => ({
	json: { prompt: `prompt ${at}`, model },
}));

export const retries: Row = {
	name: 'retries',
	about: 'Retry On Fail with three tries, three items, one of which always fails: submits',
	async measure(bench) {
		const { emulator } = bench;
		const model = slugValue('={{ $json.model }}');
		const loop = httpLoopWorkflow(emulator, { items, node: RETRY }, 2);
		return {
			lines: [
				{
					measure: 'Retry On Fail, one item of three failing: submits of a good item',
					unit: 'submits',
					values: await countSubmits(
						bench,
						segmindWorkflow(emulator, { items, node: RETRY }, { model }),
					),
					target: 1,
					rivals: [{ name: 'HTTP Request loop', values: await countSubmits(bench, loop) }],
					headline: true,
					drawn: true,
				},
			],
		};
	},
};

async function countSubmits(bench: Bench, run: WorkflowRun): Promise<number[]> {
	return await bench.withEngine(
		async (engine) =>
			await repeat(bench.times(3), async () => {
				await bench.emulator.begin({ jobMs: 300, deniedModels: [DENIED] });
				await engine.run(run);
				return (await bench.emulator.readState()).jobs.length / GOOD_ITEMS;
			}),
	);
}
