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
import { NodeConnectionTypes, sleep, traverseNodeParameters } from 'n8n-workflow';

import { Segmind } from '../../nodes/Segmind/Segmind.node';
import { SegmindAccount } from '../../nodes/SegmindAccount/SegmindAccount.node';
import { SegmindAsset } from '../../nodes/SegmindAsset/SegmindAsset.node';
import { SegmindCredits } from '../../nodes/SegmindCredits/SegmindCredits.node';
import { SegmindEndpoint } from '../../nodes/SegmindEndpoint/SegmindEndpoint.node';
import { SegmindFineTune } from '../../nodes/SegmindFineTune/SegmindFineTune.node';
import { SegmindFineTuneTrigger } from '../../nodes/SegmindFineTuneTrigger/SegmindFineTuneTrigger.node';
import { SegmindTrigger } from '../../nodes/SegmindTrigger/SegmindTrigger.node';
import { SegmindWorkflow } from '../../nodes/SegmindWorkflow/SegmindWorkflow.node';
import { hasModelValuesInItems, issuesOf, parametersOf } from '../../dev/engine/version';
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
	'@n8n/n8n-nodes-langchain.lmChatOpenAi': 1.3,
	'n8n-nodes-base.code': 2,
	'n8n-nodes-base.dataTable': 1,
	'n8n-nodes-base.filter': 2.2,
	'n8n-nodes-base.httpRequest': 4.2,
	'n8n-nodes-base.if': 2.2,
	'n8n-nodes-base.manualTrigger': 1,
	'n8n-nodes-base.noOp': 1,
	'n8n-nodes-base.scheduleTrigger': 1.2,
	'n8n-nodes-base.set': 3.4,
	'n8n-nodes-base.splitOut': 1,
	'n8n-nodes-base.stickyNote': 1,
	'n8n-nodes-base.stopAndError': 1,
	'n8n-nodes-base.wait': 1.1,
};

const PROMPTS = ['a fox', 'a boat', 'a market'];

