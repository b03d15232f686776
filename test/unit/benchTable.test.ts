import { isMet, tableOf } from '../../dev/bench/table';

const line = { measure: 'wall time', unit: '×', target: 1.25 } as const;

it.each([
	[[1.3, 1.1, 1.2], true],
	[[1.3, 1.26, 1.1], false],
	[[], false],
])('the median of %j meets the target of 1.25: %p', (values, expected) => {
	expect(isMet({ ...line, values })).toBe(expected);
});

it('shows a median with the lowest and the highest value, and a rival that failed', () => {
	const rivals = [{ name: 'loop', values: [], note: 'fails' }];
	expect(tableOf([{ ...line, values: [1.3, 1.1, 1.2], rivals }])).toContain(
		'| wall time | 1.25 × | 1.2 × (1.1 to 1.3) | loop: fails |',
	);
});
