import type { Row } from '../row';
import { FAST_MODEL } from '../workflows';
import { compareRuns } from './runs';

export const batch: Row = {
	name: 'batch',
	about: '20 items with jobs of 5 s: wall time over 5 s',
	async measure(bench) {
		const runs = await compareRuns(bench, {
			items: 20,
			model: FAST_MODEL,
			jobsMs: Array<number>(7).fill(5_000),
			valueOf: (tookMs, jobMs) => tookMs / jobMs,
		});
		return [{ measure: '20 items, jobs of 5 s: wall time over 5 s', unit: '×', ...runs }];
	},
};
