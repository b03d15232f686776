import fc from 'fast-check';

import {
	creditBalance,
	firstList,
	historyRow,
	isObject,
	listedModel,
	parseJson,
	requestAnswer,
	submitAnswer,
	uploadAnswer,
} from '../../nodes/shared/service/schemas';

const SCHEMAS = {
	submitAnswer,
	requestAnswer,
	uploadAnswer,
	creditBalance,
	historyRow,
	listedModel,
};

/** Values a service, a proxy or an attacker may put in the place of any other. */
const MALFORMED: unknown[] = [
	...[undefined, null, true, false, 0, -0, -1, 1.5, 1e308, NaN, Infinity, 2 ** 53, '', ' ', '0'],
	...['text', 'null', '{}', '[]', '\u0000', '\ud800', '😀', '1e999', '-5', '0x10', 'NaN', '1,5'],
	...[[], [[]], [null], [undefined], ['a'], [1, 'a', {}], [{}], {}, { length: -1 }, { 0: 'a' }],
	...[{ a: { b: { c: [] } } }, { then: 1 }, { toString: 1, valueOf: 1 }, { toString: null }],
	...[
		{ constructor: 1 },
		JSON.parse('{"__proto__": {"status": "COMPLETED"}}'),
		Object.create(null),
	],
	...[new Date(NaN), new Date(0), /x/, new Map([['a', 1]]), Buffer.from('a'), Symbol('s'), 10n],
	...[() => 1, 'x'.repeat(100_000), Array.from({ length: 1_000 }, () => null), new Error('e')],
];

const MEMBERS = [
	...['request_id', 'status', 'poll_url', 'status_url', 'response_url', 'urls', 'file_urls', 'url'],
	...['credits', 'free-credits', 'model_name', 'model_status', 'credits_deduction', 'request_body'],
	...['generation_url', 'error', 'created_at', 'slug', 'title', 'name', 'type', 'is_depreciated'],
];

describe.each(Object.entries(SCHEMAS))('%s', (_name, schema) => {
	it('takes or leaves a malformed body, and never throws', () => {
		expect(MALFORMED.length).toBeGreaterThan(50);
		for (const body of [...MALFORMED, ...MALFORMED.map((value) => [value])])
			expect(typeof schema.safeParse(body).success).toBe('boolean');
	});

	it('takes or leaves a body with a malformed member, and never throws', () => {
		for (const value of MALFORMED) {
			for (const name of MEMBERS)
				expect(typeof schema.safeParse({ request_id: 'r', slug: 's', [name]: value }).success).toBe(
					'boolean',
				);
			const all = Object.fromEntries(MEMBERS.map((name) => [name, value]));
			expect(typeof schema.safeParse(all).success).toBe('boolean');
		}
	});

	it('never throws on anything JSON can say', () => {
		const member = fc.oneof(fc.jsonValue(), fc.constantFrom(...MALFORMED));
		fc.assert(
			fc.property(fc.dictionary(fc.constantFrom(...MEMBERS), member), (body) => {
				expect(typeof schema.safeParse(body).success).toBe('boolean');
			}),
			{ numRuns: 300, seed: 1 },
		);
	});
});

describe('a submission', () => {
	it('needs no more than to be an object, and keeps what else it says', () => {
		const body = { request_id: 7, status: 'QUEUED', poll_url: ' https://x/1 ', message: 'm' };
		expect(submitAnswer.parse(body)).toEqual({ ...body, request_id: '7', poll_url: 'https://x/1' });
		expect(submitAnswer.parse({})).toEqual({});
		expect(submitAnswer.parse({ poll_url: '', status_url: 5 }).status_url).toBeUndefined();
	});
});

describe('a status or result', () => {
	it('passes every field on, and drops only a status or id that is none', () => {
		const body = { status: 'COMPLETED', request_id: 'r', output: null, metrics: null, new: [1] };
		expect(requestAnswer.parse(body)).toEqual(body);
		expect(requestAnswer.parse({ status: 5, request_id: {}, output: 'x' })).toEqual({
			output: 'x',
		});
	});

	it.each([null, [], 'COMPLETED', 5])('is none when it is %j', (body) => {
		expect(requestAnswer.safeParse(body).success).toBe(false);
	});
});

