import type { Row } from '../row';
import { promptItems, segmindWorkflow } from '../workflows';

const ITEMS = 1_000;
const KB = 1_000;

export const memory: Row = {
	name: 'memory',
	about: '1,000 items at once with jobs of 5 s: memory, and what n8n stores, per item',
	async measure({ emulator, withEngine }) {
		const { rssGrowth, storedBytes } = await withEngine(async (engine) => {
			await emulator.begin({ jobMs: 5_000 });
			const items = promptItems(ITEMS);
			return await engine.complete(
				segmindWorkflow(emulator, { items }, {}, { maxConcurrency: ITEMS }),
			);
		});
		const perItem = (bytes: number) => [bytes / KB / ITEMS];
		const of = '1,000 items at once, per item';
		return [
			{ measure: `${of}: memory growth`, unit: 'kB', values: perItem(rssGrowth) },
			{ measure: `${of}: stored execution`, unit: 'kB', values: perItem(storedBytes) },
		];
	},
};
