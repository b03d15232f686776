/** Dry Run checks the items as a run would, sends and stores nothing, and outputs what a run would send. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { runDataFor } from '../../../dev/engine/version';
import {
	EACH_PROMPT,
	fileRow,
	idsOf,
	model,
	prompts,
	rows,
	runParams,
	textRow,
	workflowParams,
} from '../../helpers/inference';
import { RUN_OPTIONS } from '../../../nodes/shared/descriptions/options';
import { fileItem, succeed, type RunResult } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode, submits, pass } = useVirtualEngine();

/** The price of the model in the catalogue, in USD. */
const COST = 0.1649;
const PNG = { bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), mimeType: 'image/png' };
const PHOTO = { ...PNG, fileName: 'photo.png' };
const URL = 'https://files.example/a.png';

const eachPrompt = (options: IDataObject = {}) => runParams({ prompt: EACH_PROMPT }, options);
const dry = (options: IDataObject = {}) => eachPrompt({ dryRun: true, ...options });
/** Checks that the run has made no call but the free ones that only read. */
function expectNothingSent({ calls }: Pick<RunResult, 'calls'>): void {
	expect(calls.filter(({ kind }) => kind !== 'credits' && kind !== 'prices')).toEqual([]);
}
/** What n8n has stored for the node. */
const storedBy = ({ stored }: Pick<RunResult, 'stored'>) =>
	(stored.executionData?.contextData['node:Segmind'] ?? {}) as unknown as Record<
		string,
		Record<string, unknown>
	>;

describe('an item has the body that a run sends', () => {
	const chat = { resource: 'text', operation: 'generate', model: model('gpt-5.4-mini') };
	test.each<[string, INodeParameters, IDataObject, string?]>([
		['a model', {}, {}],
		['a model in one call', {}, { answerInOneCall: true }],
		['rows', {}, { additionalParameters: rows(textRow('duration', '5')) }],
		['a whole body', {}, { requestBody: '={{ { "prompt": $json.prompt, "n": null } }}' }],
		['a language model', chat, {}],
		['a workflow', workflowParams({ prompt: undefined }), {}, 'segmindWorkflow'],
	])('%s', async (_what, more, options, node = 'segmind') => {
		const parameters = (dryRun: boolean) =>
			runParams({ prompt: EACH_PROMPT, ...more }, { ...options, dryRun });
		const planned = succeed(
			await runNode({ node, parameters: parameters(true), items: prompts(1) }),
		);
		expectNothingSent(planned);
		expect(planned.json).toMatchObject([{ dry_run: true }]);
		succeed(await runNode({ node, parameters: parameters(false), items: prompts(1) }));
		const [sent] = emulator.callsOf('submit', 'v1');
		expect(planned.json[0].body).toEqual(sent.body);
	});

	test.each(['url', 'dataUrl', 'base64'])(
		'with the names of files in place of them, and the input kept (Send Files As: %s)',
		async (sendFilesAs) => {
			const result = succeed(
				await runNode({
					parameters: runParams(
						{ prompt: 'red' },
						{
							dryRun: true,
							sendFilesAs,
							includeOtherFields: true,
							additionalParameters: rows(
								fileRow('image_urls', `photo, ${URL}`),
								fileRow('mask', 'unnamed'),
							),
						},
					),
					items: [fileItem({ photo: PHOTO, unnamed: { ...PNG, fileName: '' } }, { sku: 7 })],
				}),
			);
			expectNothingSent(result);
			const body = { prompt: 'red', image_urls: ['photo.png', URL], mask: 'image/png' };
			expect(result.json).toEqual([
				{ dry_run: true, model: 'nano-banana-pro', expected_cost: COST, body, sku: 7 },
			]);
		},
	);

	test('with the names of the pictures that a language model would see', async () => {
		const parameters = runParams(chat, { dryRun: true, images: 'photo' });
		const result = succeed(await runNode({ parameters, items: [fileItem({ photo: PHOTO })] }));
		expectNothingSent(result);
		expect(JSON.stringify(result.json[0].body)).toContain('base64,photo.png');
		expect(JSON.stringify(result.json[0].body)).not.toContain(PNG.bytes.toString('base64'));
	});
});

