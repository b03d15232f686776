import { ITEMS, JOB_MS, runBatch, WINDOW_MS } from '../../simulation/simulatedBatch';
import { repeat, type Row } from '../row';
import { batchLine } from './batch';

const TARGET = 1.2;
/** Each item needs a submission, a status check and a result. */
const MIN_CALLS = 3 * ITEMS;

export const limits: Row = {
	name: 'limits',
	about: '20 jobs of 5 s under limits of 5, 50 and 500 calls a minute: total over the least',
	async measure(bench) {
		const nameOf = (perMinute: number) =>
			`${perMinute} calls a minute, 20 jobs of 5 s: total over the least`;
		const measured = await repeat(2, async (at) => {
			const perMinute = [50, 500][at];
			const minMs = Math.max((Math.ceil(MIN_CALLS / perMinute) - 1) * WINDOW_MS, JOB_MS);
			const rateLimit = { perMinute };
			return await batchLine(bench, nameOf(perMinute), 2, TARGET, { minMs, rateLimit });
		});
		// In real time, this limit would take 11 minutes a run.
		const values = await repeat(12, async (seed) => {
			const { durationMs, minMs } = await runBatch({ perMinute: 5, seed });
			return durationMs / minMs;
		});
		return [
			{ measure: `${nameOf(5)} (virtual time)`, unit: '×', target: TARGET, values },
			...measured,
		];
	},
};