describe('the addresses of an upload', () => {
	it.each<[unknown, string[]]>([
		[{ file_urls: ['a', 'b'], message: 'm' }, ['a', 'b']],
		[{ urls: ['a', 'b'] }, ['a', 'b']],
		[{ url: 'a' }, ['a']],
		[{ file_urls: ['a'], urls: ['b'] }, ['b']],
		[{ file_urls: ['a'], urls: null }, ['a']],
		[{ file_urls: null, urls: ['b'] }, ['b']],
		[{ file_urls: 'a', urls: ['b'] }, ['b']],
		[{ file_urls: [1], url: 'c' }, ['c']],
		[{}, []],
		[{ url: '' }, []],
	])('of %j are %j, in order', (body, urls) => {
		expect(uploadAnswer.parse(body)).toEqual(urls);
	});
});

describe('a balance', () => {
	it.each<[unknown, number, number]>([
		[{ credits: 0, 'free-credits': 0.0184921035 }, 0, 0.0184921035],
		[{ credits: -1.5 }, -1.5, 0],
		[{ credits: '12.5', 'free-credits': '0.25' }, 12.5, 0.25],
		[{ credits: 3, 'free-credits': 'none' }, 3, 0],
		[{ credits: 3, 'free-credits': [] }, 3, 0],
	])('is read from %j', (body, credits, free) => {
		expect(creditBalance.parse(body)).toMatchObject({ credits, 'free-credits': free });
	});

	it.each([
		{},
		{ credits: null },
		{ credits: null, 'free-credits': 5 },
		{ credits: 5, 'free-credits': null },
		{ credits: 'many' },
		{ credits: '' },
		{ credits: [] },
		{ credits: [5] },
		{ credits: true },
		{ credits: '1e999' },
	])('is unknown, not nothing, when the body is %j', (body) => {
		expect(creditBalance.safeParse(body).success).toBe(false);
	});
});

describe('a row of the history', () => {
	it('is known by its request id alone', () => {
		expect(
			historyRow.parse({ request_id: 'r', credits_deduction: '0.05', extra: 1 }),
		).toMatchObject({ request_id: 'r', credits_deduction: 0.05, extra: 1 });
		expect(historyRow.parse({ request_id: 'r', credits_deduction: {} }).credits_deduction).toBe(
			undefined,
		);
		expect(historyRow.safeParse({ model_name: 'm' }).success).toBe(false);
	});
});

describe('a model of the list', () => {
	it("is known by its slug, in the service's own case", () => {
		expect(listedModel.parse({ slug: 'Simple_Vector_Flux', title: 5 }).slug).toBe(
			'Simple_Vector_Flux',
		);
		expect(listedModel.safeParse({ slug: '' }).success).toBe(false);
		expect(listedModel.safeParse({ title: 'x' }).success).toBe(false);
	});
});

describe('firstList', () => {
	it.each<[unknown, unknown[]]>([
		[
			[1, 2],
			[1, 2],
		],
		[{ 'Inference Segmind Model Information List With Details': [1] }, [1]],
		[{ count: 3, data: [1], more: [2] }, [1]],
		[{ data: { items: [1] } }, [1]],
		[{ errors: [], endpoints: [{ id: 1 }] }, [{ id: 1 }]],
		[{ data: { total: 1, endpoints: [{ id: 1 }] } }, [{ id: 1 }]],
		[{ keys: ['a'], list: [{ id: 1 }] }, [{ id: 1 }]],
		[{ endpoints: [] }, []],
		[{}, []],
		[null, []],
		['[1]', []],
	])('of %j is %j', (body, list) => {
		expect(firstList(body)).toEqual(list);
	});

	it('is a list, of anything', () => {
		for (const value of MALFORMED) expect(Array.isArray(firstList(value))).toBe(true);
	});
});

describe('parseJson and isObject', () => {
	it('give undefined for what is no JSON', () => {
		expect(parseJson('{"a": [1, null]}')).toEqual({ a: [1, null] });
		for (const text of ['', '{', 'undefined', '<html>', "{'a': 1}"])
			expect(parseJson(text)).toBeUndefined();
	});

	it('tell objects from lists, null and the rest', () => {
		expect([{}, Object.create(null)].map(isObject)).toEqual([true, true]);
		expect([[], null, undefined, 'a', 1, () => 1].map(isObject)).not.toContain(true);
	});
});
