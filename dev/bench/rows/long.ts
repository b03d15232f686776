import type { Row } from '../row';
import { compareRuns } from './runs';

/** An image model whose published average is 61 s. */
const MODEL = 'nano-banana-pro';

export const long: Row = {
	name: 'long',
	about: 'one request of about 60 s: how long after its end the item is there',
	async measure(bench) {
		const runs = await compareRuns(bench, {
			items: 1,
			model: MODEL,
			// Of different lengths, so that they don't all end just before or after a check.
			jobsMs: [56_300, 60_900, 64_600],
			valueOf: (tookMs, jobMs) => (tookMs - jobMs) / 1_000,
		});
		return [{ measure: 'one request of about 60 s: item after its end', unit: 's', ...runs }];
	},
};