/** What the nodes of n8n before ours would hand over. Default: one empty item. */
const INPUT: Record<string, INodeExecutionData[]> = {
	'batch-of-prompts.json': PROMPTS.map((prompt) => ({ json: { prompt } })),
	'queue-submit.json': PROMPTS.map((prompt) => ({ json: { prompt } })),
	'long-jobs-batch.json': PROMPTS.map((prompt) => ({ json: { prompt } })),
	'image-to-video.json': [
		fileItem({ data: { bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') } }),
	],
};

/** What a chat model fills in, by tool; `url` is what the tool before answered with. */
const BY_MODEL: Record<string, (url: unknown) => IDataObject> = {
	'Make Picture': () => ({ Prompt: 'a fox', aspect_ratio: '16:9' }),
	'Edit Picture': (url) => ({ Prompt: 'add a hat', input_image: url as string }),
	'Animate Picture': (url) => ({ Prompt: 'it runs', image_url: url as string }),
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

/** What the webhook trigger puts out when the emulator's fine-tune has become available. */
async function delivered(parameters: INodeParameters): Promise<INodeExecutionData[]> {
	const trigger = await hostTrigger({ emulator: emulator.it, parameters });
	const [{ finetuneId }] = emulator.it.fineTunes;
	await trigger.deliver({ body: { event_type: 'AVAILABLE', finetune_id: finetuneId } });
	await trigger.idle();
	await trigger.close();
	return trigger.executions.map((json) => ({ json }));
}

/** A request as the queue's Data Table holds it, and when its job has ended. */
async function queuedRow(): Promise<INodeExecutionData> {
	const { json } = await runNode({
		emulator: emulator.it,
		parameters: submitting({ model: model('seedance-pro'), prompt: 'a fox' }),
	});
	const [{ request_id, status_url, response_url }] = json;
	await sleep(150);
	return {
		json: {
			id: 1,
			createdAt: '2026-11-20T12:00:00.000Z',
			request_id,
			state: 'pending',
			status_url,
			response_url,
			result: null,
		},
	};
}

/** What the polling trigger puts out for a request that ends after its activation. */
async function polled(parameters: INodeParameters): Promise<INodeExecutionData[]> {
	const trigger = new PollHost({ emulator: emulator.it, parameters });
	await trigger.activate();
	await queuedRow();
	return (await trigger.poll()) ?? [];
}

/** What an example is for: a member of its last Segmind node's output, or the first bytes of its file. */
const RESULT: Record<string, { file: [offset: number, bytes: string] } | { json: string }> = {
	'ai-agent-picture-to-video.json': { json: 'url' },
	'ai-agent.json': { json: 'url' },
	'ask-a-language-model.json': { json: 'text' },
	'balance-guard.json': { file: [1, 'PNG'] },
	'batch-of-prompts.json': { file: [1, 'PNG'] },
	'fine-tune-finished.json': { file: [1, 'PNG'] },
	'image-to-video.json': { file: [4, 'ftyp'] },
	'long-job.json': { file: [4, 'ftyp'] },
	'long-jobs-batch.json': { file: [4, 'ftyp'] },
	'notify-when-finished.json': { json: 'url' },
	'published-workflow.json': { json: 'outputs' },
	'queue-collect.json': { file: [4, 'ftyp'] },
	'queue-submit.json': { json: 'status_url' },
	'rotate-api-key.json': { json: 'deleted' },
	'scale-endpoint-on-schedule.json': { json: 'updated' },
	'submit-and-fetch-later.json': { file: [4, 'ftyp'] },
	'text-to-image.json': { file: [1, 'PNG'] },
	'text-to-speech.json': { file: [0, 'RIFF'] },
	'use-fine-tuned-model.json': { file: [1, 'PNG'] },
};

const emulator = useEmulator();

test('every example is known to this test', () => {
	expect([...FILES].sort()).toEqual(Object.keys(RESULT));
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
				!led.has(name) && !type.endsWith('Trigger') && !ways.some((way) => way.startsWith('ai_'))
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

	const isAgent = ours.some(({ type }) => type.endsWith('Tool'));
	const runs = !isAgent || hasModelValuesInItems ? test : test.skip;
	runs('does in the engine what it is for', async () => {
		await SETUP[file]?.();
		let items =
			file === 'queue-collect.json' ? [await queuedRow()] : (INPUT[file] ?? [{ json: {} }]);
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
			if (isAgent) items = [{ json: BY_MODEL[node.name](items[0].json.url) }];
			const { options, resource, waitForCompletion } = node.parameters;
			const isSubmission = waitForCompletion === false && resource !== 'request';
			// One look: the jobs have ended by then.
			if (waitForCompletion === false && !isSubmission)
				while (emulator.it.jobs.some(({ finishedAt }) => finishedAt === undefined)) await sleep(20);
			const waits = options !== undefined && !isSubmission;
			const result = await runNode({
				emulator: emulator.it,
				node: node.type.split('.')[1].replace(/Tool$/, ''),
				asTool: node.type.endsWith('Tool'),
				parameters: {
					...node.parameters,
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
				const status =
					/\.segmind(Tool|Workflow)?$/.test(ours[0].type) && wanted.json !== 'status_url'
						? { status: 'COMPLETED' }
						: {};
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
		const { schema } = parameters.parameters as unknown as { schema: unknown };
		const slug = (parameters.model as { value: string }).value;
		const asTool = type.endsWith('Tool');
		const { fields } = await modelForm({ listUrl: 'http://127.0.0.1:9', slug, asTool });
		expect(schema).toEqual(fields);
		// Nor is it outdated where the list calls things otherwise.
		const again = await modelForm({
			listUrl: emulator.it.urls.admin,
			slug,
			asTool,
			parameters: parameters.parameters as IDataObject,
		});
		expect(schema).toEqual(again.fields);
	}
});

describe('an agent', () => {
	const { nodes } = JSON.parse(
		readFileSync(join(FOLDER, 'ai-agent-picture-to-video.json'), 'utf8'),
	) as Example;
	const tools = nodes.filter(({ type }) => type.endsWith('Tool'));

	test('is offered arguments that are called like the parameters', () => {
		const offered = tools.map(({ name, parameters }) => {
			const found: Parameters<typeof traverseNodeParameters>[1] = [];
			traverseNodeParameters(parameters, found);
			return [name, found.map(({ key, type }) => `${key}: ${type}`)];
		});
		expect(offered).toEqual([
			['Make Picture', ['Prompt: string', 'aspect_ratio: string']],
			['Edit Picture', ['Prompt: string', 'input_image: string']],
			['Animate Picture', ['Prompt: string', 'image_url: string']],
		]);
	});

	const runs = hasModelValuesInItems ? test : test.skip;
	runs('makes, edits and animates a picture by its address', async () => {
		let url: unknown;
		const urls = [];
		for (const { name, type, parameters } of tools) {
			const { json, error } = await runNode({
				emulator: emulator.it,
				node: type.split('.')[1].replace(/Tool$/, ''),
				asTool: true,
				parameters: { ...parameters, options: { pollIntervalSeconds: 0.05 } },
				items: [{ json: BY_MODEL[name](url) }],
			});
			expect(error).toBeUndefined();
			({ url } = json[0]);
			urls.push(url);
		}
		expect(emulator.it.callsOf('submit').map(({ path, body }) => [path, body])).toEqual([
			['/v2/nano-banana', { prompt: 'a fox', aspect_ratio: '16:9' }],
			['/v2/flux-kontext-pro', { prompt: 'add a hat', input_image: urls[0] }],
			['/v2/seedance-pro', { prompt: 'it runs', image_url: urls[1], duration: 5 }],
		]);
		expect(urls[2]).toMatch(/\.mp4$/);
		expect(emulator.it.callsOf('upload')).toEqual([]);
	});
});

test('queue-collect tells apart the rows that still run, that failed and that expired', async () => {
	const example = JSON.parse(readFileSync(join(FOLDER, 'queue-collect.json'), 'utf8')) as Example;
	const { parameters, onError } = example.nodes.find(({ name }) => name === 'Check') as INode;
	emulator.it.set({ failJobs: [0] });
	const failed = await queuedRow();
	emulator.it.set({ failJobs: [], jobMs: 60_000 });
	const running = await queuedRow();
	const expired = {
		json: {
			...running.json,
			request_id: 'gone',
			status_url: `${emulator.it.urls.api}/v2/requests/gone/status`,
			response_url: `${emulator.it.urls.api}/v2/requests/gone`,
		},
	};
	const result = await runNode({
		emulator: emulator.it,
		parameters,
		onError,
		items: [failed, running, expired],
	});
	expect(result.json).toMatchObject([
		{ request_id: running.json.request_id, status: 'PROCESSING' },
	]);
	expect(result.errorItems.map(({ json }) => json.error)).toMatchObject([
		{ request_id: failed.json.request_id, status: 'FAILED' },
		{ request_id: 'gone', status: 'EXPIRED' },
	]);
});
