/** The list of requests. */
import { readRequestList } from '../../nodes/SegmindTrigger/listedRequests';
import { SERVICE_URLS } from '../../nodes/shared/service/addresses';

const BASE = SERVICE_URLS.baseUrl;

test.each<[unknown, string[], boolean]>([
	['', [], false],
	[null, [], false],
	[' a\nb, c;d e\r\n', ['a', 'b', 'c', 'd', 'e'], false],
	['["a", {"request_id": "b"}]', ['a', 'b'], false],
	['{"request_id": "a"}', ['a'], false],
	[['a', `${BASE}/v2/requests/b/status`, { request_id: 'c' }], ['a', 'b', 'c'], false],
	[[{ json: { request_id: 'a' } }, { json: { request_id: 'b' } }], ['a', 'b'], false],
	[12, ['12'], false],
	['12345678901234567890', ['12345678901234567890'], false],
	[['a', { request_id: 'a' }], ['a'], false],
	[['a', {}, 'https://other.example/v2/requests/x', 'b'], ['a', 'b'], true],
	['{{ $json }}', [], true],
	['[1, ', [], true],
])('%j names the requests %j; has unreadable entries: %p', (value, wanted, isUnreadable) => {
	const { refs, unreadable } = readRequestList(value, SERVICE_URLS);
	expect(refs.map(({ request_id }) => request_id)).toEqual(wanted);
	expect(unreadable !== undefined).toBe(isUnreadable);
});