test.each([
	['adding it', { dryRun: RUN_OPTIONS.dryRun.field.default }, 0],
	['an expression', { dryRun: '={{ $json.prompt !== "" }}' }, 0],
	['an expression that is false', { dryRun: '={{ $json.prompt === "" }}' }, 1],
	['turning it off', { dryRun: false }, 1],
	['no options', {}, 1],
])('%s decides whether a request is sent', async (_what, options, sendCount) => {
	succeed(await runNode({ parameters: eachPrompt(options as IDataObject), items: prompts(1) }));
	expect(submits()).toHaveLength(sendCount);
});

describe('items that a run would not send fail', () => {
	const empty = fileItem({ photo: { ...PHOTO, bytes: Buffer.alloc(0) } }, { prompt: 'x' });
	const items = [...prompts(2), { json: { prompt: '' } }, empty];
	const photo = `={{ $binary.photo ? "photo" : "${URL}" }}`;
	const parameters = dry({ additionalParameters: rows(fileRow('image_urls', photo)) });

	test.each(['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'and the others are counted (On Error: %s)',
		async (onError) => {
			const result = await runNode({ parameters, items, onError, tries: 2 });
			expectNothingSent(result);
			const { error, failed, hints, json, errorItems } = result;
			const failedItems =
				failed.length > 0 ? failed : errorItems.map(({ pairedItem }) => pairedItem);
			expect(failedItems).toMatchObject([{ item: 2 }, { item: 3 }]);
			if (onError !== 'stopWorkflow')
				expect(json.filter(({ dry_run }) => dry_run === true)).toHaveLength(2);
			expect([error?.message, ...hints].join()).toContain('0.3298 USD');
		},
	);

	test('a wrong key fails all items after one free call', async () => {
		const credential = { apiKey: 'SG_wrong' };
		const result = await runNode({ parameters: dry(), items: prompts(3), credential });
		expect(result.failed.map(({ httpCode }) => httpCode)).toEqual([401, 401, 401]);
		expect(result.calls.map(({ kind }) => kind)).toEqual(['credits']);
	});

	test('a balance that cannot be read fails nothing, unless Min Balance is set', async () => {
		emulator.set({ noCreditRecord: true });
		succeed(await runNode({ parameters: dry(), items: prompts(1) }));
		const { failed } = await runNode({ parameters: dry({ minimumBalance: 1 }), items: prompts(1) });
		expect(failed).toMatchObject([{ kind: 'rejected', httpCode: 404 }]);
	});

	test('a balance below Min Balance fails all', async () => {
		emulator.set({ balance: { credits: 4, freeCredits: 0 } });
		const result = await runNode({ parameters: dry({ minimumBalance: 5 }), items: prompts(2) });
		expect(result.failed.map(({ kind }) => kind)).toEqual(['notSent', 'notSent']);
		expect(emulator.callsOf('credits')).toHaveLength(1);
	});
});

test('a hint has the sum, and says of how many requests the price is unknown', async () => {
	const slug = '={{ $json.prompt === "prompt 2" ? "my-endpoint" : "nano-banana-pro" }}';
	const parameters = runParams({ model: model(slug) }, { dryRun: true, maximumCost: 1 });
	const { hints, json } = succeed(await runNode({ parameters, items: prompts(3) }));
	expect(hints.join()).toMatch(/ 3 requests .* 0\.3298 USD .* 1 /);
	expect(json.map(({ expected_cost }) => expected_cost)).toEqual([COST, COST, undefined]);
});

describe('Max Cost', () => {
	const parameters = dry({ maximumCost: 0.5 });

	test('fails what does not fit, in each attempt and in a retry', async () => {
		const first = await runNode({ parameters, items: prompts(6), tries: 2 });
		const retried = await runNode({ parameters, retryOf: first });
		for (const { failed } of [first, retried])
			expect(failed).toMatchObject([3, 4, 5].map((item) => ({ item, kind: 'notSent' })));
	});

	test('counts all runs of a loop', async () => {
		const twice = runDataFor({ name: 'Segmind' } as never, prompts(2));
		const stack = twice.executionData!.nodeExecutionStack;
		stack.push({ ...stack[0] });
		const { failed } = await runNode({ parameters, retryData: twice, mode: 'trigger' });
		expect(failed).toMatchObject([{ item: 1, kind: 'notSent' }]);
	});

	test('is left whole for the run after it', async () => {
		const first = await runNode({ parameters, items: prompts(4) });
		emulator.set({ cost: COST });
		const real = await runNode({ parameters: eachPrompt({ maximumCost: 0.5 }), retryOf: first });
		expect(real.failed).toMatchObject([{ item: 3, kind: 'notSent' }]);
		expect(submits()).toHaveLength(3);
	});
});

describe('a dry run leaves nothing behind', () => {
	test.each([2, 4])('in what n8n stores (%i items, of which 2 are right)', async (count) => {
		const items = [...prompts(2), { json: {} }, { json: {} }].slice(0, count);
		const { items: entries = {}, uploads = {} } =
			storedBy(await runNode({ parameters: dry(), items, tries: 2 })).segmind ?? {};
		expect([entries, uploads]).toEqual([{}, {}]);
	});

	test.each(['manual', 'trigger'] as const)(
		'a run after it pays once for each item, and so does its retry (%s)',
		async (mode) => {
			const items = prompts(3);
			succeed(await runNode({ parameters: dry(), items, mode }));
			emulator.set({ failWhen: ({ prompt }) => prompt === 'prompt 1' });
			const real = await runNode({ parameters: eachPrompt(), items, mode });
			emulator.set({ failWhen: null });
			succeed(await runNode({ parameters: eachPrompt(), retryOf: real }));
			expect(emulator.jobs.filter(({ charged }) => charged > 0)).toHaveLength(3);
			expect(submits()).toHaveLength(4);
		},
	);

	test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'it neither resumes nor forgets a request of an earlier step (On Error: %s)',
		async (onError) => {
			emulator.set({ jobMs: 60_000 });
			const items = [...prompts(1), { json: { prompt: '' } }];
			const step = { items, mode: 'manual' } as const;
			const left = await runNode({ ...step, parameters: eachPrompt({ timeoutSeconds: 5 }) });
			expect(left.failed).toMatchObject([{ kind: 'timedOut' }, { kind: 'badInput' }]);
			await pass(60_000);
			for (const count of [1, 2]) {
				const planned = { ...step, items: items.slice(0, count), parameters: dry(), onError };
				expectNothingSent(await runNode(planned));
			}
			const real = await runNode({ ...step, items: items.slice(0, 1), parameters: eachPrompt() });
			expect(idsOf(succeed(real).items)).toEqual([emulator.jobs[0].requestId]);
			expect(submits()).toHaveLength(1);
		},
	);

	test('a retry of the execution as a dry run leaves its requests for a later retry', async () => {
		emulator.set({ jobMs: 60_000 });
		const left = await runNode({
			parameters: eachPrompt({ timeoutSeconds: 5 }),
			items: prompts(2),
		});
		await pass(60_000);
		const planned = succeed(await runNode({ parameters: dry(), retryOf: left }));
		expectNothingSent(planned);
		expect(planned.json.map(({ request_id }) => request_id)).toEqual([undefined, undefined]);
		const real = succeed(await runNode({ parameters: eachPrompt(), retryOf: left }));
		expect(idsOf(real.items).sort()).toEqual(
			emulator.jobs.map(({ requestId }) => requestId).sort(),
		);
		expect(submits()).toHaveLength(2);
	});
});
