/** How the response of a v1 call is read: as a file, JSON, text, or nothing usable. */
import { readV1, v1Headers } from '../../nodes/shared/request/oneCall';

const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(61, 7)]);
const UNKNOWN = Buffer.alloc(99, 7);

const read = (body: Buffer | string, label?: string) =>
	readV1({
		kind: 'response',
		status: 200,
		headers: label === undefined ? {} : { 'content-type': label },
		body: Buffer.isBuffer(body) ? body : Buffer.from(body),
	});
it.each<[Buffer, string | undefined, string]>([
	[PNG, 'image/png; charset=binary', 'image/png'],
	// If the content type is wrong or missing, the first bytes decide.
	[PNG, 'application/json', 'image/png'],
	[PNG, 'application/octet-stream', 'image/png'],
	[PNG, undefined, 'image/png'],
	// If the first bytes are unknown, the content type decides.
	[UNKNOWN, 'audio/wav', 'audio/wav'],
	[UNKNOWN, 'application/octet-stream', 'application/octet-stream'],
	[Buffer.from('<!-- drawn --><svg/>'), 'image/svg+xml', 'image/svg+xml'],
	[Buffer.from('[ no JSON'), 'audio/wav', 'audio/wav'],
	[Buffer.from('1\n00:00'), 'application/x-captions', 'application/x-captions'],
])('%p with the content type %p is a file of type %s', (body, label, mimeType) => {
	expect(read(body, label)).toEqual({ body: {}, files: [{ bytes: body, mimeType }] });
});

const JSON_BODY = { body: { n: null }, files: [] };
const textOf = (output: string) => ({ body: { output }, files: [] });

it.each<[string, string | undefined, unknown]>([
	[' {"n": null}', 'application/json; charset=utf-8', { ...JSON_BODY, isText: false }],
	['{"n": null}', 'image/png', { ...JSON_BODY, isText: true }],
	['{"n": null}', undefined, { ...JSON_BODY, isText: true }],
	['[1]', 'application/json', { body: { output: [1] }, isText: false, files: [] }],
	['"Hi"', 'application/json', textOf('Hi')],
	['Hello, wörld', 'text/plain; charset=utf-8', textOf('Hello, wörld')],
	['00:01 Hi', 'text/srt', textOf('00:01 Hi')],
	['', 'application/json', undefined],
	['<html><body>Gateway</body></html>', 'text/html', undefined],
	['{"broken": ', 'application/json', undefined],
	['null', 'application/json', undefined],
	['Hello', undefined, undefined],
])('%j with the content type %p is read as %j', (body, label, content) => {
	expect(read(body, label)).toEqual(content);
});

it('reads cost, credits, time and seed from the headers', () => {
	const headers = {
		'x-cost': '0.0042',
		'x-remaining-credits': '-1.5',
		'x-generation-time': '3.25',
		'x-seed-value': '12345678901234567890',
		'x-gpu-info': 'A100',
	};
	expect(v1Headers(headers)).toEqual({
		cost: 0.0042,
		remaining_credits: -1.5,
		generation_time: 3.25,
		seed: '12345678901234567890',
	});
	const unreadable = { 'x-cost': '', 'x-remaining-credits': 'NaN', 'x-seed-value': '' };
	for (const none of [{}, unreadable]) expect(v1Headers(none)).toEqual({});
});
