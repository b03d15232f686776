/** The node is edited between a failed execution and its Retry: what asks for the same is not paid again, what does not is told. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { EACH_PROMPT, prompts, rows, running } from '../helpers/inference';
import { fileItem, forRetry } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const ids = () => emulator.it.jobs.map(({ requestId }) => requestId);

/** Three items, of which the second fails. */
async function failed(parameters: INodeParameters, items: INodeExecutionData[] = prompts(3)) {
	emulator.it.set({ failWhen: ({ prompt }) => prompt === 'prompt 1' });
	const result = await runNode({ parameters, items });
	emulator.it.set({ failWhen: null });
	expect(result.error?.message).toContain('1 of 3 items failed');
	return result;
}

const steps = (value: string) => rows({ name: 'steps', type: 'number', numberValue: value });

describe('an edit that changes no value: finished items are given, and no hint is', () => {
	const each = { prompt: EACH_PROMPT };
	const EDITS: Record<string, [INodeParameters, INodeParameters]> = {
		'an expression written otherwise': [
			running(each),
			running({ prompt: '={{ $json["prompt"] }}' }),
		],
		'a value instead of its expression': [
			running(each, { additionalParameters: steps('={{ 5 * 5 }}') }),
			running(each, { additionalParameters: steps('25') }),
		],
		'a text instead of an object': [
			running({}, { requestBody: '={{ { "prompt": $json.prompt } }}' }),
			running({}, { requestBody: '={{ JSON.stringify({ prompt: $json.prompt }) }}' }),
		],
		'members of JSON in another order': [
			running({}, { requestBody: '={{ { prompt: $json.prompt, steps: 20 } }}' }),
			running({}, { requestBody: '={{ { steps: 20, prompt: $json.prompt } }}' }),
		],
	};
	test.each(Object.entries(EDITS))('%s', async (_name, [before, after]) => {
		const { stored } = await failed(before);
		const [first, , third] = ids();
		const retried = await runNode({
			parameters: after,
			items: prompts(3),
			resume: forRetry(stored),
		});
		expect(retried.error).toBeUndefined();
		expect(ids()).toHaveLength(4);
		expect(retried.json.map(({ request_id }) => request_id)).toEqual([first, ids()[3], third]);
		expect(retried.hints.join()).not.toContain('Get Result');
	});

	test('with files, which are compared by content', async () => {
		const additionalParameters = rows({
			name: 'image_urls',
			type: 'file',
			binaryFields: 'data',
		});
		const items = prompts(3).map(({ json }) =>
			fileItem({ data: { bytes: Buffer.from(`picture of ${String(json.prompt)}`) } }, json),
		);
		const { stored } = await failed(
			running({ prompt: EACH_PROMPT }, { additionalParameters }),
			items,
		);
		const after = running({ prompt: '={{ $json["prompt"] }}' }, { additionalParameters });
		await runNode({ parameters: after, items, resume: forRetry(stored) });
		expect(ids()).toHaveLength(4);
		expect(emulator.it.callsOf('upload')).toHaveLength(3);
	});

	test('an accepted request is asked for', async () => {
		emulator.it.set({ jobMs: 60_000 });
		const parameters = running({ prompt: EACH_PROMPT }, { timeoutSeconds: 1 });
		const { stored } = await runNode({ parameters, items: prompts(1) });
		const after = running({ prompt: '={{ $json["prompt"] }}' }, { pollIntervalSeconds: 5 });
		const retried = await runNode({
			parameters: after,
			items: prompts(1),
			resume: forRetry(stored),
		});
		expect(retried.json[0].request_id).toBe(ids()[0]);
		expect(ids()).toHaveLength(1);
	});

	test('a submission whose answer was lost is searched for', async () => {
		emulator.it.set({ history: false });
		emulator.it.fault({ on: 'submit', do: 'dropAfterAccept' });
		const { stored } = await runNode({
			parameters: running({ prompt: EACH_PROMPT }),
			items: prompts(1),
		});
		emulator.it.set({ history: true });
		const after = running({ prompt: '={{ $json["prompt"] }}' });
		const retried = await runNode({
			parameters: after,
			items: prompts(1),
			resume: forRetry(stored),
		});
		expect(retried.json[0].request_id).toBe(ids()[0]);
		expect(ids()).toHaveLength(1);
	});
});

