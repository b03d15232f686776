import fc from 'fast-check';

import { SegmindFailure } from '../../nodes/shared/base/failure';
import { CAUSES } from '../../nodes/shared/errors/errorTable';
import {
	assertTrusted,
	decoded,
	joinUrl,
	originOf,
	pathSegment,
} from '../../nodes/shared/service/origins';

const BASE = 'https://api.segmind.com';

function failureOf(work: () => unknown): SegmindFailure {
	try {
		work();
	} catch (error) {
		expect(error).toBeInstanceOf(SegmindFailure);
		return error as SegmindFailure;
	}
	throw new Error('It was let through');
}

describe('assertTrusted', () => {
	it.each([
		`${BASE}/v2/requests/1/status`,
		`${BASE}:443/v2/requests/1`,
		'HTTPS://API.Segmind.com/v2/requests/1?x=1#y',
		`${BASE}/https://evil.example/`,
	])('lets %p through as it is', (address) => {
		expect(assertTrusted(address, BASE)).toBe(address);
	});

	it.each([
		'https://evil.example/v2/requests/1',
		'http://api.segmind.com/v2/requests/1',
		'https://api.segmind.com:8443/v2/requests/1',
		'https://api.segmind.com.evil.example/',
		'https://evil.example/https://api.segmind.com/',
		'https://evil.example?https://api.segmind.com/',
		'https://evil.example#@api.segmind.com/',
		'https://api.segmind.com@evil.example/',
		'https://api.segmind.com%2f@evil.example/',
		'https://api.segmind.com\\@evil.example/..@evil.example',
		'https:\\\\evil.example\\',
		'//evil.example/',
		'//api.segmind.com/',
		'/v2/requests/1',
		'ftp://api.segmind.com/',
		'javascript:alert(1)',
		'data:text/plain,https://api.segmind.com',
		'blob:https://api.segmind.com/1',
		'file:///etc/passwd',
		'https://аpi.segmind.com/',
		'https://api.segmind.com./',
		'not an address',
		'',
	])('refuses %p', (address) => {
		const outcome = (() => {
			try {
				return new URL(assertTrusted(address, BASE)).origin;
			} catch (error) {
				expect(error).toBeInstanceOf(SegmindFailure);
				return 'refused';
			}
		})();
		// A backslash is a slash in an http address: the one such case here stays on the trusted origin.
		expect(outcome).toBe(address.includes('com\\@') ? BASE : 'refused');
	});

	it.each(['https://user@api.segmind.com/', 'https://user:secret@api.segmind.com/v2'])(
		'refuses user information, without repeating it: %p',
		(address) => {
			const typed = failureOf(() => assertTrusted(address, BASE)).facts;
			expect(typed.message).toMatch(/user name or a password/);
			const returned = failureOf(() => assertTrusted(address, BASE, 'r-1')).facts;
			expect(returned.message).toContain('r-1');
			expect(returned.description).toBe(CAUSES.foreignRequest.todo);
			expect(JSON.stringify([typed, returned])).not.toContain('secret');
		},
	);

	it('names both origins and the request, but not the address, which may carry a signature', () => {
		const { facts } = failureOf(() =>
			assertTrusted('https://evil.example/v2?signature=abc', BASE, 'r-1'),
		);
		expect(facts.message).toContain('https://evil.example');
		expect(facts.message).toContain(BASE);
		expect(facts.requestId).toBe('r-1');
		expect(facts.description).toBe(CAUSES.foreignRequest.todo);
		expect(JSON.stringify(facts)).not.toContain('abc');
	});

	it('trusts nothing when the credential holds no address', () => {
		for (const base of ['', 'api.segmind.com', 'ftp://api.segmind.com'])
			expect(failureOf(() => assertTrusted(`${BASE}/v2`, base))).toBeInstanceOf(SegmindFailure);
	});

	it('never lets an address of another origin through, however it is written', () => {
		const piece = fc.oneof(
			fc.constantFrom(
				...['https:', 'http:', '//', '/', '\\', '@', ':', '#', '?', '%2f', '%40', '.', '..', '\t'],
				...['\n', ' ', 'api.segmind.com', 'evil.example', ':443', ':80', '\u0000', '。', '[::1]'],
				...['user', 'javascript:', 'blob:', 'xn--', 'API.SEGMIND.COM', '\u00ad', '\u200b'],
			),
			fc.string({ maxLength: 3, unit: 'binary' }),
		);
		const address = fc.oneof(
			fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join('')),
			fc
				.array(piece, { maxLength: 6 })
				.map((pieces) => `https://api.segmind.com${pieces.join('')}`),
			fc
				.array(piece, { maxLength: 6 })
				.map((pieces) => `https://${pieces.join('')}api.segmind.com`),
			fc.webUrl({ withQueryParameters: true, withFragments: true }),
		);
		let passed = 0;
		fc.assert(
			fc.property(address, (text) => {
				let allowed: string;
				try {
					allowed = assertTrusted(text, BASE);
				} catch (error) {
					expect(error).toBeInstanceOf(SegmindFailure);
					return;
				}
				passed++;
				const url = new URL(allowed);
				expect([url.origin, url.username, url.password]).toEqual([BASE, '', '']);
				expect(allowed).toBe(text);
			}),
			{ numRuns: 5_000, seed: 1 },
		);
		expect(passed).toBeGreaterThan(100);
	});
});

