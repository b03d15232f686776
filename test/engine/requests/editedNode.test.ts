/** The node is edited between a failed execution and its retry. Equal requests are resumed. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { KEPT_OUTPUT } from '../../../nodes/shared/request/lifecycle';
import type { CallKind } from '../../../dev/emulator/types';
import { EACH_PROMPT, fileRow, numberRow, prompts, rows, runParams } from '../../helpers/inference';
import { fileItem, retryDataOf, succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const ids = () => emulator.jobs.map(({ requestId }) => requestId);

/** Runs three items, of which the second fails. */
async function failSecondItem(
	parameters: INodeParameters,
	items: INodeExecutionData[] = prompts(3),
) {
	emulator.set({ failWhen: ({ prompt }) => prompt === 'prompt 1' });
	const result = await runNode({ parameters, items });
	emulator.set({ failWhen: null });
	expect(result.failed).toMatchObject([{ item: 1, kind: 'requestFailed' }]);
	return result;
}

const steps = (value: string) => rows(numberRow('steps', value));

describe('an edit that changes no value: finished items are reused, which the only hint says', () => {
	const each = { prompt: EACH_PROMPT };
	const EDITS: Record<string, [INodeParameters, INodeParameters]> = {
		'an expression written differently': [
			runParams(each),
			runParams({ prompt: '={{ $json["prompt"] }}' }),
		],
		'a value instead of its expression': [
			runParams(each, { additionalParameters: steps('={{ 5 * 5 }}') }),
			runParams(each, { additionalParameters: steps('25') }),
		],
		'a string instead of an object': [
			runParams({}, { requestBody: '={{ { "prompt": $json.prompt } }}' }),
			runParams({}, { requestBody: '={{ JSON.stringify({ prompt: $json.prompt }) }}' }),
		],
		'members of JSON in another order': [
			runParams({}, { requestBody: '={{ { prompt: $json.prompt, steps: 20 } }}' }),
			runParams({}, { requestBody: '={{ { steps: 20, prompt: $json.prompt } }}' }),
		],
	};
	test.each(Object.entries(EDITS))('%s', async (_name, [before, after]) => {
		const { stored } = await failSecondItem(before);
		const [first, , third] = ids();
		const retried = succeed(
			await runNode({ parameters: after, items: prompts(3), retryOf: { stored } }),
		);
		expect(ids()).toHaveLength(4);
		expect(retried.json.map(({ request_id }) => request_id)).toEqual([first, ids()[3], third]);
		expect(retried.hints).toEqual([expect.stringContaining(first)]);
	});
});

test('an edit of an input does not resume the running request', async () => {
	emulator.set({ jobMs: 60_000 });
	const parameters = runParams({}, { timeoutSeconds: 1 });
	const { stored } = await runNode({ parameters });
	emulator.set({ jobMs: 50 });
	const parametersNow = runParams({ prompt: 'a windmill' });
	const { json } = await runNode({ parameters: parametersNow, retryOf: { stored } });
	expect(json).toMatchObject([{ request_id: ids()[1] }]);
	expect(ids()).toHaveLength(2);
});

describe('an edit before the retry sends a new request only if it changes an input [Money 3]', () => {
	const waiting = { timeoutSeconds: 60, pollIntervalSeconds: 1, onTimeout: 'returnRequest' };
	const presentation = {
		outputField: 'x',
		fileName: 'x',
		includeOtherFields: true,
		oneItemPerFile: true,
		maximumCost: 9,
		maxConcurrency: 3,
	};
	const untouched = (resource: string) =>
		({ resource, operation: 'generate', model: undefined }) as never;
	const form = (more: object) => ({ parameters: { mappingMode: 'defineBelow', ...more } as never });
	const schema = [{ id: 'steps', displayName: 'steps', type: 'number', display: true }];
	const list = { __rl: true, mode: 'list', value: 'nano-banana-pro' };

	/** The edit, how many requests are sent in total, and the parameters after and before the edit. */
	const EDITS: Array<[string, number, INodeParameters, INodeParameters?]> = [
		['the task, with the same model', 2, { resource: 'image', operation: 'generate' }],
		['waiting and presentation', 1, { simplify: false, waitForCompletion: false }],
		['options that only wait or present', 1, { options: { ...waiting, ...presentation } }],
		['the cached name', 1, { model: { ...list, cachedResultName: 'Nano Banana Pro · $1' } }],
		[
			'parameters of a package update, at their defaults',
			1,
			{ ...form({ value: null }), options: { answerInOneCall: false, additionalParameters: {} } },
		],
		[
			"the form's schema, with nothing filled in",
			1,
			form({ value: { steps: null, aspect_ratio: '' }, matchingColumns: [], schema }),
		],
		[
			"the form's schema, with a value",
			1,
			form({ value: { steps: 4 }, matchingColumns: [], schema }),
			form({ value: { steps: 4 }, schema: [] }),
		],
		['one more parameter', 2, { options: { additionalParameters: rows(numberRow('n', 1)) } }],
		// With another body, the second item is sent too.
		['another body', 3, { options: { requestBody: '{"prompt": "else"}' } }],
		['Answer in One Call', 2, { options: { answerInOneCall: true } }],
		['an untouched default of another task', 2, untouched('video'), untouched('image')],
	];

	test.each(EDITS)('%s', async (_name, sendCount, after, ...[before = {}]) => {
		const items = [{ json: {} }, { json: { fails: true } }];
		// Each evaluation gives another prompt, so only the unevaluated parameters can show that the request is the same.
		const prompt = '={{ $json.fails ? [] : "a lighthouse " + Math.random() }}';
		// The second item fails before anything is sent, so only the first one is charged.
		const { options: earlierOptions, ...earlier } = before;
		const first = runParams({ prompt, ...earlier }, earlierOptions as IDataObject);
		const failed = await runNode({ parameters: first, items });
		expect(failed.error).toBeDefined();
		expect(emulator.callsOf('submit', 'v1')).toHaveLength(1);
		const { options, ...more } = after;
		const edited = runParams({ prompt, ...earlier, ...more }, options as IDataObject);
		await runNode({ parameters: edited, retryOf: failed });
		expect(emulator.callsOf('submit', 'v1')).toHaveLength(sendCount);
	});
});

