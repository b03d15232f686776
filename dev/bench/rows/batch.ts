import type { Row } from '../row';
import { race } from './race';

export const batch: Row = {
	name: 'batch',
	about: '20 items with jobs of 5 s: wall time over 5 s',
	async measure(bench) {
		const measure = '20 items, jobs of 5 s: wall time over 5 s';
		const result = await race(bench, { times: [7, 3], oneByOne: { items: 10, every: [2, 5] } });
		const shown = { headline: true, drawn: true } as const;
		return { lines: [{ measure, unit: '×', target: 1.15, ...result, ...shown }] };
	},
};
