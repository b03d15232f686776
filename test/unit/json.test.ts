/** A JSON body from the user is kept unchanged, or rejected with the position of its error. */
import { SegmindFailure } from '../../nodes/shared/base/failure';
import { parseJsonBody } from '../../nodes/shared/inputs/json';

afterEach(() => jest.restoreAllMocks());

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

it.each<unknown>(['', '  \n', '[1]', [1], 'null', null, '5', 5, '"text"', 'true', undefined])(
	'%j is not an object, and is rejected',
	(value) => {
		expect(messageFor(value)).toContain('must be a JSON object');
	},
);

describe('broken JSON is rejected with its position', () => {
	const lines = '{\n  "prompt": "a",\n  "seed": nope\n}';

	it.each<[string, number, number, number]>([
		['{"a": 1,}', 8, 1, 9],
		['{"a" 1}', 5, 1, 6],
		["{'a': 1}", 1, 1, 2],
		['{"a": }', 6, 1, 7],
		['{"a": “x”}', 6, 1, 7],
		['{"a": .5, "b": "at position 99"}', 6, 1, 7],
		['{"a": 1', 7, 1, 8],
		['{"a": tru', 9, 1, 10],
		['{"a": 1} x', 9, 1, 10],
		['{"a": 01}', 7, 1, 8],
		[`\n\n ${'{"a": }'}`, 9, 3, 8],
		[lines, lines.indexOf('nope') + 1, 3, 12],
	])('%j: position %i (line %i, column %i)', (text, position, line, column) => {
		expect(messageFor(text)).toContain(`position ${position} (line ${line}, column ${column})`);
	});

	// Node 20 names the position, and Node 22 and later add line and column. None of them names a position for an unexpected token.
	it.each([
		"Expected ',' or '}' after property value in JSON at position 9",
		"Expected ',' or '}' after property value in JSON at position 9 (line 1 column 10)",
		"Expected ',' or '}' after property value at position 9 (line 1 column 10)",
	])('whatever the wording of the JavaScript engine, such as %p', (wording) => {
		jest.spyOn(JSON, 'parse').mockImplementation(() => {
			throw new SyntaxError(wording);
		});
		expect(messageFor('{"a": 1  x, "b": 2}')).toMatch(/position 9 \(line 1, column 10\): .*value$/);
	});

	it('the message stays short for a long body', () => {
		expect(messageFor(`{"a": ${'y'.repeat(5_000)}`).length).toBeLessThan(200);
	});
});