describe('an edit that asks for something else: a hint names what was left', () => {
	test('finished items are made again', async () => {
		const { stored, error } = await failed(running({ prompt: EACH_PROMPT }));
		expect(error?.description).toContain('as long as the node asks for the same');
		const [first, , third] = ids();
		const retried = await runNode({
			parameters: running({ prompt: '={{ $json.prompt + ", at night" }}' }),
			items: prompts(3),
			resume: forRetry(stored),
		});
		expect(ids()).toHaveLength(6);
		for (const id of [first, third]) expect(retried.hints.join()).toContain(id);
		expect(retried.json.map(({ request_id }) => request_id).sort()).toEqual(ids().slice(3).sort());
	});

	test('an accepted one runs on', async () => {
		emulator.it.set({ jobMs: 60_000 });
		const parameters = running({}, { timeoutSeconds: 1 });
		const { stored } = await runNode({ parameters });
		emulator.it.set({ jobMs: 50 });
		const { hints } = await runNode({
			parameters: running({ prompt: 'a windmill' }),
			resume: forRetry(stored),
		});
		expect(hints.join()).toContain(ids()[0]);
		expect(ids()).toHaveLength(2);
	});
});

describe('what was changed before the retry counts only where it asks for something else', () => {
	const CHANGED: Array<[string, INodeParameters, INodeParameters, number]> = [
		['the task, same model', {}, { resource: 'image', operation: 'generate' }, 1],
		['waiting and presentation', {}, { simplify: false, waitForCompletion: false }, 1],
		[
			'options that only wait or present',
			{},
			{
				options: {
					timeoutSeconds: 60,
					pollIntervalSeconds: 1,
					onTimeout: 'returnRequest',
					outputField: 'x',
					includeInputItem: true,
					maximumCost: 9,
					maxConcurrency: 3,
				},
			},
			1,
		],
		[
			'the cached name',
			{},
			{
				model: {
					__rl: true,
					mode: 'list',
					value: 'nano-banana-pro',
					cachedResultName: 'Nano Banana Pro · $1',
				},
			},
			1,
		],
		[
			'parameters of a package update, at their defaults',
			{},
			{
				parameters: { mappingMode: 'defineBelow', value: null },
				options: { answerInOneCall: false, additionalParameters: {} },
			},
			1,
		],
		[
			'a schema of the form, and nothing filled in',
			{},
			{
				parameters: {
					mappingMode: 'defineBelow',
					value: { steps: null, aspect_ratio: '' },
					matchingColumns: [],
					schema: [{ id: 'steps', displayName: 'steps', type: 'number', display: true }],
				} as never,
			},
			1,
		],
		[
			'a parameter more',
			{},
			{ options: { additionalParameters: rows({ name: 'n', type: 'number', numberValue: 1 }) } },
			2,
		],
		// It sends the second item as well.
		['another body', {}, { options: { requestBody: '{"prompt": "else"}' } }, 3],
		['one call', {}, { options: { answerInOneCall: true } }, 2],
		[
			'an untouched default of another task',
			{ resource: 'image', operation: 'generate', model: undefined as never },
			{ resource: 'video', operation: 'generate', model: undefined as never },
			2,
		],
	];

	test.each(CHANGED)('%s', async (_name, before, after, sent) => {
		const items = [{ json: {} }, { json: { fails: true } }];
		const prompt = '={{ $json.fails ? [] : "a lighthouse" }}';
		// The second item fails before anything is sent, so that the first is all that is ever paid.
		const first = running({ prompt, ...before });
		const failed = await runNode({ parameters: first, items });
		expect(failed.error).toBeDefined();
		expect(emulator.it.callsOf('submit', 'v1')).toHaveLength(1);
		const { options, ...more } = after;
		const again = running({ prompt, ...before, ...more }, options as IDataObject);
		await runNode({ parameters: again, resume: forRetry(failed.stored) });
		expect(emulator.it.callsOf('submit', 'v1')).toHaveLength(sent);
	});
});

