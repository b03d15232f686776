/** How the outputs of a workflow are read by their names. */
import { readNamedOutputs } from '../../nodes/shared/output/namedOutputs';

it('a named output is the data of a typed value, or any other value; outputs with the same name become a list', () => {
	const named = readNamedOutputs([
		{ keyname: 'image', value: { data: 'a', type: 'image' } },
		{ keyname: 'caption', value: 'a cat' },
		{ keyname: 'nothing', value: null },
		{ keyname: 'boxes', value: { data: [1, 2], type: 7 } },
		{ keyname: 'meta', value: { type: 'image' } },
		{ keyname: 'image', value: ['b'] },
		{ keyname: '__proto__', value: 'c' },
	]);
	const { image, caption, nothing, boxes, meta } = named?.byName ?? {};
	expect(image).toEqual(['a', ['b']]);
	expect([caption, nothing, boxes, meta]).toEqual(['a cat', null, [1, 2], { type: 'image' }]);
	expect(Object.entries(named?.byName ?? {})).toContainEqual(['__proto__', 'c']);
	expect(Object.getPrototypeOf(named?.byName)).toBe(Object.prototype);
	expect(named?.values[0]).toEqual({ name: 'image', value: 'a', type: 'image' });
});

it.each<[unknown, unknown]>([
	// Older templates return a plain object.
	[{ image_output: 'a' }, { image_output: 'a' }],
	[[], {}],
	// These outputs have no names.
	[['a', 'b'], undefined],
	[[{ url: 'a' }], undefined],
	['broken [', undefined],
	[null, undefined],
	[5, undefined],
])('the named outputs of %j are %j', (output, byName) => {
	expect(readNamedOutputs(output)?.byName).toEqual(byName);
});
