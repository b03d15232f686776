/** Which inputs identify a request: its ID, one of its URLs, or an object that contains them. No other URL is called. */
import { SegmindFailure } from '../../nodes/shared/base/failure';
import { parseRequest } from '../../nodes/shared/request/operations/readRequestParameter';
import {
	resultUrl,
	statusUrl,
	refFromId,
	refFromSubmission,
} from '../../nodes/shared/service/requestRef';

const BASE = 'https://api.segmind.com';
const ID = '4f0c8a1e22b94c1e9d8f7a6b5c4d3e2f';
const RESULT_URL = `${BASE}/v2/requests/${ID}`;
const STATUS_URL = `${RESULT_URL}/status`;
const POLL_URL = `${BASE}/v1/requests/${ID}`;
const WORKFLOW_URL = `${BASE}/workflows/request/${ID}`;
const CREDITS = `${BASE}/v1/get-user-credits`;

/** Returns the URLs that are called for a request: for its status, then for its result. */
function calledUrls(request: unknown, base = BASE) {
	const ref = parseRequest(request, base);
	return [statusUrl(ref), resultUrl(ref)];
}

function requestFailure(request: unknown): SegmindFailure {
	try {
		parseRequest(request, BASE);
	} catch (error) {
		expect(error).toBeInstanceOf(SegmindFailure);
		return error as SegmindFailure;
	}
	throw new Error('The input was accepted as a request');
}

const usual = [STATUS_URL, RESULT_URL];
const all = { request_id: ID, poll_url: POLL_URL, status_url: STATUS_URL };

it.each<[unknown, string[]]>([
	[ID, usual],
	[`  ${ID}\n`, usual],
	[RESULT_URL, usual],
	[`${RESULT_URL}/`, [STATUS_URL, `${RESULT_URL}/`]],
	[STATUS_URL, usual],
	[`${STATUS_URL}/`, [`${STATUS_URL}/`, RESULT_URL]],
	[{ request_id: ID, status: 'QUEUED', model: 'flux-2-pro' }, usual],
	[JSON.stringify({ request_id: ID, status_url: STATUS_URL }), usual],
	[12345, [`${BASE}/v2/requests/12345/status`, `${BASE}/v2/requests/12345`]],
	['a:b+c%2F', [`${BASE}/v2/requests/a%3Ab%2Bc%252F/status`, `${BASE}/v2/requests/a%3Ab%2Bc%252F`]],
	// A poll URL serves both purposes. If an object has all URLs, they are used unchanged.
	[POLL_URL, [POLL_URL, POLL_URL]],
	[WORKFLOW_URL, [WORKFLOW_URL, WORKFLOW_URL]],
	[{ request_id: ID, poll_url: WORKFLOW_URL }, [WORKFLOW_URL, WORKFLOW_URL]],
	[{ ...all, response_url: `${RESULT_URL}?from=test` }, [STATUS_URL, `${RESULT_URL}?from=test`]],
	[{ ...all, response_url: null }, usual],
	[`${BASE}/requests/${ID}?x=1`, [`${BASE}/requests/${ID}?x=1`, `${BASE}/requests/${ID}?x=1`]],
])('for the request %j, the URLs %j are called', (request, urls) => {
	expect(calledUrls(request)).toEqual(urls);
});

it("a bare ID is looked up at the credential's origin, even if that is staging", () => {
	const base = 'https://api-latest.segmind.com';
	expect(calledUrls(ID, `${base}/`)[1]).toBe(`${base}/v2/requests/${ID}`);
	expect(refFromId(ID, BASE)).toEqual({
		request_id: ID,
		response_url: RESULT_URL,
		status_url: STATUS_URL,
	});
});

