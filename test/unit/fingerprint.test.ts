import fc from 'fast-check';

import { fingerprintOf } from '../../nodes/shared/request/recover/fingerprint';

const body = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }));

describe('the fingerprint of a request body', () => {
	it('is the same after the service stored the body in its own way', () => {
		fc.assert(
			fc.property(body, (sent) => {
				const stored = Object.fromEntries(
					Object.entries(JSON.parse(JSON.stringify(sent)) as object).reverse(),
				);
				expect(fingerprintOf(stored)).toEqual(fingerprintOf(sent));
			}),
			{ numRuns: 300, seed: 1 },
		);
	});

	it('stays the same member by member when the service adds defaults', () => {
		fc.assert(
			fc.property(body, body, (sent, added) => {
				const ours = fingerprintOf(sent);
				const theirs = fingerprintOf({ ...added, ...sent });
				for (const name of Object.keys(ours)) expect(theirs[name]).toBe(ours[name]);
			}),
			{ numRuns: 300, seed: 2 },
		);
	});

	it('differs in the member that differs by value, and only there', () => {
		const one = fingerprintOf({ prompt: 'a', seed: 1, mask: null, size: [1, 2], hd: true });
		const other = fingerprintOf({ prompt: ' a\n', seed: '2', mask: '', size: [2, 1], hd: 'true' });
		expect(Object.keys(one).filter((name) => one[name] !== other[name])).toEqual([
			'seed',
			'mask',
			'size',
		]);
	});

	it('keeps nothing of the values themselves', () => {
		const kept = JSON.stringify(
			fingerprintOf({ prompt: 'a private matter', image: 'x'.repeat(10_000) }),
		);
		expect(kept).not.toContain('private');
		expect(kept.length).toBeLessThan(200);
	});
});
