/** The node is edited between a failed execution and its retry. Equal requests are resumed. */
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodePropertyCollection,
} from 'n8n-workflow';

import { conversationField } from '../../../nodes/shared/descriptions/conversationField';
import type { CallKind } from '../../../dev/emulator/types';
import {
	EACH_PROMPT,
	fileRow,
	model,
	numberRow,
	prompts,
	rows,
	runParams,
} from '../../helpers/inference';
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
		expect(retried.hints).toEqual([expect.stringMatching(/\b2 requests\b/)]);
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
	const waiting = {
		timeoutSeconds: 60,
		pollIntervalSeconds: 1,
		onTimeout: 'returnRequest',
		minimumBalance: 0,
		sendAgainIfUnsure: true,
	};
	const presentation = {
		downloadOutput: false,
		outputField: 'x',
		fileName: 'x',
		includeOtherFields: true,
		oneItemPerFile: true,
		maximumCost: 9,
		maxConcurrency: 3,
	};
	const form = (more: object) => ({ parameters: { mappingMode: 'defineBelow', ...more } as never });
	const row = (n: number) => ({ options: { additionalParameters: rows(numberRow('n', n)) } });
	const answers = (message: INodeParameters) => ({
		resource: 'text',
		operation: 'generate',
		model: model('gpt-5.5'),
		options: { conversation: { values: { rows: rows(message) } } },
	});
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
		['another form value', 2, form({ value: { steps: 5 } }), form({ value: { steps: 4 } })],
		['a form value of false', 2, form({ value: { enhance: false } })],
		['a form value of 0', 2, form({ value: { seed: 0 } })],
		['one more parameter', 2, row(1)],
		['another row', 2, row(2), row(1)],
		['another conversation', 2, answers({ message: 'Hello' }), answers({ message: 'Hi' })],
		// With another body, the second item is sent too.
		['another body', 3, { options: { requestBody: '{"prompt": "else"}' } }],
		['Answer in One Call', 2, { options: { answerInOneCall: true } }],
		['Send Files As', 2, { options: { sendFilesAs: 'base64' } }],
		[
			'the default model of another task',
			2,
			{ model: model('seedance-2.0-mini') },
			{ model: model('nano-banana') },
		],
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

test.each<[string, INodeParameters]>([
	['Simplify', { simplify: false }],
	['Download Output', { options: { downloadOutput: false } }],
	['Put Output File in Field', { options: { outputField: 'picture' } }],
])(
	'a finished item follows a change of %s, without another request',
	async (_name, { options, ...more }) => {
		const each = { prompt: EACH_PROMPT };
		const failed = await failSecondItem(runParams(each));
		const parameters = runParams({ ...each, ...more }, options as IDataObject);
		const { items } = succeed(await runNode({ parameters, retryOf: failed }));
		const formOf = ({ json, binary = {} }: INodeExecutionData) => [
			Object.keys(json),
			Object.keys(binary),
		];
		// The second item is new.
		expect(formOf(items[0])).toEqual(formOf(items[1]));
		expect(ids()).toHaveLength(4);
	},
);

test('a second retry with an edited prompt resumes what the first retry with it sent', async () => {
	const failed = await failSecondItem(runParams({ prompt: EACH_PROMPT }));
	const edited = (timeoutSeconds: number) =>
		runParams({ prompt: '={{ $json.prompt }} at night' }, { timeoutSeconds });
	emulator.set({ jobMs: 60_000 });
	await runNode({ parameters: edited(5), retryOf: failed });
	succeed(await runNode({ parameters: edited(300), retryOf: failed }));
	expect(ids()).toHaveLength(6);
});

