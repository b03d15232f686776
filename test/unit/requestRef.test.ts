import fc from 'fast-check';

import { SegmindFailure } from '../../nodes/shared/base/failure';
import {
	parseRequest,
	refFromId,
	refFromSubmission,
	resultUrl,
	statusUrl,
} from '../../nodes/shared/request/result/requestRef';
import { processorMsOf } from '../helpers/processorTime';

const BASE = 'https://api.segmind.com';
const ID = '4f0c8a1e22b94c1e9d8f7a6b5c4d3e2f';
const RESULT_URL = `${BASE}/v2/requests/${ID}`;
const STATUS_URL = `${RESULT_URL}/status`;
const POLL_URL = `${BASE}/v1/requests/${ID}`;
const WORKFLOW_URL = `${BASE}/workflows/request/${ID}`;

/** What is called for a request given so: first for the status, then for the result. */
function called(request: unknown, base = BASE) {
	const ref = parseRequest(request, base);
	return [statusUrl(ref), resultUrl(ref)];
}

function refusalOf(request: unknown): SegmindFailure {
	try {
		parseRequest(request, BASE);
	} catch (error) {
		expect(error).toBeInstanceOf(SegmindFailure);
		return error as SegmindFailure;
	}
	throw new Error('It was taken for a request');
}

describe('a request given as', () => {
	it.each<[string, unknown]>([
		['its id', ID],
		['its id with spaces around it', `  ${ID}\n`],
		['the result address', RESULT_URL],
		['the result address with a slash at its end', `${RESULT_URL}/`],
		['the output of Submit', { request_id: ID, status: 'QUEUED', model: 'flux-2-pro' }],
		['JSON text of it', JSON.stringify({ request_id: ID, status_url: STATUS_URL })],
	])('%s is looked up at its v2 addresses', (_, request) => {
		const [status, result] = called(request);
		expect(status).toBe(STATUS_URL);
		expect(result?.replace(/\/$/, '')).toBe(RESULT_URL);
	});

	it('a bare id is looked up at the origin of the credential, staging too', () => {
		expect(called(ID, 'https://api-latest.segmind.com/')).toEqual([
			`https://api-latest.segmind.com/v2/requests/${ID}/status`,
			`https://api-latest.segmind.com/v2/requests/${ID}`,
		]);
	});

	it('a number is an id', () => {
		expect(parseRequest(12345, BASE).request_id).toBe('12345');
		expect(parseRequest({ request_id: 12345 }, BASE).request_id).toBe('12345');
	});

	it('an id is one segment of the path, whatever is in it', () => {
		expect(called('a:b+c%2F')[1]).toBe(`${BASE}/v2/requests/a%3Ab%2Bc%252F`);
	});

	it('the status address gives the result address by its end', () => {
		expect(called(STATUS_URL)).toEqual([STATUS_URL, RESULT_URL]);
		expect(called(`${STATUS_URL}/`)).toEqual([`${STATUS_URL}/`, RESULT_URL]);
	});

	it.each([POLL_URL, WORKFLOW_URL])('a poll address serves both purposes as it is: %p', (url) => {
		expect(called(url)).toEqual([url, url]);
		expect(parseRequest(url, BASE).request_id).toBe(ID);
	});

	it('an object with all addresses is called exactly there', () => {
		const submitted = {
			request_id: ID,
			poll_url: POLL_URL,
			status_url: STATUS_URL,
			response_url: `${RESULT_URL}?from=test`,
		};
		expect(called(submitted)).toEqual([STATUS_URL, `${RESULT_URL}?from=test`]);
		expect(called({ ...submitted, response_url: null })).toEqual([STATUS_URL, RESULT_URL]);
		expect(called({ request_id: ID, poll_url: WORKFLOW_URL })).toEqual([
			WORKFLOW_URL,
			WORKFLOW_URL,
		]);
	});

	it('an object without an id has the one in its address', () => {
		expect(parseRequest({ poll_url: WORKFLOW_URL }, BASE).request_id).toBe(ID);
		expect(parseRequest({ status_url: STATUS_URL }, BASE).request_id).toBe(ID);
	});

	it('an object keeps the model or the workflow it names', () => {
		expect(parseRequest({ request_id: ID, model: 'flux-2-pro' }, BASE).model).toBe('flux-2-pro');
		expect(parseRequest({ request_id: ID, workflow: 'w' }, BASE).workflow).toBe('w');
		expect(parseRequest({ request_id: ID, model: 7 }, BASE).model).toBeUndefined();
	});
});

