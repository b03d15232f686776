import fc from 'fast-check';

import { namedOutputs } from '../../nodes/shared/output/namedOutputs';

const IMAGE = 'https://images.segmind.com/a.png';

describe('the named outputs of a workflow', () => {
	it('are the data of typed values and the values of others, by keyname', () => {
		const named = namedOutputs([
			{ keyname: 'final_image', value: { data: IMAGE, type: 'image' } },
			{ keyname: 'caption', value: 'a cat' },
			{ keyname: 'count', value: 3 },
			{ keyname: 'nothing', value: null },
			{ keyname: 'boxes', value: { data: [1, 2], type: 7 } },
			{ keyname: 'meta', value: { type: 'image' } },
		]);
		expect(named?.byName).toEqual({
			final_image: IMAGE,
			caption: 'a cat',
			count: 3,
			nothing: null,
			boxes: [1, 2],
			meta: { type: 'image' },
		});
		expect(named?.values[0]).toEqual({ value: IMAGE, type: 'image' });
		expect(named?.values[1]).toEqual({ value: 'a cat', type: undefined });
	});

	it('of one name become a list, in the order of the service', () => {
		const named = namedOutputs([
			{ keyname: 'image', value: { data: 'a', type: 'image' } },
			{ keyname: 'text', value: 't' },
			{ keyname: 'image', value: ['b'] },
			{ keyname: 'image', value: 'c' },
		]);
		expect(named?.byName).toEqual({ image: ['a', ['b'], 'c'], text: 't' });
		expect(named?.values.map(({ value }) => value)).toEqual(['a', 't', ['b'], 'c']);
	});

	it('are the members of the plain object of older templates', () => {
		expect(namedOutputs({ image_output: IMAGE })?.byName).toEqual({ image_output: IMAGE });
	});

	it('are none in an empty list', () => {
		expect(namedOutputs([])).toEqual({ byName: {}, values: [] });
	});

	it.each<[unknown]>([
		[[IMAGE, IMAGE]],
		[[{ url: IMAGE }]],
		[''],
		['broken ['],
		[null],
		[undefined],
		[5],
	])('are unknown in %j, which is left to be read as any output', (output) => {
		expect(namedOutputs(output)).toBeUndefined();
	});

	it('keep a name that JavaScript uses itself', () => {
		const named = namedOutputs([
			{ keyname: '__proto__', value: 'a' },
			{ keyname: 'constructor', value: 'b' },
		]);
		expect(Object.entries(named?.byName ?? {})).toEqual([
			['__proto__', 'a'],
			['constructor', 'b'],
		]);
		expect(Object.getPrototypeOf(named?.byName)).toBe(Object.prototype);
	});

	it('lose no value', () => {
		const pair = fc.record({ keyname: fc.constantFrom('a', 'b', ''), value: fc.jsonValue() });
		fc.assert(
			fc.property(fc.array(pair, { maxLength: 6 }), (output) => {
				const named = namedOutputs(output);
				expect(named?.values).toHaveLength(output.length);
				const names = new Set(output.map(({ keyname }) => keyname));
				expect(new Set(Object.keys(named?.byName ?? {}))).toEqual(names);
			}),
			{ numRuns: 300, seed: 1 },
		);
	});
});
