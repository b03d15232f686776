/** Which reason is found in an error body. */
import fc from 'fast-check';

import { excerpt, reasonIn } from '../../nodes/shared/service/errorBody';

it.each<[string, string]>([
	['{"error": "Request 1 not found"}', 'Request 1 not found'],
	['{"error": "invalid_token", "error_description": "Expired"}', 'invalid_token: Expired'],
	['{"error": "Bad Request", "message": "width"}', 'Bad Request: width'],
	['{"error": "Bad Request", "detail": [{"msg": "too small"}]}', 'Bad Request: too small'],
	['{"error": "Model is gone", "message": "model is gone"}', 'Model is gone'],
	['{"error": "Refused", "message": "Refused: seed"}', 'Refused: seed'],
	['{"error": {"message": "deep"}, "message": "flat"}', 'deep: flat'],
	['{"html-message": "<b>Busy</b>"}', '< b>Busy< /b>'],
	['{"error": {"error": {"message": "two deep"}}}', 'two deep'],
	['{"error_message": {"node": "image_1", "reason": "no image"}}', 'no image'],
	['{"error_message": {"node_1": "failed"}}', '{"node_1":"failed"}'],
	[
		'{"detail": [{"loc": ["body", "seed"], "msg": "no integer"}, {"msg": "small"}]}',
		'body.seed: no integer; small',
	],
	['{"detail": ["a", {"b": 1}]}', 'a; {"b":1}'],
	[
		'{"error_message": {"error_message": "Node flux failed", "details": "Bad prompt"}}',
		'Node flux failed: Bad prompt',
	],
	['{"error_message": {"details": "Bad prompt", "node_id": "n1"}}', 'Bad prompt'],
	['{"error": "invalid", "details": ["width", {"msg": "height"}]}', 'invalid: width; height'],
	['{"error": "a", "message": "b", "details": "a: b"}', 'a: b'],
	['{"error": null, "error_message": "the real one"}', 'the real one'],
	['{"error": "", "message": "the real one"}', 'the real one'],
	['{"error": 500, "message": "the real one"}', 'the real one'],
	['{"error": {}, "msg": "the real one"}', 'the real one'],
	['{"error": 17}', '17'],
	['"plain text"', 'plain text'],
	['null', ''],
	['""', ''],
	['{}', ''],
	['[]', ''],
	['42', ''],
	['{"status": "FAILED"}', ''],
])('the reason in %s is %p', (body, reason) => {
	expect(reasonIn(JSON.parse(body))).toBe(reason);
});

const MEMBERS = ['error', 'error_message', 'message', 'msg', 'detail'];

it('a reason is one line of at most 300 characters, whatever the body', () => {
	fc.assert(
		fc.property(fc.jsonValue(), fc.constantFrom(...MEMBERS), (value, name) => {
			for (const body of [value, { [name]: value }]) {
				const reason = reasonIn(body);
				expect(reason.length).toBeLessThanOrEqual(301);
				expect(reason).not.toMatch(/\p{Cc}/u);
			}
		}),
		{ numRuns: 1_000, seed: 1 },
	);
});

it('an excerpt is one line with the text of an HTML page or of anything else, shortened', () => {
	const page = '<html><title>405</title><style>b{}</style><script>x</script><h1>Not Allowed</h1>';
	expect(excerpt(page)).toBe('405 Not Allowed');
	expect(excerpt('size <= 1024 and > 0')).toBe('size <= 1024 and > 0');
	expect(excerpt(' a\r\n\tb\u0000c\u001b[31m ')).toBe('a b c [31m');
	expect(excerpt('x'.repeat(300))).toBe('x'.repeat(300));
	// Of a long text, the start and the end count.
	for (const middle of [5_000, 50_000]) {
		const text = excerpt(`Cannot run: ${'x'.repeat(middle)} because of width`);
		expect(text).toMatch(/^Cannot run: x+… x+ because of width$/);
		expect(text.length).toBeLessThanOrEqual(300);
	}
	const traceback = `Traceback (most recent call last):\n${'  File "a.py", line 1\n'.repeat(2_000)}`;
	expect(excerpt(`${traceback}ValueError: width\n`)).toMatch(/ValueError: width$/);
	expect(excerpt(`${'y'.repeat(19_990)} SG_0123456789abcdef ${'y'.repeat(100)}`)).not.toMatch(
		/SG_/,
	);
	const signed = `https://bucket.example/a?X-Amz-Signature=${'a'.repeat(4_000)}`;
	expect(excerpt(`${'y'.repeat(30_000)} ${signed}`)).not.toMatch(/aaa/);
});
