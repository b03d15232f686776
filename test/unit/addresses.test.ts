/** Which URLs may receive the key, and which slugs may be in a path. */
import fc from 'fast-check';

import { SegmindFailure } from '../../nodes/shared/base/failure';
import { whyNotFollowed } from '../../nodes/shared/media/openFile';
import {
	assertAddresses,
	assertOwnUrl,
	decodeSegment,
	isCallable,
	isOwnUrl,
	joinUrl,
	originOf,
	pathSegment,
	SERVICE_URLS,
} from '../../nodes/shared/service/addresses';

const BASE = 'https://api.segmind.com';

/** Runs `work`. Returns its value or its failure. */
function outcomeOf(work: () => string): { value?: string; failure?: SegmindFailure } {
	try {
		return { value: work() };
	} catch (error) {
		expect(error).toBeInstanceOf(SegmindFailure);
		return { failure: error as SegmindFailure };
	}
}

describe('an address of the credential', () => {
	it.each([
		BASE,
		'https://93.184.216.34',
		'http://localhost:5678',
		'http://127.0.0.1:1',
		'http://10.0.0.2/segmind',
		'http://192.168.1.5',
		'http://[::1]:80',
		'http://[fd00::1]',
		'http://proxy:8080',
		'http://segmind.example.com',
		'http://notsegmind.com',
	])('%p may be called', (address) => {
		expect(isCallable(address)).toBe(true);
	});

	it.each([
		'http://api.segmind.com',
		'HTTP://API.Segmind.COM.:8080/x',
		'http://segmind.com',
		'http://93.184.216.34',
		'http://1572395042',
		'http://[2606:4700::1111]',
		'http://[::ffff:93.184.216.34]',
		'ftp://proxy',
		'https://user:password@proxy',
		'https://proxy/segmind?team=1',
		'https://proxy/#segmind',
		'proxy',
		'',
	])(
		'%p is rejected, because the key could be read on its way, or no call is possible',
		(address) => {
			expect(isCallable(address)).toBe(false);
			const { failure } = outcomeOf(
				() => assertAddresses({ ...SERVICE_URLS, uploadUrl: address }).uploadUrl,
			);
			expect(failure?.facts).toMatchObject({
				kind: 'badInput',
				message: expect.stringContaining('Upload URL'),
			});
		},
	);
});

describe('a URL', () => {
	it.each([
		`${BASE}/v2/requests/1/status`,
		`${BASE}:443/v2/requests/1`,
		'HTTPS://API.Segmind.com/v2/requests/1?x=1#y',
		`${BASE}/https://evil.example/`,
		// A backslash counts as a slash in an HTTP URL.
		`${BASE}\\@evil.example/..@evil.example`,
		`${SERVICE_URLS.uploadUrl}/requests/1`,
	])('%p may get the key', (address) => {
		expect(isOwnUrl(address, SERVICE_URLS)).toBe(true);
	});

	it.each([
		'https://evil.example/v2/requests/1',
		'http://api.segmind.com/v2/requests/1',
		`${BASE}:8443/v2/requests/1`,
		`${BASE}.evil.example/`,
		`https://evil.example/${BASE}/`,
		`https://evil.example?${BASE}/`,
		'https://evil.example#@api.segmind.com/',
		`${BASE}@evil.example/`,
		`${BASE}%2f@evil.example/`,
		'https:\\\\evil.example\\',
		'//api.segmind.com/',
		'/v2/requests/1',
		'ftp://api.segmind.com/',
		'javascript:alert(1)',
		`data:text/plain,${BASE}`,
		`blob:${BASE}/1`,
		'https://аpi.segmind.com/',
		`${BASE}./`,
		'not an address',
		'',
		'https://user@api.segmind.com/',
		'https://user:secret@api.segmind.com/v2',
	])('%p is rejected, and the error hides its query and user info', (address) => {
		const { failure } = outcomeOf(() => {
			assertOwnUrl(`${address}?sig=abcdef`, SERVICE_URLS, 'r-1');
			return address;
		});
		expect(failure?.facts).toMatchObject({ kind: 'foreignOrigin', requestId: 'r-1' });
		expect(JSON.stringify(failure?.facts)).not.toMatch(/abcdef|secret/);
	});

	it('gets no key if the credential has no valid URL', () => {
		for (const base of ['', 'api.segmind.com', 'ftp://api.segmind.com'])
			expect(isOwnUrl(`${BASE}/v2`, { ...SERVICE_URLS, baseUrl: base })).toBe(false);
	});

	it('of another origin is rejected, however it is written', () => {
		const piece = fc.oneof(
			fc.constantFrom(
				...['https:', 'http:', '//', '/', '\\', '@', ':', '#', '?', '%2f', '%40', '.', '..', '\t'],
				...['\n', ' ', 'api.segmind.com', 'evil.example', ':443', ':80', '\u0000', '。', '[::1]'],
				...['user', 'javascript:', 'blob:', 'xn--', 'API.SEGMIND.COM', '\u00ad', '\u200b'],
			),
			fc.string({ maxLength: 3, unit: 'binary' }),
		);
		const joinedPieces = fc.array(piece, { maxLength: 9 }).map((some) => some.join(''));
		const address = fc.oneof(
			joinedPieces,
			joinedPieces.map((text) => `${BASE}${text}`),
			joinedPieces.map((text) => `https://${text}api.segmind.com`),
			fc.webUrl({ withQueryParameters: true, withFragments: true }),
		);
		let passed = 0;
		fc.assert(
			fc.property(address, (text) => {
				if (!isOwnUrl(text, SERVICE_URLS)) return;
				passed++;
				const { origin, username, password } = new URL(text);
				expect([origin, username, password]).toEqual([BASE, '', '']);
			}),
			{ numRuns: 3_000, seed: 1 },
		);
		expect(passed).toBeGreaterThan(100);
	});
});

