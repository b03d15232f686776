import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { confirmation } from '../../nodes/SegmindFineTuneTrigger/confirmation';
import { jobAnswer, type JobAnswer } from '../../nodes/SegmindFineTuneTrigger/jobCalls';
import { readBody } from '../../nodes/SegmindFineTuneTrigger/deliveryBody';
import { addressesIn, itemJson } from '../../nodes/SegmindFineTuneTrigger/deliveryItem';
import { subjectOf } from '../../nodes/SegmindFineTuneTrigger/deliverySubject';
import { canonical, chosenEvents, hasHappened } from '../../nodes/SegmindFineTuneTrigger/events';
import { deduplicate } from '../../nodes/SegmindFineTuneTrigger/deduplicate';
import { isSecret } from '../../nodes/SegmindFineTuneTrigger/deliverySecret';
import { VirtualClock } from '../../dev/simulation/virtualClock';

describe('event and job of a payload', () => {
	const chosen = new Set(['AVAILABLE']);
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
		[{ list: [{ status: 'AVAILABLE', jobId: 'a' }] }, 'AVAILABLE', 'a'],
		[{ new_status: 'available', old_status: 'DEPLOYING', fineTuneId: 'a' }, 'available', 'a'],
		[{ status: 'success', newStatus: 'AVAILABLE' }, 'AVAILABLE', undefined],
		[{ types: ['AVAILABLE'], id: 'a' }, 'AVAILABLE', 'a'],
		[{ event: { types: ['TRAINING_COMPLETED', 'AVAILABLE'] }, id: 'a' }, 'AVAILABLE', 'a'],
		[{ event_types: [{ name: 'AVAILABLE' }] }, 'AVAILABLE', undefined],
		[{ kind: 'finetune.available', id: 'a' }, 'AVAILABLE', 'a'],
		[{ text: 'Fine-tune a is AVAILABLE now' }, 'AVAILABLE', undefined],
		[{ AVAILABLE: { id: 'a' } }, 'AVAILABLE', 'a'],
		[
			{ type: 'fine_tune', changes: { from: 'DEPLOYING', to: 'AVAILABLE' } },
			'AVAILABLE',
			undefined,
		],
		[{ type: 'fine_tune', previous: { status: 'AVAILABLE' } }, 'AVAILABLE', undefined],
		[{ x: { previous_state: { status: 'AVAILABLE' } } }, undefined, undefined],
		[{ available: false, id: 'a' }, undefined, 'a'],
		[{ text: 'It is not available, and UNAVAILABLE, and NOT_AVAILABLE' }, undefined, undefined],
		[{ status: 'FAILED', notify_on: ['AVAILABLE'], id: 'a' }, 'FAILED', 'a'],
		[{ status: 'TRAINING_COMPLETED', next: 'AVAILABLE' }, 'TRAINING_COMPLETED', undefined],
		[{ status: 5, id: true, event: '' }, undefined, undefined],
	])('%j', (payload, event, jobId) => {
		expect(subjectOf(payload, chosen)).toEqual({ event, jobId, isTest: false });
	});

	it('lifts the addresses from the top or one level down', () => {
		expect(
			addressesIn({
				trained_model_url: '',
				data: { trained_model_url: 'u', inference_api_url: 5 },
			}),
		).toEqual({ trained_model_url: 'u' });
	});

	it('takes any object without throwing, and loses no member of it', () => {
		fc.assert(
			fc.property(
				fc.dictionary(
					fc.oneof(
						fc.string(),
						fc.constantFrom('event', 'error', 'error_message', 'test', 'payload_event'),
					),
					fc.jsonValue(),
				),
				(payload) => {
					const { event = 'x' } = subjectOf(payload, chosen);
					const json = itemJson(payload, { event, ...addressesIn(payload) });
					expect(Object.hasOwn(json, 'error')).toBe(false);
					for (const [name, value] of Object.entries(payload)) {
						if (name !== '__proto__' && !(name === 'error' && value === null))
							expect(Object.values(json)).toContainEqual(value);
					}
				},
			),
		);
	});

	const name = fc.constantFrom('AVAILABLE', 'TRAINING_COMPLETED', 'MODEL_GONE');
	const noise = fc.oneof(
		fc.stringMatching(/^[a-z0-9 ]{0,12}$/),
		fc.integer(),
		fc.boolean(),
		fc.constant(null),
	);
	const key = fc.stringMatching(/^[a-z]{3,8}$/).map((text) => `x${text}`);

	it('is found wherever a payload names it, and only where it does', () => {
		const { tree } = fc.letrec((tie) => ({
			tree: fc.oneof(
				{ maxDepth: 5 },
				noise,
				fc.array(tie('tree'), { maxLength: 3 }),
				fc.dictionary(key, tie('tree'), { maxKeys: 3 }),
			),
		}));
		const place = fc.array(fc.oneof(key, fc.constant(0)), { minLength: 1, maxLength: 5 });
		fc.assert(
			fc.property(
				fc.dictionary(key, tree, { maxKeys: 4 }),
				place,
				name,
				fc.boolean(),
				(payload, path, event, asKey) => {
					const all = new Set(['AVAILABLE', 'TRAINING_COMPLETED', 'MODEL_GONE']);
					expect(subjectOf(payload, all).event).toBeUndefined();
					const told = path.reduceRight<unknown>(
						(inner, step) => (step === 0 ? [inner] : { [step]: inner }),
						asKey ? { [event]: 'x' } : event,
					);
					expect(canonical(subjectOf({ ...payload, told }, all).event ?? '')).toBe(event);
					expect(subjectOf({ ...payload, told }, new Set(['OTHER'])).event).toBeUndefined();
				},
			),
			{ numRuns: 500, seed: 1 },
		);
	});

	it('what the job says goes before the delivery, whatever the delivery says', () => {
		const member = fc.constantFrom(
			'status',
			'name',
			'slug',
			'cloud_storage_url',
			'trained_model_url',
			'inference_api_url',
			'event',
			'finetune_id',
			'confirmed',
			'finetune',
			'error',
			'x',
			'__proto__',
			'constructor',
		);
		fc.assert(
			fc.property(
				fc.dictionary(member, fc.jsonValue({ maxDepth: 2 })),
				fc.dictionary(
					member.filter(
						(one) => !['__proto__', 'error', 'event', 'confirmed', 'finetune'].includes(one),
					),
					fc.string({ minLength: 1 }),
				),
				(payload, job) => {
					const own = {
						event: 'AVAILABLE',
						finetune_id: 'a',
						...addressesIn(job),
						confirmed: true,
						finetune: job as IDataObject,
					};
					const json = itemJson(payload, own, job as IDataObject);
					expect(json).toMatchObject(own);
					for (const [one, value] of Object.entries(job))
						if (one !== 'finetune_id' && Object.hasOwn(json, one)) expect(json[one]).toEqual(value);
					for (const one of ['trained_model_url', 'inference_api_url'])
						if (!Object.hasOwn(own, one)) expect(json).not.toHaveProperty(one);
					expect(Object.hasOwn(json, 'error')).toBe(false);
					for (const [one, value] of Object.entries(payload))
						if (one !== '__proto__' && !(one === 'error' && value === null))
							expect(Object.values(json)).toContainEqual(value);
				},
			),
			{ numRuns: 500, seed: 1 },
		);
	});

	it('finds a free name', () => {
		expect(
			itemJson({ event: 1, payload_event: 2, error: 'a', error_message: 'b' }, { event: 'E' }),
		).toEqual({
			event: 'E',
			payload_payload_event: 1,
			payload_event: 2,
			payload_error: 'a',
			error_message: 'b',
		});
	});
});

