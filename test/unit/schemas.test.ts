/** Which fields are read from the service's responses, whatever the responses contain. */
import {
	creditBalance,
	listOrEmpty,
	historyRow,
	listedModel,
	statusResponse,
	submissionResponse,
	uploadResponse,
} from '../../nodes/shared/service/schemas';

it('the response to a submission only has to be an object; unusable members are dropped, and unknown members are kept', () => {
	const body = { request_id: 7, status: 'QUEUED', poll_url: ' https://x/1 ', message: 'm' };
	expect(submissionResponse.parse(body)).toEqual({
		...body,
		request_id: '7',
		poll_url: 'https://x/1',
	});
	for (const unusable of [{}, { poll_url: 5, status: [] }, { status_url: ' ' }])
		expect(submissionResponse.parse(unusable)).toEqual({});
});

it('a status or result keeps every field, except an invalid status or ID', () => {
	const body = { status: 'COMPLETED', request_id: 'r', output: null, metrics: null, new: [1] };
	expect(statusResponse.parse(body)).toEqual(body);
	expect(statusResponse.parse({ status: 5, request_id: {}, output: 'x' })).toEqual({ output: 'x' });
	for (const none of [null, [], 'COMPLETED', 5])
		expect(statusResponse.safeParse(none).success).toBe(false);
});

it.each<[unknown, string[]]>([
	[{ file_urls: ['a', 'b'], message: 'm' }, ['a', 'b']],
	[{ urls: ['a', 'b'] }, ['a', 'b']],
	[{ file_urls: ['a'], urls: ['b'] }, ['b']],
	[{ file_urls: ['a'], urls: null }, ['a']],
	[{ file_urls: 'a', urls: ['b'] }, ['b']],
	[{ file_urls: [1], url: 'c' }, []],
])('the URLs in the response %j to an upload are %j, in order', (body, urls) => {
	expect(uploadResponse.parse(body)).toEqual(urls);
});

it.each<[object, [number, number] | undefined]>([
	[{ credits: 0, 'free-credits': 0.0184921035 }, [0, 0.0184921035]],
	[{ credits: -1.5 }, [-1.5, 0]],
	[{ credits: '12.5', 'free-credits': '0.25' }, [12.5, 0.25]],
	[{ credits: 3, 'free-credits': 'none' }, [3, 0]],
	// The balance is unknown, not zero.
	[{}, undefined],
	[{ credits: null, 'free-credits': 5 }, undefined],
	[{ credits: 5, 'free-credits': null }, undefined],
	[{ credits: 'many' }, undefined],
	[{ credits: '' }, undefined],
	[{ credits: [5] }, undefined],
	[{ credits: true }, undefined],
	[{ credits: '1e999' }, undefined],
])('the balance %j is %j', (body, balance) => {
	const { data } = creditBalance.safeParse(body);
	expect(data && [data.credits, data['free-credits']]).toEqual(balance);
});

it('a history row needs a request ID; a listed model needs a slug, whose case is kept', () => {
	const row = { request_id: 'r', credits_deduction: '0.05', extra: 1 };
	expect(historyRow.parse(row)).toMatchObject({ ...row, credits_deduction: 0.05 });
	expect(historyRow.parse({ ...row, credits_deduction: {} }).credits_deduction).toBeUndefined();
	expect(historyRow.parse({ ...row, model_status: 5 })).toMatchObject({ request_id: 'r' });
	expect(historyRow.safeParse({ model_name: 'm' }).success).toBe(false);
	expect(listedModel.parse({ slug: 'Simple_Flux', title: 5 }).slug).toBe('Simple_Flux');
	for (const none of [{ slug: '' }, { title: 'x' }])
		expect(listedModel.safeParse(none).success).toBe(false);
});

it.each<[unknown, unknown[]]>([
	[[1], [1]],
	[{ 'Inference Segmind Model Information List With Details': [1] }, [1]],
	[{ count: 3, data: [1], more: [2] }, [1]],
	[{ data: { total: 1, endpoints: [{ id: 1 }] } }, [{ id: 1 }]],
	[{ errors: [], endpoints: [{ id: 1 }] }, [{ id: 1 }]],
	[{ keys: ['a'], list: [{ id: 1 }] }, [{ id: 1 }]],
	[{ endpoints: [] }, []],
	[null, []],
	['[1]', []],
])('the first list of %j is %j', (body, list) => {
	expect(listOrEmpty(body)).toEqual(list);
});