test('back to the first wording: the first request is given, not paid a third time', async () => {
	const { stored } = await failed(running({ prompt: EACH_PROMPT }));
	const first = ids()[0];
	emulator.it.set({ failWhen: ({ prompt }) => String(prompt).startsWith('prompt 1') });
	const edited = running({ prompt: '={{ $json.prompt + ", at night" }}' });
	const second = await runNode({
		parameters: edited,
		items: prompts(3),
		resume: forRetry(stored),
	});
	expect(second.error).toBeDefined();
	emulator.it.set({ failWhen: null });
	const third = await runNode({
		parameters: running({ prompt: EACH_PROMPT }),
		items: prompts(3),
		resume: forRetry(second.stored),
	});
	expect(third.json[0].request_id).toBe(first);
});

test.each<[string, INodeParameters, INodeParameters]>([
	['another prompt', running(), running({ prompt: 'another' })],
	['another form of the call', running({}, { answerInOneCall: true }), running()],
])(
	'%s in the place of one that may have been accepted: a hint says so',
	async (_what, before, after) => {
		emulator.it.set({ history: false });
		emulator.it.fault({ on: ['submit', 'v1'], do: 'dropAfterAccept' });
		const { stored, failed: lost } = await runNode({ parameters: before });
		expect(lost).toMatchObject([{ outcomeUnknown: true }]);
		const { error, hints } = await runNode({ parameters: after, resume: forRetry(stored) });
		expect(error).toBeUndefined();
		expect(ids()).toHaveLength(2);
		expect(hints).toHaveLength(1);
	},
);

describe.each([
	['a called workflow', { mode: 'integrated' }],
	['an item that leaves as a failed one', { onError: 'continueErrorOutput' }],
] as const)('%s has no retry: no text promises anything about one', (_who, called) => {
	const LOST = { on: 'submit', do: 'dropAfterAccept' } as const;
	const ENDINGS: Record<string, () => void> = {
		'still running when the time is up': () => emulator.it.set({ jobMs: 60_000 }),
		'an answer lost, and no history': () => {
			emulator.it.set({ history: false });
			emulator.it.fault(LOST);
		},
		'an answer lost to a gateway': () =>
			emulator.it.fault({ on: 'submit', do: { status: 504, body: '<html>' } }),
		'an ambiguous history': () => {
			emulator.it.submitElsewhere({ slug: 'nano-banana-pro', input: { prompt: 'a lighthouse' } });
			emulator.it.fault(LOST);
		},
		'an unreadable result': () =>
			emulator.it.fault({ on: 'result', times: 'always', do: { body: {} } }),
		'an unknown request': () => {
			emulator.it.set({ history: false });
			emulator.it.fault({ on: ['status', 'poll'], times: 'always', do: 'notFound' });
		},
	};
	test.each(Object.entries(ENDINGS))('%s', async (_name, arrange) => {
		arrange();
		const parameters = running({}, { timeoutSeconds: 5 });
		const items = [{ json: {} }, { json: {} }];
		const { error, failed } = await runNode({ parameters, items, ...called });
		expect(failed.length).toBeGreaterThan(0);
		for (const description of [error?.description ?? '', ...failed.map((one) => one.description)])
			expect(description).not.toMatch(/\b[Aa] retry\b|on a retry/);
		expect(failed[0].description).toMatch(/Get Result|request history/);
	});
});

test('a called workflow names the ids of the items that succeeded, and promises no retry', async () => {
	emulator.it.set({ failJobs: [0] });
	const { error } = await runNode({
		parameters: running({ prompt: EACH_PROMPT }),
		items: prompts(2),
		mode: 'integrated',
	});
	expect(error?.description).toContain(ids()[1]);
	expect(error?.description).not.toMatch(/on a retry/);
});
