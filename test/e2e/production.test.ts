/** Production executions, which a webhook starts: default models, retries with an input file, publishing, and the credential test. */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { SegmindApi } from '../../credentials/SegmindApi.credentials';
import { fillAccount } from '../../dev/n8n/sampleAccount';
import {
	chain,
	errorOf,
	itemsOf,
	node,
	POLL_TIMES,
	slug,
	startExecution,
	expectSuccess,
	until,
} from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

const host = useSingleN8n();
let picture: string;
beforeEach(async () => {
	host.emulator.reset();
	({ picture } = await fillAccount(host.emulator));
});

test.each([
	['image', 'generate'],
	['image', 'edit'],
	['video', 'generate'],
	['audio', 'generate'],
	['text', 'generate'],
])(
	'%s, %s: the default model runs, and the item matches the schema for the editor',
	async (resource, operation) => {
		const { api } = host;
		const image = { name: 'image', type: 'string', stringValue: picture };
		const options = operation === 'edit' ? { additionalParameters: { values: [image] } } : {};
		const parameters = { resource, operation, prompt: 'waves', options };
		const { id } = await startExecution(host, [node('segmind', parameters)]);
		const execution = await expectSuccess(api, id);
		expect(execution.mode).toBe('webhook');
		const schemaPath = `/schemas/n8n-nodes-segmind.segmind/1.0.0/${resource}/${operation}.json`;
		const { properties } = JSON.parse((await api.download(schemaPath)).toString()) as {
			properties: Record<string, { type: string }>;
		};
		const [{ json }] = itemsOf(execution, 'segmind');
		const types = Object.entries(properties).map(([name, { type }]) => [name, type]);
		expect(Object.keys(json)[0]).toBe(types[0][0]);
		const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : typeof value);
		expect(types.map(([name]) => [name, typeOf(json[name])])).toEqual(types);
	},
);

test('a workflow that would start itself forever cannot be published', async () => {
	const { api, credentials, emulator } = host;
	const nodes = [
		node('segmindTrigger', { event: 'requestFinished', pollTimes: POLL_TIMES }),
		node('segmind', { resource: 'image', operation: 'generate', prompt: 'waves' }),
	];
	const workflow = await api.createWorkflow(chain('starts itself', nodes), credentials);
	await expect(api.activate(workflow)).rejects.toThrow(/Allow Self-Start/);
	expect(emulator.callsOf('submit', 'v1', 'history')).toEqual([]);
});

test('a fine-tune trigger that anybody could call cannot be published', async () => {
	const { api, credentials } = host;
	const nodes = [node('segmindFineTuneTrigger', { events: ['AVAILABLE'] })];
	const workflow = await api.createWorkflow(chain('open to all', nodes), credentials);
	await expect(api.activate(workflow)).rejects.toThrow(/URL/);
});

// test/browser/panels.ts tests that correct credentials are accepted.
test('the credential test reports a wrong API key', async () => {
	const { api, emulator } = host;
	const data = { ...emulator.credentials, apiKey: 'SG_wrong' };
	const ref = await api.createCredential('segmindApi', 'wrong', data);
	const { status, message } = await api.testCredential('segmindApi', ref);
	const [rule] = new SegmindApi().test.rules ?? [];
	expect([status, message]).toEqual(['Error', rule.properties.message]);
});

test('the test of a credential whose Base URL leads to a web page says so', async () => {
	const { api, emulator, n8n } = host;
	const data = { ...emulator.credentials, baseUrl: n8n.url };
	const ref = await api.createCredential('segmindApi', 'page', data);
	const { status, message } = await api.testCredential('segmindApi', ref);
	const [, rule] = new SegmindApi().test.rules ?? [];
	expect([status, message]).toEqual(['Error', rule.properties.message]);
});

describe('an execution with an input file is retried from the list', () => {
	/** Returns a form with a file and a prompt, as a browser posts it. */
	function form(prompt: string): FormData {
		const data = new FormData();
		data.append('prompt', prompt);
		data.append('data', new Blob([Buffer.alloc(20_000, 'x')], { type: 'image/png' }), 'photo.png');
		return data;
	}

	const nodeWith = (more: INodeParameters, options: IDataObject = {}) =>
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
		'does not use the file': nodeWith({}),
		'uploads by name': nodeWith(
			{},
			{
				additionalParameters: {
					values: [{ name: 'image_urls', type: 'file', binaryFields: 'data' }],
				},
			},
		),
		'uploads through the form': nodeWith({
			parameters: {
				mappingMode: 'defineBelow',
				value: { image_urls: 'data' },
				matchingColumns: [],
				schema: [FIELD],
			},
		}),
	};

	test('after a timeout, both kinds of Retry wait for the same requests, with and without a file', async () => {
		const { api, emulator } = host;
		const uploads = () => emulator.callsOf('upload').length;
		const uploadsBefore = uploads();
		emulator.set({ jobMs: 9_000 });
		const expectTimeout = async (id: string) => {
			const execution = await api.waitForEnd(id);
			expect(errorOf(execution)).toMatch(/QUEUED|PROCESSING/);
			return execution;
		};
		const retryTwice = async ([prompt, segmind]: [string, INode]) => {
			const { id } = await startExecution(host, [segmind], {}, form(prompt));
			// The retry starts with the input file's new name, which contains the execution's ID.
			const [input] = itemsOf(await expectTimeout(id), 'webhook');
			expect(input.binary?.data.id).toMatch(/^filesystem-v2:.*\/executions\/\d+\//);
			await expectTimeout(await api.retry(id));
			const jobs = () => emulator.jobs.filter(({ input }) => input.prompt === prompt);
			await until(() => jobs()[0].state === 'COMPLETED');
			const retried = await expectSuccess(api, await api.retry(id, true));
			expect(jobs()).toMatchObject([{ requestId: itemsOf(retried, 'segmind')[0].json.request_id }]);
		};
		await Promise.all(Object.entries(NODES).map(retryTwice));
		expect([emulator.callsOf('submit').length, uploads() - uploadsBefore]).toEqual([3, 2]);
	});
});