describe('originOf', () => {
	it.each([
		['https://Api.Segmind.com:443/x', BASE],
		['http://127.0.0.1:8787/x', 'http://127.0.0.1:8787'],
		['wss://api.segmind.com', undefined],
		['api.segmind.com', undefined],
		['https://', undefined],
	])('of %p is %p', (address, origin) => {
		expect(originOf(address)).toBe(origin);
	});
});

describe('pathSegment', () => {
	it.each([
		['nano-banana-pro', 'nano-banana-pro'],
		['Simple_Vector_Flux', 'Simple_Vector_Flux'],
		['claude-4.5-sonnet', 'claude-4.5-sonnet'],
		['  flux-2-pro ', 'flux-2-pro'],
		['...', '...'],
		['a b', 'a%20b'],
		['a/b', 'a%2Fb'],
		['a/../../b', 'a%2F..%2F..%2Fb'],
		['a?b#c', 'a%3Fb%23c'],
		['%2e%2e', '%252e%252e'],
		['模型', '%E6%A8%A1%E5%9E%8B'],
	])('makes %p into %p', (slug, segment) => {
		expect(pathSegment(slug, 'Model')).toBe(segment);
	});

	it.each([
		'',
		'   ',
		'.',
		'..',
		' .. ',
		'/',
		'/flux',
		'\\flux',
		'https://www.segmind.com/models/x',
	])('refuses %p, by the name of the parameter', (slug) => {
		const { facts } = failureOf(() => pathSegment(slug, 'Model'));
		expect(facts.message).toMatch(/^Model /);
		expect(facts.description).toContain('nothing was charged');
	});

	it('is one segment of the path as it stands, whatever was typed', () => {
		fc.assert(
			fc.property(
				fc.oneof(
					fc.string({ unit: 'binary' }),
					fc.string({ unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', 'f', '\ud800', ' ') }),
				),
				(slug) => {
					let segment: string;
					try {
						segment = pathSegment(slug, 'Model');
					} catch (error) {
						expect(error).toBeInstanceOf(SegmindFailure);
						return;
					}
					expect(segment).not.toMatch(/[/\\?#\s]/);
					const url = new URL(`${BASE}/v2/${segment}`);
					expect(url.pathname).toBe(`/v2/${segment}`);
					expect(decoded(segment)).toBe(slug.trim());
				},
			),
			{ numRuns: 3_000, seed: 2 },
		);
	});
});

describe('decoded and joinUrl', () => {
	it('give the text behind a segment, undefined when it is broken', () => {
		expect(decoded('a%20b')).toBe('a b');
		expect(decoded('%E0%A4%A')).toBeUndefined();
	});

	it.each([`${BASE}`, `${BASE}/`, ` ${BASE}// `])('join %p with a path by one slash', (base) => {
		expect(joinUrl(base, '/v1/get-user-credits')).toBe(`${BASE}/v1/get-user-credits`);
	});
});
