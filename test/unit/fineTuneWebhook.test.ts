import { matchesSecret } from '../../nodes/SegmindFineTuneTrigger/secret';
import { chosenEvents, hasHappened, subjectOf } from '../../nodes/SegmindFineTuneTrigger/subject';

describe('event, job and URLs in a payload', () => {
	const chosen = chosenEvents(['AVAILABLE']);
	it.each<[Record<string, unknown>, string | undefined, string | undefined]>([
		[{ event_type: 'AVAILABLE', finetune_id: 'a' }, 'AVAILABLE', 'a'],
		[{ event: 'AVAILABLE', request_id: 'a' }, 'AVAILABLE', 'a'],
		[{ type: 'available', id: 5 }, 'available', '5'],
		[{ status: 'AVAILABLE', id: 'evt', data: { finetune_id: 'job' } }, 'AVAILABLE', 'job'],
		[{ event_type: 'FINE_TUNE', data: { status: 'AVAILABLE', request_id: 'a' } }, 'AVAILABLE', 'a'],
		[{ event: { type: 'AVAILABLE', id: ' a ' } }, 'AVAILABLE', 'a'],
		[{ event_type: 'TRAINING_COMPLETED', status: 'AVAILABLE' }, 'TRAINING_COMPLETED', undefined],
		[{ event_type: 'FINE_TUNE' }, 'FINE_TUNE', undefined],
		[{ data: { deeper: { status: 'AVAILABLE', finetune_id: 'a' } } }, 'AVAILABLE', 'a'],
		[{ list: [[{ status: 'AVAILABLE', jobId: 'a' }]] }, 'AVAILABLE', 'a'],
		[{ new_status: 'available', old_status: 'DEPLOYING', fineTuneId: 'a' }, 'available', 'a'],
		[{ status: 'success', newStatus: 'AVAILABLE' }, 'AVAILABLE', undefined],
		[{ type: 'fine_tune', previous: { status: 'AVAILABLE', id: 'a' } }, 'fine_tune', undefined],
		[{ x: { previous_state: { status: 'AVAILABLE' } } }, undefined, undefined],
		[{ status: 'FAILED', notify_on: ['AVAILABLE'], id: 'a' }, 'FAILED', 'a'],
		[{ status: 'TRAINING_COMPLETED', next: 'AVAILABLE' }, 'TRAINING_COMPLETED', undefined],
		[{ status: 5, id: true, event: '' }, undefined, undefined],
		[{ id: 'x'.repeat(201), jobId: ' ' }, undefined, undefined],
		[{ text: 'AVAILABLE', ['x'.repeat(50)]: 'AVAILABLE' }, undefined, undefined],
	])('%j has the event %p and the job %p', (payload, event, jobId) => {
		expect(subjectOf(payload, chosen)).toEqual({ event, jobId, addresses: {} });
	});

	it('the least deeply nested URLs are used', () => {
		const data = { trained_model_url: 'u', inference_api_url: 5 };
		const payload = { trained_model_url: '', data, deep: { er: { trainedModelUrl: 'v' } } };
		expect(subjectOf(payload, chosen).addresses).toEqual({ trained_model_url: 'u' });
	});
});

it('chosen events keep the name that the user gave', () => {
	expect([...chosenEvents(['AVAILABLE'], ' failed,, model.gone , Training-Completed')]).toEqual([
		['AVAILABLE', 'AVAILABLE'],
		['FAILED', 'failed'],
		['MODEL_GONE', 'model.gone'],
		['TRAINING_COMPLETED', 'Training-Completed'],
	]);
	for (const nothing of [undefined, null, {}, 5, [], [{}], ''])
		expect(chosenEvents(nothing, nothing).size).toBe(0);
});

it.each([
	['AVAILABLE', 'available', true],
	['TRAINING_COMPLETED', 'AVAILABLE', true],
	['INFERENCE_QUEUED', 'DEPLOYING', true],
	['INFERENCE_QUEUED', 'TRAINING_COMPLETED', false],
	['AVAILABLE', 'FAILED', false],
	['FAILED', 'FAILED', true],
	['FAILED', 'AVAILABLE', false],
	['AVAILABLE', 'constructor', false],
	['AVAILABLE', '', false],
])('%s has happened when the status is %s: %p', (event, status, expected) => {
	expect(hasHappened(event, status)).toBe(expected);
});

it('only the complete secret is accepted', () => {
	expect(matchesSecret('abc', 'abc')).toBe(true);
	for (const wrong of ['abd', 'ab', 'abcd', '', ' abc', undefined, null, ['abc'], { length: 3 }])
		expect(matchesSecret('abc', wrong)).toBe(false);
	expect(matchesSecret('', '')).toBe(false);
});