it.each([
	['https://Api.Segmind.com:443/x', BASE],
	['http://127.0.0.1:8787/x', 'http://127.0.0.1:8787'],
	['wss://api.segmind.com', undefined],
	['api.segmind.com', undefined],
	['https://', undefined],
])('the origin of %p is %p', (address, origin) => {
	expect(originOf(address)).toBe(origin);
});

describe('a path segment', () => {
	it.each([
		['Simple_Vector_Flux-4.5', 'Simple_Vector_Flux-4.5'],
		['  flux-2-pro ', 'flux-2-pro'],
		['...', '...'],
		['a b', 'a%20b'],
		['a/../../b', 'a%2F..%2F..%2Fb'],
		['a?b#c', 'a%3Fb%23c'],
		['%2e%2e', '%252e%252e'],
		['模型', '%E6%A8%A1%E5%9E%8B'],
	])('of the slug %p is %p', (slug, segment) => {
		expect(pathSegment(slug, 'Model')).toBe(segment);
	});

	it.each([
		'',
		'   ',
		'.',
		' .. ',
		'/',
		'/flux',
		'\\flux',
		'https://www.segmind.com/models/x',
		'x'.repeat(201),
		'a\ud800',
	])('is not made from %p', (slug) => {
		const { failure } = outcomeOf(() => pathSegment(slug, 'Model'));
		const message = expect.stringContaining('Model');
		expect(failure?.facts).toMatchObject({ kind: 'badInput', charge: 'none', message });
	});

	it('is decoded; if its encoding is broken, the result is undefined', () => {
		expect([decodeSegment('a%20b'), decodeSegment('%E0%A4%A')]).toEqual(['a b', undefined]);
	});
});

it.each([BASE, `${BASE}/`, ` ${BASE}// `])(
	'the base %p and a path are joined with one slash',
	(base) => {
		expect(joinUrl(base, '/v1/get-user-credits')).toBe(`${BASE}/v1/get-user-credits`);
	},
);

describe('a redirect of a download', () => {
	const PUBLIC = 'http://files.example/a.png';
	const isFollowed = (from: string, to: string, baseUrl = BASE) =>
		whyNotFollowed(new URL(from), new URL(to), { ...SERVICE_URLS, baseUrl }) === undefined;

	it.each([
		...['localhost', 'LOCALHOST.', 'app.localhost', '127.0.0.1', '127.1', '2130706433', '0x7f.1'],
		...['0.0.0.0', '10.1.2.3', '100.64.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
		...['192.168.0.1', '[::]', '[::1]', '[fe80::1]', '[feb0::1]', '[fc00::1]', '[fd12:3456::1]'],
		...['[::ffff:127.0.0.1]', '[::ffff:a00:1]', '[0:0:0:0:0:ffff:c0a8:1]', '[::10.0.0.1]'],
		...['[::ffff:0:10.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[2002:7f00:1::]'],
	])('never leads from a public host to %s', (host) => {
		const target = `http://${host}:8080/a.png`;
		expect(isFollowed(PUBLIC, target)).toBe(false);
		expect(isFollowed('http://10.0.0.9/a.png', target)).toBe(true);
		expect(isFollowed(PUBLIC, target, `http://${host}:5678`)).toBe(true);
	});

	it.each([
		...['cdn.example', '10.example', 'localhost.example', 'fd12.example', '8.8.8.8'],
		...['11.0.0.1', '100.63.0.1', '100.128.0.1', '169.253.0.1', '172.15.0.1', '172.32.0.1'],
		...['[2606:4700::1111]', '[::ffff:8.8.8.8]', '[64:ff9b::808:808]', '[2002:808:808::]'],
	])('may lead to %s', (host) => {
		expect(isFollowed(PUBLIC, `http://${host}/a.png`)).toBe(true);
	});

	it('never leads from https to http, nor to anything else', () => {
		const secure = 'https://files.example/a.png';
		expect(isFollowed(secure, 'https://cdn.example/a.png')).toBe(true);
		expect(isFollowed(PUBLIC, secure)).toBe(true);
		for (const target of [PUBLIC, 'http://api.segmind.com/', 'ftp://cdn.example/', 'data:,x'])
			expect(isFollowed(secure, target)).toBe(false);
	});
});