test("an input item that changed doesn't get the result of the earlier one [Money 3]", async () => {
	const { stored } = await failSecondItem(runParams({ prompt: EACH_PROMPT }));
	const retryData = retryDataOf(stored);
	const [items] = retryData.executionData?.nodeExecutionStack[0].data.main ?? [];
	items![0].json = { prompt: 'prompt 3' };
	const { json } = succeed(
		await runNode({ parameters: runParams({ prompt: EACH_PROMPT }), retryData }),
	);
	const promptOf = (index: number) => emulator.jobs[index].input.prompt;
	expect([promptOf(3), promptOf(4)].sort()).toEqual(['prompt 1', 'prompt 3']);
	expect(json[0].request_id).toBe(ids()[promptOf(3) === 'prompt 3' ? 3 : 4]);
	expect(json[2].request_id).toBe(ids()[2]);
	expect(ids()).toHaveLength(5);
});

test('another task with the same model is another request, although the other inputs are the same', async () => {
	const image = fileItem({ data: { bytes: Buffer.from('an image'), fileName: 'a.png' } });
	const paramsOf = (operation: string) =>
		runParams(
			{ resource: 'image', operation },
			operation === 'edit' ? { additionalParameters: rows(fileRow('image_urls')) } : {},
		);
	emulator.set({ failWhen: ({ seed }) => seed === 1 });
	emulator.fault({ on: 'submit', after: 1, do: { status: 406, body: { error: 'no' } } });
	const items = [image, image, image];
	const failed = await runNode({ parameters: paramsOf('generate'), items });
	expect(failed.error).toBeDefined();
	const sentBefore = emulator.callsOf('submit').length;
	const { json } = await runNode({ parameters: paramsOf('edit'), items, retryOf: failed });
	expect(json).toHaveLength(3);
	const edits = emulator.callsOf('submit').slice(sentBefore);
	const edit = { body: { image_urls: expect.any(Array) } };
	expect(edits).toMatchObject([edit, edit, edit]);
});

describe('an option that needs the result again is changed before the retry', () => {
	const READS: CallKind[] = ['status', 'poll', 'result'];
	const refuse = (status: number, body: unknown = { error: 'no' }) => {
		emulator.set({ history: false });
		emulator.fault({ on: READS, times: 'always', do: { status, body } });
	};

	const FAULTS: Array<[string, () => void]> = [
		['the key is rejected', () => refuse(401)],
		['Segmind has deleted the request', () => refuse(404)],
		['a proxy responds', () => refuse(403, '<html>')],
		['nobody responds in time', () => refuse(500)],
		[
			'the request is reported as failed',
			() => emulator.fault({ on: READS, times: 'always', do: { body: { status: 'FAILED' } } }),
		],
		[
			'the result is not readable',
			() => emulator.fault({ on: ['result', 'poll'], times: 'always', do: { body: 'no' } }),
		],
	];

	test.each(FAULTS)(
		'and the result cannot be fetched, so the kept output is delivered: %s',
		async (_fault, arrange) => {
			const items = [{ json: {} }, { json: { fails: true } }];
			const prompt = '={{ $json.fails ? [] : "a lighthouse" }}';
			const failed = await runNode({ parameters: runParams({ prompt }), items });
			arrange();
			const options = { timeoutSeconds: 30 };
			const { items: again, hints } = await runNode({
				parameters: runParams({ prompt, simplify: false }, options),
				retryOf: failed,
				onError: 'continueRegularOutput',
			});
			const [{ requestId, cost }] = emulator.jobs;
			expect(again[0].json).toMatchObject({ request_id: requestId, status: 'COMPLETED', cost });
			expect(Object.keys(again[0].binary ?? {})).toEqual(['data']);
			expect(hints.join()).toContain(KEPT_OUTPUT.said);
			expect(emulator.jobs).toHaveLength(1);
		},
	);
});
