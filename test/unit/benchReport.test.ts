import { headlines, resultsPage } from '../../dev/bench/report/markdown';
import type { Line, Results } from '../../dev/bench/row';
import { inWords, isMet } from '../../dev/bench/spread';

const LINE: Line = {
	measure: 'wall time over 5 s',
	unit: '×',
	values: [1.3, 1.1, 1.2],
	target: 1.25,
	rivals: [{ name: 'loop', values: [2.4] }],
	headline: true,
};
const resultsOf = (...lines: Line[]): Results => ({
	startedAt: '2026-11-21T04:00:00.000Z',
	minutes: 19.7,
	quick: false,
	machine: { processor: 'two cores' },
	rows: { batch: { lines } },
});

it('a target is kept by the middle value, and missed when nothing was measured', () => {
	expect(inWords(LINE.values, '×')).toBe('1.2 × (1.1 to 1.3)');
	const met = [[1.3, 1.1, 1.2], [1.3, 1.26, 1.1], []].map((values) => isMet({ ...LINE, values }));
	expect(met).toEqual([true, false, false]);
});

it('the pages tell each value beside its target and the others, and only headlines in the short table', () => {
	const missed = resultsOf(
		{ ...LINE, values: [1.4] },
		{ ...LINE, measure: 'x', headline: undefined },
	);
	expect(resultsPage(resultsOf(LINE))).toMatch(/\| 1\.25 × \| 1\.2 × .* yes \| loop: 2\.4 ×/);
	expect(resultsPage(missed)).toContain('**no**');
	expect(headlines(missed)).toContain('1.4 × (missed)');
	expect(headlines(missed)).not.toContain('| x |');
});