describe('what is no request', () => {
	it.each<[unknown, RegExp]>([
		['', /empty/],
		['   ', /empty/],
		[undefined, /empty/],
		[null, /empty/],
		[[ID], /list/],
		['["a"]', /list/],
		[{}, /no request_id and no address/],
		['{}', /no request_id and no address/],
		[{ id: ID }, /no request_id and no address/],
		[{ request_id: { a: 1 } }, /no request_id and no address/],
		[{ request_id: '' }, /no request_id and no address/],
		['[object Object]', /\[object Object\]/],
		['{"request_id": ', /\{"request_id":/],
		['two words', /two words/],
		['requests/1', /requests\/1/],
		['..', /\.\./],
		[{ request_id: '..' }, /\.\./],
		[`${BASE}/`, /names no request/],
		[`${BASE}/status`, /names no request/],
	])('%j is refused, in words that show it', (request, words) => {
		const { facts } = refusalOf(request);
		expect(facts.message).toMatch(words);
		expect(facts.description).toMatch(/Nothing was sent, nothing was charged\.$/);
	});

	it.each<unknown>([
		// Alone: it ends in /request(s)/{id}, or in that and /status.
		`${BASE}/v1/get-user-credits`,
		`${BASE}/v1/get-user-credits?x=/requests/${ID}`,
		`${BASE}/v1/get-user-credits#/requests/${ID}`,
		`${BASE}/v1/get-user-credits/status`,
		`${BASE}/v2/requests/${ID}/cancel`,
		`${BASE}/v2/requests/${ID}/../../../v1/get-user-credits`,
		`${BASE}/v2/requests/..%2f..%2fv1%2fget-user-credits`,
		`${BASE}/v2/requests/..%5c..%5cv1%5cget-user-credits`,
		`${BASE}/v2/requests/%zz`,
		`${BASE}/v2/requests`,
		`${BASE}/requests/status`,
		`${BASE}/myrequests/${ID}`,
		{ status_url: `${BASE}/v1/get-user-credits` },
		{ poll_url: POLL_URL, response_url: `${BASE}/v1/get-user-credits` },
		{ request_id: '', status_url: `${BASE}/v1/get-user-credits` },
		{ request_id: ' ', status_url: STATUS_URL },
		// With an object: just so, and it carries that object's request_id.
		{ request_id: ID, status_url: `${BASE}/v1/get-user-credits` },
		{ request_id: ID, status_url: STATUS_URL, response_url: `${BASE}/v2/requests/other` },
		{ request_id: ID, poll_url: `${BASE}/v1/get-user-credits?id=${ID}` },
		{ request_id: ID, poll_url: `${BASE}/${ID}/..%2fv1%2fget-user-credits` },
		{ request_id: ID, poll_url: `${BASE}/v1/x${ID}` },
		{ request_id: ID, poll_url: `${BASE}/jobs/${ID}/state` },
		{ request_id: ID, poll_url: `${BASE}/${ID}` },
		{ request_id: 'get-user-credits', status_url: `${BASE}/v1/get-user-credits` },
		{ request_id: 'v1', status_url: `${BASE}/v1/get-user-credits` },
		{ request_id: 'get-user-credits', poll_url: `${BASE}/v1/get-user-credits/status` },
		{ request_id: 'requests', poll_url: `${BASE}/requests/${ID}` },
		JSON.stringify({ request_id: ID, status_url: `${BASE}/v1/get-user-credits` }),
	])('an address of anything but the request is refused: %j', (request) => {
		const { facts } = refusalOf(request);
		expect(facts.description).toMatch(/Nothing was sent, nothing was charged\.$/);
	});

	it.each<[unknown, string]>([
		[{ request_id: 'a b', poll_url: `${BASE}/request/a%20b` }, `${BASE}/request/a%20b`],
		[`${BASE}/requests/${ID}?x=1`, `${BASE}/requests/${ID}?x=1`],
	])('an address of the request is called as it was given: %j', (request, url) => {
		expect(called(request)[0]).toBe(url);
	});

	it('an address of any length is read in time that grows with it', () => {
		const time = (size: number) =>
			processorMsOf(() => void called(`${RESULT_URL}${'?'.repeat(size)}\n?`));
		expect(time(320_000)).toBeLessThan(1_000);
	});

	it.each(['{{ $json }}', '={{ $json.request_id }}', 'id {{ $json.request_id }}'])(
		'the text of an expression that n8n did not evaluate has its own advice: %p',
		(request) => {
			const { facts } = refusalOf(request);
			expect(facts.message).toContain('expression');
			expect(facts.description).toContain('Fixed to Expression');
		},
	);

	it.each([
		'https://evil.example/v2/requests/1',
		'http://api.segmind.com/v2/requests/1',
		'ftp://api.segmind.com/1',
		{ request_id: ID, status_url: 'https://evil.example/status' },
		{ request_id: ID, status_url: STATUS_URL, response_url: 'https://evil.example/' },
		{ request_id: ID, poll_url: '/workflows/request/1' },
	])('an address off the origin of the credential is refused: %j', (request) => {
		expect(refusalOf(request).facts.kind).toBe('foreignOrigin');
	});
});

describe('whatever is given', () => {
	const text = fc.oneof(
		fc.string({ unit: 'binary' }),
		fc.webUrl({ withQueryParameters: true, withFragments: true }),
		fc
			.array(
				fc.constantFrom(
					BASE,
					'/v2',
					'/requests',
					'/status',
					ID,
					'/',
					'?',
					'#',
					'%',
					'{',
					'"',
					'..',
				),
				{ maxLength: 6 },
			)
			.map((pieces) => pieces.join('')),
	);
	const member = fc.oneof(text, fc.jsonValue(), fc.constantFrom(null, NaN));
	const anything = fc.oneof(
		text,
		fc.anything({
			withNullPrototype: true,
			withBigInt: true,
			withDate: true,
			withTypedArray: true,
		}),
		fc.record(
			{
				request_id: member,
				poll_url: member,
				status_url: member,
				response_url: member,
				model: member,
			},
			{ requiredKeys: [] },
		),
		fc.json(),
	);

	it('it is a request with addresses on the trusted origin, or refused in words', () => {
		let taken = 0;
		fc.assert(
			fc.property(anything, (request) => {
				let addresses: Array<string | undefined>;
				try {
					addresses = called(request);
				} catch (error) {
					expect(error).toBeInstanceOf(SegmindFailure);
					return;
				}
				taken++;
				for (const address of addresses) expect(new URL(address ?? '').origin).toBe(BASE);
			}),
			{ numRuns: 3_000, seed: 1 },
		);
		expect(taken).toBeGreaterThan(300);
	});
});

describe('the answer of a submission', () => {
	it('gives only what the service said', () => {
		expect(
			refFromSubmission({ request_id: ID, status: 'QUEUED', poll_url: WORKFLOW_URL, message: 'm' }),
		).toEqual({ request_id: ID, poll_url: WORKFLOW_URL });
		expect(refFromSubmission({ request_id: 7, status_url: null })).toEqual({ request_id: '7' });
	});

	it.each([
		undefined,
		null,
		'text',
		5,
		[],
		{},
		{ request_id: null },
		{ poll_url: 'not an address' },
	])('is unusable when it is %j', (body) => {
		expect(refFromSubmission(body)).toBeUndefined();
	});
});

describe('refFromId', () => {
	it('has the light status address beside the result address', () => {
		expect(refFromId(ID, BASE)).toEqual({
			request_id: ID,
			response_url: RESULT_URL,
			status_url: STATUS_URL,
		});
	});
});
