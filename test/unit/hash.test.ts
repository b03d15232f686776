import fc from 'fast-check';

import { digest, stableJson } from '../../nodes/shared/base/hash';

/** The same value with the members of every object the other way round. */
function reversed(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(reversed);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.reverse()
			.map(([name, member]) => [name, reversed(member)]),
	);
}

describe('stableJson', () => {
	it('is the same text whatever the order of the members, at any depth', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (value) => {
				expect(stableJson(reversed(value))).toBe(stableJson(value));
			}),
			{ numRuns: 500, seed: 1 },
		);
	});

	it('says all there is: equal texts mean equal values', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
				// -0 has no place in JSON.
				const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;
				expect(JSON.parse(stableJson(one))).toEqual(plain(one));
				if (stableJson(one) === stableJson(other)) expect(plain(one)).toEqual(plain(other));
			}),
			{ numRuns: 500, seed: 2 },
		);
	});

	it.each<[unknown, unknown]>([
		[{ a: [1, 2] }, { a: [2, 1] }],
		[{ a: '1' }, { a: 1 }],
		[{ a: null }, {}],
		[{ a: { b: 1 } }, { a: 1, b: 1 }],
		[JSON.parse('{"__proto__": {"a": 1}}'), {}],
		[JSON.parse('{"a": {"__proto__": 1}}'), JSON.parse('{"a": {"__proto__": 2}}')],
	])('tells %j from %j', (one, other) => {
		expect(stableJson(one)).not.toBe(stableJson(other));
	});

	it('takes a date as its text and nothing as a word', () => {
		expect(stableJson({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}');
		expect(stableJson(undefined)).toBe('undefined');
	});
});

describe('digest', () => {
	it('is half of a SHA-256, the same for a text and its bytes', () => {
		expect(digest('abc')).toBe('ba7816bf8f01cfea414140de5dae2223');
		expect(digest(Buffer.from('é', 'utf8'))).toBe(digest('é'));
	});
});