describe('the body, when n8n hands over none as it came', () => {
	const read = (parsed: unknown, contentType = 'application/json') =>
		readBody({ parsed, contentType });

	it('must have been JSON, within the limits', () => {
		expect(read({ a: 1 })).toEqual({ payload: { a: 1 } });
		expect(read({ a: 1 }, 'multipart/form-data')).toHaveProperty('status', 400);
		expect(read([])).toHaveProperty('status', 400);
		expect(read({ a: 'x'.repeat(64 * 1024) })).toHaveProperty('status', 413);
	});
});

describe('events', () => {
	it.each([
		'TRAINING_COMPLETED',
		' training.completed ',
		'Training Completed',
		'training-completed',
	])('one spelling of %p', (word) => {
		expect(canonical(word)).toBe('TRAINING_COMPLETED');
	});

	it('chosen ones keep the name that the user gave', () => {
		expect([...chosenEvents(['AVAILABLE'], ' failed,, model.gone ')]).toEqual([
			['AVAILABLE', 'AVAILABLE'],
			['FAILED', 'failed'],
			['MODEL_GONE', 'model.gone'],
		]);
		for (const nothing of [undefined, null, {}, 5, [], [{}], ''])
			expect(chosenEvents(nothing, nothing).size).toBe(0);
	});

	it.each([
		['AVAILABLE', 'available', true],
		['TRAINING_COMPLETED', 'AVAILABLE', true],
		['TRAINING_COMPLETED', 'DEPLOYING', true],
		['INFERENCE_QUEUED', 'DEPLOYING', true],
		['INFERENCE_QUEUED', 'TRAINING_COMPLETED', false],
		['AVAILABLE', 'REQUESTED', false],
		['AVAILABLE', 'FAILED', false],
		['FAILED', 'FAILED', true],
		['FAILED', 'AVAILABLE', false],
		['AVAILABLE', 'constructor', false],
	])('%s has happened when the status is %s: %p', (event, status, expected) => {
		expect(hasHappened(event, status)).toBe(expected);
	});
});

