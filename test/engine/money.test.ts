/** A job is never paid for twice and never lost. */
import { sleep } from 'n8n-workflow';

import { closeConnections } from '../../dev/engine/version';
import { CHARGE } from '../../nodes/shared/base/failure';
import { CAUSES, HISTORY_SAYS, PARTS, RETRY } from '../../nodes/shared/errors/errorTable';
import { refusing, saying } from '../helpers/errorTexts';
import { fileItem, forRetry } from '../helpers/runNode';
import { EACH_PROMPT, model, prompts, rows, running, submitting } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode, during } = useVirtualEngine();
const failPrompt1 = { failWhen: (input: Record<string, unknown>) => input.prompt === 'prompt 1' };
const submits = () => emulator.it.callsOf('submit');
/** Ids that the history was asked for and knew. */
const recordsRead = () =>
	emulator.it
		.callsOf('history')
		.flatMap(({ status, requestId }) => (status === 200 && requestId ? [requestId] : []));
const submittedPrompts = () => submits().map(({ body }) => (body as { prompt: string }).prompt);

describe('Retry On Fail with one bad item of three', () => {
	test('sends each good item once, and the failing one afresh each time', async () => {
		emulator.it.set(failPrompt1);
		const { error } = await runNode({
			emulator: emulator.it,
			parameters: running({ prompt: EACH_PROMPT }),
			items: prompts(3),
			tries: 3,
		});
		expect(error?.message).toContain('1 of 3 items failed');
		expect(submittedPrompts().sort()).toEqual([
			'prompt 0',
			'prompt 1',
			'prompt 1',
			'prompt 1',
			'prompt 2',
		]);
		expect(emulator.it.jobs.filter(({ charged }) => charged > 0)).toHaveLength(2);
	});

	test('also with a random seed', async () => {
		emulator.it.set(failPrompt1);
		const additionalParameters = rows({
			name: 'seed',
			type: 'number',
			numberValue: '={{ Math.floor(Math.random() * 1e9) }}',
		});
		await runNode({
			emulator: emulator.it,
			parameters: running({ prompt: EACH_PROMPT }, { additionalParameters }),
			items: prompts(3),
			tries: 3,
		});
		expect(submittedPrompts().filter((prompt) => prompt !== 'prompt 1')).toHaveLength(2);
	});

	test('also with a file input, which is uploaded once', async () => {
		emulator.it.set(failPrompt1);
		const additionalParameters = rows({
			name: 'image_urls',
			type: 'file',
			binaryFields: 'data',
		});
		const items = prompts(3).map(({ json }) =>
			fileItem({ data: { bytes: Buffer.from(`picture of ${String(json.prompt)}`) } }, json),
		);
		await runNode({
			emulator: emulator.it,
			parameters: running({ prompt: EACH_PROMPT }, { additionalParameters }),
			items,
			tries: 3,
		});
		expect(submittedPrompts().filter((prompt) => prompt !== 'prompt 1')).toHaveLength(2);
		expect(emulator.it.callsOf('upload')).toHaveLength(3);
	});

	test('also under Continue, when the first item is the bad one', async () => {
		emulator.it.set({ failWhen: (input) => input.prompt === 'prompt 0' });
		const { json, error } = await runNode({
			emulator: emulator.it,
			parameters: running({ prompt: EACH_PROMPT }),
			items: prompts(3),
			tries: 3,
			onError: 'continueRegularOutput',
		});
		expect(error).toBeUndefined();
		expect(submittedPrompts().sort()).toEqual([
			'prompt 0',
			'prompt 0',
			'prompt 0',
			'prompt 1',
			'prompt 2',
		]);
		expect(json.map((item) => 'error' in item)).toEqual([true, false, false]);
	});
});

test('the retry of a failed execution polls the running request instead of submitting', async () => {
	emulator.it.set({ jobMs: 1_500 });
	const parameters = running({}, { timeoutSeconds: 1 });
	const failed = await runNode({ emulator: emulator.it, parameters });
	expect(failed.error?.message).toMatch(saying(CAUSES.stillRunning.what));
	const retried = await runNode({
		emulator: emulator.it,
		parameters,
		resume: forRetry(failed.stored),
	});
	expect(retried.error).toBeUndefined();
	expect(retried.json[0].request_id).toBe(emulator.it.jobs[0].requestId);
	expect(submits()).toHaveLength(1);
});

