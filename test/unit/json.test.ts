import fc from 'fast-check';

import { SegmindFailure } from '../../nodes/shared/base/failure';
import { parseJsonBody } from '../../nodes/shared/inputs/json';
import { processorMsOf } from '../helpers/processorTime';

afterEach(() => jest.restoreAllMocks());

const read = (value: unknown) => parseJsonBody(value, 'Body');

function refusalOf(value: unknown): string {
	try {
		read(value);
	} catch (error) {
		expect(error).toBeInstanceOf(SegmindFailure);
		const { message, description } = (error as SegmindFailure).facts;
		expect(description).toMatch(/Nothing was sent, nothing was charged\.$/);
		return message;
	}
	throw new Error('It was accepted');
}

describe('a JSON object is sent as it was written', () => {
	it.each([
		'{"seed": 12345678901234567890, "scale": 1.0, "big": 1e400}',
		'{ "mask" : null,\n\t"image_3":null }',
		'{"a": "5", "b": 5, "a": "twice"}',
		'{"text": "\\u00e9 é 😀 \\ud83d"}',
		'{}',
	])('%p', (text) => {
		expect(read(text).text).toBe(text);
		expect(read(`\n ${text} `).text).toBe(text);
	});

	it('and its value is there to recognise it by, null included', () => {
		expect(read('{"a": null, "b": [1, null]}').value).toEqual({ a: null, b: [1, null] });
	});

	it('also when an expression gave the object itself', () => {
		const value = { prompt: 'a "b"', mask: null, list: [1, { x: 'é' }], seed: 0.1 };
		expect(read(value)).toEqual({ text: JSON.stringify(value), value });
	});

	it('whatever it holds', () => {
		fc.assert(
			fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
				const text = JSON.stringify(value, null, 2);
				const body = read(text);
				expect(body.text).toBe(text);
				expect(JSON.stringify(body.value)).toBe(JSON.stringify(JSON.parse(text)));
			}),
			{ numRuns: 300, seed: 1 },
		);
	});
});

describe('what is no object is refused, naming what it is', () => {
	it.each<[unknown, string]>([
		['', 'empty'],
		['  \n', 'empty'],
		['[1]', 'a list'],
		[[1], 'a list'],
		['null', 'null'],
		[null, 'null'],
		['5', 'a number'],
		[5, 'a number'],
		['"text"', 'a string'],
		['true', 'a boolean'],
		[undefined, 'undefined'],
	])('%j', (value, what) => {
		expect(refusalOf(value)).toContain(`Body is ${what}, at position 0`);
	});
});

describe('broken JSON is refused, naming the position', () => {
	const inTwoLines = '{\n  "prompt": "a",\n  "seed": nope\n}';

	it.each<[string, number, number, number]>([
		['{"a": 1,}', 8, 1, 9],
		['{"a" 1}', 5, 1, 6],
		["{'a': 1}", 1, 1, 2],
		['{"a": }', 6, 1, 7],
		['{"a": undefined}', 6, 1, 7],
		['{"a": “x”}', 6, 1, 7],
		['{"a": .5, "b": "at position 99"}', 6, 1, 7],
		['{"a": 1', 7, 1, 8],
		['{"a": "x', 8, 1, 9],
		['{"a": tru', 9, 1, 10],
		['{"a": 1} x', 9, 1, 10],
		['{"a": 01}', 7, 1, 8],
		[`\n\n ${'{"a": }'}`, 9, 3, 8],
		[inTwoLines, inTwoLines.indexOf('nope') + 1, 3, 12],
	])('%j: position %i (line %i, column %i)', (text, position, line, column) => {
		expect(refusalOf(text)).toContain(
			`is not valid JSON: position ${position} (line ${line}, column ${column}): `,
		);
	});

	// Node 20 leaves line and column out, Node 22 and later add them; an unexpected token has no place in either.
	it.each([
		["Expected ',' or '}' after property value in JSON at position 9", 9],
		["Expected ',' or '}' after property value in JSON at position 9 (line 1 column 10)", 9],
		["Expected ',' or '}' after property value at position 9 (line 1 column 10)", 9],
	])('as the engine says it: %p', (wording, position) => {
		const text = '{"a": 1  x, "b": 2}';
		jest.spyOn(JSON, 'parse').mockImplementation(() => {
			throw new SyntaxError(wording);
		});
		expect(refusalOf(text)).toBe(
			`Body is not valid JSON: position ${position} (line 1, column 10): Expected ',' or '}' after property value`,
		);
	});

	it('wherever the first fault is put into a good text', () => {
		fc.assert(
			fc.property(
				fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.jsonValue()), { minLength: 1 }),
				fc.constantFrom('nope', '}', '.', 'undefined', '+1'),
				(pairs, fault) => {
					const good = pairs
						.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
						.join(',\n');
					const text = `{${good},\n"last": ${fault}}`;
					const at = text.length - fault.length - 1 + (fault === 'nope' ? 1 : 0);
					expect(refusalOf(text)).toContain(`position ${at} (line ${pairs.length + 1}, `);
				},
			),
			{ numRuns: 200, seed: 2 },
		);
	});

	it('also in a text of a megabyte, at once', () => {
		const text = `{"a": "${'x'.repeat(1_000_000)}", "b": nope}`;
		const took = processorMsOf(() =>
			expect(refusalOf(text)).toContain(`position ${text.length - 4} `),
		);
		expect(took).toBeLessThan(2_000);
	});

	it('in a message of bounded length', () => {
		expect(refusalOf(`{"a": ${'y'.repeat(5_000)}`).length).toBeLessThan(200);
	});
});
