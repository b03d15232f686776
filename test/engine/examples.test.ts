/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type {
	IConnections,
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes, sleep } from 'n8n-workflow';

import { Segmind } from '../../nodes/Segmind/Segmind.node';
import { SegmindAccount } from '../../nodes/SegmindAccount/SegmindAccount.node';
import { SegmindAsset } from '../../nodes/SegmindAsset/SegmindAsset.node';
import { SegmindCredits } from '../../nodes/SegmindCredits/SegmindCredits.node';
import { SegmindEndpoint } from '../../nodes/SegmindEndpoint/SegmindEndpoint.node';
import { SegmindFineTune } from '../../nodes/SegmindFineTune/SegmindFineTune.node';
import { SegmindFineTuneTrigger } from '../../nodes/SegmindFineTuneTrigger/SegmindFineTuneTrigger.node';
import { SegmindTrigger } from '../../nodes/SegmindTrigger/SegmindTrigger.node';
import { SegmindWorkflow } from '../../nodes/SegmindWorkflow/SegmindWorkflow.node';
import { issuesOf, parametersOf } from '../../dev/engine/version';
import { bytesOf, fileItem, runNode } from '../helpers/runNode';
import { PollHost, hostTrigger } from '../helpers/triggers';
import { model, submitting } from '../helpers/inference';
import { useEmulator } from '../helpers/emulator';
import { modelForm } from '../helpers/modelForm';

interface Example {
	name: string;
	nodes: INode[];
	connections: IConnections;
}

const FOLDER = join(__dirname, '..', '..', 'examples');
const FILES = readdirSync(FOLDER);

/** A node's description as n8n shows it to an agent's tool (its tool-generation/ai-tools). */
function asTool(description: INodeTypeDescription): INodeTypeDescription {
	return {
		...description,
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
		properties: [
			{
				displayName: 'Tool Description',
				name: 'descriptionType',
				type: 'options',
				options: [
					{ name: 'Set Automatically', value: 'auto' },
					{ name: 'Set Manually', value: 'manual' },
				],
				default: 'auto',
			},
			{
				displayName: 'Description',
				name: 'toolDescription',
				type: 'string',
				default: description.description,
				displayOptions: { show: { descriptionType: ['manual'] } },
			},
			...description.properties,
		],
	};
}

const OURS = new Map<string, INodeTypeDescription>(
	[
		Segmind,
		SegmindWorkflow,
		SegmindAsset,
		SegmindCredits,
		SegmindAccount,
		SegmindEndpoint,
		SegmindFineTune,
		SegmindFineTuneTrigger,
		SegmindTrigger,
	].flatMap((NodeClass) => {
		const { description } = new NodeClass();
		const type = `n8n-nodes-segmind.${description.name}`;
		return [
			[type, description],
			[`${type}Tool`, asTool(description)],
		];
	}),
);

/** Nodes of n8n itself that examples may use, in the version whose parameters they are written in. */
const STOCK: Record<string, number> = {
	'@n8n/n8n-nodes-langchain.agent': 3.1,
	'@n8n/n8n-nodes-langchain.chatTrigger': 1.4,
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 1.3,
	'@n8n/n8n-nodes-langchain.memoryBufferWindow': 1.3,
	'n8n-nodes-base.aggregate': 1,
	'n8n-nodes-base.code': 2,
	'n8n-nodes-base.dataTable': 1,
	'n8n-nodes-base.emailSend': 2.1,
	'n8n-nodes-base.filter': 2.2,
	'n8n-nodes-base.form': 2.3,
	'n8n-nodes-base.formTrigger': 2.3,
	'n8n-nodes-base.googleDrive': 3,
	'n8n-nodes-base.googleSheets': 4.7,
	'n8n-nodes-base.httpRequest': 4.2,
	'n8n-nodes-base.if': 2.2,
	'n8n-nodes-base.manualTrigger': 1,
	'n8n-nodes-base.noOp': 1,
	'n8n-nodes-base.respondToWebhook': 1.1,
	'n8n-nodes-base.scheduleTrigger': 1.2,
	'n8n-nodes-base.set': 3.4,
	'n8n-nodes-base.slack': 2.3,
	'n8n-nodes-base.splitInBatches': 3,
	'n8n-nodes-base.splitOut': 1,
	'n8n-nodes-base.stickyNote': 1,
	'n8n-nodes-base.stopAndError': 1,
	'n8n-nodes-base.wait': 1.1,
	'n8n-nodes-base.webhook': 2,
};

const PROMPTS = ['a fox', 'a boat', 'a market'];

