import { ITEMS, JOB_MS, WINDOW_MS } from '../../simulation/simulatedBatch';
import { repeat, type Bench, type Line, type Row } from '../row';
import { race } from './race';

/** Each item needs a submission, a status check and a result. */
const MIN_CALLS = 3 * ITEMS;

export const rateLimits: Row = {
	name: 'rateLimits',
	about: '20 jobs of 5 s under limits of 50 and 500 calls a minute: total over the least',
	async measure(bench) {
		const limits = bench.quick ? [500] : [50, 500];
		return {
			lines: await repeat(limits.length, async (at) => await measureLimit(bench, limits[at])),
		};
	},
};

/** Measures the batch in n8n's engine, under a rate limit of the emulator. */
async function measureLimit(bench: Bench, perMinute: number): Promise<Line> {
	const result = await race(bench, {
		orders: { rateLimit: { perMinute } },
		minMs: Math.max((Math.ceil(MIN_CALLS / perMinute) - 1) * WINDOW_MS, JOB_MS),
		times: [2, 2],
		...(perMinute > 50 && { oneByOne: { items: 4, every: [2] } }),
	});
	return {
		measure: `${perMinute} calls a minute, 20 jobs of 5 s: total over the least`,
		unit: '×',
		target: 1.2,
		...result,
		headline: true,
	};
}
