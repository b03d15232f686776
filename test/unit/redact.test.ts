import fc from 'fast-check';

import { redact } from '../../nodes/shared/base/redact';

const ofACredential = 'SG_0123456789abcdef';
const ofASession = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

describe('redact', () => {
	it.each([
		[`key ${ofACredential} is wrong`, 'key [hidden] is wrong'],
		[`"x-api-key":"${ofACredential}"`, '"x-api-key":"[hidden]"'],
		[`Bearer ${ofASession}`, 'Bearer [hidden]'],
		[
			'GET https://s3.example.com/a/b.png?X-Amz-Signature=abc&x=1 failed',
			'GET https://s3.example.com/a/b.png?[hidden] failed',
		],
		['<a href="https://x.example/?sig=1">', '<a href="https://x.example/?[hidden]">'],
		['HTTP://X.EXAMPLE/?sig=1', 'HTTP://X.EXAMPLE/?[hidden]'],
		['https://x.example/#/page?sig=1', 'https://x.example/#/page?[hidden]'],
		[
			'two: https://a.example/?s=1 https://b.example/?s=2',
			'two: https://a.example/?[hidden] https://b.example/?[hidden]',
		],
	])('%p becomes %p', (text, clean) => {
		expect(redact(text)).toBe(clean);
	});

	it.each([
		'Why? Because 1 < 2.',
		'https://images.segmind.com/generations/ab12.png',
		'SG_short',
		'request 4f0c8a1e is QUEUED',
	])('leaves %p alone', (text) => {
		expect(redact(text, ['', 'abc'])).toBe(text);
	});

	it('takes out the key in use in any form, every time it occurs', () => {
		expect(redact('my.key+1 and my.key+1', ['my.key+1'])).toBe('[hidden] and [hidden]');
	});

	it('lets no secret through, whatever stands around it', () => {
		fc.assert(
			fc.property(
				fc.string(),
				fc.string(),
				fc.stringMatching(/^[0-9a-zA-Z]{16}$/),
				(before, after, digits) => {
					const text = `${before}SG_${digits}${after}`;
					expect(redact(text)).not.toContain(digits);
					expect(redact(`${before} https://x.example/f?sig=${digits} ${after}`)).not.toContain(
						digits,
					);
					expect(redact(`${before}${digits}${after}`, [digits])).not.toContain(digits);
				},
			),
			{ numRuns: 1_000, seed: 1 },
		);
	});

	it('changes nothing more the second time', () => {
		fc.assert(
			fc.property(fc.string(), (noise) => {
				const once = redact(
					`${noise} ${ofACredential} https://x.example/?a=1 ${ofASession} ${noise}`,
				);
				expect(redact(once)).toBe(once);
			}),
			{ numRuns: 300, seed: 2 },
		);
	});
});
