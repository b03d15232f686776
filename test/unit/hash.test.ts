import fc from 'fast-check';

import { digest, stableJson } from '../../nodes/shared/base/hash';

/** Returns the same value with the members of every object in reverse order. */
function reversed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(reversed);
	if (typeof value !== 'object' || value === null) return value;
	const members = Object.entries(value).reverse();
	return Object.fromEntries(members.map(([name, member]) => [name, reversed(member)]));
}

it('stableJson contains everything, and the order of members does not matter at any depth', () => {
	fc.assert(
		fc.property(fc.jsonValue(), (value) => {
			expect(stableJson(reversed(value))).toBe(stableJson(value));
			// JSON has no -0.
			expect(JSON.parse(stableJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
		}),
		{ numRuns: 500, seed: 1 },
	);
	expect(stableJson(JSON.parse('{"a": {"__proto__": 1}}'))).toBe('{"a":{"__proto__":1}}');
	expect(stableJson({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
	expect(stableJson(undefined)).toBe('undefined');
});

it('a digest is half of a SHA-256 hash, and the same for a string and its bytes', () => {
	expect(digest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223');
	expect(digest(Buffer.from('é', 'utf8'))).toBe(digest('é'));
});