const PICTURE = [fileItem({ data: { bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') } })];

/** What the nodes of n8n before ours would hand over. Default: one empty item. */
const INPUT: Record<string, INodeExecutionData[]> = {
	'batch-of-prompts.json': PROMPTS.map((prompt) => ({ json: { prompt } })),
	'long-jobs-batch.json': PROMPTS.map((prompt) => ({ json: { prompt } })),
	'form-to-picture.json': [{ json: { 'What should it show?': 'a fox', Shape: '16:9' } }],
	'image-to-video.json': PICTURE,
	'product-photo-to-slack.json': PICTURE,
	'sheet-to-drive.json': [{ json: { prompt: 'a fox' } }],
	'table-of-prompts.json': [{ json: { prompt: 'a fox' } }],
	'webhook-to-picture.json': [{ json: { body: { prompt: 'a fox' } } }],
};

async function submitFineTune(): Promise<void> {
	emulator.it.set({ fineTuneOpen: true, fineTuneStepMs: 0 });
	await runNode({
		emulator: emulator.it,
		node: 'segmindFineTune',
		parameters: {
			operation: 'submit',
			name: 'sneakers',
			dataSourcePath: 'https://example.com/sneakers.zip',
			instancePrompt: 'a photo of TOK sneakers',
		},
	});
}

/** What must be at Segmind before an example can run. */
const SETUP: Record<string, () => Promise<unknown>> = {
	'fine-tune-finished.json': submitFineTune,
	'scale-endpoint-on-schedule.json': async () =>
		await runNode({
			emulator: emulator.it,
			node: 'segmindEndpoint',
			parameters: { operation: 'create', endpointName: 'product-photos', modelName: 'flux-dev' },
		}),
	'use-fine-tuned-model.json': submitFineTune,
};

/** Parameters for a node that runs without the others: what it reads of the loop's rows is what comes in. */
function alone(parameters: INodeParameters): INodeParameters {
	const text = JSON.stringify(parameters).replaceAll("$('Loop Over Items').item.json", '$json');
	return JSON.parse(text) as INodeParameters;
}

/** What the webhook trigger puts out when the emulator's fine-tune has become available. */
async function delivered(parameters: INodeParameters): Promise<INodeExecutionData[]> {
	const trigger = await hostTrigger({ emulator: emulator.it, parameters });
	const [{ finetuneId }] = emulator.it.fineTunes;
	await trigger.deliver({ body: { event_type: 'AVAILABLE', finetune_id: finetuneId } });
	await trigger.idle();
	await trigger.close();
	return trigger.executions.map((json) => ({ json }));
}

/** What the polling trigger puts out for a request that ends after its activation. */
async function polled(parameters: INodeParameters): Promise<INodeExecutionData[]> {
	const trigger = new PollHost({ emulator: emulator.it, parameters });
	await trigger.activate();
	await runNode({
		emulator: emulator.it,
		parameters: submitting({ model: model('seedance-pro'), prompt: 'a fox' }),
	});
	await sleep(150);
	return (await trigger.poll()) ?? [];
}

/** What an example is for: a member of its last Segmind node's output, or the first bytes of its file. */
const RESULT: Record<string, { file: [offset: number, bytes: string] } | { json: string }> = {
	'ask-a-language-model.json': { json: 'text' },
	'balance-guard.json': { file: [1, 'PNG'] },
	'batch-of-prompts.json': { file: [1, 'PNG'] },
	'fine-tune-finished.json': { file: [1, 'PNG'] },
	'form-to-picture.json': { json: 'url' },
	'image-to-video.json': { file: [4, 'ftyp'] },
	'long-job.json': { file: [4, 'ftyp'] },
	'long-jobs-batch.json': { file: [4, 'ftyp'] },
	'notify-when-finished.json': { json: 'url' },
	'product-photo-to-slack.json': { file: [4, 'ftyp'] },
	'published-workflow.json': { json: 'outputs' },
	'rotate-api-key.json': { json: 'deleted' },
	'scale-endpoint-on-schedule.json': { json: 'updated' },
	'sheet-to-drive.json': { file: [1, 'PNG'] },
	'submit-and-fetch-later.json': { file: [4, 'ftyp'] },
	'table-of-prompts.json': { file: [1, 'PNG'] },
	'text-to-image.json': { file: [1, 'PNG'] },
	'use-fine-tuned-model.json': { file: [1, 'PNG'] },
	'webhook-to-picture.json': { file: [1, 'PNG'] },
};

/** Their steps refer to one another: they run in the real n8n only (test/e2e/studioRecipes.test.ts). */
const STUDIO = [
	'approve-then-generate.json',
	'chat-with-pictures.json',
	'film-from-clips.json',
	'long-text-to-speech.json',
	'nightly-spend-report.json',
	'same-character.json',
];

const emulator = useEmulator();

test('every example is known to this test', () => {
	expect([...FILES].sort()).toEqual([...Object.keys(RESULT), ...STUDIO].sort());
});

describe.each(FILES)('%s', (file) => {
	const example = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Example;
	const ours = example.nodes.filter(({ type }) => OURS.has(type));

	test('has nodes and connections that n8n can import', () => {
		const names = example.nodes.map(({ name }) => name);
		expect(new Set(names).size).toBe(names.length);
		expect(new Set(example.nodes.map(({ id }) => id)).size).toBe(names.length);
		for (const { type, typeVersion } of example.nodes)
			expect([type, typeVersion]).toEqual([type, OURS.get(type)?.version ?? STOCK[type]]);
		const targets = Object.values(example.connections).flatMap((byType) =>
			Object.values(byType).flatMap((outputs) => outputs.flat()),
		);
		for (const name of [...Object.keys(example.connections), ...targets.map((to) => to?.node)])
			expect(names).toContain(name);
		// Everything but the note hangs together: each node has a way in, is a trigger, or has a way out to an agent.
		const led = new Set(targets.map((to) => to?.node));
		const alone = example.nodes.filter(({ name, type }) => {
			const ways = Object.keys(example.connections[name] ?? {});
			return (
				!led.has(name) &&
				!/(Trigger|\.webhook)$/.test(type) &&
				!ways.some((way) => way.startsWith('ai_'))
			);
		});
		expect(alone.map(({ type }) => type)).toEqual(['n8n-nodes-base.stickyNote']);
	});

	test('carries no credential, only the name n8n gives the first one', () => {
		for (const { type, credentials } of ours)
			expect(credentials).toEqual(
				OURS.get(type)?.credentials?.[0].name === 'segmindSessionApi'
					? { segmindSessionApi: { id: null, name: 'Segmind session' } }
					: { segmindApi: { id: null, name: 'Segmind account' } },
			);
	});

	test.each(ours)('$name has its parameters as the editor stores them', (node) => {
		const description = OURS.get(node.type) as INodeTypeDescription;
		// Leaves out what is unknown, hidden or just the default.
		expect(parametersOf(description, node, false)).toEqual(node.parameters);
		const complete = { ...node, parameters: parametersOf(description, node, true) };
		expect(issuesOf(description, complete)).toBeNull();
	});

	if (STUDIO.includes(file)) return;
	test('does in the engine what it is for', async () => {
		await SETUP[file]?.();
		let items = INPUT[file] ?? [{ json: {} }];
		for (const node of ours) {
			if (node.type === 'n8n-nodes-segmind.segmindFineTuneTrigger') {
				items = await delivered(node.parameters);
				continue;
			}
			if (node.type === 'n8n-nodes-segmind.segmindTrigger') {
				items = await polled(node.parameters);
				expect(items).toHaveLength(1);
				continue;
			}
			const { options, resource, waitForCompletion } = node.parameters;
			const isSubmission = waitForCompletion === false && resource !== 'request';
			// One look: the jobs have ended by then.
			if (waitForCompletion === false && !isSubmission)
				while (emulator.it.jobs.some(({ finishedAt }) => finishedAt === undefined)) await sleep(20);
			const waits = options !== undefined && !isSubmission;
			const result = await runNode({
				emulator: emulator.it,
				node: node.type.split('.')[1],
				parameters: {
					...alone(node.parameters),
					...(waits && { options: { ...(options as IDataObject), pollIntervalSeconds: 0.05 } }),
				} as INodeParameters,
				items,
				onError: node.onError,
			});
			expect(result.error).toBeUndefined();
			expect(result.errorItems).toEqual([]);
			// A list has as many items as it has entries.
			if (node.parameters.showFullKeys === undefined)
				expect(result.items).toHaveLength(items.length);
			items = result.items;
		}
		const wanted = RESULT[file];
		for (const item of items) {
			if ('json' in wanted) {
				// Only what generates has a status.
				const status = /\.segmind(Workflow)?$/.test(ours[0].type) ? { status: 'COMPLETED' } : {};
				expect(item.json).toMatchObject({ ...status, [wanted.json]: expect.anything() });
				continue;
			}
			const [offset, bytes] = wanted.file;
			const found = await bytesOf(item);
			expect(found.toString('latin1', offset, offset + bytes.length)).toBe(bytes);
		}
	});
});

test.each(FILES)('%s: its forms are those of the models', async (file) => {
	const { nodes } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Example;
	for (const { type, parameters } of nodes.filter((node) => node.parameters.parameters)) {
		const form = parameters.parameters as unknown as IDataObject;
		const slug = (parameters.model as { value: string }).value;
		const asTool = type.endsWith('Tool');
		const { fields } = await modelForm({ listUrl: 'http://127.0.0.1:9', slug, asTool });
		// What is behind "Add parameter" stands in the form once it has a value.
		const filledIn = fields.map(({ removed, ...field }) =>
			removed && !(field.id in (form.value as object)) ? { ...field, removed } : field,
		);
		expect(form.schema).toEqual(filledIn);
		// Nor is it outdated where the list calls things otherwise.
		const again = await modelForm({
			listUrl: emulator.it.urls.admin,
			slug,
			asTool,
			parameters: form,
		});
		expect(form.schema).toEqual(again.fields);
	}
});