it('a secret is compared as a whole', () => {
	expect(isSecret('abc', 'abc')).toBe(true);
	for (const wrong of ['abd', 'ab', 'abcd', '', ' abc', undefined, null, ['abc'], { length: 3 }])
		expect(isSecret('abc', wrong)).toBe(false);
	expect(isSecret('', '')).toBe(false);
});

describe('one execution for each job and event', () => {
	let scopes = 0;
	const about = (staticData: IDataObject = {}) => ({
		scope: `test ${++scopes}`,
		event: 'AVAILABLE',
		jobId: 'a',
		staticData,
	});

	it('one that was decided against, or that broke, is forgotten', async () => {
		const delivered = about();
		expect(await deduplicate(delivered, async () => false)).toBe(false);
		await expect(
			deduplicate(delivered, async () => await Promise.reject(new Error('broken'))),
		).rejects.toThrow('broken');
		expect(delivered.staticData).toEqual({});
		expect(await deduplicate(delivered, async () => true)).toBe(true);
		expect(await deduplicate(delivered, async () => true)).toBe(false);
	});

	it('those that wait are decided on one after the other, until one is started', async () => {
		const delivered = about();
		const asked: number[] = [];
		const decisions = [false, false, true, true].map(
			async (yes, at) =>
				await deduplicate(delivered, async () => {
					asked.push(at);
					return await Promise.resolve(yes);
				}),
		);
		expect(await Promise.all(decisions)).toEqual([false, false, true, false]);
		expect(asked).toEqual([0, 1, 2]);
	});

	it('static data that somebody spoiled is no obstacle', async () => {
		for (const started of ['x', 5, null, [5, {}], {}])
			expect(await deduplicate(about({ started } as IDataObject), async () => true)).toBe(true);
	});

	it('another node has its own', async () => {
		expect([
			await deduplicate(about(), async () => true),
			await deduplicate(about(), async () => true),
		]).toEqual([true, true]);
	});
});

describe('confirmation', () => {
	const at = (status: string): JobAnswer => ({ kind: 'job', status, job: { status } });
	const transient: JobAnswer = { kind: 'transient', why: 'no answer' };

	async function confirm(answers: JobAnswer[], seconds = 60) {
		const clock = new VirtualClock();
		const startedAt = clock.now();
		let calls = 0;
		const verdict = await clock.runUntil(
			confirmation(
				'INFERENCE_QUEUED',
				async () => answers[Math.min(calls++, answers.length - 1)],
				() => startedAt + seconds * 1_000,
				clock,
			),
		);
		return { verdict, calls, took: clock.now() - startedAt };
	}

	it('takes no time when the job is that far', async () => {
		expect(await confirm([at('AVAILABLE')])).toEqual({
			verdict: { job: { status: 'AVAILABLE' } },
			calls: 1,
			took: 0,
		});
	});

	it('waits out faults and a status that lags', async () => {
		const { verdict, calls } = await confirm([
			transient,
			at('TRAINING_COMPLETED'),
			transient,
			at('INFERENCE_QUEUED'),
		]);
		expect(verdict).toEqual({ job: { status: 'INFERENCE_QUEUED' } });
		expect(calls).toBe(4);
	});

	it('ends within its minute, with the last reason', async () => {
		const { verdict, calls, took } = await confirm([at('REQUESTED'), transient]);
		expect(verdict).toEqual({ why: 'no answer' });
		expect(took).toBeGreaterThan(45_000);
		expect(took).toBeLessThanOrEqual(60_000);
		expect(calls).toBeLessThan(10);
	});

	it('ends at once when nothing can change', async () => {
		expect(await confirm([{ kind: 'final', why: 'no such job' }, at('AVAILABLE')])).toMatchObject({
			verdict: { why: 'no such job' },
			calls: 1,
		});
	});

	it('does not ask when its time is up', async () => {
		expect(await confirm([at('AVAILABLE')], 0)).toMatchObject({
			verdict: { why: expect.stringContaining('time was up') },
			calls: 0,
		});
	});

	it.each<[number, unknown, JobAnswer['kind']]>([
		[200, { finetune: { id: 'a', status: 'AVAILABLE' } }, 'job'],
		[200, { status: 'AVAILABLE', finetune_id: 'a', id: 5 }, 'job'],
		[200, { status: 'AVAILABLE', id: 'b' }, 'transient'],
		[200, { finetune: { status: 'AVAILABLE' } }, 'transient'],
		[200, { finetune: {} }, 'transient'],
		[200, undefined, 'transient'],
		[404, { error: 'no' }, 'final'],
		[400, {}, 'final'],
		[401, undefined, 'final'],
		[307, undefined, 'final'],
		[429, {}, 'transient'],
		[503, undefined, 'transient'],
	])('HTTP %i %j', (status, body, kind) => {
		expect(jobAnswer(status, body, 'a')).toHaveProperty('kind', kind);
	});
});
