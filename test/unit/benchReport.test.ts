import { formatSpread, isMet } from '../../dev/bench/spread';

it.each([
	[[1.3, 1.1, 1.2], true],
	[[1.3, 1.26, 1.1], false],
	[[], false],
])('the median of %j meets the target of 1.25: %p', (values, expected) => {
	expect(isMet({ measure: 'wall time', unit: '×', values, target: 1.25, rivals: [] })).toBe(
		expected,
	);
});

it('shows a median with the minimum and maximum', () => {
	expect(formatSpread([1.3, 1.1, 1.2], '×')).toBe('1.2 × (1.1 to 1.3)');
});
