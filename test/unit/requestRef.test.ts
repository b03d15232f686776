/** Which inputs identify a request (its ID, one of its URLs, or an object that contains them), and which URLs are called for it. */
import { SegmindFailure } from '../../nodes/shared/base/failure';
import { SERVICE_URLS } from '../../nodes/shared/service/addresses';
import { parseRequest } from '../../nodes/shared/request/operations/readRequestParameter';
import {
	resultUrl,
	statusUrl,
	refFromId,
	refFromSubmission,
} from '../../nodes/shared/service/requestRef';

const BASE = 'https://api.segmind.com';
const ID = '4f0c8a1e22b94c1e9d8f7a6b5c4d3e2f';
const UUID = '4f0c8a1e-22b9-4c1e-9d8f-7a6b5c4d3e2f';
const RESULT_URL = `${BASE}/v2/requests/${ID}`;
const STATUS_URL = `${RESULT_URL}/status`;
const POLL_URL = `${BASE}/v1/requests/${ID}`;
const WORKFLOW_URL = `${BASE}/workflows/request/${ID}`;
const UPLOAD = SERVICE_URLS.uploadUrl;
const PROXY = 'https://proxy.example/segmind';
const CREDITS = `${BASE}/v1/get-user-credits`;

/** Returns the URLs that are called for a request: for its status, then for its result. */
function calledUrls(request: unknown, base = BASE) {
	const ref = parseRequest(request, { ...SERVICE_URLS, baseUrl: base });
	return [statusUrl(ref), resultUrl(ref)];
}

function requestFailure(request: unknown): SegmindFailure {
	try {
		parseRequest(request, SERVICE_URLS);
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
	[`${STATUS_URL}#x`, [`${STATUS_URL}#x`, `${RESULT_URL}#x`]],
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
	[{ request_id: ' ', status_url: STATUS_URL }, usual],
	// At another path, an ID of the service's form is a whole segment.
	[`${BASE}/jobs/${UUID}/state`, [`${BASE}/jobs/${UUID}/state`, `${BASE}/jobs/${UUID}/state`]],
	[`${RESULT_URL}/cancel`, [`${RESULT_URL}/cancel`, `${RESULT_URL}/cancel`]],
	[{ request_id: ID, status_url: `${BASE}/${ID}/state` }, [`${BASE}/${ID}/state`, RESULT_URL]],
	// Any other URL of an item gives way to those of the ID.
	[{ request_id: ID, status_url: CREDITS }, usual],
	[{ request_id: ID, status_url: STATUS_URL, response_url: `${BASE}/v2/requests/other` }, usual],
	[{ request_id: ID, poll_url: `${CREDITS}?id=${ID}` }, usual],
	[{ request_id: ID, poll_url: `${BASE}/${ID}/..%2fv1%2fget-user-credits` }, usual],
	[{ request_id: ID, poll_url: `${BASE}/v1/x${ID}` }, usual],
	[{ request_id: ID, poll_url: `${BASE}/finetune/request/${ID}` }, usual],
	[{ request_id: ID, poll_url: '/workflows/request/1' }, usual],
	[{ request_id: ID, status_url: 'https://evil.example/status' }, usual],
	[JSON.stringify({ request_id: ID, status_url: CREDITS }), usual],
	[
		{ request_id: 'a', poll_url: `${BASE}/jobs/a` },
		[`${BASE}/v2/requests/a/status`, `${BASE}/v2/requests/a`],
	],
	[{ poll_url: POLL_URL, response_url: CREDITS }, [POLL_URL, POLL_URL]],
	// The key goes to Base URL, not to another host, scheme or user.
	[`https://evil.example/v2/requests/${ID}`, usual],
	[`http://api.segmind.com/jobs/${ID}/state`, usual],
	[`https://user:secret@api.segmind.com/v2/requests/${ID}?x=1`, [STATUS_URL, `${RESULT_URL}?x=1`]],
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
	expect(parseRequest({ poll_url: WORKFLOW_URL }, SERVICE_URLS).request_id).toBe(ID);
	expect(parseRequest({ status_url: STATUS_URL }, SERVICE_URLS).request_id).toBe(ID);
	expect(parseRequest({ request_id: ID, model: 'flux-2-pro' }, SERVICE_URLS).model).toBe(
		'flux-2-pro',
	);
	expect(parseRequest({ request_id: ID, workflow: 'w' }, SERVICE_URLS).workflow).toBe('w');
	expect(parseRequest({ request_id: ID, model: 7 }, SERVICE_URLS).model).toBeUndefined();
});

