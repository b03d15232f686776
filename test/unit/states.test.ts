import { requestAnswer } from '../../nodes/shared/service/schemas';
import { failureReason, stateOf } from '../../nodes/shared/request/states';

const stateOfBody = (httpStatus: number, body: Record<string, unknown>) =>
	stateOf(httpStatus, requestAnswer.parse(body));

describe('the state of a request', () => {
	it.each<[number, unknown, string]>([
		[200, 'QUEUED', 'running'],
		[200, 'PROCESSING', 'running'],
		[200, 'COMPLETED', 'completed'],
		[200, 'completed', 'completed'],
		[200, 'Success', 'completed'],
		[200, 'succeeded', 'completed'],
		[200, 'FAILED', 'failed'],
		[200, 'failed', 'failed'],
		[200, 'ERROR', 'failed'],
		[422, 'FAILED', 'failed'],
		[422, undefined, 'failed'],
		[422, 'PROCESSING', 'failed'],
		// A word nobody told us of must not end the waiting.
		[200, 'RETRIED', 'running'],
		[200, '', 'running'],
		[200, undefined, 'running'],
		[200, null, 'running'],
		[200, 7, 'running'],
		[200, { a: 1 }, 'running'],
	])('HTTP %i with status %p is %s', (httpStatus, status, state) => {
		expect(stateOfBody(httpStatus, status === undefined ? {} : { status })).toBe(state);
	});
});

describe('the reason of a failed request', () => {
	it.each<[Record<string, unknown>, string]>([
		[
			{ error: 'Prompt is required for video generation.', metrics: { inference_time: 0.003 } },
			'Prompt is required for video generation.',
		],
		[{ error_message: { node: 'image_1', message: 'no image' } }, 'no image'],
		[{ error: null, error_message: 'late' }, 'late'],
		[{ error: { message: 'inner' } }, 'inner'],
		[{ message: 'told as message' }, 'told as message'],
		[{ msg: 'told as msg' }, 'told as msg'],
		[{ detail: [{ msg: 'told in detail' }] }, 'told in detail'],
	])('of %j reaches the user', (body, reason) => {
		expect(failureReason(requestAnswer.parse({ status: 'FAILED', ...body }))).toBe(reason);
	});

	it.each([{}, { error: null }, { error: '' }, { output: 'x' }])(
		'of %j is said to be missing',
		(body) => {
			expect(failureReason(requestAnswer.parse({ status: 'FAILED', ...body }))).toBe(
				'the service gave no reason',
			);
		},
	);
});
