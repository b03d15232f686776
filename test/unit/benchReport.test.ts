import { headlines, resultsPage } from '../../dev/bench/report/markdown';
import type { Line, Results } from '../../dev/bench/row';
import { inWords, isMet } from '../../dev/bench/spread';

const line: Line = {
	measure: 'wall time over 5 s',
	unit: '×',
	values: [1.3, 1.1, 1.2],
	target: 1.25,
	rivals: [
		{ name: 'loop', values: [2.4] },
		{ name: 'limited loop', values: [], note: 'fails at the first 429' },
	],
	headline: true,
};

function resultsOf(...lines: Line[]): Results {
	const machine = { processor: 'two cores' };
	return {
		startedAt: '2026-11-21T04:00:00.000Z',
		minutes: 19.7,
		quick: false,
		machine,
		rows: { batch: { lines } },
	};
}

describe('a spread in words', () => {
	it('is the middle value with the ends, the ends left out of a single run', () => {
		expect(inWords([1.3, 1.1, 1.2], '×')).toBe('1.2 × (1.1 to 1.3)');
		expect(inWords([2_512.4], 'ms')).toBe('2,512 ms');
		expect(inWords([], 's')).toBe('–');
	});
});

describe('a target', () => {
	it('is kept by the middle value, and missed when nothing was measured', () => {
		expect(isMet(line)).toBe(true);
		expect(isMet({ ...line, values: [1.3, 1.26, 1.1] })).toBe(false);
		expect(isMet({ ...line, values: [] })).toBe(false);
		expect(isMet({ ...line, target: undefined })).toBeUndefined();
	});
});

describe('the pages', () => {
	it('tell target, ours, and each other with its ratio or why it has none', () => {
		const page = resultsPage(resultsOf(line));
		expect(page).toContain(
			'| wall time over 5 s | 1.25 × | 1.2 × (1.1 to 1.3) | yes | loop: 2.4 ×, ours is 0.5 of it<br>limited loop: fails at the first 429 |',
		);
		expect(page).toContain('| processor | two cores |');
	});

	it('say so when a target is missed', () => {
		const missed = { ...line, values: [1.4] };
		expect(resultsPage(resultsOf(missed))).toContain('| 1.4 × | **no** |');
		expect(headlines(resultsOf(missed))).toContain('1.4 × (missed)');
	});

	it('keep the rest out of the short table', () => {
		const short = headlines(
			resultsOf(line, { ...line, measure: 'beside it', headline: undefined }),
		);
		expect(short).toContain('wall time over 5 s');
		expect(short).not.toContain('beside it');
	});
});
