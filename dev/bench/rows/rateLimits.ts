import { ITEMS, JOB_MS, WINDOW_MS } from '../../simulation/simulatedBatch';
import { repeat, type Bench, type Line, type Row } from '../row';
import { race } from './race';

/** A submission, a status check and a result for each item. */
const LEAST_CALLS = 3 * ITEMS;

export const rateLimits: Row = {
	name: 'rateLimits',
	about: '20 jobs of 5 s under limits of 50 and 500 calls a minute: total over the least',
	async measure(bench) {
		const limits = bench.quick ? [500] : [50, 500];
		return { lines: await repeat(limits.length, async (at) => await line(bench, limits[at])) };
	},
};

/** In n8n's engine, against the emulator's limit. */
async function line(bench: Bench, perMinute: number): Promise<Line> {
	const values = await race(bench, {
		orders: { rateLimit: { perMinute } },
		leastMs: Math.max((Math.ceil(LEAST_CALLS / perMinute) - 1) * WINDOW_MS, JOB_MS),
		times: [2, 2],
		...(perMinute > 50 && { oneByOne: { items: 4, every: [2] } }),
	});
	return {
		measure: `${perMinute} calls a minute, 20 jobs of 5 s: total over the least`,
		unit: '×',
		target: 1.2,
		...values,
		headline: true,
	};
}