test('a finished item of a failed execution needs no call at all', async () => {
	emulator.it.set(failPrompt1);
	const parameters = running({ prompt: EACH_PROMPT });
	const failed = await runNode({ emulator: emulator.it, parameters, items: prompts(2) });
	emulator.it.set({ failWhen: null });
	const before = emulator.it.calls.length;
	const retried = await runNode({
		emulator: emulator.it,
		parameters,
		resume: forRetry(failed.stored),
	});
	const known = emulator.it.jobs[0].requestId;
	expect(retried.json.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
	expect(retried.items[0].binary?.data.mimeType).toBe('image/png');
	expect(emulator.it.calls.slice(before).filter(({ path }) => path.includes(known))).toEqual([]);
	expect(submits()).toHaveLength(3);
});

test('changing only how to wait before a retry does not submit again', async () => {
	emulator.it.set({ jobMs: 1_300 });
	const failed = await runNode({
		emulator: emulator.it,
		parameters: running({}, { timeoutSeconds: 1 }),
	});
	const retried = await runNode({
		emulator: emulator.it,
		parameters: running({ simplify: false }, { timeoutSeconds: 60, outputField: 'picture' }),
		resume: forRetry(failed.stored),
	});
	expect(retried.items[0].binary).toHaveProperty('picture');
	expect(submits()).toHaveLength(1);
});

test('changing what is asked for does submit again', async () => {
	emulator.it.set({ failJobs: [0] });
	const failed = await runNode({ emulator: emulator.it, parameters: running() });
	const retried = await runNode({
		emulator: emulator.it,
		parameters: running({ prompt: 'a windmill' }),
		resume: forRetry(failed.stored),
	});
	expect(retried.error).toBeUndefined();
	expect(submittedPrompts()).toEqual(['a lighthouse', 'a windmill']);
});

test('a run without a failure leaves nothing in the stored execution', async () => {
	const { stored } = await runNode({ emulator: emulator.it, parameters: running() });
	expect(stored.executionData?.contextData['node:Segmind']).toEqual({});
});

describe('a connection lost after acceptance', () => {
	const lost = { on: 'submit', do: 'dropAfterAccept' } as const;

	test('is found again in the request history', async () => {
		emulator.it.fault(lost);
		const { json, error } = await runNode({ emulator: emulator.it, parameters: running() });
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({
			request_id: emulator.it.jobs[0].requestId,
			status: 'COMPLETED',
		});
		expect(submits()).toHaveLength(1);
	});

	test('two equal ones are told apart', async () => {
		emulator.it.fault({ ...lost, times: 2 });
		const { json } = await runNode({
			emulator: emulator.it,
			parameters: running(),
			items: [{ json: {} }, { json: {} }],
		});
		expect(new Set(json.map(({ request_id }) => request_id))).toEqual(
			new Set(emulator.it.jobs.map(({ requestId }) => requestId)),
		);
		expect(submits()).toHaveLength(2);
	});

	test('is not sent again while its outcome is unknown, not even by Retry On Fail', async () => {
		emulator.it.set({ history: false });
		emulator.it.fault(lost);
		const { error } = await runNode({ emulator: emulator.it, parameters: running(), tries: 3 });
		expect(error?.message).toMatch(saying(CAUSES.unknownOutcome.what));
		expect(error?.description).toContain(RETRY.holds);
		expect(submits()).toHaveLength(1);
	});

	test('is told by the status of its error', async () => {
		emulator.it.set({ history: false });
		emulator.it.fault(lost);
		const { errorItems } = await runNode({
			emulator: emulator.it,
			parameters: running(),
			onError: 'continueErrorOutput',
		});
		expect(errorItems).toMatchObject([{ json: { error: { status: 'UNKNOWN' } } }]);
	});

	test('is sent again when the user says so', async () => {
		emulator.it.set({ history: false });
		emulator.it.fault(lost);
		const { json } = await runNode({
			emulator: emulator.it,
			parameters: running({}, { resubmitWhenUnknown: true }),
			tries: 2,
		});
		expect(json[0].status).toBe('COMPLETED');
		expect(submits()).toHaveLength(2);
	});

	test('a v1 output comes back from the history too', async () => {
		emulator.it.fault({ on: 'v1', do: 'dropAfterAccept' });
		const { json, error } = await runNode({
			emulator: emulator.it,
			parameters: running({}, { answerInOneCall: true }),
		});
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({
			status: 'COMPLETED',
			request_id: emulator.it.jobs[0].requestId,
		});
		expect(emulator.it.callsOf('history').some(({ status }) => status === 200)).toBe(true);
		expect(emulator.it.callsOf('v1')).toHaveLength(1);
	});
});

describe('what is sent again', () => {
	test.each([429, 503])('%i before acceptance is waited out', async (status) => {
		emulator.it.fault({
			on: 'submit',
			do: { status, body: { error: 'wait' }, headers: { 'retry-after': '0' } },
		});
		const { error } = await runNode({ emulator: emulator.it, parameters: running() });
		expect(error).toBeUndefined();
		expect(emulator.it.jobs).toHaveLength(1);
	});

	test.each([500, 502, 504])(
		'%i is an error, and a later retry submits it again',
		async (status) => {
			emulator.it.fault({ on: 'submit', do: { status, body: { error: 'backend down' } } });
			const once = await runNode({ emulator: emulator.it, parameters: running() });
			expect(once.error?.message).toContain('backend down');
			expect(once.error?.description).toContain(status === 500 ? CHARGE.none : RETRY.searches);
			expect(submits()).toHaveLength(1);
			const retried = await runNode({
				emulator: emulator.it,
				parameters: running(),
				resume: forRetry(once.stored),
			});
			expect(retried.error).toBeUndefined();
		},
	);

	test('a refused connection is tried again, and then said to be out of reach', async () => {
		closeConnections();
		await emulator.it.refuse('api');
		const { error } = await runNode({ emulator: emulator.it, parameters: running() });
		await emulator.it.listen('api');
		expect(error?.message).toMatch(saying(CAUSES.noAnswer.what));
		expect(error?.description).toContain(CHARGE.none);
	});
});

test('an expired unfinished request is submitted again only with the option', async () => {
	emulator.it.set({ jobMs: 60_000, history: false });
	const parameters = running({}, { timeoutSeconds: 1 });
	const failed = await runNode({ emulator: emulator.it, parameters });
	emulator.it.set({ recordMs: 0, jobMs: 50 });
	const resubmitting = running({}, { timeoutSeconds: 1, resubmitWhenUnknown: true });
	for (const again of [parameters, resubmitting]) {
		const unseen = await runNode({ parameters: again, resume: forRetry(failed.stored) });
		expect(unseen.error?.message).toMatch(saying(CAUSES.missingNow.what));
	}
	await during(sleep(3_700_000));
	const refused = await runNode({ parameters, resume: forRetry(failed.stored) });
	expect(refused.error?.message).toMatch(saying(CAUSES.missing.what));
	expect(submits()).toHaveLength(1);
	emulator.it.set({ recordMs: 3_600_000 });
	const resubmitted = await runNode({ parameters: resubmitting, resume: forRetry(refused.stored) });
	expect(resubmitted.error).toBeUndefined();
	expect(submits()).toHaveLength(2);
});

describe('a text whose record has expired: the history shows that it completed, and no more', () => {
	const written = (options = {}) =>
		running({ model: model('gpt-5.5') }, { timeoutSeconds: 1, ...options });
	/** A run that gave up waiting, more than an hour ago. */
	const longAgo = async (jobMs: number) => {
		emulator.it.set({ jobMs });
		const failed = await runNode({ emulator: emulator.it, parameters: written() });
		expect(failed.error?.message).toMatch(saying(CAUSES.stillRunning.what));
		await during(sleep(3_700_000));
		return failed;
	};

	test('it is not submitted again, with the option neither', async () => {
		const failed = await longAgo(60_000);
		for (const parameters of [written(), written({ resubmitWhenUnknown: true })]) {
			const { error } = await runNode({ parameters, resume: forRetry(failed.stored) });
			expect(error?.message).toMatch(saying(CAUSES.resultExpired.what));
			expect(error?.description).toContain(CHARGE.completed);
		}
		expect(submits()).toHaveLength(1);
	});

	test('one that the history could not be asked for is not submitted again either', async () => {
		const failed = await longAgo(60_000);
		emulator.it.fault({ on: 'history', times: Infinity, do: { status: 500, body: '' } });
		const { error } = await runNode({
			parameters: written({ resubmitWhenUnknown: true }),
			resume: forRetry(failed.stored),
		});
		expect(error?.description).toContain(HISTORY_SAYS.outOfReach);
		expect(submits()).toHaveLength(1);
	});

	test('what an earlier try saw does not count: unfinished then, completed or out of reach now', async () => {
		const failed = await longAgo(4_500_000);
		const expired = await runNode({ parameters: written(), resume: forRetry(failed.stored) });
		expect(expired.error?.message).toMatch(saying(CAUSES.missing.what));
		emulator.it.fault({ on: 'history', times: Infinity, do: { status: 500, body: '' } });
		const resubmitting = written({ resubmitWhenUnknown: true });
		const unread = await runNode({ parameters: resubmitting, resume: forRetry(expired.stored) });
		expect(unread.error?.description).toContain(HISTORY_SAYS.outOfReach);
		emulator.it.clearFaults();
		await during(sleep(1_000_000));
		const { error } = await runNode({ parameters: resubmitting, resume: forRetry(expired.stored) });
		expect(error?.message).toMatch(saying(CAUSES.resultExpired.what));
		expect(submits()).toHaveLength(1);
	});

	test('Get Result says so, and a loop ends there', async () => {
		emulator.it.set({ queueMs: 0, jobMs: 0 });
		const submitted = await runNode({
			emulator: emulator.it,
			parameters: submitting({ model: model('gpt-5.5') }),
		});
		emulator.it.set({ recordMs: 0 });
		await during(sleep(3_700_000));
		for (const waitForCompletion of [true, false]) {
			const { error } = await runNode({
				parameters: {
					resource: 'request',
					operation: 'getResult',
					request: '={{ $json }}',
					waitForCompletion,
				},
				items: [{ json: submitted.json[0] }],
			});
			expect(error?.message).toMatch(saying(CAUSES.resultExpired.what));
		}
	});
});

test('an expired record gives its file back from the history', async () => {
	emulator.it.set({ queueMs: 0, jobMs: 0 });
	const submitted = await runNode({
		emulator: emulator.it,
		parameters: submitting(),
	});
	emulator.it.set({ recordMs: 0 });
	const { json, items } = await runNode({
		emulator: emulator.it,
		parameters: { resource: 'request', operation: 'getResult', request: '={{ $json }}' },
		items: [{ json: submitted.json[0] }],
	});
	expect(json[0]).toMatchObject({
		request_id: submitted.json[0].request_id,
		model: 'nano-banana-pro',
		status: 'COMPLETED',
	});
	expect(recordsRead()).toEqual([submitted.json[0].request_id]);
	expect(items[0].binary?.data.mimeType).toBe('image/png');
});

test('nine good items survive a bad one: all are settled, and the error names every id', async () => {
	emulator.it.set({ failWhen: (input) => input.prompt === 'prompt 3' });
	const { error } = await runNode({
		emulator: emulator.it,
		parameters: running({ prompt: EACH_PROMPT }),
		items: prompts(10),
	});
	expect(emulator.it.jobs.filter(({ state }) => state === 'COMPLETED')).toHaveLength(9);
	for (const { requestId } of emulator.it.jobs)
		expect(`${error?.message}${error?.description}`).toContain(requestId);
});

test('the id of an accepted request is in the message of a log line at once', async () => {
	const { log, executionId } = await runNode({ emulator: emulator.it, parameters: running() });
	expect(log).toEqual([
		expect.stringMatching(
			new RegExp(`request ${emulator.it.jobs[0].requestId} .*${executionId}.*"Segmind".*item 0`),
		),
	]);
	expect(log.join()).not.toContain('lighthouse');
});

describe('a request that is sent again and refused leaves the earlier try as it was', () => {
	const refused = { status: 402, body: { error: 'Insufficient credits' } };

	test('one whose answer was lost is looked for again, not submitted again', async () => {
		emulator.it.set({ history: false });
		emulator.it.fault({ on: 'submit', do: 'dropAfterAccept' });
		const lost = await runNode({ parameters: running() });
		emulator.it.fault({ on: 'submit', do: refused });
		const again = await runNode({
			parameters: running({}, { resubmitWhenUnknown: true }),
			resume: forRetry(lost.stored),
		});
		expect(again.error?.message).toMatch(refusing('402'));
		expect(again.error?.description).toMatch(saying(PARTS.stillOpen));
		expect(again.error?.description).not.toContain(CHARGE.none);
		emulator.it.set({ history: true });
		const { json } = await runNode({ parameters: running(), resume: forRetry(again.stored) });
		expect(json[0].request_id).toBe(emulator.it.jobs[0].requestId);
		expect(emulator.it.jobs).toHaveLength(1);
	});

	test('also when Max Cost keeps it from being sent', async () => {
		emulator.it.set({ history: false });
		emulator.it.fault({ on: 'submit', do: 'dropAfterAccept' });
		const { error } = await runNode({
			parameters: running(
				{ model: model('nano-banana-pro') },
				{ maximumCost: 0.2, resubmitWhenUnknown: true },
			),
			tries: 2,
		});
		expect(error?.message).toMatch(saying(CAUSES.overMaxCost.what));
		expect(error?.description).toMatch(saying(PARTS.stillOpen));
		expect(error?.description).not.toContain(CHARGE.none);
	});

	test('one that failed is free and over: it is sent anew, and nothing is asked of it', async () => {
		emulator.it.set({ failJobs: [0] });
		const first = await runNode({ parameters: running() });
		expect(first.failed).toMatchObject([{ kind: 'requestFailed', charge: 'none' }]);
		const before = emulator.it.calls.length;
		const { json } = await runNode({ parameters: running(), resume: forRetry(first.stored) });
		const [failed, made] = emulator.it.jobs;
		expect(json[0].request_id).toBe(made.requestId);
		expect(JSON.stringify(emulator.it.calls.slice(before))).not.toContain(failed.requestId);
	});
});

describe('an answer that names another request', () => {
	const another = '0f0e0d0c0b0a09080706050403020100';

	test('is not taken for the result', async () => {
		emulator.it.fault({
			on: 'result',
			do: { body: { status: 'COMPLETED', request_id: another, output: 'not yours' } },
		});
		const { json } = await runNode({ parameters: running() });
		expect(json[0].request_id).toBe(emulator.it.jobs[0].requestId);
		expect(json[0].output).not.toBe('not yours');
	});

	test.each([200, 422])(
		'is not taken for a failure that may be sent again, under %i',
		async (status) => {
			emulator.it.fault({
				on: 'status',
				times: 3,
				do: { status, body: { status: 'FAILED', request_id: another, error: 'not yours' } },
			});
			const { json } = await runNode({ parameters: running(), tries: 3 });
			expect(json[0].request_id).toBe(emulator.it.jobs[0].requestId);
			expect(emulator.it.jobs).toHaveLength(1);
		},
	);

	test('is not one that writes the same id with or without hyphens', async () => {
		const {
			json: [submitted],
		} = await runNode({
			parameters: submitting({ prompt: 'a' }),
		});
		const id = String(submitted.request_id);
		const written = id.includes('-')
			? id.replaceAll('-', '')
			: id.replace(/^(.{8})(.{4})(.{4})/, '$1-$2-$3-');
		emulator.it.fault({
			on: 'result',
			do: { body: { status: 'COMPLETED', request_id: written.toUpperCase(), output: 'yours' } },
		});
		const { json } = await runNode({
			parameters: { resource: 'request', operation: 'getResult', request: id },
		});
		expect(json[0].output).toBe('yours');
	});
});
