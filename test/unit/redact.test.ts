/** No text of ours contains a secret, whatever surrounds the secret and wherever the text is cut. */
import fc from 'fast-check';

import { redact, safeTextOf } from '../../nodes/shared/base/redact';
import { badInput } from '../../nodes/shared/errors/failures';
import { say, whole } from '../../nodes/shared/errors/say';
import { excerpt, reasonIn } from '../../nodes/shared/service/errorBody';

const ofACredential = 'SG_0123456789abcdef';
const ofASession = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

it.each([
	[`key ${ofACredential} is wrong`, 'key [hidden] is wrong'],
	[`"x-api-key":"${ofACredential}"`, '"x-api-key":"[hidden]"'],
	[`Bearer ${ofASession}`, 'Bearer [hidden]'],
	[
		'GET https://x.test/a/b.png?X-Amz-Signature=abc&x=1 failed',
		'GET https://x.test/a/b.png?[hidden] failed',
	],
	['<a href="https://x.example/?sig=1">', '<a href="https://x.example/?[hidden]">'],
	['key \\u0053\\u0047\\u005F\\u0031 is wrong', 'key [hidden] is wrong'],
	['HTTP://X.EXAMPLE/?sig=1', 'HTTP://X.EXAMPLE/?[hidden]'],
	['https://x.example/#/page?sig=1', 'https://x.example/#/page?[hidden]'],
	['https://a.test/?s=1 https://b.test/?s=2', 'https://a.test/?[hidden] https://b.test/?[hidden]'],
	["'https://u:p@h.example/a?s=1' is not", "'https://[hidden]@h.example/a?[hidden]' is not"],
	['my.key+1 and my.key+1', '[hidden] and [hidden]'],
	// Nothing to hide.
	...[
		...['Why? Because 1 < 2.', 'https://images.segmind.com/generations/ab12.png', 'SG_short'],
		...['request 4f0c8a1e is QUEUED', 'http://127.0.0.1:5678/a/b', 'http://[::1]:80/x'],
		...['No answer from http://127.0.0.1:5678.', 'see http://host.example:1, then'],
	].map((text) => [text, text]),
])('%p becomes %p', (text, clean) => {
	expect(redact(text, ['', 'abc', 'my.key+1'])).toBe(clean);
});

/** Encodings in which a response may repeat a secret. */
const ENCODINGS: Record<string, (text: string) => string> = {
	plain: (text) => text,
	json: (text) => JSON.stringify(text).slice(1, -1),
	percent: (text) => encodeURIComponent(text),
};

/** Returns the substrings of eight characters of a secret that are still in a text. */
function remainingParts(secret: string, text: string): string[] {
	const parts = [...Array(Math.max(0, secret.length - 7)).keys()].map((at) =>
		secret.slice(at, at + 8),
	);
	return parts.filter((part) => text.includes(part));
}

describe('any secret, any encoding, any cut', () => {
	const secret = fc.oneof(
		fc.stringMatching(/^[0-9a-f]{24,40}$/),
		fc.stringMatching(/^[A-Za-z0-9+/=_.-]{20,80}$/),
		fc
			.string({ unit: 'grapheme-ascii', minLength: 20, maxLength: 60 })
			.filter((text) => text.trim() === text && !text.includes('...')),
	);
	const noise = fc.stringMatching(/^[a-z ,;]{0,400}$/);

	it('is removed from a text before the text is shortened', () => {
		const encodings = fc.constantFrom(...Object.keys(ENCODINGS));
		fc.assert(
			fc.property(
				secret,
				noise,
				noise,
				encodings,
				fc.nat(600),
				(value, before, after, name, at) => {
					const encoded = ENCODINGS[name](value);
					const clean = (text: string) => redact(text, [value]);
					const text = `${before}:${encoded}:${after}`;
					for (const result of [
						redact(text, [value]),
						excerpt(text, clean),
						safeTextOf(text, at, clean),
						reasonIn({ error: { message: text, [encoded]: 1 } }, clean),
						reasonIn({ detail: [{ [value]: value }] }, clean),
					])
						expect([name, ...remainingParts(encoded.slice(4, -4), result)]).toEqual([name]);
				},
			),
			{ numRuns: 1_000, seed: 3 },
		);
	});

	it('removes the user and the signature of a URL from any error that quotes it', () => {
		const part = fc.stringMatching(/^[a-zA-Z0-9~!$*+._-]{12,90}$/).map((text) => `q7${text}`);
		const marks = fc.constantFrom("'", '"', '');
		fc.assert(
			fc.property(part, part, fc.nat(200), marks, (user, signature, at, mark) => {
				for (const address of [
					`https://${user}:${signature}@host.example/a`,
					`https://${user}@host.example/a?x=1&X-Amz-Signature=${signature}`,
					`https://host.example/it's/a?sig=${signature}&b='${user}'`,
					`s3://bucket/key?X-Amz-Signature=${signature}`,
					`/a/b?token=${signature}`,
				]) {
					const text = `Field ${mark}${safeTextOf(address, at)}${mark} is no good`;
					const what = say`Field ${mark}${whole(address)}${mark} is no good`;
					const { message } = badInput(what, say`Correct it.`);
					for (const result of [text, message])
						expect([address, ...remainingParts(signature, result)]).toEqual([address]);
					if (address.includes(`${user}@`) || address.includes(`${user}:`))
						expect([address, ...remainingParts(user, text)]).toEqual([address]);
				}
			}),
			{ numRuns: 300, seed: 5 },
		);
	});
});

it('safeTextOf returns one line, without characters that change how it is displayed', () => {
	fc.assert(
		fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, maxLength) => {
			const line = safeTextOf(text, maxLength);
			expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Surrogate}\u202a-\u202e\u2066-\u2069]/u);
			expect(line.length).toBeLessThanOrEqual(maxLength + 1);
		}),
		{ numRuns: 500, seed: 6 },
	);
	expect(safeTextOf('a slug\n[info] all is well\r\u2028\u202ex')).toBe(
		'a slug [info] all is well x',
	);
	expect(safeTextOf({ a: [1] })).toBe('{"a":[1]}');
	expect(safeTextOf(undefined)).toBe('');
});