it.each<unknown>([
	...['', '   ', undefined, null, [ID], '["a"]', {}, '{}', { id: ID }, { request_id: '' }],
	...[{ request_id: { a: 1 } }, '[object Object]', '{"request_id": ', 'two words', 'requests/1'],
	...['..', { request_id: '..' }, `${BASE}/`, `${BASE}/status`],
	// A URL alone must contain an ID.
	...[CREDITS, `${CREDITS}?x=/requests/${ID}`, `${CREDITS}#/requests/${ID}`, `${CREDITS}/status`],
	...[`${BASE}/finetune/request/list`, `${BASE}/finetune/request/details`],
	...[`${RESULT_URL}/../../../v1/get-user-credits`, { status_url: CREDITS }],
	...[`${BASE}/v2/requests/..%2f..%2fv1%2fx`, `${BASE}/v2/requests/..%5c..%5cv1%5cx`],
	...[`${BASE}/v2/requests/%zz`, `${BASE}/v2/requests`, `${BASE}/requests/status`],
	`${BASE}/myrequests/a`,
	// An expression that n8n did not evaluate.
	...['{{ $json }}', '={{ $json.request_id }}', 'id {{ $json.request_id }}'],
])('%j is rejected before any call', (request) => {
	expect(requestFailure(request).facts.charge).toBe('none');
});

it.each([
	'https://evil.example/v2/requests/1',
	'http://api.segmind.com/v2/requests/1',
	'ftp://api.segmind.com/1',
	'https://user:secret@api.segmind.com/v2/requests/1',
])('a URL on another host without an ID of the service is rejected: %j', (request) => {
	expect(requestFailure(request).facts.kind).toBe('foreignOrigin');
});

/** The URLs that are called for a response to a submission, with a proxy below a path as Base URL. */
it.each<[unknown, Array<string | undefined> | undefined]>([
	// On the credential's origins, the service's URLs are called whatever their path.
	[
		{ request_id: 'a', poll_url: `${BASE}/p`, status_url: `${UPLOAD}/s?t=1` },
		[`${UPLOAD}/s?t=1`, `${BASE}/p`],
	],
	[
		{ request_id: 7, status_url: null },
		[`${PROXY}/v2/requests/7/status`, `${PROXY}/v2/requests/7`],
	],
	[{ poll_url: `${BASE}/jobs/a` }, [`${BASE}/jobs/a`, `${BASE}/jobs/a`]],
	// On other origins, only their path counts, and only if it names this request.
	[
		{ request_id: 'a', poll_url: 'https://other.example/v1/requests/a?x=1' },
		[`${PROXY}/v1/requests/a?x=1`, `${PROXY}/v1/requests/a?x=1`],
	],
	[
		{ request_id: 'a', poll_url: 'https://other.example/v1/requests/b' },
		[`${PROXY}/v2/requests/a/status`, `${PROXY}/v2/requests/a`],
	],
	[
		{ request_id: ID, poll_url: `https://other.example/jobs/${ID}` },
		[`${PROXY}/v2/requests/${ID}/status`, `${PROXY}/v2/requests/${ID}`],
	],
	[{ request_id: '..', poll_url: 'https://other.example/' }, [undefined, undefined]],
	...[undefined, null, 'text', 5, [], {}, { request_id: null }, { poll_url: 'no address' }].map(
		(body) => [body, undefined] as [unknown, undefined],
	),
])('for the response %j to a submission, the URLs %j are called', (body, called) => {
	const ref = refFromSubmission(body, {
		...SERVICE_URLS,
		uploadUrl: UPLOAD,
		baseUrl: PROXY,
		endpointAdminUrl: BASE,
	});
	expect(ref && [statusUrl(ref), resultUrl(ref)]).toEqual(called);
});
