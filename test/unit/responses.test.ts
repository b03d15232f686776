import { reasonIn } from '../../nodes/shared/service/errorBody';
import {
	hasResult,
	readResponse,
	stateOf,
	type ResponseMeaning,
} from '../../nodes/shared/service/responses';
import { statusResponse } from '../../nodes/shared/service/schemas';

const ID = 'request-1';
const URL = 'https://images.segmind.com/generations/a.png';

function read(status: number, body: unknown): ResponseMeaning['kind'] {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return readResponse({ kind: 'response', status, headers: {}, body: Buffer.from(text) }, ID).kind;
}

/** HTTP status, body, and what the response means. */
const TABLE: Array<[number, unknown, ResponseMeaning['kind']]> = [
	// With 2xx, the status word decides.
	[200, { status: 'QUEUED' }, 'running'],
	[200, { status: 'PROCESSING', output: '' }, 'running'],
	[202, { status: 'COMPLETED' }, 'completed'],
	[200, { status: 'completed' }, 'completed'],
	[200, { status: ' Success ' }, 'completed'],
	[200, { status: 'SUCCEEDED' }, 'completed'],
	[200, { status: 'FAILED', error: 'no' }, 'failed'],
	[200, { status: 'failed' }, 'failed'],
	// An undocumented word means that the request is still running, even if the word sounds final.
	[200, { status: 'WARMING_UP' }, 'running'],
	[200, { status: 'ERROR' }, 'running'],
	// 422 reports a failed request, but only together with the word FAILED.
	[422, { status: 'FAILED', error: 'no' }, 'failed'],
	[422, { status: 'PROCESSING' }, 'running'],
	[422, { status: 'COMPLETED' }, 'completed'],
	[422, { error: 'bad prompt' }, 'unreadable'],
	[422, '<html>Unprocessable</html>', 'unreadable'],
	[422, {}, 'unreadable'],
	[422, '', 'unreadable'],
	// With any other HTTP status, the word decides only if the response names the request.
	[400, { status: 'FAILED', request_id: ID }, 'failed'],
	[500, { status: 'FAILED', request_id: ID }, 'failed'],
	[404, { status: 'FAILED', request_id: ID }, 'failed'],
	[500, { status: 'PROCESSING', request_id: ID }, 'running'],
	[500, { status: 'SUCCESS', request_id: ID }, 'running'],
	[500, { status: 'FAILED' }, 'transient'],
	[500, { error: 'x', trace: 'y' }, 'transient'],
	[500, { status: 'FAILED', request_id: 'another' }, 'transient'],
	[502, { status: 'COMPLETED', request_id: 'another' }, 'transient'],
	[404, { error: 'Request not found' }, 'missing'],
	[404, '<html>', 'missing'],
	[429, { error: 'slow down' }, 'rateLimited'],
	[408, '', 'transient'],
	[503, '<html>', 'transient'],
	[500, { error: 'x', trace: 'y' }, 'transient'],
	[404, { image_output: URL }, 'missing'],
	[401, { error: 'Unauthorized' }, 'rejected'],
	[403, { error: 'no access' }, 'rejected'],
	[302, { 'html-message': 'moved' }, 'rejected'],
	// In any other form, a rejection is somebody else's word: a firewall's page, a gateway's JSON, a portal's redirect.
	[401, '<html>Sign in</html>', 'unreadable'],
	[403, {}, 'unreadable'],
	[403, { message: 'Forbidden' }, 'unreadable'],
	[302, '', 'unreadable'],
	[400, { error: 'Invalid host' }, 'unreadable'],
	// A response that names another request doesn't count. An ID may have hyphens or not.
	[200, { status: 'COMPLETED', request_id: 'another', output: URL }, 'unreadable'],
	[422, { status: 'FAILED', request_id: 'another', error: 'no' }, 'unreadable'],
	[200, { status: 'COMPLETED', request_id: ' REQUEST1', output: URL }, 'completed'],
	// A response without a status word is the result if it has one.
	[200, { image_output: URL }, 'completed'],
	[200, { request_id: ID, output: URL }, 'completed'],
	[200, { images: [{ url: URL }] }, 'completed'],
	[200, { text: 'Hi' }, 'completed'],
	[200, { output: '' }, 'unreadable'],
	[200, { request_id: ID, state: 'processing', progress: 30 }, 'unreadable'],
	[200, { created_at: '2026-11-28 10:00:00', queue_position: 3 }, 'unreadable'],
	[200, { output: null }, 'unreadable'],
	[200, { request_id: ID, poll_url: URL, message: 'hello', metrics: {} }, 'unreadable'],
	[200, {}, 'unreadable'],
	[200, '', 'unreadable'],
	[200, '<html>proxy</html>', 'unreadable'],
	[200, '{"status":"COMPL', 'unreadable'],
	[200, '[]', 'unreadable'],
	[200, '"COMPLETED"', 'unreadable'],
	// An error instead of a result has no state, so the node reads it again.
	[200, { error: 'try later' }, 'unreadable'],
];

it.each(TABLE)('HTTP %i with %j means %s', (status, body, meaning) => {
	expect(read(status, body)).toBe(meaning);
});

it('after COMPLETED, any member of a response without a status word is the result', () => {
	const body = Buffer.from('{"score": 0.5}');
	const response = { kind: 'response', status: 200, headers: {}, body } as const;
	const kinds = [false, true].map((hasCompleted) => readResponse(response, ID, hasCompleted).kind);
	expect(kinds).toEqual(['unreadable', 'completed']);
});

it.each([
	['PENDING', 'running'],
	['completed', 'completed'],
	['FAILED', 'failed'],
	// Not documented, so it isn't final.
	['ERROR', 'running'],
	[null, 'running'],
])('the status word %s of a row in the request history means %s', (word, state) => {
	expect(stateOf(word)).toBe(state);
});

it('a call without a response says nothing about the request, and one that had to wait too long is rate-limited', () => {
	const kindOf = (kind: 'refused' | 'lost' | 'unsent' | 'deadlinePassed') =>
		readResponse({ kind, reason: '' }, ID).kind;
	expect([kindOf('refused'), kindOf('lost'), kindOf('unsent')]).toEqual(Array(3).fill('transient'));
	expect(kindOf('deadlinePassed')).toBe('rateLimited');
});

it('an empty ID in a failed response names no request', () => {
	const body = Buffer.from(JSON.stringify({ status: 'FAILED', request_id: '' }));
	expect(readResponse({ kind: 'response', status: 500, headers: {}, body }, '').kind).toBe(
		'transient',
	);
});

it.each<[Record<string, unknown>, boolean]>([
	[{ status: 'COMPLETED', output: URL }, true],
	[{ status: 'COMPLETED', output: '' }, true],
	[{ status: 'COMPLETED', output: [] }, true],
	[{ status: 'COMPLETED', output: {} }, true],
	[{ status: 'COMPLETED', output: 0 }, true],
	[{ status: 'COMPLETED', image_output: URL }, true],
	[{ status: 'COMPLETED', output: null, images: null }, false],
	[{ status: 'COMPLETED', error: 'gone', metrics: { cost: 1 }, seed: '1' }, false],
	[{}, false],
])('%j has a result: %p', (body, has) => {
	expect(hasResult(body)).toBe(has);
});

it('the reason of a failed request is read from whichever field has it', () => {
	for (const error of [{ error: 'no' }, { error: null, error_message: 'no' }, { detail: 'no' }])
		expect(reasonIn(statusResponse.parse(error))).toBe('no');
	expect(reasonIn(statusResponse.parse({ metrics: { cost: 1 } }))).toBe('');
});