it('an object without an ID gets the ID from its URL, and an object keeps its model or workflow', () => {
	expect(parseRequest({ poll_url: WORKFLOW_URL }, BASE).request_id).toBe(ID);
	expect(parseRequest({ status_url: STATUS_URL }, BASE).request_id).toBe(ID);
	expect(parseRequest({ request_id: ID, model: 'flux-2-pro' }, BASE).model).toBe('flux-2-pro');
	expect(parseRequest({ request_id: ID, workflow: 'w' }, BASE).workflow).toBe('w');
	expect(parseRequest({ request_id: ID, model: 7 }, BASE).model).toBeUndefined();
});

it.each<unknown>([
	...['', '   ', undefined, null, [ID], '["a"]', {}, '{}', { id: ID }, { request_id: '' }],
	...[{ request_id: { a: 1 } }, '[object Object]', '{"request_id": ', 'two words', 'requests/1'],
	...['..', { request_id: '..' }, `${BASE}/`, `${BASE}/status`],
	// A URL alone must end in /request(s)/{id} or /request(s)/{id}/status.
	...[CREDITS, `${CREDITS}?x=/requests/${ID}`, `${CREDITS}#/requests/${ID}`, `${CREDITS}/status`],
	...[`${BASE}/finetune/request/list`, `${BASE}/finetune/request/details`],
	...[`${RESULT_URL}/cancel`, `${RESULT_URL}/../../../v1/get-user-credits`],
	...[`${BASE}/v2/requests/..%2f..%2fv1%2fx`, `${BASE}/v2/requests/..%5c..%5cv1%5cx`],
	...[`${BASE}/v2/requests/%zz`, `${BASE}/v2/requests`, `${BASE}/requests/status`],
	...[`${BASE}/myrequests/${ID}`, { status_url: CREDITS }],
	...[
		{ poll_url: POLL_URL, response_url: CREDITS },
		{ request_id: ' ', status_url: STATUS_URL },
	],
	// The URLs of an object must have the same form, and contain its request_id.
	{ request_id: ID, status_url: CREDITS },
	{ request_id: ID, status_url: STATUS_URL, response_url: `${BASE}/v2/requests/other` },
	{ request_id: ID, poll_url: `${CREDITS}?id=${ID}` },
	{ request_id: ID, poll_url: `${BASE}/${ID}/..%2fv1%2fget-user-credits` },
	{ request_id: ID, poll_url: `${BASE}/v1/x${ID}` },
	{ request_id: ID, poll_url: `${BASE}/jobs/${ID}/state` },
	{ request_id: 'get-user-credits', status_url: CREDITS },
	{ request_id: 'get-user-credits', poll_url: `${CREDITS}/status` },
	{ request_id: 'requests', poll_url: `${BASE}/requests/${ID}` },
	JSON.stringify({ request_id: ID, status_url: CREDITS }),
	// An expression that n8n did not evaluate.
	...['{{ $json }}', '={{ $json.request_id }}', 'id {{ $json.request_id }}'],
])('%j is rejected before any call', (request) => {
	expect(requestFailure(request).facts.charge).toBe('none');
});

it.each([
	'https://evil.example/v2/requests/1',
	'http://api.segmind.com/v2/requests/1',
	'ftp://api.segmind.com/1',
	{ request_id: ID, status_url: 'https://evil.example/status' },
	{ request_id: ID, status_url: STATUS_URL, response_url: 'https://evil.example/' },
	{ request_id: ID, poll_url: '/workflows/request/1' },
])('a URL that is not on the origin of the credential is rejected: %j', (request) => {
	expect(requestFailure(request).facts.kind).toBe('foreignOrigin');
});

it.each<[unknown, unknown]>([
	[
		{ request_id: ID, status: 'QUEUED', poll_url: WORKFLOW_URL, message: 'm' },
		{ request_id: ID, poll_url: WORKFLOW_URL },
	],
	[{ request_id: 7, status_url: null }, { request_id: '7' }],
	...[undefined, null, 'text', 5, [], {}, { request_id: null }, { poll_url: 'no address' }].map(
		(body) => [body, undefined] as [unknown, unknown],
	),
])('the response %j to a submission identifies the request %j', (body, ref) => {
	expect(refFromSubmission(body)).toEqual(ref);
});
