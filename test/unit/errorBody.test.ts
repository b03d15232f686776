import fc from 'fast-check';

import { excerpt, reasonIn } from '../../nodes/shared/service/errorBody';
import { processorMsOf } from '../helpers/processorTime';

describe('the reason in an error body', () => {
	it.each<[unknown, string]>([
		[{ error: 'Request 1 not found' }, 'Request 1 not found'],
		[
			{ error: 'invalid_token', error_description: 'The token has expired', status_code: 401 },
			'invalid_token: The token has expired',
		],
		[
			{ error: 'Bad Request', message: 'width must be a number' },
			'Bad Request: width must be a number',
		],
		[{ error: 'Bad Request', detail: [{ msg: 'too small' }] }, 'Bad Request: too small'],
		[{ error: 'Model is gone', message: 'model is gone' }, 'Model is gone'],
		[{ error: 'Refused', message: 'Refused: seed' }, 'Refused: seed'],
		[{ error: { message: 'deep' }, message: 'flat' }, 'deep: flat'],
		[{ msg: 'Missing header' }, 'Missing header'],
		[{ message: 'Endpoint request timed out' }, 'Endpoint request timed out'],
		[{ 'html-message': '<b>Busy</b>' }, '< b>Busy< /b>'],
		[{ error: { message: 'Prompt is required', code: 3 } }, 'Prompt is required'],
		[{ error: { error: { message: 'two deep' } } }, 'two deep'],
		[{ error_message: { node: 'image_1', reason: 'no image' } }, 'no image'],
		[{ error_message: { node_1: 'failed' } }, '{"node_1":"failed"}'],
		[{ detail: 'Not Found' }, 'Not Found'],
		[
			{ detail: [{ loc: ['body', 'seed'], msg: 'not an integer' }, { msg: 'too small' }] },
			'not an integer; too small',
		],
		[{ detail: ['a', { b: 1 }] }, 'a; {"b":1}'],
		[{ error: null, error_message: 'the real one' }, 'the real one'],
		[{ error: '', message: 'the real one' }, 'the real one'],
		[{ error: 500, message: 'the real one' }, 'the real one'],
		[{ error: {}, msg: 'the real one' }, 'the real one'],
		[{ error: 17 }, '17'],
		['plain text', 'plain text'],
	])('of %j is %p', (body, reason) => {
		expect(reasonIn(body)).toBe(reason);
	});

	it.each([[undefined], [null], [''], [{}], [[]], [42], [true], [{ status: 'FAILED' }]])(
		'of %j is nothing',
		(body) => {
			expect(reasonIn(body)).toBe('');
		},
	);

	it('is one line of at most 300 characters, whatever the body', () => {
		fc.assert(
			fc.property(
				fc.jsonValue(),
				fc.constantFrom('error', 'error_message', 'detail'),
				(value, name) => {
					for (const body of [value, { [name]: value }]) {
						const reason = reasonIn(body);
						expect(reason.length).toBeLessThanOrEqual(301);
						expect(reason).not.toMatch(/[\p{Cc}\n]/u);
					}
				},
			),
			{ numRuns: 1_000, seed: 1 },
		);
	});

	it('loses no text that stands where a reason is expected', () => {
		const word = fc.string({ unit: fc.constantFrom('a', 'b', ' c'), minLength: 1, maxLength: 40 });
		fc.assert(
			fc.property(
				word,
				fc.constantFrom('error', 'error_message', 'message', 'msg', 'detail', 'html-message'),
				(text, name) => {
					expect(reasonIn({ [name]: text })).toBe(text.trim());
					expect(reasonIn({ [name]: { message: text } })).toBe(text.trim());
				},
			),
			{ numRuns: 300, seed: 2 },
		);
	});
});

describe('an error body of any form', () => {
	/** How many texts are worked on for a reason. */
	const textsReadIn = (body: unknown) => {
		let texts = 0;
		reasonIn(body, (text) => {
			texts++;
			return text;
		});
		return texts;
	};
	const MEMBERS = ['error', 'error_message', 'message', 'msg', 'detail', 'reason'];

	it('is looked at once, however deep its members nest', () => {
		fc.assert(
			fc.property(
				fc.subarray(MEMBERS, { minLength: 1 }),
				fc.integer({ min: 1, max: 190 }),
				fc.constantFrom<unknown>('', 'why', {}, 7),
				(names, levels, end) => {
					let body: unknown = { code: end };
					for (let level = 0; level < levels; level++)
						body = Object.fromEntries(
							names.map((name, at) => [name, at === 0 ? body : end] as const),
						);
					expect(textsReadIn(body)).toBeLessThan(100);
				},
			),
			{ numRuns: 300, seed: 3 },
		);
	});

	it('is read to a number of texts, however many it holds', () => {
		for (const entries of [20, 2_000, 200_000])
			expect(textsReadIn({ error: Array.from({ length: entries }, () => 'why') })).toBeLessThan(30);
	});
});

describe('an excerpt', () => {
	it('of a page of HTML is its text, without scripts and styles', () => {
		const page =
			'<!doctype html>\n<html><head><title>405 Not Allowed</title><style>b{color:red}</style>' +
			'<script>alert("x")</script></head><body><h1>Method Not Allowed</h1>\n<hr></body></html>';
		expect(excerpt(page)).toBe('405 Not Allowed Method Not Allowed');
	});

	it('of other text keeps its angle brackets', () => {
		expect(excerpt('size <= 1024 and > 0')).toBe('size <= 1024 and > 0');
	});

	it('is one line without control characters', () => {
		expect(excerpt(' a\r\n\tb\u0000c\u001b[31m ')).toBe('a b c [31m');
	});

	it('ends after 300 characters, and shows that it does', () => {
		expect(excerpt('x'.repeat(300))).toBe('x'.repeat(300));
		expect(excerpt('x'.repeat(5_000))).toBe(`${'x'.repeat(300)}…`);
	});

	it('of megabytes is made at once', () => {
		const took = processorMsOf(() => {
			for (const unit of ['<', '<style', '<html><script', ' ', '\u0000'])
				excerpt(`<html>${unit.repeat(1_000_000)}`);
		});
		expect(took).toBeLessThan(500);
	});
});
