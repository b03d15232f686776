import type { Line, Row } from '../row';
import { FAST_MODEL } from '../workflows';
import { compareRuns } from './runs';

const ITEMS = 20;
/** Each item needs a submission, a status check and a result. */
const MIN_CALLS = 3 * ITEMS;
const WINDOW_MS = 60_000;

export const limits: Row = {
	name: 'limits',
	about: '20 jobs of 5 s under limits of 50 and 500 calls a minute: total over the least',
	async measure(bench) {
		const lines: Line[] = [];
		for (const perMinute of [50, 500]) {
			const windowsMs = (Math.ceil(MIN_CALLS / perMinute) - 1) * WINDOW_MS;
			const runs = await compareRuns(bench, {
				items: ITEMS,
				model: FAST_MODEL,
				jobsMs: [5_000, 5_000],
				orders: { rateLimit: { perMinute } },
				valueOf: (tookMs, jobMs) => tookMs / Math.max(windowsMs, jobMs),
			});
			const measure = `${perMinute} calls a minute, 20 jobs of 5 s: total over the least`;
			lines.push({ measure, unit: '×', ...runs });
		}
		return lines;
	},
};
