/** What production starts: webhooks and triggers. */
/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { setTimeout as pause } from 'node:timers/promises';

import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { submitFineTune } from '../../dev/emulator/sampleCalls';
import { fillAccount } from '../../dev/n8n/sampleAccount';
import {
	activeTrigger,
	errorOf,
	inference,
	itemsOf,
	node,
	OFTEN,
	postJson,
	prompts,
	slug,
	started,
	startedWith,
	succeeded,
	until,
} from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

const host = useSingleN8n();
let picture: string;
beforeEach(async () => {
	host.it.emulator.reset();
	({ picture } = await fillAccount(host.it.emulator));
});

test.each([
	['image', 'generate'],
	['image', 'edit'],
	['video', 'generate'],
	['audio', 'generate'],
	['text', 'generate'],
])(
	'%s, %s: the default model runs, and the item has what the editor was told',
	async (resource, operation) => {
		const { api } = host.it;
		const image = { name: 'image', type: 'string', stringValue: picture };
		const options = operation === 'edit' ? { additionalParameters: { values: [image] } } : {};
		const parameters = { resource, operation, prompt: 'waves', options };
		const { id } = await started(host.it, [node('segmind', parameters)]);
		const execution = await succeeded(api, id);
		expect(execution.mode).toBe('webhook');
		const address = `/schemas/n8n-nodes-segmind.segmind/1.0.0/${resource}/${operation}.json`;
		const { properties } = JSON.parse((await api.download(address)).toString()) as {
			properties: Record<string, { type: string }>;
		};
		const [{ json }] = itemsOf(execution, 'segmind');
		const types = Object.entries(properties).map(([name, { type }]) => [name, type]);
		expect(Object.keys(json)[0]).toBe(types[0][0]);
		expect(types.map(([name]) => [name, typeof json[name]])).toEqual(types);
	},
);

// That good ones are accepted is in test/browser/panels.test.ts.
test('the Test button refuses a wrong API key', async () => {
	const { api, emulator } = host.it;
	const data = { ...emulator.credentials, apiKey: 'SG_wrong' };
	const ref = await api.createCredential('segmindApi', 'wrong', data);
	const { status, message } = await api.testCredential('segmindApi', ref);
	expect([status, message]).toEqual(['Error', expect.stringContaining('Wrong key')]);
});

