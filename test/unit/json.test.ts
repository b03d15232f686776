/** A JSON body from the user is kept unchanged, or rejected. */
import { SegmindFailure } from '../../nodes/shared/base/failure';
import { parseJsonBody } from '../../nodes/shared/inputs/json';

const read = (value: unknown) => parseJsonBody(value, 'Body');

function messageFor(value: unknown): string {
	try {
		read(value);
	} catch (error) {
		expect(error).toBeInstanceOf(SegmindFailure);
		const { message, charge } = (error as SegmindFailure).facts;
		expect(charge).toBe('none');
		return message;
	}
	throw new Error('The body was accepted');
}

it.each([
	'{"seed": 12345678901234567890, "scale": 1.0, "big": 1e400}',
	'{ "mask" : null,\n\t"image_3":null }',
	'{"a": "5", "b": 5, "a": "twice"}',
	'{"text": "\\u00e9 é 😀 \\ud83d"}',
	'{}',
])('keeps the text of the object %p', (text) => {
	expect(read(`\n ${text} `).text).toBe(text);
});

it.each<unknown>(['', '[1]', [1], 'null', null, '5', 5, '"text"', 'true'])(
	'%j is not an object, and is rejected',
	(value) => {
		expect(messageFor(value)).toContain('must be a JSON object');
	},
);

test.each(['{"a": 1,}', "{'a': 1}", '{"a": “x”}', '{"a": 1', '  \n', `{"a": ${'y'.repeat(5_000)}`])(
	'%j is rejected with the message of the parser, cut to a line',
	(text) => {
		const message = messageFor(text);
		expect(message).toContain('JSON');
		expect(message.length).toBeLessThan(300);
	},
);