test("a field that a package update adds to rows doesn't make a request look new", async () => {
	const paramsWith = (timeoutSeconds: number) =>
		runParams(
			{ resource: 'text', operation: 'generate', model: model('gpt-5.5') },
			{
				conversation: { values: { rows: rows({ message: '={{ "Hi" + Math.random() }}' }) } },
				timeoutSeconds,
			},
		);
	emulator.set({ jobMs: 60_000 });
	const failed = await runNode({ parameters: paramsWith(5) });
	const [{ values }] = conversationField.options as INodePropertyCollection[];
	const [table] = values.find(({ name }) => name === 'rows')?.options as INodePropertyCollection[];
	table.values.push({ displayName: 'Name', name: 'name', type: 'string', default: 'me' });
	succeed(await runNode({ parameters: paramsWith(300), retryOf: failed }));
	table.values.pop();
	expect(ids()).toHaveLength(1);
});

test.each<[string, (item: INodeExecutionData) => void]>([
	['JSON', (item) => (item.json = { prompt: 'prompt 3' })],
	['file', ({ binary }) => (binary!.data.data = Buffer.from('other').toString('base64'))],
	['stored file', ({ binary }) => (binary!.data.id = 'filesystem-v2:other')],
	["file's name", ({ binary }) => (binary!.data.fileName = 'other.png')],
	["file's type", ({ binary }) => (binary!.data.mimeType = 'image/jpeg')],
	[
		'file, which has no content now,',
		({ binary }) => delete (binary!.data as { data?: string }).data,
	],
])(
	"an input item whose %s changed doesn't get the result of the earlier one [Money 3]",
	async (_what, change) => {
		const items = prompts(3).map(({ json }) =>
			fileItem({ data: { bytes: Buffer.from('a') } }, json),
		);
		const { stored } = await failSecondItem(runParams({ prompt: EACH_PROMPT }), items);
		const before = ids();
		const retryData = retryDataOf(stored);
		const [[first]] = retryData.executionData?.nodeExecutionStack[0].data
			.main as INodeExecutionData[][];
		change(first);
		const { json } = succeed(
			await runNode({ parameters: runParams({ prompt: EACH_PROMPT }), retryData }),
		);
		expect(before).not.toContain(json[0].request_id);
		const sent = emulator.jobs.find(({ requestId }) => requestId === json[0].request_id);
		expect(sent?.input.prompt).toBe(first.json.prompt);
		expect(json[2].request_id).toBe(before[2]);
		expect(ids()).toHaveLength(5);
	},
);

test.each<[string, IDataObject]>([
	['Images', { images: 'data' }],
	['Request Body', { requestBody: '{}' }],
])(
	'an option that is added at its default, which is sent, makes another request: %s',
	async (_name, added) => {
		const image = fileItem({ data: { bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') } });
		const text = { resource: 'text', operation: 'generate', model: model('gpt-5.4-mini') };
		emulator.set({ jobMs: 60_000 });
		const failed = await runNode({
			parameters: runParams(text, { timeoutSeconds: 5 }),
			items: [image],
		});
		await runNode({
			parameters: runParams(text, { timeoutSeconds: 5, ...added }),
			retryOf: failed,
		});
		expect(emulator.callsOf('submit')).toHaveLength(2);
	},
);

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

	/** Each with a word of the reason that the hint shows. */
	const FAULTS: Array<[string, string, () => void]> = [
		['the key is rejected', '401', () => refuse(401)],
		['Segmind has deleted the request', 'find', () => refuse(404)],
		['a proxy responds', 'read', () => refuse(403, '<html>')],
		['nobody responds in time', '30 s', () => refuse(500)],
		[
			'the request is reported as failed',
			'failed',
			() => emulator.fault({ on: READS, times: 'always', do: { body: { status: 'FAILED' } } }),
		],
		[
			'the result is not readable',
			'used',
			() => emulator.fault({ on: ['result', 'poll'], times: 'always', do: { body: 'no' } }),
		],
	];

	test.each(FAULTS)(
		'and the result cannot be fetched, so the kept output is delivered: %s',
		async (_fault, reason, arrange) => {
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
			expect(hints.filter((hint) => hint.startsWith('Item 1: '))).toEqual([
				expect.stringContaining(reason),
			]);
			expect(emulator.jobs).toHaveLength(1);
		},
	);
});