describe('a file comes in, and the execution is retried from the list', () => {
	/** A form with a file and a prompt, as a browser posts it. */
	function form(prompt: string): FormData {
		const data = new FormData();
		data.append('prompt', prompt);
		data.append('data', new Blob([Buffer.alloc(20_000, 'x')], { type: 'image/png' }), 'photo.png');
		return data;
	}

	const using = (more: INodeParameters, options: IDataObject = {}) =>
		node('segmind', {
			model: slug('nano-banana'),
			prompt: '={{ $json.body.prompt }}',
			options: { timeoutSeconds: 1, ...options } as INodeParameters,
			...more,
		});

	const FIELD = {
		id: 'image_urls',
		displayName: 'image_urls',
		required: false,
		defaultMatch: false,
		display: true,
		type: 'string',
	} as const;

	const NODES = {
		'does not use the file': using({}),
		'uploads by name': using(
			{},
			{
				additionalParameters: {
					values: [{ name: 'image_urls', type: 'file', binaryFields: 'data' }],
				},
			},
		),
		'uploads through the form': using({
			parameters: {
				mappingMode: 'defineBelow',
				value: { image_urls: 'data' },
				matchingColumns: [],
				schema: [FIELD],
			},
		}),
	};

	test('requests time out, the file used or not: Retry, as it ran and as it is saved, waits for the same ones', async () => {
		const { api, emulator } = host.it;
		const uploads = () => emulator.callsOf('upload').length;
		const before = uploads();
		emulator.set({ jobMs: 9_000 });
		const stillRunning = async (id: string) => {
			const execution = await api.ended(id);
			expect(errorOf(execution)).toMatch(/still (QUEUED|PROCESSING)/);
			return execution;
		};
		const play = async ([use, segmind]: [string, INode]) => {
			const { id } = await started(host.it, [segmind], {}, form(use));
			// The input that the retry starts from names the file anew: it was stored before the execution had an id.
			const [input] = itemsOf(await stillRunning(id), 'webhook');
			expect(input.binary?.data.id).toMatch(/^filesystem-v2:.*\/executions\/\d+\//);
			await stillRunning(await api.retry(id));
			const jobs = () => emulator.jobs.filter(({ input }) => input.prompt === use);
			await until(() => jobs()[0].state === 'COMPLETED');
			const retried = await succeeded(api, await api.retry(id, true));
			expect(jobs()).toMatchObject([{ requestId: itemsOf(retried, 'segmind')[0].json.request_id }]);
		};
		await Promise.all(Object.entries(NODES).map(play));
		expect([emulator.callsOf('submit').length, uploads() - before]).toEqual([3, 2]);
	});
});

const poller = async (event: string, parameters: INodeParameters) =>
	await activeTrigger(host.it, event, 'segmindTrigger', {
		pollTimes: OFTEN,
		event,
		...parameters,
	});

test('each trigger fires once for each event, and not again after a restart; the webhook wants its secret', async () => {
	const { api, emulator } = host.it;
	emulator.set({ fineTuneOpen: true, fineTuneStepMs: 100, webhooks: { copies: 3 } });
	const workflows = [
		await poller('requestFinished', { watch: 'account', options: {} }),
		await poller('fineTuneStatusChanged', { statuses: ['AVAILABLE'], options: {} }),
		await poller('creditsBelow', { threshold: 5 }),
		await activeTrigger(host.it, 'hook', 'segmindFineTuneTrigger', {
			events: ['TRAINING_COMPLETED', 'AVAILABLE'],
			secret: 'tell-nobody',
			confirmWithSegmind: true,
		}),
	];
	const startedAll = async () =>
		await Promise.all(workflows.map(async (one) => await startedWith(api, one)));
	expect(await startedAll()).toEqual([[], [], [], []]);
	const url = `${api.url}/webhook/hook/webhook`;
	expect(await postJson(url, { event: 'AVAILABLE' })).toBe(401);

	emulator.registerWebhook(`${url}?secret=tell-nobody`);
	await succeeded(api, (await started(host.it, [...prompts(1), inference()])).id);
	const finetune_id = await submitFineTune(emulator, 'sneakers');
	emulator.set({ balance: { credits: 1, freeCredits: 2 } });
	const counts = async () => (await startedAll()).map(({ length }) => length);
	await until(async () => String(await counts()) === '1,1,1,2');
	// Of copies that come together, only the first is confirmed; the others are told to come again.
	await until(() => emulator.deliveries.every(({ status }) => status === 200 || status === 503));
	expect(emulator.deliveries).toHaveLength(9);
	await pause(1000);
	const [{ requestId: request_id }] = emulator.jobs;
	const expected = [
		[expect.objectContaining({ request_id, status: 'COMPLETED' })],
		[expect.objectContaining({ finetune_id, status: 'AVAILABLE' })],
		[expect.objectContaining({ total: 3, threshold: 5 })],
		['TRAINING_COMPLETED', 'AVAILABLE'].map((event) =>
			expect.objectContaining({ event, finetune_id, confirmed: true }),
		),
	];
	expect(await startedAll()).toEqual(expected);

	await host.it.restart();
	const { length } = emulator.calls;
	const polls = (kind: string) => emulator.calls.slice(length).filter((one) => one.kind === kind);
	await until(async () => (await postJson(url, {})) === 401);
	const again = { event: 'AVAILABLE', finetune_id };
	expect(await postJson(`${url}?secret=tell-nobody`, again)).toBe(200);
	// At activation, which a restart is too, then at its times: when the third begins, the second has ended.
	await until(() => ['history', 'finetune', 'credits'].every((kind) => polls(kind).length > 2));
	await pause(1000);
	expect(await startedAll()).toEqual(expected);
});
