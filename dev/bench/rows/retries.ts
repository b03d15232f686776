import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { WorkflowRun } from '../engineProcess/messages';
import { repeated, type Bench, type Line, type Rival, type Row } from '../row';
import { httpLoop, MODEL, ours, slug } from '../workflows';

/** A model this key may not use: its item fails at each try, and costs nothing. */
const DENIED = 'flux-2-pro';
const GOOD = 2;
const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };

const items: INodeExecutionData[] = [MODEL, DENIED, MODEL].map((model, at) => ({
	json: { prompt: `prompt ${at}`, model },
	binary: {
		data: {
			data: Buffer.from(`picture ${at}`).toString('base64'),
			mimeType: 'image/png',
			fileName: `${at}.png`,
		},
	},
}));
const ofItem: INodeParameters = { model: slug('={{ $json.model }}') };

function input(name: string, value: INodeParameters): INodeParameters {
	return { values: [{ name: { __rl: true, mode: 'name', value: name }, ...value }] };
}

const SEED = input('seed', {
	type: 'number',
	numberValue: '={{ Math.floor(Math.random() * 1e9) }}',
});
const FILE = input('image_urls', { type: 'file', binaryFields: 'data', asList: true });

export const retries: Row = {
	name: 'retries',
	about: 'Retry On Fail with three tries, three items, one always failing: submits',
	async measure(bench) {
		const { emulator } = bench;
		const rivals: Rival[] = [
			{
				name: 'HTTP Request loop',
				values: await submits(bench, httpLoop(emulator, { items, node: RETRY }, 2)),
			},
		];
		const line = async (what: string, inputs: INodeParameters): Promise<Line> => ({
			measure: `Retry On Fail, one item of three failing${what}: submits of a good item`,
			unit: 'submits',
			values: await submits(bench, ours(emulator, { items, node: RETRY }, { ...ofItem, inputs })),
			target: 1,
			rivals,
		});
		return {
			lines: [
				{ ...(await line('', {})), headline: true, drawn: true },
				await line(', random seed', SEED),
				await line(', file input', FILE),
			],
		};
	},
};

async function submits(bench: Bench, run: WorkflowRun): Promise<number[]> {
	return await bench.withEngine(
		async (engine) =>
			await repeated(bench.times(3), async () => {
				await bench.emulator.begin({ jobMs: 300, deniedModels: [DENIED] });
				await engine.run(run);
				return (await bench.emulator.seen()).jobs.length / GOOD;
			}),
	);
}
